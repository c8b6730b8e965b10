/* SPDX-License-Identifier: MIT */
/*
 * The tables of a trace, built definition by definition.
 *
 * While definitions come in, times in the tables are those of the file (CLOCK_MONOTONIC, all ones for not known);
 * store_tables_finish makes them times of the trace, because the epoch is not known before.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/failure.h"
#include "stream/order.h"
#include "store/format.h"
#include "store/sights.h"
#include "store/tables.h"

#define PENDING_NOT_KNOWN ((ct_time)STORE_NOT_KNOWN)
#define CORO_PREFIX_SHIFT 48

static const struct ct_process no_process = {
	.program = "",
	.command_line = "",
	.attached = CT_NO_TIME,
	.ended = PENDING_NOT_KNOWN,
};
static const struct store_segment no_segment = {.attached = STORE_NOT_KNOWN};

enum ct_status store_tables_init(struct store_tables *all, struct ct_error *reterr)
{
	memset(all, 0, sizeof(*all));
	arena_init(&all->arena);
	all->tables.host = all->tables.reason = "";
	all->tables.carried_from = all->tables.reason_time = CT_NO_TIME;
	if (lists_begin(&all->lists) && vec_push(&all->segments, no_segment)) {
		all->lists.processes.at[0] = no_process;
		return CT_OK;
	}
	store_tables_fini(all);
	return ct_fail_memory(reterr);
}

void store_tables_fini(struct store_tables *all)
{
	size_t i;

	for (i = 0; i < STORE_CLOCKS; i++)
		timeline_fini(&all->timelines[i]);
	map_fini(&all->process_of);
	map_fini(&all->thread_of);
	map_fini(&all->segment_of);
	map_fini(&all->stream_of);
	map_fini(&all->site_of);
	map_fini(&all->stack_of);
	map_fini(&all->probes_of);
	lists_fini(&all->lists);
	vec_fini(&all->segments);
	vec_fini(&all->named_stacks);
	vec_fini(&all->looks_of_sights);
	arena_fini(&all->arena);
}

static uint32_t index_of(const struct map *map, uint64_t number)
{
	uint32_t index = 0;

	return map_get(map, number, &index) ? index : 0;
}

/* ----------------------------------------------------------------- definitions */

static void apply_run(struct store_tables *all, const struct ct_define_run *run)
{
	memcpy(all->tables.run_id, run->run_id, sizeof(run->run_id));
	all->tables.host = run->host;
	all->tables.has_no_end = run->has_no_end;
	all->tables.nr_impossible = run->nr_impossible;
	all->tables.is_from_memory = run->is_from_memory;
}

static void fill_text(const char **text, const char *later)
{
	if (!**text)
		*text = later;
}

static void replace_text(const char **text, const char *later)
{
	if (*later)
		*text = later;
}

/* A process that is defined again (after an exec) keeps what the later definition does not state. */
static bool apply_process(struct store_tables *all, const struct ct_define_process *from)
{
	uint32_t index = index_of(&all->process_of, from->process);
	struct ct_process *process;

	if (!index) {
		index = (uint32_t)all->lists.processes.count;
		if (!vec_push(&all->lists.processes, no_process) ||
			!map_put(&all->process_of, from->process, index))
			return false;
	}
	process = &all->lists.processes.at[index];
	if (from->pid)
		process->pid = from->pid;
	replace_text(&process->program, from->program);
	replace_text(&process->command_line, from->command_line);
	return true;
}

/* The first segment of a probe keeps its ids; each further segment of the process adds 2^48 to its own. */
static bool take_prefix(struct store_tables *all, uint32_t process, uint64_t *ret_prefix)
{
	uint32_t nr_before = index_of(&all->probes_of, process);

	*ret_prefix = (uint64_t)nr_before << CORO_PREFIX_SHIFT;
	return map_put(&all->probes_of, process, nr_before + 1);
}

static void note_role(struct ct_process *process, uint32_t role)
{
	process->has_probe = process->has_probe || role == CTP_ROLE_PROBE;
	process->has_ledger = process->has_ledger || role == CTP_ROLE_LEDGER;
}

