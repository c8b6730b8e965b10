/* SPDX-License-Identifier: MIT */
/*
 * Looks at the rows behind the present one: if a coroutine of the run goes on there, the run goes on.
 *
 * If the question arises later than the run's time, rows of the run's own time do not show that the run goes on,
 * because the next run's engine finds leftovers of the run in the slots. Such a leftover was read before, unless it is
 * one of the run's last rows. A row of the run's threads that is older and was not read before is the run's own row,
 * and late.
 */
#include "jsonl/lookahead.h"

#define PAUSE_NS (JSONL_SECOND_NS / 10)
#define COUNTER_IDS 65536u /* smaller probe_ids are counted, larger ones are addresses */
#define ADJACENT_ROWS 16u  /* the rows of a station that was read twice */
/* no new look for this many rows, if a look found only rows close to each other */
#define ROWS_UNASKED 64u

struct look {
	bool goes_on;          /* a coroutine of the run goes on */
	bool has_known_thread; /* a thread of the run goes on */
	bool has_own;          /* rows of the run's threads and time: leftovers, or late rows */
	bool has_residue;      /* leftovers of the run are read again */
	bool has_later;        /* there are considerably later rows */
	size_t nr_restarts;    /* coroutines of the run that begin again */
	size_t nr_continued;   /* coroutines that go on with their next number, on new threads */
	size_t nr_leaps;       /* coroutines that would go on with another number or state */
	uint64_t until;        /* the line that showed it */
};

/* What a look is to find out. */
struct question {
	const struct jsonl_row *rows;
	size_t nr_rows;
	bool is_later;     /* the question arose later than the run's time */
	uint64_t until_ts; /* rows up to this time may be leftovers of the run */
};

static struct question ask(
	const struct jsonl_tracker *tracker, const struct jsonl_row *rows, size_t nr_rows)
{
	return (struct question){
		.rows = rows,
		.nr_rows = nr_rows < JSONL_AHEAD ? nr_rows : JSONL_AHEAD,
		.is_later = rows->ts > tracker->last_ts,
		.until_ts = tracker->last_ts +
			    (rows->ts > tracker->last_ts + JSONL_RESTART_NS ? JSONL_RESTART_NS : 0),
	};
}

/* ------------------------------------------------------------------ the look */

/* Does the row have the coroutine's next number, as far as that is known? Another run would have it only by chance. */
static bool is_next(const struct jsonl_seen *coro, const struct jsonl_row *row)
{
	if (coro->has_odd || row->seq % 2)
		return row->seq == coro->last_seq + 1;
	return row->seq == coro->last_seq + (coro->nr_at_last < JSONL_BLOCK_ROWS ? 0 : 2);
}

/*
 * A coroutine that goes on on another thread was suspended, and is resumed there; a restarted program begins
 * differently.
 */
static bool is_taken_over(const struct jsonl_seen *coro, const struct jsonl_row *row)
{
	return row->is_active && !coro->is_running && is_next(coro, row);
}

/* Slots are read in order; returns the earliest of the coroutine's rows that stand together. */
static const struct jsonl_row *earliest(const struct question *question, size_t at)
{
	const struct jsonl_row *row = &question->rows[at], *found = row;
	size_t i;

	for (i = 1; i < JSONL_BLOCK_ROWS && at + i < question->nr_rows; i++) {
		if (row[i].probe_id != row->probe_id)
			break;
		if (row[i].ts < found->ts)
			found = &row[i];
	}
	return found;
}

/* Only the first row of each coroutine is examined; later rows follow from it. */
static void look_at_coro(struct jsonl_tracker *tracker, struct jsonl_seen *coro,
	const struct question *question, size_t at, bool is_known, struct look *look)
{
	const struct jsonl_row *row = &question->rows[at];

	if (coro->last_look == tracker->nr_looks)
		return;
	coro->last_look = tracker->nr_looks;
	if (jsonl_seen_is_same(coro, row) || !jsonl_tracker_fits(tracker, coro, row))
		look->nr_restarts++;
	else if (is_known)
		look->goes_on = row->seq > coro->last_seq || row->ts > coro->last_ts;
	else if (is_taken_over(coro, earliest(question, at)))
		look->nr_continued++;
	else
		look->nr_leaps++;
}

