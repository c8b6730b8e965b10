/* SPDX-License-Identifier: MIT */
/*
 * Sums over many rows: what happened over time, and how a column is distributed.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/failure.h"
#include "base/known_options.h"
#include "view/scan.h"

/* ---------------------------------------------------------------- over time */

#define MOST_STEPS 65536u
#define HISTOGRAM_BYTES (UINT64_C(64) << 20) /* for the delays of all steps */

enum overview_column {
	OVERVIEW_FROM,
	OVERVIEW_STATES, /* one for each of enum ct_state before SYSCALL */
	OVERVIEW_EVENTS = OVERVIEW_STATES + CT_STATE_SYSCALL,
	OVERVIEW_WAKES,
	OVERVIEW_LOST,
	OVERVIEW_P50,
	OVERVIEW_P99,
	OVERVIEW_MAX,
	OVERVIEW_UNCOUNTED,
	OVERVIEW_SYSCALL,
	OVERVIEW_NR_COLUMNS,
};

/* A new column comes last, so that users find the others where they were. */
static uint32_t column_of(unsigned state)
{
	return state == CT_STATE_SYSCALL ? OVERVIEW_SYSCALL : OVERVIEW_STATES + state;
}

static const enum ct_view_type overview_types[OVERVIEW_NR_COLUMNS] = {
	[OVERVIEW_FROM] = CT_VIEW_TYPE_TIME,
	[OVERVIEW_STATES + CT_STATE_UNSEEN] = CT_VIEW_TYPE_NANOSECONDS,
	[OVERVIEW_STATES + CT_STATE_READY] = CT_VIEW_TYPE_NANOSECONDS,
	[OVERVIEW_STATES + CT_STATE_RUNNING] = CT_VIEW_TYPE_NANOSECONDS,
	[OVERVIEW_STATES + CT_STATE_WAITING] = CT_VIEW_TYPE_NANOSECONDS,
	[OVERVIEW_EVENTS] = CT_VIEW_TYPE_NUMBER,
	[OVERVIEW_WAKES] = CT_VIEW_TYPE_NUMBER,
	[OVERVIEW_LOST] = CT_VIEW_TYPE_NUMBER,
	[OVERVIEW_P50] = CT_VIEW_TYPE_NANOSECONDS,
	[OVERVIEW_P99] = CT_VIEW_TYPE_NANOSECONDS,
	[OVERVIEW_MAX] = CT_VIEW_TYPE_NANOSECONDS,
	[OVERVIEW_UNCOUNTED] = CT_VIEW_TYPE_NUMBER,
	[OVERVIEW_SYSCALL] = CT_VIEW_TYPE_NANOSECONDS,
};

struct overview {
	ct_time from;
	ct_time until;
	uint32_t nr_steps;
	struct ct_view_rows *rows;
	int64_t *whole
		/* by step: states that begin to fill whole steps here, minus those that cease to */
		[CT_STATE_DONE];
	struct histogram **delays;
	uint64_t room;
	/* begin of the last step; CT_NO_TIME: more was observed after it */
	ct_time last_begins;
};

/* Where a step begins. Computed in 128 bits, for a trace of hours in 65,536 steps. */
static ct_time begin_of(const struct overview *overview, uint32_t step)
{
	__int128 span = (__int128)overview->until - overview->from;

	return (ct_time)(overview->from + span * step / overview->nr_steps);
}

static uint32_t step_of(const struct overview *overview, ct_time time)
{
	__int128 span = (__int128)overview->until - overview->from;
	uint32_t step = (uint32_t)(((__int128)time - overview->from) * overview->nr_steps / span);

	while (step + 1 < overview->nr_steps && time >= begin_of(overview, step + 1))
		step++;
	while (step && time < begin_of(overview, step))
		step--;
	return step < overview->nr_steps ? step : overview->nr_steps - 1;
}

static void add_state(struct overview *overview, int64_t state, ct_time from, ct_time until)
{
	int64_t *sums = view_rows_column(overview->rows, column_of((unsigned)state));
	uint32_t first, last;

	from = from < overview->from ? overview->from : from;
	until = until > overview->until ? overview->until : until;
	if (until <= from)
		return;
	first = step_of(overview, from);
	last = step_of(overview, until - 1);
	if (first == last) {
		sums[first] += until - from;
		return;
	}
	sums[first] += begin_of(overview, first + 1) - from;
	sums[last] += until - begin_of(overview, last);
	overview->whole[state][first + 1]++;
	overview->whole[state][last]--;
}

/* If a clock went back, the time counts as zero, as in reports. */
static uint64_t length(int64_t ns)
{
	return ns > 0 ? (uint64_t)ns : 0;
}

