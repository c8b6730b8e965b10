/* SPDX-License-Identifier: MIT */
/*
 * The tracks of a timeline: tracks of processes and threads are written first; tracks of coroutines and counters are
 * written when their first item comes.
 */
#include <stdlib.h>

#include "slices/tracks.h"
#include "say/say.h"

struct slices_track slices_add_track(
	struct slices *slices, struct slices_track track, const char *name)
{
	track.number = ++slices->nr_tracks;
	track.name = name;
	slices->writer->track(slices->writer, &track);
	return track;
}

void slices_argument_text(struct slices_item *item, const char *key, const char *text)
{
	if (*text && item->nr_arguments < SLICES_ARGUMENTS)
		item->arguments[item->nr_arguments++] =
			(struct slices_argument){.key = key, .text = text};
}

void slices_argument_number(struct slices_item *item, const char *key, int64_t number)
{
	if (number && item->nr_arguments < SLICES_ARGUMENTS)
		item->arguments[item->nr_arguments++] =
			(struct slices_argument){.key = key, .number = number};
}

/* ---------------------------------------------------------------- processes and threads */

static void add_process(struct slices *slices, uint32_t process)
{
	struct slices_track track = {.kind = SLICES_OF_PROCESS, .process = process};

	text_clear(&slices->word);
	say_program(&slices->word, &slices->tables->processes[process]);
	slices->process_tracks[process] =
		slices_add_track(slices, track, text_peek(&slices->word)).number;
}

/* A thread whose process is not in the tables has no parent. */
static void add_thread(struct slices *slices, uint32_t thread)
{
	const struct ct_thread *of = &slices->tables->threads[thread];
	bool is_known = of->process < slices->tables->nr_processes;
	struct slices_track track = {.kind = SLICES_OF_THREAD,
		.parent = is_known ? slices->process_tracks[of->process] : 0,
		.process = is_known ? of->process : 0,
		.thread = thread};

	slices->thread_tracks[thread] = slices_add_track(slices, track, of->name).number;
}

bool slices_tracks_begin(struct slices *slices)
{
	const struct ct_tables *tables = slices->tables;
	uint32_t i;

	slices->process_tracks = calloc(tables->nr_processes + 1u, sizeof(*slices->process_tracks));
	slices->coroutine_groups =
		calloc(tables->nr_processes + 1u, sizeof(*slices->coroutine_groups));
	slices->thread_tracks = calloc(tables->nr_threads + 1u, sizeof(*slices->thread_tracks));
	if (!slices->process_tracks || !slices->coroutine_groups || !slices->thread_tracks ||
		!vec_push(&slices->coros, (struct slices_coro){0}))
		return false;
	slices->trace_track = slices_add_track(
		slices, (struct slices_track){.kind = SLICES_OF_TRACE}, "corotracer")
				      .number;
	for (i = 1; i < tables->nr_processes; i++)
		add_process(slices, i);
	for (i = 1; i < tables->nr_threads; i++)
		add_thread(slices, i);
	return true;
}

void slices_tracks_fini(struct slices *slices)
{
	free(slices->process_tracks);
	free(slices->coroutine_groups);
	free(slices->thread_tracks);
	vec_fini(&slices->coros);
	map_fini(&slices->coro_at);
	map_fini(&slices->counter_tracks);
}

struct slices_track slices_thread_track(struct slices *slices, uint32_t process, uint32_t thread)
{
	const struct ct_tables *tables = slices->tables;

	if (thread && thread < tables->nr_threads)
		return (struct slices_track){.kind = SLICES_OF_THREAD,
			.number = slices->thread_tracks[thread],
			.process = tables->threads[thread].process,
			.thread = thread};
	if (process && process < tables->nr_processes)
		return (struct slices_track){.kind = SLICES_OF_PROCESS,
			.number = slices->process_tracks[process],
			.process = process};
	return (struct slices_track){.kind = SLICES_OF_TRACE, .number = slices->trace_track};
}

/* ---------------------------------------------------------------- coroutines */