static bool is_own_time(const struct jsonl_tracker *tracker, uint64_t ts, uint64_t until_ts)
{
	return ts >= tracker->first_ts && ts <= until_ts;
}

static void look_at(struct jsonl_tracker *tracker, const struct question *question, size_t at,
	struct look *look)
{
	const struct jsonl_row *row = &question->rows[at];
	struct jsonl_seen *coro = jsonl_names_coro(row) ? jsonl_tracker_coro(tracker, row) : NULL;
	bool is_known = jsonl_tracker_thread(tracker, row->tid) != 0;

	if (question->is_later && is_own_time(tracker, row->ts, question->until_ts)) {
		look->has_own |= is_known;
		return;
	}
	look->has_known_thread |= is_known;
	look->has_later |= row->ts > tracker->last_ts + JSONL_RESTART_NS;
	if (coro)
		look_at_coro(tracker, coro, question, at, is_known, look);
}

static bool can_be_looked_at(const struct jsonl_tracker *tracker, const struct jsonl_row *row)
{
	return jsonl_is_time(row->ts) &&
	       jsonl_tracker_outside(tracker, row->ts) <= JSONL_MOST_SLACK_NS;
}

static bool build_marks(struct jsonl_tracker *tracker)
{
	tracker->is_broken |=
		!jsonl_marks_build(&tracker->marks, tracker->coros.at, tracker->coros.count);
	return !tracker->is_broken;
}

/* Were the rows of the run's threads and time read before? The very last rows cannot be decided. */
static void look_at_own(
	struct jsonl_tracker *tracker, const struct question *question, struct look *look)
{
	bool has_late = false;
	size_t i;

	if (!build_marks(tracker))
		return;
	for (i = 0; i < question->nr_rows && !look->has_residue; i++) {
		const struct jsonl_row *row = &question->rows[i];

		if (!is_own_time(tracker, row->ts, question->until_ts) ||
			!jsonl_tracker_thread(tracker, row->tid))
			continue;
		look->has_residue = jsonl_marks_have(&tracker->marks, row);
		has_late |= row->ts + JSONL_RESTART_NS < tracker->last_ts;
	}
	look->has_known_thread |= has_late && !look->has_residue;
}

static struct look look_ahead(struct jsonl_tracker *tracker, const struct question *question)
{
	struct look look = {0};
	size_t i;

	tracker->nr_looks++;
	for (i = 0; i < question->nr_rows && !look.goes_on; i++) {
		if (!can_be_looked_at(tracker, &question->rows[i]))
			continue;
		look_at(tracker, question, i, &look);
		look.until = question->rows[i].line;
	}
	if (look.has_own && look.has_later && !look.goes_on && !look.has_known_thread)
		look_at_own(tracker, question, &look);
	look.goes_on |= look.nr_continued > look.nr_leaps + look.nr_restarts && !look.has_residue;
	if (look.goes_on)
		tracker->same_until = look.until;
	return look;
}

/* ------------------------------------------------------------------ residue */

/* The row's coroutine is new: do rows follow that were read before, while the row itself was not? */
static bool is_among_residue(
	const struct jsonl_tracker *tracker, const struct jsonl_row *rows, size_t nr_rows)
{
	bool is_among = false;
	size_t i;

	for (i = 1; i < nr_rows && i < ADJACENT_ROWS; i++) {
		if (rows[i].probe_id != rows->probe_id)
			break;
		if (jsonl_seen_mark(&rows[i]) == jsonl_seen_mark(rows))
			return false;
		is_among |= jsonl_marks_have(&tracker->marks, &rows[i]);
	}
	return is_among;
}

