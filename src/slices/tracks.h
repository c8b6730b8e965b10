/* SPDX-License-Identifier: MIT */
/*
 * The parts of a timeline on its way out: which tracks there are, and what threads did, until it is in order. Private
 * to tell.c, tracks.c and threads.c.
 */
#ifndef SLICES_TRACKS_H
#define SLICES_TRACKS_H

#include "base/map.h"
#include "base/vec.h"
#include "slices/tell.h"

/* A coroutine, its track, and where on it we are. */
struct slices_coro {
	uint64_t id;
	uint32_t process;
	uint32_t next; /* with the same key; 0: none */
	int64_t name;  /* a text of the view */
	uint32_t function_site;
	uint32_t track; /* 0: not told yet */
	ct_time last;   /* where its last state ended */
	uint64_t flow;  /* of the wake that its next run comes of; 0: none */
};

/* What a thread did: a run, a call that blocks, or sleep. */
struct slices_span {
	uint32_t thread;
	uint32_t site;
	ct_time from;
	ct_time until;
	uint64_t flow;
	uint32_t coro; /* of a run: an index */
	uint8_t category;
	uint8_t call; /* of a block */
};

struct slices {
	struct ct_view *view;
	const struct ct_tables *tables;
	struct slices_writer *writer;
	uint32_t nr_tracks;
	uint32_t trace_track;
	uint32_t *process_tracks;      /* by process */
	uint32_t *coroutine_groups;    /* by process; 0: not told yet */
	uint32_t *thread_tracks;       /* by thread */
	VEC(struct slices_coro) coros; /* [0] is none */
	struct map coro_at;
	struct map counter_tracks;
	VEC(struct slices_span) spans;
	struct text word; /* room for what is said: of tracks, and of what lies on them */
	struct text place;
	struct text object;
	bool is_broken; /* out of memory */
};

/*
 * slices_each: calls a function with each row of a table that the request asks for, with all its columns. The writer
 * may hand on what it has in between.
 */
typedef void slices_take(struct slices *slices, const int64_t *row);

enum ct_status slices_each(struct slices *slices, const struct ct_view_request *request,
	slices_take *take, struct ct_error *reterr);

/* ---------------------------------------------------------------- tracks.c */

/* slices_tracks_begin: tells of processes and threads. False: out of memory. */
bool slices_tracks_begin(struct slices *slices);
void slices_tracks_fini(struct slices *slices);

/* slices_tracks_coros: reads who there is. */
enum ct_status slices_tracks_coros(struct slices *slices, struct ct_error *reterr);

/* slices_find_coro: an index of `coros`; 0: there is none, or no memory. */
uint32_t slices_find_coro(struct slices *slices, uint32_t process, uint64_t id);

/* slices_say_coro: the name of a coroutine in words, for its track. */
void slices_say_coro(struct slices *slices, struct text *text, uint32_t coro);

/* The tracks of a coroutine, a thread (0: the process's) and a counter; they are told when they are first asked for. */
struct slices_track slices_coro_track(struct slices *slices, uint32_t coro);
struct slices_track slices_thread_track(struct slices *slices, uint32_t process, uint32_t thread);
struct slices_track slices_counter_track(struct slices *slices, uint32_t process, int64_t name);

/* slices_add_track: tells of a track that is asked for once. */
struct slices_track slices_add_track(
	struct slices *slices, struct slices_track track, const char *name);

/* slices_argument_number, slices_argument_text: one more; a number of 0 and a text of "" are left out. */
void slices_argument_number(struct slices_item *item, const char *key, int64_t number);
void slices_argument_text(struct slices_item *item, const char *key, const char *text);

/* ---------------------------------------------------------------- threads.c */

/* slices_threads_run: notes a run. slices_threads_read: reads where threads were blocked and slept. */
void slices_threads_run(struct slices *slices, struct slices_span run);
enum ct_status slices_threads_read(struct slices *slices, struct ct_error *reterr);

/* slices_threads_write: puts all that threads did in order, and tells it. */
enum ct_status slices_threads_write(struct slices *slices, struct ct_error *reterr);

#endif
