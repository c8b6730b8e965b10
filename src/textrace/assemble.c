/* SPDX-License-Identifier: MIT */
/*
 * A source into a sink, as an engine would have written it: so that `assemble` makes a trace file
 * from text. Times become CLOCK_MONOTONIC ones; the epoch is the first clock reading.
 */
#include <string.h>

#include "base/failure.h"
#include "textrace/textrace.h"
#include "base/vec.h"

struct assembly {
	const struct ct_tables *tables;
	struct ct_sink *sink;
	struct ct_error *reterr;
	VEC(bool) has_stream; /* by number */
	uint64_t nr_events;
	uint32_t nr_losses; /* of the tables, before the first event */
};

static enum ct_status define(struct assembly *assembly, const struct ct_definition *definition)
{
	return sink_define(assembly->sink, definition, assembly->reterr);
}

/* Modulo 2^64: what lies before the epoch comes back as it was. */
static uint64_t to_raw(const struct assembly *assembly, ct_time time)
{
	return (uint64_t)time + (uint64_t)assembly->tables->epoch_monotonic_ns;
}

static uint64_t to_raw_if_known(const struct assembly *assembly, ct_time time)
{
	return time == CT_NO_TIME ? UINT64_MAX : to_raw(assembly, time);
}

/* Each process has a segment for its events, and one more where probe and ledger are both there. */
static uint32_t segment_of(uint32_t process)
{
	return 2 * process + 1;
}

static uint32_t stream_of(const struct assembly *assembly, const struct ct_event *event)
{
	return event->thread ? event->thread : assembly->tables->nr_threads + event->process;
}

/* ------------------------------------------------------------------ definitions */

/* A part's own number goes before everything. */
static enum ct_status define_part(struct assembly *assembly)
{
	const struct ct_tables *tables = assembly->tables;
	struct ct_definition generation = {
		.type = CT_DEFINE_GENERATION,
		.generation =
			{
				.generation = tables->first_generation,
				.monotonic_ns = to_raw(assembly, tables->observed_from),
				.nr_events_before = tables->nr_before,
				.nr_carried = tables->nr_carried,
				.nr_forgotten = tables->nr_not_carried,
			},
	};

	if (!tables->nr_before && !tables->nr_carried && tables->first_generation < 2)
		return CT_OK;
	return define(assembly, &generation);
}

static enum ct_status define_reason(struct assembly *assembly)
{
	struct ct_definition reason = {
		.type = CT_DEFINE_REASON,
		.reason =
			{
				.text = assembly->tables->reason,
				.monotonic_ns =
					to_raw_if_known(assembly, assembly->tables->reason_time),
			},
	};

	return *assembly->tables->reason ? define(assembly, &reason) : CT_OK;
}

static enum ct_status collect_define_run(struct assembly *assembly)
{
	const struct ct_tables *tables = assembly->tables;
	struct ct_definition run = {
		.type = CT_DEFINE_RUN,
		.run =
			{
				.host = tables->host,
				.command_line = "",
				.has_no_end = tables->has_no_end,
				.nr_impossible = tables->nr_impossible,
			},
	};
	struct ct_definition clock = {
		.type = CT_DEFINE_CLOCK,
		.clock =
			{
				.clock = CTP_CLOCK_MONOTONIC,
				.raw = (uint64_t)tables->epoch_monotonic_ns,
				.monotonic_ns = (uint64_t)tables->epoch_monotonic_ns,
				.realtime_ns = (uint64_t)tables->epoch_realtime_ns,
				.uncertainty_ns = (uint64_t)tables->clock_skew_ns,
				.reach_ns = (uint64_t)tables->reach_ns,
			},
	};
	struct ct_definition heartbeat = {
		.type = CT_DEFINE_HEARTBEAT,
		.heartbeat = {.monotonic_ns = to_raw(assembly, tables->observed_from)},
	};
	enum ct_status status;

	memcpy(run.run.run_id, tables->run_id, sizeof(run.run.run_id));
	status = define_part(assembly);
	if (status == CT_OK)
		status = define(assembly, &run);
	if (status == CT_OK)
		status = define(assembly, &clock);
	if (status == CT_OK)
		status = define_reason(assembly);
	return status ? status : define(assembly, &heartbeat);
}

