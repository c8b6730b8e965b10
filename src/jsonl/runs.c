/* SPDX-License-Identifier: MIT */
/*
 * Telling runs, coroutines and impossible rows apart.
 *
 * Within one generation of a coroutine seq and time rise together, whatever the order of the rows in the
 * file. A row that breaks this belongs to another generation, to another run, or can not be true. Which
 * of them it is, the rows behind it show: where a coroutine of the run goes on, the run goes on.
 */
#include "jsonl_runs.h"

#define SECOND_NS UINT64_C(1000000000)
#define LEAST_SLACK_NS (60 * SECOND_NS)
#define MOST_SLACK_NS (86400 * SECOND_NS)
#define PAUSE_NS (SECOND_NS / 10)
#define TS_MAX ((uint64_t)INT64_MAX / 2)
#define TIMES_AHEAD 64u    /* rows that are asked about a time */
#define FAR_SUPPORTERS 8u  /* of them must agree with one that is more than a day away */
#define LEAST_TO_GO_ON 4u  /* a seq that a coroutine of another run has hardly by chance */
#define COUNTER_IDS 65536u /* probe_ids below are counted, not addresses */
#define GENERATION_SHIFT 48
#define PREPARED_ROWS 8u /* so far ahead */

void jsonl_tracker_fini(struct jsonl_tracker *tracker)
{
	vec_fini(&tracker->coros);
	map_fini(&tracker->coro_of);
	map_fini(&tracker->given);
	map_fini(&tracker->thread_of);
	map_fini(&tracker->early);
}

void jsonl_tracker_begin_next(struct jsonl_tracker *tracker)
{
	struct jsonl_tracker next = {
		.thread_max = tracker->thread_max,
		.early = tracker->early,
	};

	tracker->early = (struct map){0};
	jsonl_tracker_fini(tracker);
	*tracker = next;
}

/* ---------------------------------------------------------------------- times */

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a < b ? b - a : a - b;
}

/* How far a time lies outside of the run as it is known so far. */
static uint64_t outside(const struct jsonl_tracker *tracker, uint64_t ts)
{
	if (ts < tracker->first_ts)
		return tracker->first_ts - ts;
	return ts > tracker->last_ts ? ts - tracker->last_ts : 0;
}

/* A run may be silent for as long as it has lasted, and for a minute in any case. */
static uint64_t slack_of(const struct jsonl_tracker *tracker)
{
	uint64_t lasted = tracker->last_ts - tracker->first_ts;

	if (lasted < LEAST_SLACK_NS)
		return LEAST_SLACK_NS;
	return lasted < MOST_SLACK_NS ? lasted : MOST_SLACK_NS;
}

static bool is_time(uint64_t ts)
{
	return ts != 0 && ts <= TS_MAX;
}

/* Where nothing is known yet: many of the next rows lie around it, or it is the first in time. */
static bool can_begin(const struct jsonl_row *rows, size_t nr_rows)
{
	size_t others = 0, supporters = 0, i;
	bool is_first = true;

	for (i = 1; i < nr_rows && i < TIMES_AHEAD; i++) {
		if (!is_time(rows[i].ts))
			continue;
		others++;
		supporters += rows[i].ts != rows[0].ts &&
			      distance(rows[i].ts, rows[0].ts) <= MOST_SLACK_NS;
		is_first = is_first && rows[i].ts >= rows[0].ts;
	}
	if (supporters >= FAR_SUPPORTERS)
		return true;
	return supporters ? supporters * 2 >= others : is_first;
}

/* A time away from the run: do the rows that follow stay there? Equal times are no evidence. */
static bool is_supported(
	const struct jsonl_tracker *tracker, const struct jsonl_row *rows, size_t nr_rows)
{
	size_t others = 0, supporters = 0, i;

	for (i = 1; i < nr_rows && i < TIMES_AHEAD; i++) {
		if (!is_time(rows[i].ts))
			continue;
		others++;
		supporters += rows[i].ts != rows[0].ts &&
			      distance(rows[i].ts, rows[0].ts) < outside(tracker, rows[i].ts);
	}
	if (outside(tracker, rows[0].ts) <= MOST_SLACK_NS)
		return supporters > 0;
	return supporters >= FAR_SUPPORTERS && supporters * 2 > others;
}

static bool is_possible(
	const struct jsonl_tracker *tracker, const struct jsonl_row *rows, size_t nr_rows)
{
	if (!is_time(rows[0].ts))
		return false;
	if (tracker->nr_rows == 0)
		return can_begin(rows, nr_rows);
	return outside(tracker, rows[0].ts) <= slack_of(tracker) ||
	       is_supported(tracker, rows, nr_rows);
}

/* ----------------------------------------------------------------- coroutines */