static bool apply_segment(struct store_tables *all, const struct ct_define_segment *from)
{
	struct store_segment segment = {
		.number = from->segment,
		.process = index_of(&all->process_of, from->process),
		.role = from->role,
		.clock = from->clock < STORE_CLOCKS ? from->clock : CTP_CLOCK_NONE,
		.attached = from->attached,
	};

	if (index_of(&all->segment_of, from->segment))
		return true;
	if (segment.role == CTP_ROLE_PROBE &&
		!take_prefix(all, segment.process, &segment.coro_prefix))
		return false;
	if (segment.process) {
		note_role(&all->lists.processes.at[segment.process], segment.role);
		all->lists.processes.at[segment.process].has_bare_resumes |= from->has_bare_resumes;
	}
	return map_put(&all->segment_of, from->segment, (uint32_t)all->segments.count) &&
	       vec_push(&all->segments, segment);
}

static bool apply_thread(struct store_tables *all, const struct ct_define_thread *from)
{
	uint32_t index = index_of(&all->thread_of, from->thread);
	struct ct_thread *thread;

	if (!index) {
		index = (uint32_t)all->lists.threads.count;
		if (!vec_push(&all->lists.threads, lists_no_thread) ||
			!map_put(&all->thread_of, from->thread, index))
			return false;
		all->lists.threads.at[index].process = index_of(&all->process_of, from->process);
	}
	thread = &all->lists.threads.at[index];
	if (from->tid)
		thread->tid = from->tid;
	replace_text(&thread->name, from->name);
	return true;
}

static bool apply_stream(struct store_tables *all, const struct ct_define_stream *from)
{
	uint32_t segment = index_of(&all->segment_of, from->segment);

	if (!segment || index_of(&all->stream_of, from->stream))
		return true;
	return map_put(&all->stream_of, from->stream, segment);
}

static void fill_site(struct ct_site *site, const struct ct_define_site *from)
{
	site->kind = site->kind ? site->kind : from->kind;
	site->form = site->form ? site->form : from->form;
	site->line = site->line ? site->line : from->line;
	site->column = site->column ? site->column : from->column;
	site->address = site->address ? site->address : from->address;
	site->module_offset = site->module_offset ? site->module_offset : from->module_offset;
	site->frame_bytes = site->frame_bytes ? site->frame_bytes : from->frame_bytes;
	fill_text(&site->file, from->file);
	fill_text(&site->function, from->function);
	fill_text(&site->reason, from->reason);
	fill_text(&site->module, from->module);
	fill_text(&site->callers, from->callers);
}

/* A site's stack may be defined after the site, because a stack names sites. */
static bool note_stack(struct store_tables *all, uint32_t site, const struct ct_define_site *from)
{
	struct store_named_stack named = {
		.site = site, .segment = from->segment, .stack = from->stack};

	return !from->stack || vec_push(&all->named_stacks, named);
}

static bool apply_site(struct store_tables *all, const struct ct_define_site *from)
{
	uint64_t key = (uint64_t)from->segment << 32 | from->id;
	uint32_t index = index_of(&all->site_of, key);

	if (!index) {
		index = (uint32_t)all->lists.sites.count;
		if (!vec_push(&all->lists.sites, lists_no_site) ||
			!map_put(&all->site_of, key, index))
			return false;
		all->lists.sites.at[index].process =
			all->segments.at[index_of(&all->segment_of, from->segment)].process;
	}
	fill_site(&all->lists.sites.at[index], from);
	return note_stack(all, index, from);
}

/* A stack names only stacks before it (F-74), so the chain of callers has no cycle. */
static bool apply_stack(struct store_tables *all, const struct ct_define_stack *from)
{
	uint64_t segment = (uint64_t)from->segment << 32;
	struct ct_stack stack = {
		.site = index_of(&all->site_of, segment | from->site),
		.caller = index_of(&all->stack_of, segment | from->caller),
	};

	if (!from->id || !stack.site || index_of(&all->stack_of, segment | from->id))
		return true;
	return map_put(&all->stack_of, segment | from->id, (uint32_t)all->lists.stacks.count) &&
	       vec_push(&all->lists.stacks, stack);
}

