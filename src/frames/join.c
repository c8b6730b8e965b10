/* SPDX-License-Identifier: MIT */
/* A program's recorded past, and what was found in its memory, as one source (join.h). */
#include <stdlib.h>

#include "base/failure.h"
#include "frames/match.h"
#include "frames/join.h"

#define TEXT_BYTES 400

/* What the frame says of the last suspend that the past has of a coroutine. */
struct patch {
	uint32_t site;   /* 0: as recorded */
	uint64_t object; /* 0: as recorded */
};

struct joined {
	struct ct_source source;
	struct ct_tables tables;
	struct lists lists;
	struct ct_source *past;
	struct frames_source *now;
	VEC(struct ct_event) early; /* at `early_time`, between events of the past */
	VEC(struct ct_event) late;  /* after the last event of the past */
	ct_time early_time;
	VEC(struct patch) patches;
	struct map by_sequence; /* of an event of the past, to its patch */

	struct ct_events run; /* of the past, from which `nr_taken` events were handed out */
	size_t nr_taken;
	bool is_past_over;
	size_t nr_early;
	size_t nr_late;
	uint64_t nr_handed;
};

struct joining {
	struct joined *joined;
	const struct found *found;
	struct matches matches;
	uint32_t first_site; /* what the numbers of sites, stacks are raised by */
	uint32_t first_stack;
	uint32_t *threads; /* of the image, in the joined table */
	bool is_out_of_memory;
};

/* ---------------------------------------------------------------- as a source */

static enum ct_status fill(struct joined *joined, struct ct_error *reterr)
{
	enum ct_status status;

	if (joined->is_past_over || joined->nr_taken < joined->run.count)
		return CT_OK;
	status = source_next_run(joined->past, &joined->run, reterr);
	joined->nr_taken = 0;
	if (status == CT_OK)
		return CT_OK;
	joined->run.count = 0;
	joined->is_past_over = status == CT_END;
	return status == CT_END ? CT_OK : status;
}

static struct ct_event patched(const struct joined *joined, const struct ct_event *recorded)
{
	struct ct_event event = *recorded;
	const struct patch *patch;
	uint32_t at;

	if (!map_get(&joined->by_sequence, event.sequence, &at))
		return event;
	patch = &joined->patches.at[at];
	event.site = patch->site ? patch->site : event.site;
	event.object = patch->object ? patch->object : event.object;
	return event;
}

/* Takes the next event of all; false: there is none, or it belongs to a run of its own. */
static bool take(struct joined *joined, struct ct_event *ret_event)
{
	const struct ct_event *recorded =
		joined->is_past_over ? NULL : &joined->run.at[joined->nr_taken];

	if (joined->nr_early < joined->early.count &&
		(!recorded || recorded->time >= joined->early_time))
		*ret_event = joined->early.at[joined->nr_early++];
	else if (recorded)
		*ret_event = patched(joined, &joined->run.at[joined->nr_taken++]);
	else if (joined->nr_late < joined->late.count)
		*ret_event = joined->late.at[joined->nr_late++];
	else
		return false;
	ret_event->sequence = joined->nr_handed++;
	return true;
}

static enum ct_status next(
	struct ct_source *source, struct ct_events *ret_events, struct ct_error *reterr)
{
	struct joined *joined = (struct joined *)source;
	bool was_over;
	enum ct_status status = fill(joined, reterr);

	if (status)
		return status;
	was_over = joined->is_past_over;
	ret_events->are_carried = joined->run.are_carried;
	while (ret_events->count < ret_events->capacity &&
		take(joined, &ret_events->room[ret_events->count])) {
		ret_events->count++;
		if (!was_over && joined->nr_taken == joined->run.count)
			break;
	}
	return ret_events->count > 0 ? CT_OK : CT_END;
}

static enum ct_status reset(struct ct_source *source, struct ct_error *reterr)
{
	struct joined *joined = (struct joined *)source;

	joined->run.count = joined->nr_taken = joined->nr_early = joined->nr_late = 0;
	joined->nr_handed = 0;
	joined->is_past_over = false;
	return source_reset(joined->past, reterr);
}

