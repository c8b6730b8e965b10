/* SPDX-License-Identifier: MIT */
/*
 * Merges events, skews or hastens their times, loses some, and makes the tables.
 */
#include "record.h"

#include <stdlib.h>

#include "stages/arrange.h"
#include "corotracer/ctp_probe.h"
#include "groups.h"

#define SKEW_NS 400   /* the greatest difference between two clocks; a microsecond is allowed */
#define REACH_NS 5000 /* the most by which a stamp is early */
#define EARLY_ONE_IN 6
#define MOST_GAPS 3u
#define LONG_GAP 3000u

struct record {
	struct ct_source source;
	struct ct_source *arranged; /* the source that readers get */
	struct ct_tables tables;
	struct ct_process processes[2];
	struct ct_thread *threads;
	struct ct_site sites[MOST_SITES];
	struct ct_loss losses[MOST_GAPS + 1];
	VEC(struct ct_event) events;
	size_t next;
};

static enum ct_status next_event(
	struct ct_source *source, struct ct_events *events, struct ct_error *reterr)
{
	struct record *record = (struct record *)source;

	(void)reterr;
	if (record->next == record->events.count)
		return CT_END;
	*events = (struct ct_events){.at = &record->events.at[record->next++], .count = 1};
	return CT_OK;
}

static enum ct_status reset(struct ct_source *source, struct ct_error *reterr)
{
	(void)reterr;
	((struct record *)source)->next = 0;
	return CT_OK;
}

static void close_nothing(struct ct_source *source)
{
	(void)source;
}

static const struct ct_source_ops record_ops = {
	.next = next_event, .reset = reset, .close = close_nothing};

/* ---------------------------------------------------------------- tables */

static void describe_process(struct record *record, const struct world *world)
{
	record->processes[1] = (struct ct_process){
		.pid = 100,
		.program = "/bin/simulated",
		.command_line = "",
		.ended = world->ended,
		.ending = world->signal ? CT_ENDING_SIGNALED : CT_ENDING_EXITED,
		.ending_value = world->signal,
		.has_probe = true,
		.has_ledger = true,
	};
	record->processes[0] = (struct ct_process){.program = "", .command_line = ""};
	if (world->ended != NEVER)
		return;
	record->processes[1].ended = CT_NO_TIME;
	record->processes[1].ending = CT_ENDING_UNKNOWN;
}

static void describe_threads(struct record *record, const struct world *world)
{
	uint32_t i;

	record->threads = calloc(world->threads.count, sizeof(*record->threads));
	if (!record->threads)
		abort();
	for (i = 0; i < world->threads.count; i++)
		record->threads[i] = (struct ct_thread){
			.process = i > 0,
			.tid = i ? 1000 + i : 0,
			.name = "",
			.started = CT_NO_TIME,
			.stopped = CT_NO_TIME,
		};
}

static void describe_sites(struct record *record, const struct world *world)
{
	static const char *const reasons[NR_PLACES] = {
		[PLACE_START] = "start",
		[PLACE_SPAWN] = "spawn",
		[PLACE_WAKE] = "wake",
		[PLACE_WORK] = "work",
		[PLACE_COUNTER] = "counter",
		[PLACE_WAIT + WAIT_NOTHING] = "yield",
		[PLACE_WAIT + WAIT_LOCK] = "lock",
		[PLACE_WAIT + WAIT_CHANNEL] = "receive",
		[PLACE_WAIT + WAIT_FILE] = "read",
		[PLACE_WAIT + WAIT_CHILD] = "join",
		[PLACE_WAIT + WAIT_TIMER] = "sleep",
		[PLACE_WAIT + WAIT_CALLER] = "give way",
	};
	uint32_t i;

	record->sites[0] = (struct ct_site){
		.file = "", .function = "", .reason = "", .module = "", .callers = ""};
	for (i = 0; i < world->groups.count * NR_PLACES; i++)
		record->sites[1 + i] = (struct ct_site){
			.process = 1,
			.kind = i % NR_PLACES == PLACE_COUNTER ? CTP_SITE_NAME : CTP_SITE_SOURCE,
			.line = 1 + i,
			.file = "simulated.c",
			.function = world->groups.at[i / NR_PLACES].name,
			.reason = reasons[i % NR_PLACES],
			.module = "",
			.callers = "",
		};
	record->tables.nr_sites = 1 + i;
}

static void describe(struct record *record, const struct world *world)
{
	describe_process(record, world);
	describe_threads(record, world);
	record->tables = (struct ct_tables){
		.host = "",
		.clock = world->manner.is_hasty ? "counter" : "CLOCK_MONOTONIC",
		.reach_ns = world->manner.is_hasty ? REACH_NS : 0,
		.observed_until = world->end,
		.is_complete = true,
		.reason = "",
		.processes = record->processes,
		.nr_processes = 2,
		.threads = record->threads,
		.nr_threads = (uint32_t)world->threads.count,
		.sites = record->sites,
		.losses = record->losses,
	};
	describe_sites(record, world);
}

/* ---------------------------------------------------------------- clocks and losses */

static bool is_engines(const struct ct_event *event)
{
	return event->kind == CTP_KIND_THREAD_STATE || event->kind == CTP_KIND_THREAD_TIME;
}