/* Gives sites their stacks; a site whose stack is not defined yet stays in the list. */
static void settle_stacks(struct store_tables *all)
{
	size_t i, left = 0;

	for (i = 0; i < all->named_stacks.count; i++) {
		struct store_named_stack named = all->named_stacks.at[i];
		uint32_t stack =
			index_of(&all->stack_of, (uint64_t)named.segment << 32 | named.stack);

		if (!stack)
			all->named_stacks.at[left++] = named;
		else if (!all->lists.sites.at[named.site].stack)
			all->lists.sites.at[named.site].stack = stack;
	}
	all->named_stacks.count = left;
}

static bool apply_mapping(struct store_tables *all, const struct ct_define_mapping *from)
{
	struct ct_mapping mapping = {
		.process = index_of(&all->process_of, from->process),
		.start = from->start,
		.end = from->end,
		.offset = from->offset,
		.path = from->path,
		.build_id = from->build_id,
	};

	return vec_push(&all->lists.mappings, mapping);
}

static bool apply_clock(struct store_tables *all, const struct ct_define_clock *from)
{
	if (!all->has_clock) {
		all->has_clock = true;
		all->tables.epoch_monotonic_ns = (int64_t)from->monotonic_ns;
		all->tables.epoch_realtime_ns = (int64_t)from->realtime_ns;
	}
	if (from->reach_ns <= INT64_MAX && (int64_t)from->reach_ns > all->tables.reach_ns)
		all->tables.reach_ns = (int64_t)from->reach_ns;
	return from->clock >= STORE_CLOCKS || timeline_add(&all->timelines[from->clock], from->raw,
						      from->monotonic_ns, from->uncertainty_ns);
}

bool store_tables_restore_epoch(struct store_tables *all, const struct ct_define_clock *clock)
{
	if (!all->has_clock)
		return true;
	if ((int64_t)(clock->monotonic_ns - (uint64_t)all->tables.epoch_monotonic_ns) < 0) {
		all->tables.epoch_monotonic_ns = (int64_t)clock->monotonic_ns;
		all->tables.epoch_realtime_ns = (int64_t)clock->realtime_ns;
	}
	return false;
}

static bool apply_heartbeat(struct store_tables *all, uint64_t monotonic_ns)
{
	if (!all->has_heartbeat)
		all->first_heartbeat_ns = all->last_heartbeat_ns = monotonic_ns;
	all->has_heartbeat = true;
	if ((int64_t)(monotonic_ns - all->last_heartbeat_ns) > 0)
		all->last_heartbeat_ns = monotonic_ns;
	return true;
}

static bool apply_loss(struct store_tables *all, const struct ct_define_loss *from)
{
	struct ct_loss loss = {
		.process = index_of(&all->process_of, from->process),
		.thread = index_of(&all->thread_of, from->thread),
		.coro = from->coro,
		.reason = (enum ctp_loss)from->reason,
		.count = from->count,
		.first = (ct_time)from->first_monotonic_ns,
		.last = (ct_time)from->last_monotonic_ns,
	};

	return vec_push(&all->lists.losses, loss);
}

static bool apply_ending(struct store_tables *all, const struct ct_define_ending *from)
{
	uint32_t index = index_of(&all->process_of, from->process);
	struct ct_process *process = &all->lists.processes.at[index];

	if (!index)
		return true;
	process->ending = from->ending <= CT_ENDING_DETACHED ? from->ending : CT_ENDING_UNKNOWN;
	process->ending_value = from->value;
	process->was_killed_by_engine_user = from->was_forwarded;
	process->ended = (ct_time)from->monotonic_ns;
	return true;
}

static bool apply_end(struct store_tables *all, const struct ct_define_end *from)
{
	all->has_end = true;
	all->end_nr_events = from->nr_events;
	all->tables.is_cut = from->is_cut;
	return apply_heartbeat(all, from->monotonic_ns);
}