static void close_source(struct ct_source *source)
{
	struct joined *joined = (struct joined *)source;

	lists_fini(&joined->lists);
	vec_fini(&joined->early);
	vec_fini(&joined->late);
	vec_fini(&joined->patches);
	map_fini(&joined->by_sequence);
	source_close(joined->past);
	source_close(&joined->now->source);
	free(joined);
}

static const struct ct_source_ops ops = {next, reset, close_source};

/* ---------------------------------------------------------------- tables */

#define COPY(joining, rows, from, nr)                                                \
	do {                                                                         \
		uint32_t row_;                                                       \
		for (row_ = 0; row_ < (nr); row_++)                                  \
			if (!vec_push(&(joining)->joined->lists.rows, (from)[row_])) \
				(joining)->is_out_of_memory = true;                  \
	} while (0)

static void copy_past(struct joining *joining)
{
	const struct ct_tables *past = joining->joined->past->tables;

	COPY(joining, processes, past->processes, past->nr_processes);
	COPY(joining, threads, past->threads, past->nr_threads);
	COPY(joining, sites, past->sites, past->nr_sites);
	COPY(joining, stacks, past->stacks, past->nr_stacks);
	COPY(joining, mappings, past->mappings, past->nr_mappings);
	COPY(joining, losses, past->losses, past->nr_losses);
	COPY(joining, notes, past->notes, past->nr_notes);
	COPY(joining, sights, past->sights, past->nr_sights);
	joining->joined->tables = *past;
}

/* Entry 0 of both tables is none. */
static void add_places(struct joining *joining)
{
	const struct ct_tables *now = joining->joined->now->source.tables;
	struct lists *lists = &joining->joined->lists;
	uint32_t i;

	joining->first_site = (uint32_t)lists->sites.count - 1;
	joining->first_stack = (uint32_t)lists->stacks.count - 1;
	for (i = 1; i < now->nr_sites; i++) {
		struct ct_site site = now->sites[i];

		site.stack += site.stack ? joining->first_stack : 0;
		if (!vec_push(&lists->sites, site))
			joining->is_out_of_memory = true;
	}
	for (i = 1; i < now->nr_stacks; i++) {
		struct ct_stack stack = now->stacks[i];

		stack.site += stack.site ? joining->first_site : 0;
		stack.caller += stack.caller ? joining->first_stack : 0;
		if (!vec_push(&lists->stacks, stack))
			joining->is_out_of_memory = true;
	}
}

static uint32_t thread_of(struct joining *joining, const struct ct_thread *thread)
{
	struct lists *lists = &joining->joined->lists;
	uint32_t i;

	for (i = (uint32_t)lists->threads.count; i-- > 1;)
		if (lists->threads.at[i].process == FRAMES_PROCESS &&
			lists->threads.at[i].tid == thread->tid)
			return i;
	if (!vec_push(&lists->threads, *thread))
		joining->is_out_of_memory = true;
	return (uint32_t)lists->threads.count - 1;
}

static void add_threads(struct joining *joining)
{
	const struct ct_tables *now = joining->joined->now->source.tables;
	uint32_t i;

	joining->threads = calloc((size_t)now->nr_threads + 1, sizeof(*joining->threads));
	if (!joining->threads)
		joining->is_out_of_memory = true;
	for (i = 1; joining->threads && i < now->nr_threads; i++)
		joining->threads[i] = thread_of(joining, &now->threads[i]);
}

/* The core dump knows by which signal the program ended. */
static void join_process(struct joining *joining)
{
	struct lists *lists = &joining->joined->lists;
	const struct ct_process *now =
		&joining->joined->now->source.tables->processes[FRAMES_PROCESS];
	struct ct_process *past;

	while (lists->processes.count <= FRAMES_PROCESS)
		if (!vec_push(&lists->processes, *now)) {
			joining->is_out_of_memory = true;
			return;
		}
	past = &lists->processes.at[FRAMES_PROCESS];
	if (past->ending != CT_ENDING_UNKNOWN || now->ending != CT_ENDING_SIGNALED)
		return;
	past->ending = now->ending;
	past->ending_value = now->ending_value;
	if (past->ended == CT_NO_TIME)
		past->ended = joining->joined->tables.observed_until;
}

