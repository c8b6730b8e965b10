/* SPDX-License-Identifier: MIT */
/*
 * Sums: how long coroutines were in each state between two times, by coroutine or by place. One scan; memory by how
 * many of them there are, of which there is a most.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/failure.h"
#include "base/known_options.h"
#include "view/lane_set.h"
#include "view/scan.h"

#define MOST_SUMS (UINT32_C(1) << 20)
#define NR_STATES (CT_STATE_SYSCALL + 1)

struct sum {
	uint32_t process;
	uint64_t coro; /* 0: by place */
	uint32_t site;
	uint32_t next; /* of the same key, plus 1 */
	int64_t ns[NR_STATES];
	uint64_t nr[NR_STATES];
};

struct summing {
	const struct ct_view_sums_request *request;
	VEC(struct sum) all;
	struct map first; /* by key: a sum, plus 1 */
	struct view_lane_set lanes;
};

static uint64_t key_of(uint64_t first, uint64_t second)
{
	return (first ^ second * UINT64_C(0xff51afd7ed558ccd)) * UINT64_C(0xc4ceb9fe1a85ec53);
}

/* ---------------------------------------------------------------- which states */

/* A thread has what ran on it. */
static bool is_wanted(const struct summing *summing, uint32_t process, uint64_t coro, int64_t state,
	uint64_t thread)
{
	return !summing->request->nr_lanes ||
	       view_lane_set_find(&summing->lanes, 0, CT_VIEW_LANE_COROUTINE, process, coro) ||
	       (state == CT_STATE_RUNNING &&
		       view_lane_set_find(&summing->lanes, 0, CT_VIEW_LANE_THREAD, 0, thread));
}

/* ---------------------------------------------------------------- summing up */

static enum ct_status find(struct summing *summing, const struct sum *wanted, struct sum **ret_sum,
	struct ct_error *reterr)
{
	uint64_t key =
		key_of(wanted->process, wanted->coro ? wanted->coro : ~(uint64_t)wanted->site);
	struct sum added = *wanted;
	uint32_t at;

	map_get(&summing->first, key, &added.next);
	for (at = added.next; at; at = summing->all.at[at - 1].next) {
		*ret_sum = &summing->all.at[at - 1];
		if ((*ret_sum)->process == wanted->process && (*ret_sum)->coro == wanted->coro &&
			(*ret_sum)->site == wanted->site)
			return CT_OK;
	}
	if (summing->all.count == MOST_SUMS)
		return ct_fail(reterr, CT_ERR_USAGE,
			"there are more than %" PRIu32 " sums: ask for less time, or fewer lanes",
			MOST_SUMS);
	if (!vec_push(&summing->all, added) ||
		!map_put(&summing->first, key, (uint32_t)summing->all.count))
		return ct_fail_memory(reterr);
	*ret_sum = &summing->all.at[summing->all.count - 1];
	return CT_OK;
}

static const uint32_t read_columns[] = {CT_VIEW_STATES_PROCESS, CT_VIEW_STATES_COROUTINE,
	CT_VIEW_STATES_STATE, CT_VIEW_STATES_FROM, CT_VIEW_STATES_UNTIL, CT_VIEW_STATES_SITE,
	CT_VIEW_STATES_THREAD};

static enum ct_status take_row(struct summing *summing, const struct ct_view_rows *rows,
	uint64_t row, struct ct_error *reterr)
{
	const int64_t *const *at = rows->columns;
	const struct ct_view_sums_request *request = summing->request;
	ct_time from = at[3][row] > request->from ? at[3][row] : request->from;
	ct_time until = at[4][row] < request->until ? at[4][row] : request->until;
	struct sum wanted = {.process = (uint32_t)at[0][row]}, *sum = NULL;
	enum ct_status status;

	if (at[2][row] >= NR_STATES || !is_wanted(summing, wanted.process, (uint64_t)at[1][row],
					       at[2][row], (uint64_t)at[6][row]))
		return CT_OK;
	if (request->is_by_site)
		wanted.site = (uint32_t)at[5][row];
	else
		wanted.coro = (uint64_t)at[1][row];
	status = find(summing, &wanted, &sum, reterr);
	if (status)
		return status;
	sum->nr[at[2][row]]++;
	sum->ns[at[2][row]] += until > from ? until - from : 0;
	return CT_OK;
}

