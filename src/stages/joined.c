/* SPDX-License-Identifier: MIT */
/*
 * Joins two sources of one process (joined.h). The tables are those of the recording, with the sites, stacks and new
 * threads of the other source behind them. Events are merged by time.
 */
#include <stdlib.h>

#include "base/failure.h"
#include "stages/arrange.h"
#include "stages/joined.h"
#include "stream/lists.h"

/* The run of one of the two that is being handed out. */
struct part {
	struct ct_source *source;
	struct ct_events run;
	size_t nr_handed;
	bool has_ended;
};

struct joined {
	struct ct_source source;
	struct ct_tables tables;
	struct lists lists;
	struct part past, present;
	uint32_t process;  /* of the present, in the tables of the past */
	uint32_t *threads; /* by the index that the present has */
	uint32_t nr_sites; /* what the indexes of sites and stacks are raised by */
	uint32_t nr_stacks;
	ct_time later; /* what the times of the present are raised by */
	uint64_t nr_events;
};

/* ---------------------------------------------------------------- tables */

static uint32_t process_of(const struct ct_tables *tables, uint64_t pid)
{
	uint32_t i;

	for (i = tables->nr_processes; i > 1; i--)
		if (tables->processes[i - 1].pid == pid)
			return i - 1;
	return 0;
}

static bool is_without_probe(const struct ct_tables *past, uint64_t pid)
{
	uint32_t process = process_of(past, pid);

	return process && !past->processes[process].has_probe;
}

static bool copy_past(struct joined *joined, const struct ct_tables *past)
{
	struct lists *lists = &joined->lists;
	bool is_done = true;
	uint32_t i;

	for (i = 0; i < past->nr_processes; i++)
		is_done &= vec_push(&lists->processes, past->processes[i]);
	for (i = 0; i < past->nr_threads; i++)
		is_done &= vec_push(&lists->threads, past->threads[i]);
	for (i = 0; i < past->nr_sites; i++)
		is_done &= vec_push(&lists->sites, past->sites[i]);
	for (i = 0; i < past->nr_stacks; i++)
		is_done &= vec_push(&lists->stacks, past->stacks[i]);
	for (i = 0; i < past->nr_mappings; i++)
		is_done &= vec_push(&lists->mappings, past->mappings[i]);
	/* The recording goes on, so that it has no end yet. */
	for (i = 0; i < past->nr_losses; i++)
		if (past->losses[i].reason != CTP_LOSS_OPEN_END)
			is_done &= vec_push(&lists->losses, past->losses[i]);
	for (i = 0; i < past->nr_notes; i++)
		is_done &= vec_push(&lists->notes, past->notes[i]);
	for (i = 0; i < past->nr_sights; i++)
		is_done &= vec_push(&lists->sights, past->sights[i]);
	return is_done;
}

static uint32_t site_of(const struct joined *joined, uint32_t site)
{
	return site ? site + joined->nr_sites - 1 : 0;
}

static uint32_t stack_of(const struct joined *joined, uint32_t stack)
{
	return stack ? stack + joined->nr_stacks - 1 : 0;
}

static bool add_places(struct joined *joined, const struct ct_tables *present)
{
	bool is_done = true;
	uint32_t i;

	for (i = 1; i < present->nr_sites; i++) {
		struct ct_site site = present->sites[i];

		site.process = joined->process;
		site.stack = stack_of(joined, site.stack);
		is_done &= vec_push(&joined->lists.sites, site);
	}
	for (i = 1; i < present->nr_stacks; i++) {
		struct ct_stack stack = present->stacks[i];

		stack.site = site_of(joined, stack.site);
		stack.caller = stack_of(joined, stack.caller);
		is_done &= vec_push(&joined->lists.stacks, stack);
	}
	for (i = 0; i < present->nr_notes; i++)
		is_done &= vec_push(&joined->lists.notes, present->notes[i]);
	for (i = 0; i < present->nr_sights; i++)
		is_done &= vec_push(&joined->lists.sights, present->sights[i]);
	return is_done;
}

/* The last thread of this number that the recording has; 0: none. */
static uint32_t thread_of(const struct joined *joined, uint64_t tid)
{
	size_t i;

	for (i = joined->lists.threads.count; i > 1; i--)
		if (joined->lists.threads.at[i - 1].tid == tid &&
			joined->lists.threads.at[i - 1].process == joined->process)
			return (uint32_t)i - 1;
	return 0;
}

static bool add_threads(struct joined *joined, const struct ct_tables *present)
{
	uint32_t i;

	joined->threads = calloc(present->nr_threads, sizeof(*joined->threads));
	for (i = 1; joined->threads && i < present->nr_threads; i++) {
		struct ct_thread thread = present->threads[i];

		thread.process = joined->process;
		joined->threads[i] = thread_of(joined, thread.tid);
		if (joined->threads[i])
			continue;
		joined->threads[i] = (uint32_t)joined->lists.threads.count;
		if (!vec_push(&joined->lists.threads, thread))
			return false;
	}
	return joined->threads != NULL;
}

static bool join_tables(
	struct joined *joined, const struct ct_tables *past, const struct ct_tables *present)
{
	struct ct_tables *tables = &joined->tables;