/* ---------------------------------------------------------------- events */

static ct_time end_of(const struct joining *joining)
{
	ct_time until = joining->joined->tables.observed_until;

	return until > joining->matches.last ? until : joining->matches.last;
}

/* From when on the past has every event: after the last one that gave way to a newer one. */
static ct_time whole_from(const struct joining *joining)
{
	const struct ct_tables *tables = &joining->joined->tables;
	ct_time from = tables->observed_from;
	uint32_t i;

	for (i = 0; i < tables->nr_losses; i++)
		if (tables->losses[i].reason == CTP_LOSS_OVERWRITTEN &&
			tables->losses[i].last > from)
			from = tables->losses[i].last;
	return from < end_of(joining) ? from : end_of(joining);
}

static uint64_t number_of(const struct joining *joining, uint64_t coro)
{
	return coro && coro <= joining->found->coroutines.count ? joining->matches.coro[coro - 1]
								: 0;
}

/* A descriptor is guessed by the name of a member, which proves nothing beside what is recorded of descriptors. */
static uint64_t object_of(const struct joining *joining, uint64_t object)
{
	if (joining->found->is_moving && CTP_HANDLE_RESOURCE(object) == CTP_RESOURCE_DESCRIPTOR)
		return 0;
	if (CTP_HANDLE_RESOURCE(object) != CTP_RESOURCE_COROUTINE)
		return object;
	return CTP_HANDLE(CTP_RESOURCE_COROUTINE, number_of(joining, CTP_HANDLE_IDENTITY(object)));
}

static uint32_t site_of(const struct joining *joining, uint32_t site)
{
	return site ? site + joining->first_site : 0;
}

/* An event that was told of memory, in the numbers of both. */
static struct ct_event renumbered(const struct joining *joining, const struct ct_event *told)
{
	struct ct_event event = *told;

	event.coro = number_of(joining, told->coro);
	if (event.kind == CTP_KIND_AWAIT)
		event.object = number_of(joining, told->object);
	if (event.kind == CTP_KIND_SUSPEND)
		event.object = object_of(joining, told->object);
	event.site = site_of(joining, told->site);
	event.thread = joining->threads[told->thread];
	return event;
}

static bool has_line(const struct joining *joining, uint32_t site)
{
	const struct ct_site *known = &joining->joined->lists.sites.at[site];

	return known->line && known->file[0];
}

/* The frame of a coroutine that the past knows to be suspended says where, and for what, if the past does not. */
static void patch_suspend(struct joining *joining, const struct ct_event *event, uint32_t at)
{
	const struct life *life = &joining->matches.lives.at[joining->matches.life[at]];
	struct joined *joined = joining->joined;
	struct patch patch = {0};

	if (!life->is_suspended)
		return;
	if (!has_line(joining, life->site) && has_line(joining, event->site))
		patch.site = event->site;
	if (!life->object)
		patch.object = event->object;
	if (!vec_push(&joined->patches, patch) ||
		!map_put(&joined->by_sequence, life->sequence, (uint32_t)joined->patches.count - 1))
		joining->is_out_of_memory = true;
}

static void push(struct joining *joining, struct ct_event event, bool is_early)
{
	struct joined *joined = joining->joined;

	event.time = is_early ? joined->early_time : end_of(joining);
	if (!(is_early ? vec_push(&joined->early, event) : vec_push(&joined->late, event)))
		joining->is_out_of_memory = true;
}

/* Where its frame lies, how large that is, and which function it runs. */
static bool is_about_frame(const struct ct_event *event)
{
	return event->kind == CTP_KIND_FRAME || event->kind == CTP_KIND_DETAIL;
}

static void join_event(struct joining *joining, const struct ct_event *told)
{
	uint32_t at = (uint32_t)(told->coro - 1);
	struct ct_event event = renumbered(joining, told);

	switch (joining->matches.match[at]) {
	case MATCH_LEFT_OUT:
		return;
	case MATCH_NONE:
		push(joining, event, false);
		return;
	case MATCH_SILENT:
		push(joining, event, true);
		return;
	case MATCH_HISTORY:
		if (is_about_frame(&event))
			push(joining, event, false);
		if (event.kind == CTP_KIND_SUSPEND)
			patch_suspend(joining, &event, at);
		return;
	}
}