/* A delay belongs to the step in which it ended. */
static void add_delay(struct overview *overview, ct_time until, int64_t ns)
{
	uint32_t step;

	if (until < overview->from || until >= overview->until)
		return;
	step = step_of(overview, until);
	if (!histogram_count(&overview->delays[step], length(ns), &overview->room))
		view_rows_column(overview->rows, OVERVIEW_UNCOUNTED)[step]++;
}

/*
 * A state that goes on at the end of the observation fills the last step: for the rest of the step its process was
 * not observed, and no event ended the state.
 */
static ct_time end_of(const struct overview *overview, ct_time until, bool is_open)
{
	return is_open && overview->last_begins != CT_NO_TIME && until > overview->last_begins
		       ? overview->until
		       : until;
}

static enum ct_status take_states(
	void *context, const struct ct_view_rows *rows, struct ct_error *reterr)
{
	struct overview *overview = context;
	const int64_t *const *at = rows->columns;
	uint64_t i;

	(void)reterr;
	for (i = 0; i < rows->nr_rows; i++) {
		if (at[0][i] < 0 || at[0][i] >= CT_STATE_DONE)
			continue;
		add_state(overview, at[0][i], at[1][i], end_of(overview, at[2][i], at[3][i]));
		if (at[0][i] == CT_STATE_READY && !at[3][i])
			add_delay(overview, at[2][i], at[4][i]);
	}
	return CT_OK;
}

static enum ct_status take_wakes(
	void *context, const struct ct_view_rows *rows, struct ct_error *reterr)
{
	struct overview *overview = context;
	int64_t *counts = view_rows_column(overview->rows, OVERVIEW_WAKES);
	uint64_t i;

	(void)reterr;
	for (i = 0; i < rows->nr_rows; i++)
		counts[step_of(overview, rows->columns[0][i])]++;
	return CT_OK;
}

static enum ct_status read_states(
	struct overview *overview, struct ct_view *view, struct ct_error *reterr)
{
	static const uint32_t columns[] = {CT_VIEW_STATES_STATE, CT_VIEW_STATES_FROM,
		CT_VIEW_STATES_UNTIL, CT_VIEW_STATES_IS_OPEN, CT_VIEW_STATES_DURATION};
	const struct ct_view_term terms[] = {{.column = CT_VIEW_STATES_UNTIL,
						     .compare = CT_VIEW_AT_LEAST,
						     .number = overview->from},
		{.column = CT_VIEW_STATES_FROM,
			.compare = CT_VIEW_LESS,
			.number = overview->until}};
	const struct ct_view_request request = {.size = sizeof(request),
		.table = CT_VIEW_STATES,
		.columns = columns,
		.nr_columns = sizeof(columns) / sizeof(*columns),
		.terms = terms,
		.nr_terms = 2};

	return view_scan_each(view, &request, take_states, overview, reterr);
}

static enum ct_status count_wakes(
	struct overview *overview, struct ct_view *view, struct ct_error *reterr)
{
	static const uint32_t column = CT_VIEW_WAKES_TIME;
	const struct ct_view_term terms[] = {
		{.column = column, .compare = CT_VIEW_AT_LEAST, .number = overview->from},
		{.column = column, .compare = CT_VIEW_LESS, .number = overview->until}};
	const struct ct_view_request request = {.size = sizeof(request),
		.table = CT_VIEW_WAKES,
		.columns = &column,
		.nr_columns = 1,
		.terms = terms,
		.nr_terms = 2};

	return view_scan_each(view, &request, take_wakes, overview, reterr);
}

/* Counts all events, without their rows. */
static enum ct_status count_events(
	struct overview *overview, const struct ct_view *view, struct ct_error *reterr)
{
	int64_t *counts = view_rows_column(overview->rows, OVERVIEW_EVENTS);
	int64_t times[COLUMN_ROWS];
	uint32_t chunk, i;

	for (chunk = 0; chunk < view->moments.chunks.count; chunk++) {
		if (column_log_most(&view->moments, chunk, 0) < overview->from ||
			column_log_least(&view->moments, chunk, 0) >= overview->until)
			continue;
		if (!column_log_read(&view->moments, chunk, 0, times))
			return view_scan_fail_unread(errno ? errno : EIO, reterr);
		for (i = 0; i < column_log_rows(&view->moments, chunk); i++)
			if (times[i] >= overview->from && times[i] < overview->until)
				counts[step_of(overview, times[i])]++;
	}
	return CT_OK;
}

/* When a loss happened within its interval is not known: it is counted at the interval's end. */
static void count_losses(struct overview *overview, const struct ct_tables *tables)
{
	int64_t *counts = view_rows_column(overview->rows, OVERVIEW_LOST);
	uint32_t i;

	for (i = 0; i < tables->nr_losses; i++) {
		const struct ct_loss *loss = &tables->losses[i];

		if (!ct_loss_was_asked(loss->reason) && loss->last >= overview->from &&
			loss->last < overview->until)
			counts[step_of(overview, loss->last)] += (int64_t)loss->count;
	}
}

