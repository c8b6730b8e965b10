/* SPDX-License-Identifier: MIT */
/*
 * Finds the run of a program that a row belongs to, the coroutine in that run, and whether the row can be true.
 *
 * A tracker follows one run, row by row in the order of the file. A decision depends on the run's rows, on the next
 * JSONL_AHEAD rows, and on what the previous runs left, which the tracker's user keeps. So a reader that starts again
 * at the first row of a run makes the same decisions. docs/spec/jsonl.md has the rules.
 */
#ifndef JSONL_RUNS_H
#define JSONL_RUNS_H

#include "jsonl/row.h"
#include "jsonl/marks.h"
#include "jsonl/seen.h"
#include "base/map.h"
#include "base/vec.h"

/* The number of rows that a look covers, including the row in question. */
#define JSONL_AHEAD 256u

#define JSONL_RUNS_MAX 256u

/* The number of coroutines that can be remembered because rows were left out before their first row was taken. */
#define JSONL_EARLY_MAX 65536u

/*
 * The previous runs. A run leaves rows in the slots of a station; the next run's engine may read them once more, under
 * other ids.
 */
struct jsonl_past_run {
	uint64_t first_ts;
	uint64_t last_ts;
};

struct jsonl_past {
	VEC(struct jsonl_past_run) runs;
	struct map threads; /* key: the number of a run and a thread's id */
};

/* jsonl_past_add: adds one run. False: out of memory. */
bool jsonl_past_add(struct jsonl_past *past, const struct jsonl_past_run *run);

/* jsonl_past_thread: adds a thread of the run that will be added next. False: out of memory. */
bool jsonl_past_thread(struct jsonl_past *past, uint64_t tid);
void jsonl_past_fini(struct jsonl_past *past);

enum jsonl_verdict {
	JSONL_IN_RUN,
	JSONL_NEXT_RUN,   /* the row begins another run: ask again with a new tracker */
	JSONL_IMPOSSIBLE, /* the row cannot be true */
	JSONL_RESIDUE, /* the row is a leftover of an earlier run, or of this one if nothing of this run follows */
	JSONL_TWICE, /* the row repeats the previous row of its coroutine */
	JSONL_NO_MEMORY,
};

/* What is known of a row that belongs to the run. */
struct jsonl_place {
	uint64_t id;     /* of the coroutine; 0: none */
	uint64_t frame;  /* a new address of the coroutine's frame; 0: none */
	uint32_t thread; /* numbered by first appearance in the run, from 1; 0: too many threads */
	bool is_new_thread;
	bool is_new_coro;
	bool is_after_gap; /* rows of its coroutine are missing before it */
	/* The life that this row ended, because its probe_id was given to another coroutine; NULL: none. */
	const struct jsonl_seen *ended;
	struct jsonl_seen ended_copy;
};

#define JSONL_THREADS_NEAR 16u
struct jsonl_thread {
	uint64_t tid;
	uint32_t thread; /* 0: none */
};

struct jsonl_tracker {
	/* The user sets these before the first row. */
	uint32_t thread_max;
	enum jsonl_numbering numbering; /* of the run, as far as it is known */
	const struct jsonl_past *past;  /* the runs before this one, and maybe others; NULL: none */
	uint32_t nr_past;               /* how many of `past` are before this run */
	const struct map *left;         /* `ahead` of the previous run; NULL: none */
	/* time of the first row: later rows are not of a past run */
	uint64_t begin_ts;
	bool is_last; /* no further run is told apart */

	uint64_t nr_rows; /* rows in the run */
	uint64_t nr_odd;  /* rows among them with an odd seq */
	uint64_t first_ts;
	uint64_t last_ts;
	uint32_t nr_threads;
	VEC(struct jsonl_seen) coros;
	struct map coro_of; /* probe_id to index */
	struct map given;   /* the ids given to later lives */
	struct map thread_of;
	struct map early;   /* probe_id to the number of rows left out before its first one */
	struct map residue; /* probe_ids under which rows of earlier runs were read, or */
	struct map ahead;   /* behind the last row of this run, rows of this run */
	struct jsonl_thread threads_near[JSONL_THREADS_NEAR];
	struct jsonl_marks marks;
	uint32_t nr_looks;
	uint64_t same_until; /* the run goes on at least up to this line */
	/* up to this line, no row was found that is considerably later than the others */
	uint64_t dense_until;
	bool is_broken; /* memory ran out during a look ahead */
};

void jsonl_tracker_fini(struct jsonl_tracker *tracker);

/*
 * jsonl_tracker_begin_next: forgets the run, to follow the next one. *ret_left, which is the caller's, gets the
 * probe_ids of leftover rows after which no row of the run followed.
 */
void jsonl_tracker_begin_next(struct jsonl_tracker *tracker, struct map *ret_left);

/*
 * jsonl_tracker_take: takes the next row, rows[0]; the other rows follow it in the file. Only the hints of the rows are
 * written.
 */
enum jsonl_verdict jsonl_tracker_take(struct jsonl_tracker *tracker, struct jsonl_row *rows,
	size_t nr_rows, struct jsonl_place *ret_place);

#endif