static void join_events(struct joining *joining)
{
	const struct frames_source *now = joining->joined->now;
	size_t i;

	joining->joined->early_time = whole_from(joining);
	for (i = 0; i < now->events.count && !joining->is_out_of_memory; i++)
		join_event(joining, &now->events.at[i]);
}

/* ---------------------------------------------------------------- notes */

static void add_note(struct joining *joining, enum match match, bool is_left_out, const char *text)
{
	struct ct_note note = {.count = joining->matches.counts[match],
		.offset = CT_NO_OFFSET,
		.is_left_out = is_left_out,
		.text = text};

	if (note.count && !vec_push(&joining->joined->lists.notes, note))
		joining->is_out_of_memory = true;
}

static void add_sight(struct joining *joining, struct ct_sight sight)
{
	uint64_t coro = number_of(joining, sight.coro);

	if (sight.coro && !coro)
		return;
	sight.coro = coro;
	if (!vec_push(&joining->joined->lists.sights, sight))
		joining->is_out_of_memory = true;
}

static void add_notes(struct joining *joining)
{
	const struct ct_tables *now = joining->joined->now->source.tables;
	uint32_t i;

	add_note(joining, MATCH_HISTORY, false,
		"coroutines are told by their frames in memory and by the program's recorder: the "
		"place of a wait is the frame's where the recorder has no line, all else is "
		"history");
	add_note(joining, MATCH_SILENT, false,
		"coroutines are told by their frames alone, as the recorder has no event of them "
		"any more: they wait since its earliest one, or for longer");
	add_note(joining, MATCH_NONE, false,
		"coroutines are told by their frames alone, as the program's probe does not know "
		"them: since when they wait is not known");
	add_note(joining, MATCH_LEFT_OUT, true,
		"coroutines were found in memory and left out: which of those recorded they are "
		"is not known");
	/* The first note says only that there is nothing but memory. */
	for (i = 1; i < now->nr_notes; i++)
		if (!vec_push(&joining->joined->lists.notes, now->notes[i]))
			joining->is_out_of_memory = true;
	for (i = 0; i < now->nr_sights; i++)
		add_sight(joining, now->sights[i]);
}

/* ---------------------------------------------------------------- the whole */

static enum ct_status join(struct joining *joining, struct ct_error *reterr)
{
	struct joined *joined = joining->joined;
	enum ct_status status = match_find(&joining->matches, joined->past, joining->found, reterr);

	if (status)
		return status;
	copy_past(joining);
	add_places(joining);
	add_threads(joining);
	if (!joining->is_out_of_memory)
		join_process(joining);
	if (!joining->is_out_of_memory)
		join_events(joining);
	add_notes(joining);
	if (joining->is_out_of_memory)
		return ct_fail_memory(reterr);
	lists_publish(&joined->lists, &joined->tables);
	joined->tables.nr_events =
		joining->matches.nr_events + joined->early.count + joined->late.count;
	joined->source.ops = &ops;
	joined->source.tables = &joined->tables;
	joined->source.order = joined->past->order;
	joined->source.is_ordered = joined->past->is_ordered;
	return reset(&joined->source, reterr);
}

enum ct_status join_open(struct ct_source *past, struct frames_source *now,
	const struct found *found, struct ct_source **ret_source, struct ct_error *reterr)
{
	struct joining joining = {.joined = calloc(1, sizeof(*joining.joined)), .found = found};
	enum ct_status status;

	if (!joining.joined) {
		source_close(past);
		source_close(&now->source);
		return ct_fail_memory(reterr);
	}
	joining.joined->past = past;
	joining.joined->now = now;
	status = join(&joining, reterr);
	match_fini(&joining.matches);
	free(joining.threads);
	if (status)
		close_source(&joining.joined->source);
	else
		*ret_source = &joining.joined->source;
	return status;
}