	*tables = *past;
	joined->process = process_of(past, present->processes[1].pid);
	joined->nr_sites = past->nr_sites;
	joined->nr_stacks = past->nr_stacks;
	joined->later = present->epoch_monotonic_ns - past->epoch_monotonic_ns;
	if (!copy_past(joined, past) || !add_places(joined, present) ||
		!add_threads(joined, present))
		return false;
	if (joined->lists.processes.at[joined->process].ending == CT_ENDING_UNKNOWN)
		joined->lists.processes.at[joined->process].ending = present->processes[1].ending;
	lists_publish(&joined->lists, tables);
	tables->is_from_memory = true;
	tables->is_complete = true;
	tables->nr_events = 0;
	if (present->observed_until + joined->later > tables->observed_until)
		tables->observed_until = present->observed_until + joined->later;
	return true;
}

/* ---------------------------------------------------------------- events */

/* Is there an event of this part? CT_END: no more. */
static enum ct_status refill(struct part *part, struct ct_error *reterr)
{
	enum ct_status status;

	if (part->has_ended || part->nr_handed < part->run.count)
		return part->has_ended ? CT_END : CT_OK;
	part->nr_handed = 0;
	status = source_next_run(part->source, &part->run, reterr);
	if (status)
		part->run.count = 0;
	part->has_ended = status == CT_END;
	return status;
}

static struct ct_event translated(const struct joined *joined, const struct ct_event *event)
{
	struct ct_event joint = *event;

	joint.time += joined->later;
	joint.process = joined->process;
	joint.thread = joined->threads[event->thread];
	joint.site = site_of(joined, event->site);
	return joint;
}

/* The next event of both; at the same time, the recording's comes first. */
static struct ct_event take(struct joined *joined)
{
	struct part *past = &joined->past, *present = &joined->present;
	struct ct_event event = {.time = INT64_MAX};

	if (!present->has_ended)
		event = translated(joined, &present->run.at[present->nr_handed]);
	if (!past->has_ended && past->run.at[past->nr_handed].time <= event.time)
		event = past->run.at[past->nr_handed++];
	else
		present->nr_handed++;
	event.sequence = joined->nr_events++;
	return event;
}

/* A run is of carried events, or of others. */
static bool goes_on(const struct joined *joined, bool are_carried)
{
	return !(joined->past.has_ended && joined->present.has_ended) &&
	       are_carried == (!joined->past.has_ended && joined->past.run.are_carried);
}

static enum ct_status next(
	struct ct_source *source, struct ct_events *events, struct ct_error *reterr)
{
	struct joined *joined = (struct joined *)source;
	enum ct_status past, present;

	events->count = 0;
	events->at = events->room;
	for (;;) {
		past = refill(&joined->past, reterr);
		present = past < 0 ? past : refill(&joined->present, reterr);
		if (past < 0 || present < 0)
			return past < 0 ? past : present;
		if (events->count == 0)
			events->are_carried =
				!joined->past.has_ended && joined->past.run.are_carried;
		if (events->count == events->capacity || !goes_on(joined, events->are_carried))
			return events->count > 0 ? CT_OK : CT_END;
		events->room[events->count++] = take(joined);
	}
}

static enum ct_status reset(struct ct_source *source, struct ct_error *reterr)
{
	struct joined *joined = (struct joined *)source;
	enum ct_status status = source_reset(joined->past.source, reterr);

	joined->past = (struct part){.source = joined->past.source};
	joined->present = (struct part){.source = joined->present.source};
	joined->nr_events = 0;
	return status ? status : source_reset(joined->present.source, reterr);
}

static void close_joined(struct ct_source *source)
{
	struct joined *joined = (struct joined *)source;

	source_close(joined->past.source);
	source_close(joined->present.source);
	lists_fini(&joined->lists);
	free(joined->threads);
	free(joined);
}

static enum ct_status make(struct ct_source *past, struct ct_source *present,
	struct ct_source **ret_source, struct ct_error *reterr)
{
	static const struct ct_source_ops ops = {next, reset, close_joined};
	struct joined *joined = calloc(1, sizeof(*joined));

	if (!joined)
		return ct_fail_memory(reterr);
	if (!join_tables(joined, past->tables, present->tables)) {
		lists_fini(&joined->lists);
		free(joined->threads);
		free(joined);
		return ct_fail_memory(reterr);
	}
	joined->past.source = past;
	joined->present.source = present;
	joined->source = (struct ct_source){
		.ops = &ops, .tables = &joined->tables, .order = past->order, .is_ordered = true};
	*ret_source = &joined->source;
	return CT_OK;
}

enum ct_status joined_open(struct ct_source *past, struct ct_source *present,
	struct ct_source **ret_source, struct ct_error *reterr)
{
	struct ct_source *ordered = past;
	enum ct_status status = arrange_open(past, &ordered, reterr);

	if (status == CT_OK && !is_without_probe(past->tables, present->tables->processes[1].pid))
		status = ct_fail(reterr, CT_ERR_NOT_FOUND,
			"the recording has no such process, or knows its coroutines");
	if (status == CT_OK)
		status = make(ordered, present, ret_source, reterr);
	if (status) {
		source_close(ordered);
		source_close(present);
	}
	return status;
}
