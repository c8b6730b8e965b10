/* SPDX-License-Identifier: MIT */
/*
 * Groups: rows counted by their values in some columns, such as how many coroutines were started at each place, or
 * ran last on each thread. One scan; the memory depends on the number of groups, which is limited.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "base/known_options.h"
#include "view/scan.h"

#define MOST_COLUMNS 4u
#define MOST_GROUPS (UINT32_C(1) << 20)

struct group {
	int64_t values[MOST_COLUMNS];
	uint64_t nr_rows;
	uint32_t number; /* in the order in which the groups were met */
	uint32_t next;   /* another group with the same key, plus 1 */
};

struct grouping {
	VEC(struct group) all;
	struct map first; /* by key: a group, plus 1 */
	uint32_t nr_columns;
};

static uint64_t key_of(const struct grouping *grouping, const int64_t *values)
{
	uint64_t key = 0;
	uint32_t i;

	for (i = 0; i < grouping->nr_columns; i++)
		key = (key ^ (uint64_t)values[i]) * UINT64_C(0xff51afd7ed558ccd);
	return key;
}

static struct group *find(struct grouping *grouping, uint32_t first, const int64_t *values)
{
	uint32_t at;

	for (at = first; at; at = grouping->all.at[at - 1].next)
		if (memcmp(grouping->all.at[at - 1].values, values,
			    grouping->nr_columns * sizeof(*values)) == 0)
			return &grouping->all.at[at - 1];
	return NULL;
}

static enum ct_status count(
	struct grouping *grouping, const int64_t *values, struct ct_error *reterr)
{
	uint64_t key = key_of(grouping, values);
	struct group added = {.nr_rows = 1}, *found;
	uint32_t first = 0;

	map_get(&grouping->first, key, &first);
	found = find(grouping, first, values);
	if (found) {
		found->nr_rows++;
		return CT_OK;
	}
	if (grouping->all.count == MOST_GROUPS)
		return ct_fail(reterr, CT_ERR_USAGE, "the rows are of more than %" PRIu32 " groups",
			MOST_GROUPS);
	memcpy(added.values, values, grouping->nr_columns * sizeof(*values));
	added.number = (uint32_t)grouping->all.count;
	added.next = first;
	if (!vec_push(&grouping->all, added) ||
		!map_put(&grouping->first, key, (uint32_t)grouping->all.count))
		return ct_fail_memory(reterr);
	return CT_OK;
}

static enum ct_status count_run(
	void *context, const struct ct_view_rows *rows, struct ct_error *reterr)
{
	struct grouping *grouping = context;
	int64_t values[MOST_COLUMNS];
	enum ct_status status = CT_OK;
	uint32_t column;
	uint64_t row;

	for (row = 0; row < rows->nr_rows && status == CT_OK; row++) {
		for (column = 0; column < grouping->nr_columns; column++)
			values[column] = rows->columns[column][row];
		status = count(grouping, values, reterr);
	}
	return status;
}

static int compare_groups(const void *left, const void *right)
{
	const struct group *one = left, *other = right;

	if (one->nr_rows != other->nr_rows)
		return one->nr_rows > other->nr_rows ? -1 : 1;
	return one->number < other->number ? -1 : one->number > other->number;
}

/* Makes the page that was asked for. */
static struct ct_view_rows *rows_of(
	struct grouping *grouping, const struct ct_view_request *request)
{
	const struct ct_view_description *table = ct_view_describe(request->table);
	enum ct_view_type types[MOST_COLUMNS + 1];
	uint64_t total = grouping->all.count, nr_rows = total, i;
	struct ct_view_rows *rows;
	uint32_t column;

	for (column = 0; column < grouping->nr_columns; column++)
		types[column] = table->columns[request->columns[column]].type;
	types[column] = CT_VIEW_TYPE_NUMBER;
	nr_rows = request->offset < total ? total - request->offset : 0;
	if (request->limit && nr_rows > request->limit)
		nr_rows = request->limit;
	rows = view_rows_new(types, grouping->nr_columns + 1, nr_rows);
	if (!rows)
		return NULL;
	rows->nr_matched = total;
	if (total)
		qsort(grouping->all.at, total, sizeof(*grouping->all.at), compare_groups);
	for (i = 0; i < nr_rows; i++) {
		const struct group *group = &grouping->all.at[request->offset + i];

		for (column = 0; column < grouping->nr_columns; column++)
			view_rows_column(rows, column)[i] = group->values[column];
		view_rows_column(rows, column)[i] = (int64_t)group->nr_rows;
	}
	return rows;
}

enum ct_status ct_view_groups(struct ct_view *view, const struct ct_view_request *given,
	const struct ct_view_rows **ret_rows, struct ct_error *reterr)
{
	struct ct_view_request request;
	struct grouping grouping = {0};
	enum ct_status status;

	known_options(&request, sizeof(request), given);
	if (!request.columns || !request.nr_columns || request.nr_columns > MOST_COLUMNS)
		return ct_fail(reterr, CT_ERR_USAGE,
			"groups are of rows with the same 1 to %u columns", MOST_COLUMNS);
	grouping.nr_columns = request.nr_columns;
	status = view_scan_each(view, &request, count_run, &grouping, reterr);
	if (status == CT_OK) {
		*ret_rows = rows_of(&grouping, &request);
		status = *ret_rows ? CT_OK : ct_fail_memory(reterr);
	}
	vec_fini(&grouping.all);
	map_fini(&grouping.first);
	return status;
}