static void sum_up(struct overview *overview)
{
	int64_t running[CT_STATE_DONE] = {0};
	uint32_t step, state;

	for (step = 0; step < overview->nr_steps; step++) {
		ct_time from = begin_of(overview, step);
		const struct histogram *delays = overview->delays[step];

		view_rows_column(overview->rows, OVERVIEW_FROM)[step] = from;
		for (state = 0; state < CT_STATE_DONE; state++) {
			running[state] += overview->whole[state][step];
			view_rows_column(overview->rows, column_of(state))[step] +=
				running[state] * (begin_of(overview, step + 1) - from);
		}
		if (!delays)
			continue;
		view_rows_column(overview->rows, OVERVIEW_P50)[step] =
			(int64_t)histogram_at(delays, 0.5);
		view_rows_column(overview->rows, OVERVIEW_P99)[step] =
			(int64_t)histogram_at(delays, 0.99);
		view_rows_column(overview->rows, OVERVIEW_MAX)[step] = (int64_t)delays->max;
	}
}

static bool reserve(struct overview *overview)
{
	uint32_t state;
	bool has_all = true;

	overview->rows = view_rows_new(overview_types, OVERVIEW_NR_COLUMNS, overview->nr_steps);
	overview->delays = calloc(overview->nr_steps, sizeof(*overview->delays));
	for (state = 0; state < CT_STATE_DONE; state++) {
		overview->whole[state] =
			calloc(overview->nr_steps + 1u, sizeof(*overview->whole[state]));
		has_all &= overview->whole[state] != NULL;
	}
	return overview->rows && overview->delays && has_all;
}

static void release(struct overview *overview)
{
	uint32_t i;

	for (i = 0; overview->delays && i < overview->nr_steps; i++)
		free(overview->delays[i]);
	free(overview->delays);
	for (i = 0; i < CT_STATE_DONE; i++)
		free(overview->whole[i]);
}

static enum ct_status survey(
	struct overview *overview, struct ct_view *view, struct ct_error *reterr)
{
	enum ct_status status;

	overview->last_begins = overview->until >= view->tables->observed_until
					? begin_of(overview, overview->nr_steps - 1)
					: CT_NO_TIME;
	status = read_states(overview, view, reterr);
	if (status == CT_OK)
		status = count_events(overview, view, reterr);
	if (status == CT_OK)
		status = count_wakes(overview, view, reterr);
	if (status)
		return status;
	count_losses(overview, view->tables);
	sum_up(overview);
	return CT_OK;
}

enum ct_status ct_view_overview(struct ct_view *view, ct_time from, ct_time until,
	uint32_t nr_steps, const struct ct_view_rows **ret_rows, struct ct_error *reterr)
{
	struct overview overview = {
		.from = from, .until = until, .nr_steps = nr_steps, .room = HISTOGRAM_BYTES};
	enum ct_status status;

	if (until <= from || !nr_steps || nr_steps > MOST_STEPS)
		return ct_fail(reterr, CT_ERR_USAGE,
			"an overview is of some time, in 1 to %u steps", MOST_STEPS);
	status = reserve(&overview) ? survey(&overview, view, reterr) : ct_fail_memory(reterr);
	release(&overview);
	if (status)
		ct_view_rows_free(overview.rows);
	else
		*ret_rows = overview.rows;
	return status;
}

/* ---------------------------------------------------------------- distributions */

#define MOST_PARTS 32u

enum histogram_column {
	BUCKET_FROM,
	BUCKET_UNTIL,
	BUCKET_NR_ROWS,
	BUCKET_LEAST,
	BUCKET_GREATEST,
	BUCKET_NR_COLUMNS,
};

struct buckets {
	uint32_t nr_parts;
	uint64_t counts[64 * MOST_PARTS];
	/* of the numbers in this bucket, if there are any */
	uint64_t least[64 * MOST_PARTS];
	uint64_t greatest[64 * MOST_PARTS];
};

static bool is_nothing(const struct ct_view_rows *rows, uint64_t row)
{
	return ct_view_is_nothing(rows->types[0], rows->columns[0][row]);
}

/* Bucket 0 is for the number 0. From bucket 1 on, each power of two begins nr_parts buckets. */
static uint32_t bucket_of(const struct buckets *buckets, uint64_t number)
{
	uint32_t power;

	if (!number)
		return 0;
	power = 63u - (uint32_t)__builtin_clzll(number);
	number -= UINT64_C(1) << power;
	return power * buckets->nr_parts +
	       (uint32_t)((unsigned __int128)number * buckets->nr_parts >> power) + 1;
}