static enum ct_status define_segment(
	struct assembly *assembly, uint32_t number, uint32_t process, uint32_t role)
{
	struct ct_definition segment = {
		.type = CT_DEFINE_SEGMENT,
		.segment =
			{
				.segment = number,
				.process = process,
				.role = role,
				.clock = CTP_CLOCK_MONOTONIC,
				.attached = to_raw_if_known(
					assembly, assembly->tables->processes[process].attached),
				.has_bare_resumes =
					assembly->tables->processes[process].has_bare_resumes,
			},
	};

	return define(assembly, &segment);
}

static enum ct_status define_process(struct assembly *assembly, uint32_t number)
{
	const struct ct_process *process = &assembly->tables->processes[number];
	struct ct_definition definition = {
		.type = CT_DEFINE_PROCESS,
		.process =
			{
				.process = number,
				.pid = process->pid,
				.program = process->program,
				.command_line = process->command_line,
			},
	};
	uint32_t role = process->has_probe    ? CTP_ROLE_PROBE
			: process->has_ledger ? CTP_ROLE_LEDGER
					      : 0;
	enum ct_status status = number ? define(assembly, &definition) : CT_OK;

	if (status == CT_OK)
		status = define_segment(assembly, segment_of(number), number, role);
	if (status == CT_OK && process->has_probe && process->has_ledger)
		status = define_segment(assembly, segment_of(number) + 1, number, CTP_ROLE_LEDGER);
	return status;
}

static enum ct_status define_thread(struct assembly *assembly, uint32_t number)
{
	const struct ct_thread *thread = &assembly->tables->threads[number];
	struct ct_definition definition = {
		.type = CT_DEFINE_THREAD,
		.thread =
			{
				.thread = number,
				.process = thread->process,
				.tid = thread->tid,
				.name = thread->name,
			},
	};

	return define(assembly, &definition);
}

static enum ct_status define_site(struct assembly *assembly, uint32_t number)
{
	const struct ct_site *site = &assembly->tables->sites[number];
	struct ct_definition definition = {
		.type = CT_DEFINE_SITE,
		.site =
			{
				.segment = segment_of(site->process),
				.id = number,
				.kind = site->kind,
				.form = site->form,
				.line = site->line,
				.column = site->column,
				.file = site->file,
				.function = site->function,
				.reason = site->reason,
				.module = site->module,
				.address = site->address,
				.module_offset = site->module_offset,
				.callers = site->callers,
			},
	};

	return define(assembly, &definition);
}

static enum ct_status define_mapping(struct assembly *assembly, uint32_t number)
{
	const struct ct_mapping *mapping = &assembly->tables->mappings[number];
	struct ct_definition definition = {
		.type = CT_DEFINE_MAPPING,
		.mapping =
			{
				.process = mapping->process,
				.start = mapping->start,
				.end = mapping->end,
				.offset = mapping->offset,
				.path = mapping->path,
				.build_id = mapping->build_id,
			},
	};

	return define(assembly, &definition);
}

static enum ct_status define_loss(struct assembly *assembly, uint32_t number)
{
	const struct ct_loss *loss = &assembly->tables->losses[number];
	struct ct_definition definition = {
		.type = CT_DEFINE_LOSS,
		.loss =
			{
				.process = loss->process,
				.thread = loss->thread,
				.reason = loss->reason,
				.count = loss->count,
				.first_monotonic_ns = to_raw_if_known(assembly, loss->first),
				.last_monotonic_ns = to_raw_if_known(assembly, loss->last),
				.coro = loss->coro,
			},
	};

	return define(assembly, &definition);
}

static enum ct_status define_note(struct assembly *assembly, uint32_t number)
{
	const struct ct_note *note = &assembly->tables->notes[number];
	struct ct_definition definition = {
		.type = CT_DEFINE_NOTE,
		.note = {.text = note->text, .count = note->count, .offset = note->offset},
	};

	return define(assembly, &definition);
}