static bool names_coro(const struct jsonl_row *row)
{
	return !row->has_event || row->probe_id != 0;
}

/* The hint of another run's rows names somebody else, or nobody. */
static struct jsonl_seen *find_coro(
	const struct jsonl_tracker *tracker, const struct jsonl_row *row)
{
	uint32_t index = row->hint;

	if (index < tracker->coros.count && tracker->coros.at[index].probe_id == row->probe_id)
		return &tracker->coros.at[index];
	return map_get(&tracker->coro_of, row->probe_id, &index) ? &tracker->coros.at[index] : NULL;
}

/* Rows jump from coroutine to coroutine: what will be needed soon is asked of memory now. */
static void prepare(const struct jsonl_tracker *tracker, struct jsonl_row *row)
{
	const struct jsonl_seen *coro;

	if (!map_get(&tracker->coro_of, row->probe_id, &row->hint))
		return;
	coro = &tracker->coros.at[row->hint];
	__builtin_prefetch(coro, 1);
	__builtin_prefetch(&coro->nr_rows, 1);
}

/* Rows of a few threads alternate: those met last are at hand without a look into the map. */
static uint32_t find_thread(struct jsonl_tracker *tracker, uint64_t tid)
{
	struct jsonl_thread *near = &tracker->threads_near[tid % JSONL_THREADS_NEAR];
	uint32_t thread = 0;

	if (near->thread && near->tid == tid)
		return near->thread;
	if (!map_get(&tracker->thread_of, tid, &thread))
		return 0;
	*near = (struct jsonl_thread){tid, thread};
	return thread;
}

static bool is_same(const struct jsonl_seen *coro, const struct jsonl_row *row)
{
	return (row->seq == coro->last_seq && row->ts == coro->last_ts) ||
	       (row->seq == coro->first_seq && row->ts == coro->first_ts);
}

static bool rises_together(uint64_t seq, uint64_t ts, uint64_t other_seq, uint64_t other_ts)
{
	if (seq == other_seq)
		return ts == other_ts;
	return seq < other_seq ? ts <= other_ts : ts >= other_ts;
}

static bool fits(const struct jsonl_seen *coro, const struct jsonl_row *row)
{
	return rises_together(row->seq, row->ts, coro->last_seq, coro->last_ts) &&
	       rises_together(row->seq, row->ts, coro->first_seq, coro->first_ts);
}

/* No coroutine has more than one event in a nanosecond, and counts by two at most. */
static bool is_too_fast(const struct jsonl_seen *coro, const struct jsonl_row *row)
{
	return row->seq > coro->last_seq && row->ts >= coro->last_ts &&
	       (row->seq - coro->last_seq) / 2 > row->ts - coro->last_ts + JSONL_AHEAD;
}

/* ----------------------------------------------------------------- looking ahead */

struct look {
	bool goes_on;          /* a coroutine of the run goes on */
	bool has_known_thread; /* a thread of the run goes on */
	size_t nr_restarts;    /* coroutines of the run that begin again */
	uint64_t until;        /* the line that showed it */
};

/* The first row of each coroutine says most: later ones follow from it. */
static void look_at(struct jsonl_tracker *tracker, const struct jsonl_row *row, struct look *look)
{
	struct jsonl_seen *coro = names_coro(row) ? find_coro(tracker, row) : NULL;
	bool is_known = find_thread(tracker, row->tid) != 0;

	look->has_known_thread |= is_known;
	if (!coro || coro->last_look == tracker->nr_looks)
		return;
	coro->last_look = tracker->nr_looks;
	if (is_same(coro, row) || !fits(coro, row))
		look->nr_restarts++;
	else if (row->seq > coro->last_seq)
		look->goes_on = is_known || coro->last_seq > LEAST_TO_GO_ON;
}

static struct look look_ahead(
	struct jsonl_tracker *tracker, const struct jsonl_row *rows, size_t nr_rows)
{
	struct look look = {0};
	size_t i;

	tracker->nr_looks++;
	for (i = 0; i < nr_rows && i < JSONL_AHEAD && !look.goes_on; i++) {
		if (!is_time(rows[i].ts) || outside(tracker, rows[i].ts) > MOST_SLACK_NS)
			continue;
		look_at(tracker, &rows[i], &look);
		look.until = rows[i].line;
	}
	return look;
}