/* Keys within a process are unique; keys of several processes nearly always. */
static uint64_t key_of(uint32_t process, uint64_t id)
{
	return id + process * UINT64_C(0x9e3779b97f4a7c15);
}

static uint32_t find(const struct slices *slices, uint32_t process, uint64_t id, uint32_t *ret_head)
{
	uint32_t at = 0;

	*ret_head = map_get(&slices->coro_at, key_of(process, id), &at) ? at : 0;
	while (at && (slices->coros.at[at].id != id || slices->coros.at[at].process != process))
		at = slices->coros.at[at].next;
	return at;
}

static uint32_t add_coro(struct slices *slices, struct slices_coro coro)
{
	uint32_t number = (uint32_t)slices->coros.count;

	if (vec_push(&slices->coros, coro) &&
		map_put(&slices->coro_at, key_of(coro.process, coro.id), number))
		return number;
	slices->is_broken = true;
	return 0;
}

uint32_t slices_find_coro(struct slices *slices, uint32_t process, uint64_t id)
{
	uint32_t head = 0, at = id ? find(slices, process, id, &head) : 0;

	if (at || !id)
		return at;
	return add_coro(
		slices, (struct slices_coro){
				.id = id, .process = process, .next = head, .last = CT_NO_TIME});
}

static void take_coro(struct slices *slices, const int64_t *row)
{
	uint32_t at = slices_find_coro(slices, (uint32_t)row[CT_VIEW_COROUTINES_PROCESS],
		(uint64_t)row[CT_VIEW_COROUTINES_COROUTINE]);

	slices->coros.at[at].name = row[CT_VIEW_COROUTINES_NAME];
}

enum ct_status slices_tracks_coros(struct slices *slices, struct ct_error *reterr)
{
	const struct ct_view_request request = {
		.size = sizeof(request), .table = CT_VIEW_COROUTINES};

	return slices_each(slices, &request, take_coro, reterr);
}

void slices_say_coro(struct slices *slices, struct text *text, uint32_t coro)
{
	const struct slices_coro *of = &slices->coros.at[coro];

	say_coroutine(text, slices->tables, of->id, ct_view_text(slices->view, of->name), 0);
}

/* The heading of a process's coroutines. */
static uint32_t group_of(struct slices *slices, uint32_t process)
{
	struct slices_track track = {.kind = SLICES_OF_COROUTINES, .process = process};

	if (process >= slices->tables->nr_processes)
		return slices->trace_track;
	track.parent = slices->process_tracks[process];
	if (!slices->coroutine_groups[process])
		slices->coroutine_groups[process] =
			slices_add_track(slices, track, "coroutines").number;
	return slices->coroutine_groups[process];
}

struct slices_track slices_coro_track(struct slices *slices, uint32_t coro)
{
	struct slices_coro *of = &slices->coros.at[coro];
	struct slices_track track = {
		.kind = SLICES_OF_COROUTINE, .number = of->track, .process = of->process};

	if (of->track)
		return track;
	track.parent = group_of(slices, of->process);
	text_clear(&slices->word);
	slices_say_coro(slices, &slices->word, coro);
	track = slices_add_track(slices, track, text_peek(&slices->word));
	of->track = track.number;
	return track;
}

/* ---------------------------------------------------------------- counters */

struct slices_track slices_counter_track(struct slices *slices, uint32_t process, int64_t name)
{
	bool is_known = process && process < slices->tables->nr_processes;
	uint64_t key = (uint64_t)process << 32 | (uint32_t)name;
	struct slices_track track = {.kind = SLICES_OF_COUNTER,
		.process = is_known ? process : 0,
		.parent = is_known ? slices->process_tracks[process] : 0};

	if (!map_get(&slices->counter_tracks, key, &track.number)) {
		track = slices_add_track(slices, track, ct_view_text(slices->view, name));
		slices->is_broken |= !map_put(&slices->counter_tracks, key, track.number);
	}
	track.name = ct_view_text(slices->view, name);
	return track;
}
