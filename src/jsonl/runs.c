/* SPDX-License-Identifier: MIT */
/*
 * Telling runs, coroutines and impossible rows apart.
 *
 * Within one life of a coroutine seq and time rise together, whatever the order of the rows in the file. A row
 * that breaks this belongs to another life, to another run, or cannot be true. The rows behind it show which:
 * where a coroutine of the run goes on, the run goes on.
 */
#include "jsonl/runs.h"

#define SECOND_NS UINT64_C(1000000000)
#define LEAST_SLACK_NS (60 * SECOND_NS)
#define MOST_SLACK_NS (86400 * SECOND_NS)
#define PAUSE_NS (SECOND_NS / 10)
#define RESTART_NS (SECOND_NS / 1000) /* no program is started anew within it */
#define TS_MAX ((uint64_t)INT64_MAX / 2)
#define TIMES_AHEAD 64u    /* rows that are asked about a time */
#define FAR_SUPPORTERS 8u  /* of them must agree with one that is more than a day away */
#define LEAST_TO_GO_ON 4u  /* a seq that a coroutine of another run has hardly by chance */
#define COUNTER_IDS 65536u /* probe_ids below are counted, not addresses */
#define LIFE_SHIFT 48
#define PREPARED_ROWS 8u /* so far ahead */

void jsonl_tracker_fini(struct jsonl_tracker *tracker)
{
	vec_fini(&tracker->coros);
	map_fini(&tracker->coro_of);
	map_fini(&tracker->given);
	map_fini(&tracker->thread_of);
	map_fini(&tracker->early);
	map_fini(&tracker->residue);
	map_fini(&tracker->ahead);
}

