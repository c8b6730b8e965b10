/* SPDX-License-Identifier: MIT */
/*
 * Tells runs, coroutines and impossible rows apart.
 *
 * Within one life of a coroutine, seq and time rise together, whatever the order of the rows in the file. A row that
 * breaks this rule belongs to another life, or to another run, or cannot be true. The rows behind it decide: if a
 * coroutine of the run goes on there, the run goes on.
 */
#include "jsonl/lookahead.h"

#define LEAST_SLACK_NS (60 * JSONL_SECOND_NS)
#define TIMES_AHEAD 64u   /* rows whose times are compared with a time */
#define FAR_SUPPORTERS 8u /* of them must agree with a time that is more than a day away */
#define LIFE_SHIFT 48
#define PREPARED_ROWS 8u /* this many rows ahead */

void jsonl_tracker_fini(struct jsonl_tracker *tracker)
{
	vec_fini(&tracker->coros);
	map_fini(&tracker->coro_of);
	map_fini(&tracker->given);
	map_fini(&tracker->thread_of);
	map_fini(&tracker->early);
	map_fini(&tracker->residue);
	map_fini(&tracker->ahead);
	jsonl_marks_fini(&tracker->marks);
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

uint64_t jsonl_tracker_outside(const struct jsonl_tracker *tracker, uint64_t ts)
{
	if (ts < tracker->first_ts)
		return tracker->first_ts - ts;
	return ts > tracker->last_ts ? ts - tracker->last_ts : 0;
}

/* A run may be silent for as long as it has lasted, and for at least a minute. */
static uint64_t slack_of(const struct jsonl_tracker *tracker)
{
	uint64_t lasted = tracker->last_ts - tracker->first_ts;

	if (lasted < LEAST_SLACK_NS)
		return LEAST_SLACK_NS;
	return lasted < JSONL_MOST_SLACK_NS ? lasted : JSONL_MOST_SLACK_NS;
}

/*
 * Nothing is known of the run yet: the row may begin it if many of the next rows lie around its time, or if none is
 * earlier.
 */
static bool can_begin(const struct jsonl_row *rows, size_t nr_rows)
{
	size_t others = 0, supporters = 0, i;
	bool is_first = true;

	for (i = 1; i < nr_rows && i < TIMES_AHEAD; i++) {
		if (!jsonl_is_time(rows[i].ts))
			continue;
		others++;
		supporters += rows[i].ts != rows[0].ts &&
			      distance(rows[i].ts, rows[0].ts) <= JSONL_MOST_SLACK_NS;
		is_first = is_first && rows[i].ts >= rows[0].ts;
	}
	if (supporters >= FAR_SUPPORTERS)
		return true;
	return supporters ? supporters * 2 >= others : is_first;
}

/* The time lies outside the run: do the following rows stay there? Equal times are not evidence. */
static bool is_supported(
	const struct jsonl_tracker *tracker, const struct jsonl_row *rows, size_t nr_rows)
{
	size_t others = 0, supporters = 0, i;

	for (i = 1; i < nr_rows && i < TIMES_AHEAD; i++) {
		if (!jsonl_is_time(rows[i].ts))
			continue;
		others++;
		supporters += rows[i].ts != rows[0].ts &&
			      distance(rows[i].ts, rows[0].ts) <
				      jsonl_tracker_outside(tracker, rows[i].ts);
	}
	if (jsonl_tracker_outside(tracker, rows[0].ts) <= JSONL_MOST_SLACK_NS)
		return supporters > 0;
	return supporters >= FAR_SUPPORTERS && supporters * 2 > others;
}

static bool is_possible(
	const struct jsonl_tracker *tracker, const struct jsonl_row *rows, size_t nr_rows)
{
	if (!jsonl_is_time(rows[0].ts))
		return false;
	if (tracker->nr_rows == 0)
		return can_begin(rows, nr_rows);
	return jsonl_tracker_outside(tracker, rows[0].ts) <= slack_of(tracker) ||
	       is_supported(tracker, rows, nr_rows);
}

/* ----------------------------------------------------------------- coroutines */

/* A hint from another run names another coroutine, or none, so it must be checked. */
struct jsonl_seen *jsonl_tracker_coro(
	const struct jsonl_tracker *tracker, const struct jsonl_row *row)
{
	uint32_t index = row->hint;

	if (index < tracker->coros.count && tracker->coros.at[index].probe_id == row->probe_id)
		return &tracker->coros.at[index];
	return map_get(&tracker->coro_of, row->probe_id, &index) ? &tracker->coros.at[index] : NULL;
}

/* Successive rows belong to different coroutines, so the memory that a later row needs is prefetched. */
static void prepare(const struct jsonl_tracker *tracker, struct jsonl_row *row)
{
	const struct jsonl_seen *coro;

	if (!map_get(&tracker->coro_of, row->probe_id, &row->hint))
		return;
	coro = &tracker->coros.at[row->hint];
	__builtin_prefetch(coro, 1);
	__builtin_prefetch(&coro->nr_rows, 1);
}

/* Rows of a few threads alternate, so the latest threads are cached to save a look into the map. */
uint32_t jsonl_tracker_thread(struct jsonl_tracker *tracker, uint64_t tid)
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

/* May the run count by blocks? A run that counts by ones has odd numbers from its first row on. */
static bool may_count_in_blocks(const struct jsonl_tracker *tracker)
{
	return tracker->nr_odd * 8 <= tracker->nr_rows;
}

/*
 * Each program begins with the first slot, so with each run, the slots of a file that persists may differ by one more
 * block.
 */
bool jsonl_tracker_fits(const struct jsonl_tracker *tracker, const struct jsonl_seen *coro,
	const struct jsonl_row *row)
{
	uint64_t spread = may_count_in_blocks(tracker) ? 2 * (1 + (uint64_t)tracker->nr_past) : 0;

	return jsonl_seen_fits(coro, row, spread);
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

/*
 * Does the row have a time and a thread of an earlier run? Then the run's slots were read again. The run's last rows
 * may not have been read by its own engine.
 */
static bool is_of_past(const struct jsonl_tracker *tracker, const struct jsonl_row *row)
{
	uint32_t i, ignored;

	if (tracker->nr_past == 0 || row->ts >= tracker->begin_ts)
		return false;
	for (i = 0; i < tracker->nr_past; i++) {
		const struct jsonl_past_run *run = &tracker->past->runs.at[i];

		if (row->ts >= run->first_ts && row->ts <= run->last_ts + JSONL_RESTART_NS &&
			map_get(&tracker->past->threads, past_key(i, row->tid), &ignored))
			return true;
	}
	return false;
}

/* ------------------------------------------------------------------ taking it */

static bool take_thread(
	struct jsonl_tracker *tracker, const struct jsonl_row *row, struct jsonl_place *place)
{
	place->thread = jsonl_tracker_thread(tracker, row->tid);
	if (place->thread || tracker->nr_threads >= tracker->thread_max)
		return true;
	place->thread = ++tracker->nr_threads;
	place->is_new_thread = true;
	return map_put(&tracker->thread_of, row->tid, place->thread);
}

/* An id that no other coroutine of the run has: the probe_id, with the number of the life in the high bits. */
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

	if (!jsonl_marks_end(&tracker->marks, coro))
		return false;
	place->ended_copy = *coro;
	place->ended = &place->ended_copy;
	next.last_look = coro->last_look;
	next.shares_block = coro->last_seq == row->seq;
	*coro = next;
	return map_put(&tracker->given, next.id, 1);
}

/* With blocks, rows come in the order of slots, so a missing row may still come. */
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

/* The row was written and read, even though it cannot be true: no row is missing in its place. */
static enum jsonl_verdict leave_out(struct jsonl_tracker *tracker, const struct jsonl_row *row)
{
	struct jsonl_seen *coro;
	uint32_t count = 0;

	if (!jsonl_names_coro(row))
		return JSONL_IMPOSSIBLE;
	coro = jsonl_tracker_coro(tracker, row);
	if (coro && row->seq > coro->last_seq) {
		coro->nr_waiting += row->seq - coro->last_seq <= JSONL_AHEAD;
		return JSONL_IMPOSSIBLE;
	}
	/*
	 * Rows of a coroutine whose first row is still to come. Garbage has ever new ids, so their number is limited.
	 */
	if (!map_get(&tracker->early, row->probe_id, &count) &&
		tracker->early.count >= JSONL_EARLY_MAX)
		return JSONL_IMPOSSIBLE;
	return map_put(&tracker->early, row->probe_id, count + 1) ? JSONL_IMPOSSIBLE
								  : JSONL_NO_MEMORY;
}

/* The only thing that the row says about its coroutine is that the numbers in its slots begin earlier. */
static enum jsonl_verdict leave_residue(
	struct jsonl_tracker *tracker, struct map *residue, const struct jsonl_row *row)
{
	struct jsonl_seen *coro = jsonl_tracker_coro(tracker, row);

	if (coro && residue == &tracker->residue)
		coro->goes_on_from = true;
	if (residue->count >= JSONL_EARLY_MAX)
		return JSONL_RESIDUE;
	return map_put(residue, row->probe_id, 1) ? JSONL_RESIDUE : JSONL_NO_MEMORY;
}

/*
 * An earlier run left the row in a slot that this run's program does not use, or that the next run's program will use.
 */
static enum jsonl_verdict leave_past(struct jsonl_tracker *tracker, const struct jsonl_row *row)
{
	if (leave_residue(tracker, &tracker->residue, row) == JSONL_NO_MEMORY)
		return JSONL_NO_MEMORY;
	return leave_residue(tracker, &tracker->ahead, row);
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

static enum jsonl_verdict take_fitting(
	struct jsonl_tracker *tracker, const struct jsonl_row *rows, size_t nr_rows)
{
	if (!jsonl_tracker_thread(tracker, rows->tid))
		return jsonl_ahead_is_left(tracker, rows, nr_rows) ? JSONL_NEXT_RUN : JSONL_IN_RUN;
	return jsonl_ahead_is_residue(tracker, rows, nr_rows) ? JSONL_RESIDUE : JSONL_IN_RUN;
}

static enum jsonl_verdict take_known(struct jsonl_tracker *tracker, struct jsonl_seen *coro,
	const struct jsonl_row *rows, size_t nr_rows, struct jsonl_place *place)
{
	bool is_same = jsonl_seen_is_same(coro, rows);

	if (jsonl_seen_is_too_fast(coro, rows))
		return JSONL_IMPOSSIBLE;
	if (jsonl_tracker_fits(tracker, coro, rows) && !is_same)
		return take_fitting(tracker, rows, nr_rows);
	if (jsonl_ahead_is_residue(tracker, rows, nr_rows))
		return JSONL_RESIDUE;
	if (jsonl_ahead_is_over(tracker, coro, rows, nr_rows))
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
	if (!jsonl_tracker_thread(tracker, rows->tid) &&
		jsonl_ahead_is_left(tracker, rows, nr_rows))
		return JSONL_NEXT_RUN;
	if (jsonl_ahead_is_residue(tracker, rows, nr_rows))
		return JSONL_RESIDUE;
	*ret_coro = add_coro(tracker, rows);
	return *ret_coro ? JSONL_IN_RUN : JSONL_NO_MEMORY;
}

static enum jsonl_verdict take_coro(struct jsonl_tracker *tracker, const struct jsonl_row *rows,
	size_t nr_rows, struct jsonl_place *place)
{
	struct jsonl_seen *coro = jsonl_tracker_coro(tracker, rows);
	enum jsonl_verdict verdict;

	place->is_new_coro = coro == NULL;
	verdict = coro ? take_known(tracker, coro, rows, nr_rows, place)
		       : take_unknown(tracker, rows, nr_rows, &coro);
	if (verdict != JSONL_IN_RUN)
		return verdict;
	place->is_after_gap = is_after_gap(tracker, coro, rows);
	if (!jsonl_marks_take(&tracker->marks, coro, rows))
		return JSONL_NO_MEMORY;
	jsonl_seen_take(coro, rows);
	note_address(coro, rows, place);
	place->id = coro->id;
	return JSONL_IN_RUN;
}

/* Judges a row that names a coroutine, and counts rows that are left out. */
static enum jsonl_verdict judge(struct jsonl_tracker *tracker, const struct jsonl_row *rows,
	size_t nr_rows, struct jsonl_place *place)
{
	enum jsonl_verdict verdict = take_coro(tracker, rows, nr_rows, place);

	if (tracker->is_broken)
		return JSONL_NO_MEMORY;
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
		return leave_past(tracker, rows);
	if (!is_possible(tracker, rows, nr_rows))
		return leave_out(tracker, rows);
	/* The time lies further back than the disorder of one run can explain, so another run begins. */
	if (!tracker->is_last && rows->ts < tracker->first_ts &&
		(tracker->first_ts - rows->ts > slack_of(tracker) ||
			jsonl_ahead_is_back(tracker, rows, nr_rows)))
		return JSONL_NEXT_RUN;
	if (jsonl_names_coro(rows)) {
		verdict = judge(tracker, rows, nr_rows, ret_place);
		if (verdict != JSONL_IN_RUN)
			return verdict;
	}
	extend_run(tracker, rows);
	return take_thread(tracker, rows, ret_place) ? JSONL_IN_RUN : JSONL_NO_MEMORY;
}