/* If rows are in order of time, and no row of the run was read again so far, the row is not a leftover. */
static bool can_be_residue(
	struct jsonl_tracker *tracker, const struct jsonl_row *rows, size_t nr_rows)
{
	if (tracker->is_last || rows->line < tracker->same_until ||
		rows->line < tracker->dense_until ||
		!is_own_time(tracker, rows->ts, tracker->last_ts + JSONL_RESTART_NS) ||
		!jsonl_tracker_thread(tracker, rows->tid))
		return false;
	return rows->ts <= tracker->last_ts || tracker->ahead.count ||
	       (nr_rows > 1 && rows[1].probe_id == rows->probe_id &&
		       rows[1].ts <= tracker->last_ts);
}

/*
 * The row is a leftover if later rows follow, none of them of the run, and the row was read before or stands among such
 * rows.
 */
bool jsonl_ahead_is_residue(
	struct jsonl_tracker *tracker, const struct jsonl_row *rows, size_t nr_rows)
{
	struct question question = ask(tracker, rows, nr_rows);
	struct look look;

	if (!can_be_residue(tracker, rows, nr_rows))
		return false;
	question.is_later = true;
	question.until_ts = tracker->last_ts + JSONL_RESTART_NS;
	look = look_ahead(tracker, &question);
	if (!look.has_later && !look.goes_on)
		tracker->dense_until = rows->line + ROWS_UNASKED;
	if (!look.has_later || look.goes_on || look.has_known_thread || !look.has_residue)
		return false;
	return jsonl_marks_have(&tracker->marks, rows) || tracker->ahead.count ||
	       is_among_residue(tracker, rows, nr_rows);
}

/* ------------------------------------------------------------------ the run's end */

bool jsonl_ahead_is_over(struct jsonl_tracker *tracker, const struct jsonl_seen *coro,
	const struct jsonl_row *rows, size_t nr_rows)
{
	struct question question = ask(tracker, rows, nr_rows);
	struct look look;

	if (tracker->is_last || rows->line < tracker->same_until)
		return false;
	/* The common case: an address that was reused within the run. */
	if (coro->probe_id >= COUNTER_IDS && rows->ts > coro->first_ts &&
		jsonl_tracker_thread(tracker, rows->tid))
		return false;
	look = look_ahead(tracker, &question);
	if (look.goes_on)
		return false;
	if (rows->ts <= coro->first_ts)
		return coro->nr_rows > 1 || look.nr_restarts > 1 || !jsonl_seen_is_same(coro, rows);
	if (!look.has_known_thread)
		return true;
	return coro->probe_id < COUNTER_IDS && look.nr_restarts > 1;
}

/* Is the time before the run by more than the run has lasted? */
static bool is_far_back(const struct jsonl_tracker *tracker, uint64_t ts)
{
	uint64_t lasted = tracker->last_ts - tracker->first_ts;

	return ts < tracker->first_ts &&
	       tracker->first_ts - ts > (lasted > PAUSE_NS ? lasted : PAUSE_NS);
}

static bool is_in_a_pause(const struct jsonl_tracker *tracker, uint64_t ts)
{
	return ts >= tracker->first_ts && ts <= tracker->last_ts + JSONL_RESTART_NS;
}

/* The run may be over after a pause, behind its leftovers, or where time has gone back. */
bool jsonl_ahead_is_left(
	struct jsonl_tracker *tracker, const struct jsonl_row *rows, size_t nr_rows)
{
	struct question question = ask(tracker, rows, nr_rows);
	struct look look;

	if (tracker->is_last || tracker->nr_rows == 0 || rows->line < tracker->same_until ||
		is_in_a_pause(tracker, rows->ts))
		return false;
	look = look_ahead(tracker, &question);
	if (look.goes_on || look.has_known_thread)
		return false;
	return look.has_residue || rows->ts > tracker->last_ts + PAUSE_NS ||
	       is_far_back(tracker, rows->ts);
}

bool jsonl_ahead_is_back(
	struct jsonl_tracker *tracker, const struct jsonl_row *rows, size_t nr_rows)
{
	struct question question = ask(tracker, rows, nr_rows);

	if (tracker->nr_rows == 0 || rows->line < tracker->same_until ||
		tracker->last_ts - tracker->first_ts < PAUSE_NS || !is_far_back(tracker, rows->ts))
		return false;
	return !look_ahead(tracker, &question).goes_on;
}
