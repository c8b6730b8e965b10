/* SPDX-License-Identifier: MIT */
/*
 * Finds the run of a program that a row belongs to, the coroutine of that run, and whether the row can be true.
 *
 * A tracker follows one run, row by row in the order of the file. A decision depends on the run's rows, on the next
 * JSONL_AHEAD rows, and on what the runs before it left, which its user keeps: a reader that starts again at the first
 * row of a run comes to the same ones.
 * docs/spec/jsonl.md says by what rules.
 */
#ifndef JSONL_RUNS_H
#define JSONL_RUNS_H

#include "jsonl/row.h"
#include "jsonl/marks.h"
#include "jsonl/seen.h"
#include "base/map.h"
#include "base/vec.h"

/* So many rows are looked at, the row in question among them. */
#define JSONL_AHEAD 256u

#define JSONL_RUNS_MAX 256u

/* Coroutines of which rows are left out before a first one is taken: so many are known at a time. */
#define JSONL_EARLY_MAX 65536u

/*
 * The runs before the present one: rows that such a run left in the slots of a station may be read
 * once more by the next one's engine, which finds them under ids of its own.
 */
struct jsonl_past_run {
	uint64_t first_ts;
	uint64_t last_ts;
};

struct jsonl_past {
	VEC(struct jsonl_past_run) runs;
	struct map threads; /* of a run: its number and the thread's id in one key */
};

/* jsonl_past_add: one more run. False: out of memory. */
bool jsonl_past_add(struct jsonl_past *past, const struct jsonl_past_run *run);

/* jsonl_past_thread: a thread of the run that will be the next one to be added. False: out of memory. */
bool jsonl_past_thread(struct jsonl_past *past, uint64_t tid);
void jsonl_past_fini(struct jsonl_past *past);

enum jsonl_verdict {
	JSONL_IN_RUN,
	JSONL_NEXT_RUN,   /* it begins another run: ask again with a tracker that is new */
	JSONL_IMPOSSIBLE, /* it cannot be true */
	JSONL_RESIDUE, /* neither: it is left of an earlier run, or of this one if nothing of it follows */
	JSONL_TWICE, /* the row before it of its coroutine, once more */
	JSONL_NO_MEMORY,
};

/* Facts about a row that is in the run. */
struct jsonl_place {
	uint64_t id;     /* of the coroutine; 0: of none */
	uint64_t frame;  /* an address that the coroutine had not told before; 0: none */
	uint32_t thread; /* in order of appearance in the run, from 1; 0: too many */
	bool is_new_thread;
	bool is_new_coro;
	bool is_after_gap; /* rows of its coroutine are missing before it */
	/* The life that ended here, since its probe_id was given out anew; NULL: none. */
	const struct jsonl_seen *ended;
	struct jsonl_seen ended_copy;
};

#define JSONL_THREADS_NEAR 16u
struct jsonl_thread {
	uint64_t tid;
	uint32_t thread; /* 0: none */
};

struct jsonl_tracker {
	/* Set by the user before the first row. */
	uint32_t thread_max;
	enum jsonl_numbering numbering; /* of the run, as far as it is known */
	const struct jsonl_past *past;  /* the runs before it, and maybe others; NULL: none */
	uint32_t nr_past;               /* how many of them are before it */
	const struct map *left;         /* `ahead` of the run before it; NULL: none */
	uint64_t begin_ts;              /* of the row that began it: nothing later is of the past */
	bool is_last;                   /* no further run is told apart */

	uint64_t nr_rows; /* in the run */
	uint64_t nr_odd;  /* of them, with an odd seq */
	uint64_t first_ts;
	uint64_t last_ts;
	uint32_t nr_threads;
	VEC(struct jsonl_seen) coros;
	struct map coro_of; /* probe_id to index */
	struct map given;   /* ids of later lives */
	struct map thread_of;
	struct map early;   /* probe_id to rows left out before its first one */
	struct map residue; /* probe_ids under which rows of earlier runs were read, */
	struct map ahead;   /* or, behind the last row of this run, rows of this one */
	struct jsonl_thread threads_near[JSONL_THREADS_NEAR];
	struct jsonl_marks marks;
	uint32_t nr_looks;
	uint64_t same_until; /* the run goes on at least up to this line */
	uint64_t
		dense_until; /* up to this line nothing was seen behind the rows that is a good while later */
	bool is_broken; /* a look ahead was out of memory */
};

void jsonl_tracker_fini(struct jsonl_tracker *tracker);

/*
 * jsonl_tracker_begin_next: forgets the run, to follow the one behind it. Probe_ids of rows that no row of the run
 * followed come into *ret_left, which is the caller's.
 */
void jsonl_tracker_begin_next(struct jsonl_tracker *tracker, struct map *ret_left);

/*
 * jsonl_tracker_take: rows[0] is the next row; the others follow it in the file. Hints are written into
 * those, nothing else.
 */
enum jsonl_verdict jsonl_tracker_take(struct jsonl_tracker *tracker, struct jsonl_row *rows,
	size_t nr_rows, struct jsonl_place *ret_place);

#endif
