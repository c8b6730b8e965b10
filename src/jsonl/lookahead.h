/* SPDX-License-Identifier: MIT */
/*
 * Questions about the rows behind the present one: whether the run goes on there, and what its tracker answers to them.
 * Private to runs.c and lookahead.c.
 */
#ifndef JSONL_LOOKAHEAD_H
#define JSONL_LOOKAHEAD_H

#include "jsonl/runs.h"

#define JSONL_SECOND_NS UINT64_C(1000000000)
#define JSONL_MOST_SLACK_NS (86400 * JSONL_SECOND_NS)
#define JSONL_TS_MAX ((uint64_t)INT64_MAX / 2)

/* No program is started anew within it; and what a run wrote so long before its end may have been read by nobody. */
#define JSONL_RESTART_NS (JSONL_SECOND_NS / 1000)

static inline bool jsonl_is_time(uint64_t ts)
{
	return ts != 0 && ts <= JSONL_TS_MAX;
}

static inline bool jsonl_names_coro(const struct jsonl_row *row)
{
	return !row->has_event || row->probe_id != 0;
}

/* jsonl_tracker_outside: how far a time lies outside of the run as it is known so far. */
uint64_t jsonl_tracker_outside(const struct jsonl_tracker *tracker, uint64_t ts);

/* jsonl_tracker_coro: the coroutine of the run that the row names; NULL: it is new. */
struct jsonl_seen *jsonl_tracker_coro(
	const struct jsonl_tracker *tracker, const struct jsonl_row *row);

/* jsonl_tracker_thread: its number in the run; 0: it is new. */
uint32_t jsonl_tracker_thread(struct jsonl_tracker *tracker, uint64_t tid);

/* jsonl_tracker_fits: can the row be the coroutine's, as the run counts? */
bool jsonl_tracker_fits(const struct jsonl_tracker *tracker, const struct jsonl_seen *coro,
	const struct jsonl_row *row);

/*
 * jsonl_ahead_is_residue: rows[0] is of a thread and a time of the run, but was read by another run's engine.
 * jsonl_ahead_is_left: rows[0] is of a thread that is new; the run is over, and another one begins.
 * jsonl_ahead_is_over: rows[0] contradicts its coroutine, which begins again; the whole program does.
 * jsonl_ahead_is_back: rows[0] lies before the run by more than the run has lasted, and nobody goes on.
 *
 * A look that is out of memory says no, and sets tracker->is_broken.
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