/* A coroutine begins again at rows[0]: with it the whole program? */
static bool is_run_over(struct jsonl_tracker *tracker, const struct jsonl_seen *coro,
	const struct jsonl_row *rows, size_t nr_rows)
{
	struct look look;

	if (tracker->is_last || rows->line < tracker->same_until)
		return false;
	/* The common case of an address that is given out anew. */
	if (coro->probe_id >= COUNTER_IDS && rows->ts > coro->first_ts &&
		find_thread(tracker, rows->tid))
		return false;
	look = look_ahead(tracker, rows, nr_rows);
	if (look.goes_on) {
		tracker->same_until = look.until;
		return false;
	}
	if (rows->ts <= coro->first_ts)
		return coro->nr_rows > 1 || look.nr_restarts > 1 || !is_same(coro, rows);
	if (!look.has_known_thread)
		return true;
	return coro->probe_id < COUNTER_IDS && look.nr_restarts > 1;
}

/* A thread and a coroutine that are new, after a pause: nobody of the run may be left. */
static bool is_run_left(struct jsonl_tracker *tracker, const struct jsonl_row *rows, size_t nr_rows)
{
	struct look look;

	if (tracker->is_last || tracker->nr_rows == 0 || rows->line < tracker->same_until ||
		rows->seq > LEAST_TO_GO_ON)
		return false;
	if (rows->ts >= tracker->first_ts &&
		rows->ts - tracker->first_ts < tracker->last_ts - tracker->first_ts + PAUSE_NS)
		return false;
	look = look_ahead(tracker, rows, nr_rows);
	return !look.goes_on && !look.has_known_thread;
}

/* ------------------------------------------------------------------ taking it */

static bool take_thread(
	struct jsonl_tracker *tracker, const struct jsonl_row *row, struct jsonl_place *place)
{
	place->thread = find_thread(tracker, row->tid);
	if (place->thread || tracker->nr_threads >= tracker->thread_max)
		return true;
	place->thread = ++tracker->nr_threads;
	place->is_new_thread = true;
	return map_put(&tracker->thread_of, row->tid, place->thread);
}

/* An id that nobody else of the run goes by: the probe_id, and its generation in the high bits. */
static uint64_t free_id(const struct jsonl_tracker *tracker, uint64_t probe_id, uint32_t generation)
{
	uint64_t id = (probe_id + (generation >> 16)) ^ (uint64_t)generation << GENERATION_SHIFT;
	uint32_t ignored;

	while (id == 0 || map_get(&tracker->given, id, &ignored) ||
		((id != probe_id || generation) && map_get(&tracker->coro_of, id, &ignored)))
		id += UINT64_C(1) << GENERATION_SHIFT | (id >> GENERATION_SHIFT == 0xffff);
	return id;
}

static struct jsonl_seen first_seen(
	struct jsonl_tracker *tracker, const struct jsonl_row *row, uint32_t generation)
{
	uint32_t nr_early = 0;

	if (tracker->early.count && map_get(&tracker->early, row->probe_id, &nr_early))
		map_remove(&tracker->early, row->probe_id);
	return (struct jsonl_seen){
		.nr_left_out = nr_early < row->seq ? nr_early : 0,
		.probe_id = row->probe_id,
		.id = free_id(tracker, row->probe_id, generation),
		.first_seq = row->seq,
		.last_seq = row->seq,
		.first_ts = row->ts,
		.last_ts = row->ts,
		.generation = generation,
	};
}

static struct jsonl_seen *add_coro(struct jsonl_tracker *tracker, const struct jsonl_row *row)
{
	struct jsonl_seen coro = first_seen(tracker, row, 0);
	uint32_t index = (uint32_t)tracker->coros.count;

	if (coro.id != row->probe_id && !map_put(&tracker->given, coro.id, 1))
		return NULL;
	if (!vec_push(&tracker->coros, coro) || !map_put(&tracker->coro_of, row->probe_id, index))
		return NULL;
	return &tracker->coros.at[index];
}

static bool renew_coro(struct jsonl_tracker *tracker, struct jsonl_seen *coro,
	const struct jsonl_row *row, struct jsonl_place *place)
{
	struct jsonl_seen next = first_seen(tracker, row, coro->generation + 1);

	place->ended_copy = *coro;
	place->ended = &place->ended_copy;
	next.last_look = coro->last_look;
	*coro = next;
	return map_put(&tracker->given, next.id, 1);
}

static void extend(const struct jsonl_tracker *tracker, struct jsonl_seen *coro,
	const struct jsonl_row *row, struct jsonl_place *place)
{
	uint64_t step;

	coro->has_odd |= row->seq & 1;
	step = tracker->counts_by_ones || coro->has_odd ? 1 : 2;
	place->is_after_gap = row->seq > coro->last_seq && row->seq - coro->last_seq > step;
	coro->nr_rows++;
	if (row->seq > coro->last_seq) {
		coro->nr_left_out += coro->nr_waiting;
		coro->nr_waiting = 0;
		coro->last_seq = row->seq;
		coro->last_ts = row->ts;
	}
	if (row->seq < coro->first_seq) {
		coro->first_seq = row->seq;
		coro->first_ts = row->ts;
	}
}

