/* SPDX-License-Identifier: MIT */
/*
 * Questions about the rows behind the present one: does the run go on there, and what may the tracker conclude? Private
 * to runs.c and lookahead.c.
 */
#ifndef JSONL_LOOKAHEAD_H
#define JSONL_LOOKAHEAD_H

#include "jsonl/runs.h"

#define JSONL_SECOND_NS UINT64_C(1000000000)
#define JSONL_MOST_SLACK_NS (86400 * JSONL_SECOND_NS)
#define JSONL_TS_MAX ((uint64_t)INT64_MAX / 2)

/*
 * No program is restarted within this time. Rows that a run wrote within this time before its end may never have been
 * read.
 */
#define JSONL_RESTART_NS (JSONL_SECOND_NS / 1000)

static inline bool jsonl_is_time(uint64_t ts)
{
	return ts != 0 && ts <= JSONL_TS_MAX;
}

static inline bool jsonl_names_coro(const struct jsonl_row *row)
{
	return !row->has_event || row->probe_id != 0;
}

/* jsonl_tracker_outside: how far a time lies outside the times of the run that are known so far. */
uint64_t jsonl_tracker_outside(const struct jsonl_tracker *tracker, uint64_t ts);

/* jsonl_tracker_coro: finds the run's coroutine that the row names; NULL: the coroutine is new. */
struct jsonl_seen *jsonl_tracker_coro(
	const struct jsonl_tracker *tracker, const struct jsonl_row *row);

/* jsonl_tracker_thread: the thread's number in the run; 0: the thread is new. */
uint32_t jsonl_tracker_thread(struct jsonl_tracker *tracker, uint64_t tid);

/* jsonl_tracker_fits: can the row belong to the coroutine, given how the run numbers rows? */
bool jsonl_tracker_fits(const struct jsonl_tracker *tracker, const struct jsonl_seen *coro,
	const struct jsonl_row *row);

/*
 * jsonl_ahead_is_residue: rows[0] has a thread and a time of the run, but is a leftover that another run's engine read.
 * jsonl_ahead_is_left: rows[0] has a new thread, the run is over, and another run begins. jsonl_ahead_is_over: rows[0]
 * contradicts its coroutine because the whole program begins again, not only the coroutine. jsonl_ahead_is_back:
 * rows[0] lies before the run by more than the run has lasted, and no coroutine of the run goes on.
 *
 * If memory runs out during a look, the answer is no and tracker->is_broken is set.
 */
bool jsonl_ahead_is_residue(
	struct jsonl_tracker *tracker, const struct jsonl_row *rows, size_t nr_rows);
bool jsonl_ahead_is_left(
	struct jsonl_tracker *tracker, const struct jsonl_row *rows, size_t nr_rows);
bool jsonl_ahead_is_over(struct jsonl_tracker *tracker, const struct jsonl_seen *coro,
	const struct jsonl_row *rows, size_t nr_rows);
bool jsonl_ahead_is_back(
	struct jsonl_tracker *tracker, const struct jsonl_row *rows, size_t nr_rows);

#endif
