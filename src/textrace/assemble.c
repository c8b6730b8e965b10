/* SPDX-License-Identifier: MIT */
/*
 * Writes a source into a sink as an engine would have written it, so that `assemble` makes a trace file from text.
 * Times become CLOCK_MONOTONIC times; the epoch is the first clock reading.
 */
#include <string.h>

#include "base/failure.h"
#include "textrace/textrace.h"
#include "base/vec.h"
#include "stream/definition.h"

struct assembly {
	const struct ct_tables *tables;
	struct ct_sink *sink;
	enum ct_status status; /* after a failure nothing more is written */
	struct ct_error *reterr;
	VEC(bool) has_stream; /* indexed by stream number */
	uint64_t nr_events;
	uint32_t nr_losses; /* losses in the tables before the first event */
};

static void define(struct assembly *assembly, struct ct_definition definition)
{
	if (assembly->status == CT_OK)
		assembly->status = sink_define(assembly->sink, &definition, assembly->reterr);
}

/* The addition is modulo 2^64, so a time before the epoch comes back unchanged. */
static uint64_t to_raw(const struct assembly *assembly, ct_time time)
{
	return (uint64_t)time + (uint64_t)assembly->tables->epoch_monotonic_ns;
}

static uint64_t to_raw_if_known(const struct assembly *assembly, ct_time time)
{
	return time == CT_NO_TIME ? UINT64_MAX : to_raw(assembly, time);
}

/* Each process has a segment for its events, and a second one if it has both probe and ledger. */
static uint32_t segment_of(uint32_t process)
{
	return 2 * process + 1;
}

static uint32_t stream_of(const struct assembly *assembly, const struct ct_event *event)
{
	return event->thread ? event->thread : assembly->tables->nr_threads + event->process;
}

/* ------------------------------------------------------------------ definitions */

static struct ct_definition heartbeat(uint64_t monotonic_ns)
{
	return (struct ct_definition){
		.type = CT_DEFINE_HEARTBEAT, .heartbeat = {.monotonic_ns = monotonic_ns}};
}

/* The number of a part comes before everything else. */
static void define_part(struct assembly *assembly)
{
	const struct ct_tables *tables = assembly->tables;
	struct ct_definition definition = {.type = CT_DEFINE_GENERATION};

	if (!tables->nr_before && !tables->nr_carried && tables->first_generation < 2)
		return;
	definition.generation = (struct ct_define_generation){
		.generation = tables->first_generation,
		.monotonic_ns = to_raw(assembly, tables->observed_from),
		.nr_events_before = tables->nr_before,
		.nr_carried = tables->nr_carried,
		.nr_forgotten = tables->nr_not_carried,
	};
	define(assembly, definition);
}

static void define_reason(struct assembly *assembly)
{
	const struct ct_tables *tables = assembly->tables;
	struct ct_definition definition = {.type = CT_DEFINE_REASON};

	definition.reason = (struct ct_define_reason){
		.text = tables->reason,
		.monotonic_ns = to_raw_if_known(assembly, tables->reason_time),
	};
	if (*tables->reason)
		define(assembly, definition);
}

static void define_run(struct assembly *assembly)
{
	const struct ct_tables *tables = assembly->tables;
	struct ct_definition run = {.type = CT_DEFINE_RUN}, clock = {.type = CT_DEFINE_CLOCK};

	run.run = (struct ct_define_run){
		.host = tables->host,
		.command_line = "",
		.has_no_end = tables->has_no_end,
		.nr_impossible = tables->nr_impossible,
		.is_from_memory = tables->is_from_memory,
	};
	memcpy(run.run.run_id, tables->run_id, sizeof(run.run.run_id));
	clock.clock = (struct ct_define_clock){
		.clock = CTP_CLOCK_MONOTONIC,
		.raw = (uint64_t)tables->epoch_monotonic_ns,
		.monotonic_ns = (uint64_t)tables->epoch_monotonic_ns,
		.realtime_ns = (uint64_t)tables->epoch_realtime_ns,
		.uncertainty_ns = (uint64_t)tables->clock_skew_ns,
		.reach_ns = (uint64_t)tables->reach_ns,
	};
	define_part(assembly);
	define(assembly, run);
	define(assembly, clock);
	define_reason(assembly);
	define(assembly, heartbeat(to_raw(assembly, tables->observed_from)));
}