void jsonl_tracker_begin_next(struct jsonl_tracker *tracker, struct map *ret_left)
{
	struct jsonl_tracker next = {
		.thread_max = tracker->thread_max,
		.past = tracker->past,
		.early = tracker->early,
	};

	*ret_left = tracker->ahead;
	tracker->early = tracker->ahead = (struct map){0};
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

/* A run that counts by ones has odd numbers from its first row on. */
static bool may_count_in_blocks(const struct jsonl_tracker *tracker)
{
	return tracker->nr_odd * 8 <= tracker->nr_rows;
}

static bool fits(const struct jsonl_tracker *tracker, const struct jsonl_seen *coro,
	const struct jsonl_row *row)
{
	return jsonl_seen_fits(coro, row, may_count_in_blocks(tracker));
}

/* ------------------------------------------------------------------ earlier runs */

static uint64_t past_key(size_t run, uint64_t tid)
{
	return tid << 8 | run % JSONL_RUNS_MAX;
}

bool jsonl_past_add(struct jsonl_past *past, const struct jsonl_past_run *run)
{
	return vec_push(&past->runs, *run);
}

bool jsonl_past_thread(struct jsonl_past *past, uint64_t tid)
{
	return map_put(&past->threads, past_key(past->runs.count, tid), 1);
}

void jsonl_past_fini(struct jsonl_past *past)
{
	vec_fini(&past->runs);
	map_fini(&past->threads);
}

/* At the time of an earlier run, and by a thread of it: its slots were read again. */
static bool is_of_past(const struct jsonl_tracker *tracker, const struct jsonl_row *row)
{
	uint32_t i, ignored;

	if (tracker->nr_past == 0 || row->ts >= tracker->begin_ts)
		return false;
	for (i = 0; i < tracker->nr_past; i++) {
		const struct jsonl_past_run *run = &tracker->past->runs.at[i];

		if (row->ts >= run->first_ts && row->ts <= run->last_ts &&
			map_get(&tracker->past->threads, past_key(i, row->tid), &ignored))
			return true;
	}
	return false;
}

/* ----------------------------------------------------------------- looking ahead */

struct look {
	bool goes_on;          /* a coroutine of the run goes on, on a thread of it */
	bool may_go_on;        /* or on another thread, as one of another run hardly would */
	bool has_known_thread; /* a thread of the run goes on */
	bool has_residue;      /* what the run left behind is read again, as others' */
	bool has_later;        /* somebody goes on a good while later */
	size_t nr_restarts;    /* coroutines of the run that begin again */
	uint64_t until;        /* the line that showed it */
};

/* The first row of each coroutine says most: later ones follow from it. */
static void look_at_coro(struct jsonl_tracker *tracker, struct jsonl_seen *coro,
	const struct jsonl_row *row, bool is_known, struct look *look)
{
	if (coro->last_look == tracker->nr_looks)
		return;
	coro->last_look = tracker->nr_looks;
	if (jsonl_seen_is_same(coro, row) || !fits(tracker, coro, row))
		look->nr_restarts++;
	else if (row->seq > coro->last_seq && is_known)
		look->goes_on = true;
	else if (row->seq > coro->last_seq)
		look->may_go_on |= coro->last_seq > LEAST_TO_GO_ON;
	else
		look->goes_on = is_known && row->ts > coro->last_ts;
}

/* A row of the run's own time is no sign that it goes on, where the question came up later than that. */
static void look_at(struct jsonl_tracker *tracker, const struct jsonl_row *row, bool is_later,
	struct look *look)
{
	struct jsonl_seen *coro = names_coro(row) ? find_coro(tracker, row) : NULL;
	bool is_known = find_thread(tracker, row->tid) != 0;
	bool is_old = row->ts >= tracker->first_ts && row->ts <= tracker->last_ts;

	if (is_known && is_old &&
		(!coro || jsonl_seen_is_same(coro, row) || !fits(tracker, coro, row)))
		look->has_residue = true;
	if (is_later && is_old)
		return;
	look->has_known_thread |= is_known;
	look->has_later |= row->ts > tracker->last_ts + RESTART_NS;
	if (coro)
		look_at_coro(tracker, coro, row, is_known, look);
}

static struct look look_ahead(
	struct jsonl_tracker *tracker, const struct jsonl_row *rows, size_t nr_rows, bool is_later)
{
	struct look look = {0};
	size_t i;

	tracker->nr_looks++;
	for (i = 0; i < nr_rows && i < JSONL_AHEAD && !look.goes_on; i++) {
		if (!is_time(rows[i].ts) || outside(tracker, rows[i].ts) > MOST_SLACK_NS)
			continue;
		look_at(tracker, &rows[i], is_later, &look);
		look.until = rows[i].line;
	}
	look.goes_on |= look.may_go_on && !look.has_residue;
	return look;
}

/* Behind it come later rows, and none of them is of the run: another run's engine read it again. */
static bool is_residue(struct jsonl_tracker *tracker, const struct jsonl_row *rows, size_t nr_rows)
{
	struct look look;

	if (tracker->is_last || rows->line < tracker->same_until || rows->ts < tracker->first_ts ||
		rows->ts > tracker->last_ts || !find_thread(tracker, rows->tid))
		return false;
	look = look_ahead(tracker, rows, nr_rows, true);
	if (look.goes_on)
		tracker->same_until = look.until;
	return look.has_later && !look.goes_on && !look.has_known_thread;
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
	look = look_ahead(tracker, rows, nr_rows, rows->ts > tracker->last_ts);
	if (look.goes_on) {
		tracker->same_until = look.until;
		return false;
	}
	if (rows->ts <= coro->first_ts)
		return coro->nr_rows > 1 || look.nr_restarts > 1 || !jsonl_seen_is_same(coro, rows);
	if (!look.has_known_thread)
		return true;
	return coro->probe_id < COUNTER_IDS && look.nr_restarts > 1;
}

static bool is_in_a_pause(const struct jsonl_tracker *tracker, uint64_t ts)
{
	return ts >= tracker->first_ts &&
	       ts - tracker->first_ts < tracker->last_ts - tracker->first_ts + RESTART_NS;
}

/* A thread that is new, and after a pause: nobody of the run may be left. */
static bool is_run_left(struct jsonl_tracker *tracker, const struct jsonl_row *rows, size_t nr_rows)
{
	struct look look;

	if (tracker->is_last || tracker->nr_rows == 0 || rows->line < tracker->same_until ||
		is_in_a_pause(tracker, rows->ts))
		return false;
	look = look_ahead(tracker, rows, nr_rows, rows->ts > tracker->last_ts);
	if (look.goes_on || look.has_known_thread)
		return false;
	if (look.has_residue)
		return true;
	return rows->seq <= LEAST_TO_GO_ON && !find_coro(tracker, rows) &&
	       !(rows->ts >= tracker->first_ts && rows->ts - tracker->last_ts < PAUSE_NS);
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

/* An id that nobody else of the run goes by: the probe_id, and its life in the high bits. */
static uint64_t free_id(const struct jsonl_tracker *tracker, uint64_t probe_id, uint32_t life)
{
	uint64_t id = (probe_id + (life >> 16)) ^ (uint64_t)life << LIFE_SHIFT;
	uint32_t ignored;

	while (id == 0 || map_get(&tracker->given, id, &ignored) ||
		((id != probe_id || life) && map_get(&tracker->coro_of, id, &ignored)))
		id += UINT64_C(1) << LIFE_SHIFT | (id >> LIFE_SHIFT == 0xffff);
	return id;
}

static bool was_left(const struct jsonl_tracker *tracker, uint64_t probe_id)
{
	uint32_t ignored;

	return map_get(&tracker->residue, probe_id, &ignored) ||
	       (tracker->left && map_get(tracker->left, probe_id, &ignored));
}

static struct jsonl_seen first_seen(
	struct jsonl_tracker *tracker, const struct jsonl_row *row, uint32_t life)
{
	uint32_t nr_early = 0;

	if (tracker->early.count && map_get(&tracker->early, row->probe_id, &nr_early))
		map_remove(&tracker->early, row->probe_id);
	return (struct jsonl_seen){
		.nr_left_out = nr_early < row->seq ? nr_early : 0,
		.goes_on_from = was_left(tracker, row->probe_id),
		.probe_id = row->probe_id,
		.id = free_id(tracker, row->probe_id, life),
		.life = life,
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
	struct jsonl_seen next = first_seen(tracker, row, coro->life + 1);

	place->ended_copy = *coro;
	place->ended = &place->ended_copy;
	next.last_look = coro->last_look;
	next.shares_block = coro->last_seq == row->seq;
	*coro = next;
	return map_put(&tracker->given, next.id, 1);
}

/* By blocks, rows come in the order of slots: one that is not there yet may still come. */
static bool is_after_gap(const struct jsonl_tracker *tracker, const struct jsonl_seen *coro,
	const struct jsonl_row *row)
{
	bool by_ones = tracker->numbering == JSONL_BY_ONES || coro->has_odd || row->seq % 2;

	if (coro->nr_rows == 0 || row->seq <= coro->last_seq)
		return false;
	if (tracker->numbering == JSONL_BY_BLOCKS && coro->nr_at_last < JSONL_BLOCK_ROWS)
		return true;
	return row->seq - coro->last_seq > (by_ones ? 1 : 2);
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

/* The row was written and read all the same: none is missing in its place. */
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

/* The row says nothing of its coroutine, but that the numbers in its slots do not begin there. */
static enum jsonl_verdict leave_residue(
	struct jsonl_tracker *tracker, struct map *residue, const struct jsonl_row *row)
{
	struct jsonl_seen *coro = find_coro(tracker, row);

	if (coro && residue == &tracker->residue)
		coro->goes_on_from = true;
	if (residue->count >= JSONL_EARLY_MAX)
		return JSONL_RESIDUE;
	return map_put(residue, row->probe_id, 1) ? JSONL_RESIDUE : JSONL_NO_MEMORY;
}

static void extend_run(struct jsonl_tracker *tracker, const struct jsonl_row *row)
{
	uint64_t ts = row->ts;

	if (tracker->nr_rows++ == 0)
		tracker->first_ts = tracker->last_ts = ts;
	tracker->nr_odd += !row->has_event && row->seq & 1;
	if (ts < tracker->first_ts)
		tracker->first_ts = ts;
	if (ts > tracker->last_ts)
		tracker->last_ts = ts;
	if (tracker->ahead.count)
		map_fini(&tracker->ahead);
}

static enum jsonl_verdict take_known(struct jsonl_tracker *tracker, struct jsonl_seen *coro,
	const struct jsonl_row *rows, size_t nr_rows, struct jsonl_place *place)
{
	bool is_same = jsonl_seen_is_same(coro, rows);

	if (jsonl_seen_is_too_fast(coro, rows))
		return JSONL_IMPOSSIBLE;
	if (fits(tracker, coro, rows) && !is_same)
		return !find_thread(tracker, rows->tid) && is_run_left(tracker, rows, nr_rows)
			       ? JSONL_NEXT_RUN
			       : JSONL_IN_RUN;
	if (is_residue(tracker, rows, nr_rows))
		return JSONL_RESIDUE;
	if (is_run_over(tracker, coro, rows, nr_rows))
		return JSONL_NEXT_RUN;
	if (is_same)
		return JSONL_TWICE;
	if (rows->ts < coro->last_ts)
		return JSONL_IMPOSSIBLE;
	return renew_coro(tracker, coro, rows, place) ? JSONL_IN_RUN : JSONL_NO_MEMORY;
}

static enum jsonl_verdict take_unknown(struct jsonl_tracker *tracker, const struct jsonl_row *rows,
	size_t nr_rows, struct jsonl_seen **ret_coro)
{
	if (!find_thread(tracker, rows->tid) && is_run_left(tracker, rows, nr_rows))
		return JSONL_NEXT_RUN;
	if (is_residue(tracker, rows, nr_rows))
		return JSONL_RESIDUE;
	*ret_coro = add_coro(tracker, rows);
	return *ret_coro ? JSONL_IN_RUN : JSONL_NO_MEMORY;
}

static enum jsonl_verdict take_coro(struct jsonl_tracker *tracker, const struct jsonl_row *rows,
	size_t nr_rows, struct jsonl_place *place)
{
	struct jsonl_seen *coro = find_coro(tracker, rows);
	enum jsonl_verdict verdict;

	place->is_new_coro = coro == NULL;
	verdict = coro ? take_known(tracker, coro, rows, nr_rows, place)
		       : take_unknown(tracker, rows, nr_rows, &coro);
	if (verdict != JSONL_IN_RUN)
		return verdict;
	place->is_after_gap = is_after_gap(tracker, coro, rows);
	jsonl_seen_take(coro, rows);
	note_address(coro, rows, place);
	place->id = coro->id;
	return JSONL_IN_RUN;
}

/* Verdicts on a row that names a coroutine; what was left out is accounted for. */
static enum jsonl_verdict judge(struct jsonl_tracker *tracker, const struct jsonl_row *rows,
	size_t nr_rows, struct jsonl_place *place)
{
	enum jsonl_verdict verdict = take_coro(tracker, rows, nr_rows, place);

	if (verdict == JSONL_IMPOSSIBLE)
		return leave_out(tracker, rows);
	if (verdict == JSONL_RESIDUE)
		return leave_residue(tracker, &tracker->ahead, rows);
	return verdict;
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
	if (is_of_past(tracker, rows))
		return leave_residue(tracker, &tracker->residue, rows);
	if (!is_possible(tracker, rows, nr_rows))
		return leave_out(tracker, rows);
	/* Further back than any disorder of one run: it is another one. */
	if (!tracker->is_last && rows->ts < tracker->first_ts &&
		tracker->first_ts - rows->ts > slack_of(tracker))
		return JSONL_NEXT_RUN;
	if (names_coro(rows)) {
		verdict = judge(tracker, rows, nr_rows, ret_place);
		if (verdict != JSONL_IN_RUN)
			return verdict;
	}
	extend_run(tracker, rows);
	return take_thread(tracker, rows, ret_place) ? JSONL_IN_RUN : JSONL_NO_MEMORY;
}