static enum ct_status define_ending(struct assembly *assembly, uint32_t number)
{
	const struct ct_process *process = &assembly->tables->processes[number];
	struct ct_definition definition = {
		.type = CT_DEFINE_ENDING,
		.ending =
			{
				.process = number,
				.ending = process->ending,
				.value = process->ending_value,
				.was_forwarded = process->was_killed_by_engine_user,
				.monotonic_ns = to_raw_if_known(assembly, process->ended),
			},
	};

	return define(assembly, &definition);
}

static enum ct_status define_each(struct assembly *assembly, uint32_t first, uint32_t count,
	enum ct_status (*define_one)(struct assembly *, uint32_t))
{
	enum ct_status status = CT_OK;
	uint32_t i;

	for (i = first; i < count && status == CT_OK; i++)
		status = define_one(assembly, i);
	return status;
}

static enum ct_status define_tables(struct assembly *assembly)
{
	const struct ct_tables *tables = assembly->tables;
	enum ct_status status = collect_define_run(assembly);

	if (status == CT_OK)
		status = define_each(assembly, 0, tables->nr_processes, define_process);
	if (status == CT_OK)
		status = define_each(assembly, 1, tables->nr_threads, define_thread);
	if (status == CT_OK)
		status = define_each(assembly, 1, tables->nr_sites, define_site);
	if (status == CT_OK)
		status = define_each(assembly, 1, tables->nr_mappings, define_mapping);
	if (status == CT_OK)
		status = define_each(assembly, 0, assembly->nr_losses, define_loss);
	if (status == CT_OK)
		status = define_each(assembly, 0, tables->nr_notes, define_note);
	return status;
}

/* The last moment observed, and the end where the trace has one. */
static enum ct_status define_rest(struct assembly *assembly)
{
	const struct ct_tables *tables = assembly->tables;
	uint64_t until = to_raw(assembly, tables->observed_until);
	struct ct_definition heartbeat = {
		.type = CT_DEFINE_HEARTBEAT, .heartbeat = {.monotonic_ns = until}};
	struct ct_definition end = {
		.type = CT_DEFINE_END,
		.end =
			{
				.monotonic_ns = until,
				.nr_events = tables->nr_before + assembly->nr_events,
				.is_cut = tables->is_cut,
			},
	};
	/* Some may have become known while events were read. */
	enum ct_status status =
		define_each(assembly, assembly->nr_losses, tables->nr_losses, define_loss);

	if (status == CT_OK)
		status = define_each(assembly, 1, tables->nr_processes, define_ending);
	if (status == CT_OK)
		status = define(assembly, &heartbeat);
	if (status == CT_OK && tables->is_complete)
		status = define(assembly, &end);
	return status;
}

/* ----------------------------------------------------------------------- events */

static enum ct_status ready_stream(struct assembly *assembly, const struct ct_event *event)
{
	uint32_t number = stream_of(assembly, event);
	struct ct_definition stream = {
		.type = CT_DEFINE_STREAM,
		.stream = {.stream = number, .segment = segment_of(event->process)},
	};

	if (!vec_reach(&assembly->has_stream, number))
		return ct_fail_memory(assembly->reterr);
	if (assembly->has_stream.at[number])
		return CT_OK;
	assembly->has_stream.at[number] = true;
	return define(assembly, &stream);
}

static enum ct_status put_event(
	struct assembly *assembly, const struct ct_event *event, bool is_carried)
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
	enum ct_status status = ready_stream(assembly, event);

	if (event->kind == CTP_KIND_LOST)
		record.coro = to_raw(assembly, (ct_time)event->coro);
	if (status == CT_OK)
		status = sink_put(assembly->sink, &batch, assembly->reterr);
	assembly->nr_events += !is_carried;
	return status;
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
	enum ct_status status = define_tables(&assembly);

	while (status == CT_OK) {
		status = source_next(source, &event, reterr);
		if (status == CT_OK)
			status = put_event(&assembly, event, source_is_carried(source));
	}
	if (status == CT_END)
		status = define_rest(&assembly);
	vec_fini(&assembly.has_stream);
	return status;
}