/* An empty note is ignored. */
static bool apply_note(struct store_tables *all, const struct ct_define_note *from)
{
	struct ct_note note = {.text = from->text, .count = from->count, .offset = from->offset};

	return !*note.text || vec_push(&all->lists.notes, note);
}

static bool apply_generation_end(
	struct store_tables *all, const struct ct_define_generation_end *from)
{
	if (from->most_live > all->tables.most_live)
		all->tables.most_live = from->most_live;
	return apply_heartbeat(all, from->monotonic_ns);
}

/* The first generation says how much lies before this part; later generations only continue. */
static bool apply_generation(struct store_tables *all, const struct ct_define_generation *from)
{
	apply_heartbeat(all, from->monotonic_ns);
	if (all->tables.first_generation)
		return true;
	all->tables.first_generation = from->generation;
	all->tables.nr_before = from->nr_events_before;
	all->tables.nr_not_carried = from->nr_events_before ? from->nr_forgotten : 0;
	return true;
}

static bool apply_reason(struct store_tables *all, const struct ct_define_reason *from)
{
	all->tables.reason = from->text;
	all->tables.reason_time = (ct_time)from->monotonic_ns;
	return true;
}

static bool apply(struct store_tables *all, const struct ct_definition *definition)
{
	switch (definition->type) {
	case CT_DEFINE_RUN:
		apply_run(all, &definition->run);
		return true;
	case CT_DEFINE_PROCESS:
		return apply_process(all, &definition->process);
	case CT_DEFINE_SEGMENT:
		return apply_segment(all, &definition->segment);
	case CT_DEFINE_THREAD:
		return apply_thread(all, &definition->thread);
	case CT_DEFINE_STREAM:
		return apply_stream(all, &definition->stream);
	case CT_DEFINE_SITE:
		return apply_site(all, &definition->site);
	case CT_DEFINE_MAPPING:
		return apply_mapping(all, &definition->mapping);
	case CT_DEFINE_CLOCK:
		return apply_clock(all, &definition->clock);
	case CT_DEFINE_HEARTBEAT:
		return apply_heartbeat(all, definition->heartbeat.monotonic_ns);
	case CT_DEFINE_LOSS:
		return apply_loss(all, &definition->loss);
	case CT_DEFINE_ENDING:
		return apply_ending(all, &definition->ending);
	case CT_DEFINE_END:
		return apply_end(all, &definition->end);
	case CT_DEFINE_NOTE:
		return definition->note.is_sight ? store_sights_apply(all, &definition->note)
						 : apply_note(all, &definition->note);
	case CT_DEFINE_GENERATION:
		return apply_generation(all, &definition->generation);
	case CT_DEFINE_GENERATION_END:
		return apply_generation_end(all, &definition->generation_end);
	case CT_DEFINE_REASON:
		return apply_reason(all, &definition->reason);
	case CT_DEFINE_STACK:
		return apply_stack(all, &definition->stack);
	}
	return true;
}

enum ct_status store_tables_apply(
	struct store_tables *all, const struct ct_definition *definition, struct ct_error *reterr)
{
	return apply(all, definition) ? CT_OK : ct_fail_memory(reterr);
}

enum ct_status store_tables_note(struct store_tables *all, uint64_t count, uint64_t offset,
	struct ct_error *reterr, const char *format, ...)
{
	struct ct_note note = {.count = count, .offset = offset};
	char sentence[240];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	note.text = arena_text(&all->arena, sentence, strlen(sentence));
	return note.text && vec_push(&all->lists.notes, note) ? CT_OK : ct_fail_memory(reterr);
}

/* ----------------------------------------------------------------------- times */

static ct_time settle(const struct store_tables *all, ct_time pending)
{
	return pending == PENDING_NOT_KNOWN ? CT_NO_TIME
					    : store_since_epoch(all, (uint64_t)pending);
}

ct_time store_tables_time(
	const struct store_tables *all, uint32_t clock, uint64_t raw, size_t *hint)
{
	if (clock == CTP_CLOCK_MONOTONIC || all->timelines[clock].pieces.count == 0)
		return store_since_epoch(all, raw);
	return store_since_epoch(all, (uint64_t)timeline_ns(&all->timelines[clock], raw, hint));
}