static void skew(struct record *record, struct world *world)
{
	size_t i;

	for (i = 0; i < record->events.count; i++) {
		struct ct_event *event = &record->events.at[i];

		if (!is_engines(event))
			event->time += (int64_t)(event->thread * UINT64_C(2654435761) *
							 (world->seed + 1) >>
						 8) %
				       SKEW_NS;
	}
}

/* Reading the clock for these events waits for the instructions before it. */
static bool is_fenced(const struct world *world, const struct ct_event *event)
{
	return is_engines(event) ||
	       (world->manner.is_fenced && (CTP_KINDS_FENCED >> (event->kind & 63) & 1));
}

/*
 * Now and then a thread takes what another thread gave, and its stamps are too early until it has it: several in a row,
 * by the same time or less. Within a thread stamps do not decrease.
 */
static void hasten(struct record *record, struct world *world)
{
	struct hasty {
		ct_time last, early;
	} *threads = calloc(world->threads.count, sizeof(*threads));
	size_t i;

	if (!threads)
		abort();
	for (i = 0; i < record->events.count; i++) {
		struct ct_event *event = &record->events.at[i];
		struct hasty *thread = &threads[event->thread];

		if (once_in(world, EARLY_ONE_IN))
			thread->early = below(world, REACH_NS);
		else if (once_in(world, 2))
			thread->early = 0;
		if (!is_fenced(world, event))
			event->time -= thread->early;
		if (event->time < thread->last && !is_engines(event))
			event->time = thread->last;
		if (!is_engines(event))
			thread->last = event->time;
	}
	free(threads);
}

static int compare(const void *left, const void *right)
{
	const struct ct_event *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->sequence < b->sequence ? -1 : 1;
}

/* The record that stands where a thread writes again. */
static struct ct_event lost_before(const struct ct_event *after, ct_time first, uint32_t count)
{
	return (struct ct_event){
		.time = after->time,
		.coro = (uint64_t)first,
		.object = count,
		.kind = CTP_KIND_LOST,
		.argument = CTP_LOSS_FULL,
		.process = 1,
		.thread = after->thread,
	};
}

/*
 * Removes `count` events of the thread from `from` on, up to a record of another gap; the thread reports the loss in
 * place of its next event.
 */
static void lose(struct record *record, uint32_t thread, size_t from, uint32_t count)
{
	struct ct_loss loss = {
		.process = 1, .thread = thread, .first = record->events.at[from].time};
	size_t kept = from, i;
	bool is_told = false;

	for (i = from; i < record->events.count; i++) {
		struct ct_event *event = &record->events.at[i];
		bool is_its = event->thread == thread && !is_engines(event);

		if (is_its && loss.count < count && !is_told && event->kind != CTP_KIND_LOST) {
			loss.count++;
			loss.last = event->time;
			continue;
		}
		if (is_its && !is_told && loss.count) {
			/* At least one event was removed before, so there is room. */
			struct ct_event after = *event;

			record->events.at[kept++] =
				lost_before(&after, loss.first, (uint32_t)loss.count);
			is_told = true;
			record->events.at[kept++] = after;
			continue;
		}
		record->events.at[kept++] = *event;
	}
	record->events.count = kept;
	if (loss.count && !is_told)
		record->losses[record->tables.nr_losses++] = loss;
}

static void lose_some(struct record *record, struct world *world)
{
	uint32_t gaps = 1 + below(world, MOST_GAPS);

	while (gaps-- > 0 && record->events.count > 0)
		lose(record, 1 + below(world, (uint32_t)world->threads.count - 1),
			below(world, (uint32_t)record->events.count),
			1 + below(world, once_in(world, 5) ? LONG_GAP : 12));
}

/* Removes everything before the engine came. */
static void attach_late(struct record *record, struct world *world)
{
	ct_time from = between(world, MS, world->end / 2);
	size_t kept = 0, i;

	for (i = 0; i < record->events.count; i++)
		if (record->events.at[i].time >= from)
			record->events.at[kept++] = record->events.at[i];
	record->events.count = kept;
	record->tables.observed_from = from;
	record->processes[1].attached = from;
	record->losses[record->tables.nr_losses++] = (struct ct_loss){
		.process = 1,
		.reason = CTP_LOSS_BEFORE,
		.count = 1,
		.last = from,
	};
}

static void number(struct record *record)
{
	size_t i;

	for (i = 0; i < record->events.count; i++)
		record->events.at[i].sequence = i;
}

struct record *record_new(struct world *world)
{
	struct record *record = calloc(1, sizeof(*record));

	if (!record)
		abort();
	record->events.at = world->events.at;
	record->events.count = world->events.count;
	world->events.at = NULL;
	world->events.count = world->events.capacity = 0;
	describe(record, world);
	record->source = (struct ct_source){.ops = &record_ops, .tables = &record->tables};
	number(record);
	if (world->manner.is_hasty)
		hasten(record, world);
	else if (world->manner.is_skewed)
		skew(record, world);
	if (world->manner.is_hasty || world->manner.is_skewed)
		qsort(record->events.at, record->events.count, sizeof(*record->events.at), compare);
	if (world->manner.is_attached_late)
		attach_late(record, world);
	if (world->manner.loses)
		lose_some(record, world);
	number(record);
	if (arrange_open(&record->source, &record->arranged, NULL))
		abort();
	return record;
}

void record_free(struct record *record)
{
	if (!record)
		return;
	source_close(record->arranged);
	vec_fini(&record->events);
	free(record->threads);
	free(record);
}

struct ct_source *record_source(struct record *record)
{
	return record->arranged;
}