static uint64_t bucket_begin(const struct buckets *buckets, uint32_t bucket)
{
	uint32_t power = (bucket - 1) / buckets->nr_parts, part = (bucket - 1) % buckets->nr_parts;
	unsigned __int128 width = (unsigned __int128)1 << power;

	/* Rounded up: the least number that bucket_of puts into this bucket. */
	return (uint64_t)(width + (width * part + buckets->nr_parts - 1) / buckets->nr_parts);
}

static void take_number(struct buckets *buckets, uint64_t number)
{
	uint32_t bucket = bucket_of(buckets, number);

	if (!buckets->counts[bucket]++ || number < buckets->least[bucket])
		buckets->least[bucket] = number;
	if (number > buckets->greatest[bucket])
		buckets->greatest[bucket] = number;
}

static enum ct_status take_numbers(
	void *context, const struct ct_view_rows *rows, struct ct_error *reterr)
{
	struct buckets *buckets = context;
	uint64_t i;

	(void)reterr;
	for (i = 0; i < rows->nr_rows; i++)
		if (!is_nothing(rows, i))
			take_number(buckets, length(rows->columns[0][i]));
	return CT_OK;
}

static struct ct_view_rows *rows_of(const struct buckets *buckets)
{
	static const enum ct_view_type types[BUCKET_NR_COLUMNS] = {CT_VIEW_TYPE_NUMBER,
		CT_VIEW_TYPE_NUMBER, CT_VIEW_TYPE_NUMBER, CT_VIEW_TYPE_NUMBER, CT_VIEW_TYPE_NUMBER};
	uint32_t nr_buckets = 63 * buckets->nr_parts + 1, i, nr_rows = 0;
	struct ct_view_rows *rows;

	for (i = 0; i < nr_buckets; i++)
		nr_rows += buckets->counts[i] != 0;
	rows = view_rows_new(types, BUCKET_NR_COLUMNS, nr_rows);
	for (i = 0, nr_rows = 0; rows && i < nr_buckets; i++) {
		if (!buckets->counts[i])
			continue;
		view_rows_column(rows, BUCKET_FROM)[nr_rows] =
			i ? (int64_t)bucket_begin(buckets, i) : 0;
		view_rows_column(rows, BUCKET_UNTIL)[nr_rows] =
			i + 1 < nr_buckets ? (int64_t)bucket_begin(buckets, i + 1) : INT64_MAX;
		view_rows_column(rows, BUCKET_LEAST)[nr_rows] = (int64_t)buckets->least[i];
		view_rows_column(rows, BUCKET_GREATEST)[nr_rows] = (int64_t)buckets->greatest[i];
		view_rows_column(rows, BUCKET_NR_ROWS)[nr_rows++] = (int64_t)buckets->counts[i];
	}
	return rows;
}

/* The request, but for this one column. */
static struct ct_view_request of_column(const struct ct_view_request *given, const uint32_t *column)
{
	struct ct_view_request request;

	known_options(&request, sizeof(request), given);
	request.columns = column;
	request.nr_columns = 1;
	return request;
}

enum ct_status ct_view_histogram(struct ct_view *view, const struct ct_view_request *given,
	uint32_t column, uint32_t nr_parts, const struct ct_view_rows **ret_rows,
	struct ct_error *reterr)
{
	struct ct_view_request request = of_column(given, &column);
	struct buckets buckets = {.nr_parts = nr_parts};
	enum ct_status status;

	if (!nr_parts || nr_parts > MOST_PARTS)
		return ct_fail(reterr, CT_ERR_USAGE, "a histogram has 1 to %u parts", MOST_PARTS);
	status = view_scan_each(view, &request, take_numbers, &buckets, reterr);
	if (status)
		return status;
	*ret_rows = rows_of(&buckets);
	return *ret_rows ? CT_OK : ct_fail_memory(reterr);
}

static enum ct_status take_values(
	void *context, const struct ct_view_rows *rows, struct ct_error *reterr)
{
	struct histogram *histogram = context;
	uint64_t i;

	(void)reterr;
	for (i = 0; i < rows->nr_rows; i++)
		if (!is_nothing(rows, i))
			histogram_add(histogram, length(rows->columns[0][i]));
	return CT_OK;
}

enum ct_status ct_view_percentiles(struct ct_view *view, const struct ct_view_request *given,
	uint32_t column, const double *shares, uint32_t nr_shares, int64_t *ret_numbers,
	uint64_t *ret_count, struct ct_error *reterr)
{
	struct ct_view_request request = of_column(given, &column);
	struct histogram histogram = {0};
	enum ct_status status = view_scan_each(view, &request, take_values, &histogram, reterr);
	uint32_t i;

	if (status)
		return status;
	for (i = 0; i < nr_shares; i++)
		ret_numbers[i] = (int64_t)histogram_at(&histogram, shares[i]);
	if (ret_count)
		*ret_count = histogram.count;
	return CT_OK;
}