static void define_segment(
	struct assembly *assembly, uint32_t number, uint32_t process, uint32_t role)
{
	const struct ct_process *of = &assembly->tables->processes[process];
	struct ct_definition definition = {.type = CT_DEFINE_SEGMENT};

	definition.segment = (struct ct_define_segment){
		.segment = number,
		.process = process,
		.role = role,
		.clock = CTP_CLOCK_MONOTONIC,
		.attached = to_raw_if_known(assembly, of->attached),
		.has_bare_resumes = of->has_bare_resumes,
	};
	define(assembly, definition);
}

static void define_process(struct assembly *assembly, uint32_t number)
{
	const struct ct_process *process = &assembly->tables->processes[number];
	struct ct_definition definition = {.type = CT_DEFINE_PROCESS};
	uint32_t role = process->has_probe    ? CTP_ROLE_PROBE
			: process->has_ledger ? CTP_ROLE_LEDGER
					      : 0;

	definition.process = (struct ct_define_process){
		.process = number,
		.pid = process->pid,
		.program = process->program,
		.command_line = process->command_line,
	};
	if (number)
		define(assembly, definition);
	define_segment(assembly, segment_of(number), number, role);
	if (process->has_probe && process->has_ledger)
		define_segment(assembly, segment_of(number) + 1, number, CTP_ROLE_LEDGER);
}

static void define_thread(struct assembly *assembly, uint32_t number)
{
	const struct ct_thread *thread = &assembly->tables->threads[number];
	struct ct_definition definition = {.type = CT_DEFINE_THREAD};

	definition.thread = (struct ct_define_thread){
		.thread = number,
		.process = thread->process,
		.tid = thread->tid,
		.name = thread->name,
	};
	define(assembly, definition);
}

static void define_site(struct assembly *assembly, uint32_t number)
{
	const struct ct_site *site = &assembly->tables->sites[number];

	define(assembly, definition_of_site(site, segment_of(site->process), number));
}

static void define_stack(struct assembly *assembly, uint32_t number)
{
	const struct ct_tables *tables = assembly->tables;
	const struct ct_stack *stack = &tables->stacks[number];
	uint32_t segment = segment_of(tables->sites[stack->site].process);

	define(assembly, definition_of_stack(stack, segment, number));
}

static void define_mapping(struct assembly *assembly, uint32_t number)
{
	const struct ct_mapping *mapping = &assembly->tables->mappings[number];
	struct ct_definition definition = {.type = CT_DEFINE_MAPPING};

	definition.mapping = (struct ct_define_mapping){
		.process = mapping->process,
		.start = mapping->start,
		.end = mapping->end,
		.offset = mapping->offset,
		.path = mapping->path,
		.build_id = mapping->build_id,
	};
	define(assembly, definition);
}

static void define_loss(struct assembly *assembly, uint32_t number)
{
	const struct ct_loss *loss = &assembly->tables->losses[number];
	struct ct_definition definition = {.type = CT_DEFINE_LOSS};

	definition.loss = (struct ct_define_loss){
		.process = loss->process,
		.thread = loss->thread,
		.reason = loss->reason,
		.count = loss->count,
		.first_monotonic_ns = to_raw_if_known(assembly, loss->first),
		.last_monotonic_ns = to_raw_if_known(assembly, loss->last),
		.coro = loss->coro,
	};
	define(assembly, definition);
}

static void define_note(struct assembly *assembly, uint32_t number)
{
	const struct ct_note *note = &assembly->tables->notes[number];
	struct ct_definition definition = {.type = CT_DEFINE_NOTE};

	definition.note = (struct ct_define_note){
		.text = note->text, .count = note->count, .offset = note->offset};
	define(assembly, definition);
}

static void define_sight(struct assembly *assembly, uint32_t number)
{
	const struct ct_sight *sight = &assembly->tables->sights[number];
	struct ct_definition definition = {.type = CT_DEFINE_NOTE};

	definition.note = (struct ct_define_note){.text = sight->text,
		.coro = sight->coro,
		.begun_ns = sight->begun == CT_NO_TIME ? 0 : to_raw(assembly, sight->begun),
		.ended_ns = sight->ended == CT_NO_TIME ? 0 : to_raw(assembly, sight->ended),
		.count = 1,
		.offset = CT_NO_OFFSET,
		.is_sight = true};
	define(assembly, definition);
}

