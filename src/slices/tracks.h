/* SPDX-License-Identifier: MIT */
/*
 * The state of a timeline that is being written: the tracks, and the threads' spans, which are collected and sorted.
 * Private to tell.c, tracks.c and threads.c.
 */
#ifndef SLICES_TRACKS_H
#define SLICES_TRACKS_H

#include "base/map.h"
#include "base/vec.h"
#include "slices/tell.h"

/* A coroutine, its track, and the last position on it. */
struct slices_coro {
	uint64_t id;
	uint32_t process;
	uint32_t next;  /* the next with the same key; 0: none */
	int64_t name;   /* a text of the view */
	uint32_t track; /* 0: not written yet */
	ct_time last;   /* where its last state ended */
	uint64_t flow;  /* of the wake that leads to its next run; 0: none */
};

/* What a thread did: a run, a blocking call, or a sleep. */
struct slices_span {
	uint32_t thread;
	uint32_t site;
	ct_time from;
	ct_time until;
	uint64_t flow;
	uint32_t coro; /* of a run: an index */
	uint8_t category;
	uint8_t call; /* of a blocking call */
};

struct slices {
	struct ct_view *view;
	const struct ct_tables *tables;
	struct slices_writer *writer;
	uint32_t nr_tracks;
	uint32_t trace_track;
	uint32_t *process_tracks;      /* indexed by process */
	uint32_t *coroutine_groups;    /* indexed by process; 0: not written yet */
	uint32_t *thread_tracks;       /* indexed by thread */
	VEC(struct slices_coro) coros; /* [0] is unused */
	struct map coro_at;
	struct map counter_tracks;
	VEC(struct slices_span) spans;
	struct text word; /* a buffer for the names of tracks and items */
	struct text place;
	struct text object;
	bool is_broken; /* out of memory */
};

/*
 * slices_each: calls a function with each row of a request, with all columns of the table. The writer may flush in
 * between.
 */
typedef void slices_take(struct slices *slices, const int64_t *row);

enum ct_status slices_each(struct slices *slices, const struct ct_view_request *request,
	slices_take *take, struct ct_error *reterr);

/* ---------------------------------------------------------------- tracks.c */

/* slices_tracks_begin: writes the tracks of processes and threads. False: out of memory. */
bool slices_tracks_begin(struct slices *slices);
void slices_tracks_fini(struct slices *slices);

/* slices_tracks_coros: reads all coroutines. */
enum ct_status slices_tracks_coros(struct slices *slices, struct ct_error *reterr);

/* slices_find_coro: finds the index of a coroutine in `coros`; 0: there is none, or memory is out. */
uint32_t slices_find_coro(struct slices *slices, uint32_t process, uint64_t id);

/* slices_say_coro: appends the name of a coroutine's track. */
void slices_say_coro(struct slices *slices, struct text *text, uint32_t coro);

/* The tracks of a coroutine, a thread (0: the process's) and a counter; each is written when it is first used. */
struct slices_track slices_coro_track(struct slices *slices, uint32_t coro);
struct slices_track slices_thread_track(struct slices *slices, uint32_t process, uint32_t thread);
struct slices_track slices_counter_track(struct slices *slices, uint32_t process, int64_t name);

/* slices_add_track: writes a track that is used only once. */
struct slices_track slices_add_track(
	struct slices *slices, struct slices_track track, const char *name);

/* slices_argument_number, slices_argument_text: add an argument; a number of 0 and a text of "" are left out. */
void slices_argument_number(struct slices_item *item, const char *key, int64_t number);
void slices_argument_text(struct slices_item *item, const char *key, const char *text);

/* ---------------------------------------------------------------- threads.c */

/* slices_threads_run: collects a run. slices_threads_read: reads the blocking calls and sleeps of threads. */
void slices_threads_run(struct slices *slices, struct slices_span run);
enum ct_status slices_threads_read(struct slices *slices, struct ct_error *reterr);

/* slices_threads_write: sorts everything that threads did, and writes it. */
enum ct_status slices_threads_write(struct slices *slices, struct ct_error *reterr);

#endif