static void settle_attached(struct store_tables *all)
{
	size_t i, hint = 0;

	for (i = 1; i < all->segments.count; i++) {
		const struct store_segment *segment = &all->segments.at[i];
		struct ct_process *process = &all->lists.processes.at[segment->process];
		ct_time time;

		/* The engine's own observations do not count as attaching. */
		if (segment->process == 0 || segment->role == CTP_ROLE_ENGINE ||
			segment->attached == STORE_NOT_KNOWN)
			continue;
		time = store_tables_time(all, segment->clock, segment->attached, &hint);
		if (process->attached == CT_NO_TIME || time < process->attached)
			process->attached = time;
	}
}

/* Without a clock reading the first attach is the epoch, because its clock is all that there is. */
static void choose_epoch(struct store_tables *all)
{
	size_t i;

	for (i = 1; i < all->segments.count && !all->has_clock; i++) {
		if (all->segments.at[i].attached == STORE_NOT_KNOWN)
			continue;
		all->tables.epoch_monotonic_ns = (int64_t)all->segments.at[i].attached;
		all->has_clock = true;
	}
}

static void name_clock(struct store_tables *all)
{
	const struct timeline *counter = &all->timelines[CTP_CLOCK_COUNTER];
	uint64_t skew = 0;
	bool is_counter;
	size_t i;

	all->tables.clock = "CLOCK_MONOTONIC";
	for (i = 1; i < all->segments.count; i++) {
		if (all->segments.at[i].clock == CTP_CLOCK_COUNTER)
			all->tables.clock = "counter";
		/* All times are uncertain by the steps of the coarse clock. */
		if (all->segments.at[i].clock == CTP_CLOCK_COARSE) {
			all->tables.clock = "coarse";
			break;
		}
	}
	is_counter = strcmp(all->tables.clock, "counter") == 0;
	all->tables.clock_hz = is_counter ? timeline_hz(counter) : 0;
	if (is_counter && !all->tables.reach_ns)
		all->tables.reach_ns = ORDER_REACH_NS;
	for (i = 0; i < STORE_CLOCKS; i++)
		skew = all->timelines[i].skew_ns > skew ? all->timelines[i].skew_ns : skew;
	all->tables.clock_skew_ns = skew > INT64_MAX ? INT64_MAX : (int64_t)skew;
}

static void settle_observation(struct store_tables *all)
{
	if (all->has_heartbeat) {
		all->tables.observed_from = store_since_epoch(all, all->first_heartbeat_ns);
		all->tables.observed_until = store_since_epoch(all, all->last_heartbeat_ns);
	}
	all->tables.is_complete = all->has_end;
}

void store_tables_refresh(struct store_tables *all)
{
	name_clock(all);
	settle_observation(all);
	store_tables_publish(all);
}

void store_tables_finish(struct store_tables *all)
{
	size_t i;

	choose_epoch(all);
	name_clock(all);
	for (i = 0; i < all->lists.processes.count; i++)
		all->lists.processes.at[i].ended = settle(all, all->lists.processes.at[i].ended);
	for (i = 0; i < all->lists.losses.count; i++) {
		all->lists.losses.at[i].first = settle(all, all->lists.losses.at[i].first);
		all->lists.losses.at[i].last = settle(all, all->lists.losses.at[i].last);
	}
	store_sights_settle(all);
	if (*all->tables.reason)
		all->tables.reason_time = settle(all, all->tables.reason_time);
	settle_attached(all);
	settle_observation(all);
}

void store_tables_publish(struct store_tables *all)
{
	settle_stacks(all);
	lists_publish(&all->lists, &all->tables);
}

uint32_t store_tables_site(const struct store_tables *all, uint32_t segment_number, uint32_t id)
{
	return index_of(&all->site_of, (uint64_t)segment_number << 32 | id);
}

uint32_t store_tables_segment(const struct store_tables *all, uint32_t stream_number)
{
	return index_of(&all->stream_of, stream_number);
}