static void define_ending(struct assembly *assembly, uint32_t number)
{
	const struct ct_process *process = &assembly->tables->processes[number];
	struct ct_definition definition = {.type = CT_DEFINE_ENDING};

	definition.ending = (struct ct_define_ending){
		.process = number,
		.ending = process->ending,
		.value = process->ending_value,
		.was_forwarded = process->was_killed_by_engine_user,
		.monotonic_ns = to_raw_if_known(assembly, process->ended),
	};
	define(assembly, definition);
}

static void define_each(struct assembly *assembly, uint32_t first, uint32_t count,
	void (*define_one)(struct assembly *, uint32_t))
{
	uint32_t i;

	for (i = first; i < count && assembly->status == CT_OK; i++)
		define_one(assembly, i);
}

static void define_tables(struct assembly *assembly)
{
	const struct ct_tables *tables = assembly->tables;

	define_run(assembly);
	define_each(assembly, 0, tables->nr_processes, define_process);
	define_each(assembly, 1, tables->nr_threads, define_thread);
	define_each(assembly, 1, tables->nr_sites, define_site);
	define_each(assembly, 1, tables->nr_stacks, define_stack);
	define_each(assembly, 1, tables->nr_mappings, define_mapping);
	define_each(assembly, 0, assembly->nr_losses, define_loss);
	define_each(assembly, 0, tables->nr_notes, define_note);
	define_each(assembly, 0, tables->nr_sights, define_sight);
}

/* Defines the last observed moment, and the end if the trace has one. */
static void define_rest(struct assembly *assembly)
{
	const struct ct_tables *tables = assembly->tables;
	uint64_t until = to_raw(assembly, tables->observed_until);
	struct ct_definition end = {.type = CT_DEFINE_END};

	/* Some losses and endings may have become known while events were read. */
	define_each(assembly, assembly->nr_losses, tables->nr_losses, define_loss);
	define_each(assembly, 1, tables->nr_processes, define_ending);
	define(assembly, heartbeat(until));
	end.end = (struct ct_define_end){
		.monotonic_ns = until,
		.nr_events = tables->nr_before + assembly->nr_events,
		.is_cut = tables->is_cut,
	};
	if (tables->is_complete)
		define(assembly, end);
}

/* ----------------------------------------------------------------------- events */

static void ready_stream(struct assembly *assembly, const struct ct_event *event)
{
	uint32_t number = stream_of(assembly, event);
	struct ct_definition definition = {
		.type = CT_DEFINE_STREAM,
		.stream = {.stream = number, .segment = segment_of(event->process)},
	};

	if (!vec_reach(&assembly->has_stream, number))
		assembly->status = ct_fail_memory(assembly->reterr);
	else if (!assembly->has_stream.at[number])
		define(assembly, definition);
	if (assembly->status == CT_OK)
		assembly->has_stream.at[number] = true;
}

static void put_event(struct assembly *assembly, const struct ct_event *event, bool is_carried)
{
	struct ctp_record record = {
		.time = to_raw(assembly, event->time),
		.coro = event->coro,
		.object = event->object,
		.tail = CTP_TAIL(event->site, event->kind, event->argument, event->flags),
	};
	struct ct_batch batch = {
		.stream = stream_of(assembly, event),
		.thread = event->thread,
		.records = &record,
		.nr_records = 1,
		.is_carried = is_carried,
	};

	ready_stream(assembly, event);
	if (event->kind == CTP_KIND_LOST)
		record.coro = to_raw(assembly, (ct_time)event->coro);
	if (assembly->status == CT_OK)
		assembly->status = sink_put(assembly->sink, &batch, assembly->reterr);
	assembly->nr_events += !is_carried;
}

enum ct_status textrace_to_sink(
	struct ct_source *source, struct ct_sink *sink, struct ct_error *reterr)
{
	struct assembly assembly = {
		.tables = source->tables,
		.sink = sink,
		.nr_losses = source->tables->nr_losses,
		.reterr = reterr,
	};
	const struct ct_event *event;

	define_tables(&assembly);
	while (assembly.status == CT_OK) {
		assembly.status = source_next(source, &event, reterr);
		if (assembly.status == CT_OK)
			put_event(&assembly, event, source_is_carried(source));
	}
	if (assembly.status == CT_END) {
		assembly.status = CT_OK;
		define_rest(&assembly);
	}
	vec_fini(&assembly.has_stream);
	return assembly.status;
}