static void note_address(
	struct jsonl_seen *coro, const struct jsonl_row *row, struct jsonl_place *place)
{
	if (!row->address || coro->frame == row->address ||
		(row->has_event && row->kind != CTP_KIND_FRAME))
		return;
	coro->frame = row->address;
	place->frame = row->has_event ? 0 : row->address;
}

/* It was written and read all the same: no row is missing in its place. */
static enum jsonl_verdict leave_out(struct jsonl_tracker *tracker, const struct jsonl_row *row)
{
	struct jsonl_seen *coro;
	uint32_t count = 0;

	if (!names_coro(row))
		return JSONL_IMPOSSIBLE;
	coro = find_coro(tracker, row);
	if (coro && row->seq > coro->last_seq) {
		coro->nr_waiting += row->seq - coro->last_seq <= JSONL_AHEAD;
		return JSONL_IMPOSSIBLE;
	}
	/* The first rows of one that is still to come; garbage has ever new ids. */
	if (!map_get(&tracker->early, row->probe_id, &count) &&
		tracker->early.count >= JSONL_EARLY_MAX)
		return JSONL_IMPOSSIBLE;
	return map_put(&tracker->early, row->probe_id, count + 1) ? JSONL_IMPOSSIBLE
								  : JSONL_NO_MEMORY;
}

static void extend_run(struct jsonl_tracker *tracker, uint64_t ts)
{
	if (tracker->nr_rows++ == 0)
		tracker->first_ts = tracker->last_ts = ts;
	if (ts < tracker->first_ts)
		tracker->first_ts = ts;
	if (ts > tracker->last_ts)
		tracker->last_ts = ts;
}

static enum jsonl_verdict take_known(struct jsonl_tracker *tracker, struct jsonl_seen *coro,
	const struct jsonl_row *rows, size_t nr_rows, struct jsonl_place *place)
{
	if (is_too_fast(coro, rows))
		return JSONL_IMPOSSIBLE;
	if (fits(coro, rows) && !is_same(coro, rows))
		return JSONL_IN_RUN;
	if (is_run_over(tracker, coro, rows, nr_rows))
		return JSONL_NEXT_RUN;
	if (is_same(coro, rows))
		return JSONL_TWICE;
	if (rows->ts < coro->last_ts)
		return JSONL_IMPOSSIBLE;
	return renew_coro(tracker, coro, rows, place) ? JSONL_IN_RUN : JSONL_NO_MEMORY;
}

static enum jsonl_verdict take_coro(struct jsonl_tracker *tracker, const struct jsonl_row *rows,
	size_t nr_rows, struct jsonl_place *place)
{
	struct jsonl_seen *coro = find_coro(tracker, rows);
	enum jsonl_verdict verdict = JSONL_IN_RUN;

	if (coro) {
		verdict = take_known(tracker, coro, rows, nr_rows, place);
	} else if (!find_thread(tracker, rows->tid) && is_run_left(tracker, rows, nr_rows)) {
		return JSONL_NEXT_RUN;
	} else {
		coro = add_coro(tracker, rows);
		if (!coro)
			return JSONL_NO_MEMORY;
		place->is_new_coro = true;
	}
	if (verdict != JSONL_IN_RUN)
		return verdict;
	extend(tracker, coro, rows, place);
	note_address(coro, rows, place);
	place->id = coro->id;
	return JSONL_IN_RUN;
}

enum jsonl_verdict jsonl_tracker_take(struct jsonl_tracker *tracker, struct jsonl_row *rows,
	size_t nr_rows, struct jsonl_place *ret_place)
{
	enum jsonl_verdict verdict;

	ret_place->id = ret_place->frame = 0;
	ret_place->ended = NULL;
	ret_place->is_new_coro = ret_place->is_new_thread = ret_place->is_after_gap = false;
	if (nr_rows > PREPARED_ROWS)
		prepare(tracker, &rows[PREPARED_ROWS]);
	if (!is_possible(tracker, rows, nr_rows))
		return leave_out(tracker, rows);
	/* Further back than any disorder of one run: it is another one. */
	if (!tracker->is_last && rows->ts < tracker->first_ts &&
		tracker->first_ts - rows->ts > slack_of(tracker))
		return JSONL_NEXT_RUN;
	if (names_coro(rows)) {
		verdict = take_coro(tracker, rows, nr_rows, ret_place);
		if (verdict == JSONL_IMPOSSIBLE)
			return leave_out(tracker, rows);
		if (verdict != JSONL_IN_RUN)
			return verdict;
	}
	extend_run(tracker, rows->ts);
	return take_thread(tracker, rows, ret_place) ? JSONL_IN_RUN : JSONL_NO_MEMORY;
}