static enum ct_status take_rows(
	void *context, const struct ct_view_rows *rows, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	uint64_t row;

	for (row = 0; row < rows->nr_rows && status == CT_OK; row++)
		status = take_row(context, rows, row, reterr);
	return status;
}

static enum ct_status take_all(
	struct summing *summing, struct ct_view *view, struct ct_error *reterr)
{
	const struct ct_view_term terms[2] = {{.column = CT_VIEW_STATES_UNTIL,
						      .compare = CT_VIEW_AT_LEAST,
						      .number = summing->request->from},
		{.column = CT_VIEW_STATES_FROM,
			.compare = CT_VIEW_LESS,
			.number = summing->request->until}};
	const struct ct_view_request request = {.size = sizeof(request),
		.table = CT_VIEW_STATES,
		.columns = read_columns,
		.nr_columns = sizeof(read_columns) / sizeof(*read_columns),
		.terms = terms,
		.nr_terms = 2};

	return view_scan_each(view, &request, take_rows, summing, reterr);
}

/* ---------------------------------------------------------------- rows */

static int order(int64_t one, int64_t other)
{
	return one > other ? -1 : one < other;
}

static int compare_sums(const void *left, const void *right)
{
	const struct sum *one = left, *other = right;
	int by = order(one->ns[CT_STATE_WAITING], other->ns[CT_STATE_WAITING]);

	if (!by)
		by = order(one->ns[CT_STATE_RUNNING], other->ns[CT_STATE_RUNNING]);
	if (!by)
		by = -order(one->process, other->process);
	if (!by)
		by = one->coro < other->coro ? -1 : one->coro > other->coro;
	return by ? by : -order(one->site, other->site);
}

static void put_row(const struct ct_view_rows *rows, uint64_t row, const struct sum *sum)
{
	const int64_t cells[] = {sum->process, (int64_t)sum->coro, sum->site,
		sum->ns[CT_STATE_RUNNING], (int64_t)sum->nr[CT_STATE_RUNNING],
		sum->ns[CT_STATE_WAITING], (int64_t)sum->nr[CT_STATE_WAITING],
		sum->ns[CT_STATE_READY], (int64_t)sum->nr[CT_STATE_READY],
		sum->ns[CT_STATE_SYSCALL], sum->ns[CT_STATE_UNSEEN]};
	uint32_t column;

	for (column = 0; column < sizeof(cells) / sizeof(*cells); column++)
		view_rows_column(rows, column)[row] = cells[column];
}

static struct ct_view_rows *rows_of(struct summing *summing)
{
	static const enum ct_view_type types[] = {CT_VIEW_TYPE_PROCESS, CT_VIEW_TYPE_COROUTINE,
		CT_VIEW_TYPE_SITE, CT_VIEW_TYPE_NANOSECONDS, CT_VIEW_TYPE_NUMBER,
		CT_VIEW_TYPE_NANOSECONDS, CT_VIEW_TYPE_NUMBER, CT_VIEW_TYPE_NANOSECONDS,
		CT_VIEW_TYPE_NUMBER, CT_VIEW_TYPE_NANOSECONDS, CT_VIEW_TYPE_NANOSECONDS};
	uint64_t total = summing->all.count, limit = summing->request->limit, i;
	uint64_t nr_rows = limit && limit < total ? limit : total;
	struct ct_view_rows *rows = view_rows_new(types, sizeof(types) / sizeof(*types), nr_rows);

	if (!rows)
		return NULL;
	rows->nr_matched = total;
	if (total)
		qsort(summing->all.at, total, sizeof(*summing->all.at), compare_sums);
	for (i = 0; i < nr_rows; i++)
		put_row(rows, i, &summing->all.at[i]);
	return rows;
}

enum ct_status ct_view_sums(struct ct_view *view, const struct ct_view_sums_request *given,
	const struct ct_view_rows **ret_rows, struct ct_error *reterr)
{
	struct ct_view_sums_request request;
	struct summing summing = {.request = &request};
	enum ct_status status;

	known_options(&request, sizeof(request), given);
	status = view_lane_set_init(&summing.lanes, request.lanes, request.nr_lanes)
			 ? take_all(&summing, view, reterr)
			 : ct_fail_memory(reterr);
	if (status == CT_OK) {
		*ret_rows = rows_of(&summing);
		status = *ret_rows ? CT_OK : ct_fail_memory(reterr);
	}
	vec_fini(&summing.all);
	map_fini(&summing.first);
	view_lane_set_fini(&summing.lanes);
	return status;
}
