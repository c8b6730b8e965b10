/* SPDX-License-Identifier: MIT */
/*
 * One page of rows. A sorted page needs two passes: the first reads only the sort column, and keeps the positions of
 * the rows that come first; the second fetches these rows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "base/known_options.h"
#include "view/scan.h"

/* The numbers of the rows of a page. */
struct numbers {
	VEC(uint64_t) at;
	uint64_t nr_matched;
};

/* ---------------------------------------------------------------- in the table's order */

static enum ct_status each_row(struct ct_view_scan *scan, const struct ct_view_request *request,
	struct numbers *numbers, struct ct_error *reterr)
{
	const struct ct_view_rows *rows;
	enum ct_status status = CT_OK;
	uint64_t end = request->limit ? request->offset + request->limit : UINT64_MAX, i;

	if (end < request->offset)
		end = UINT64_MAX;
	while ((status = ct_view_scan_next(scan, &rows, reterr)) == CT_OK) {
		for (i = 0; i < rows->nr_rows; i++, numbers->nr_matched++)
			if (numbers->nr_matched >= request->offset && numbers->nr_matched < end &&
				!vec_push(&numbers->at, scan->numbers[i]))
				return ct_fail_memory(reterr);
	}
	return status == CT_END ? CT_OK : status;
}

/* ---------------------------------------------------------------- sorted */

/* A row that may be on the page. Rows are ordered by key, then by number. */
struct place {
	uint64_t key;
	uint64_t number;
};

/* A heap of at most `most` places, with the last one in order on top. */
struct sorting {
	VEC(struct place) heap;
	uint64_t most;
	uint32_t *
		ranks; /* of the texts of the table's share, by index; NULL: the column has no texts */
	int64_t none;
	bool is_descending;
};

static bool is_before(const struct place *one, const struct place *other)
{
	return one->key != other->key ? one->key < other->key : one->number < other->number;
}

static int compare_places(const void *left, const void *right)
{
	return is_before(left, right) ? -1 : is_before(right, left);
}

static void sink_down(struct sorting *sorting, size_t at)
{
	struct place *heap = sorting->heap.at, moved = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= sorting->heap.count)
			break;
		if (child + 1 < sorting->heap.count && is_before(&heap[child], &heap[child + 1]))
			child++;
		if (!is_before(&moved, &heap[child]))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

/* Adds a place. If the heap is full, the place replaces the last one in order. */
static bool offer(struct sorting *sorting, struct place place)
{
	size_t i;

	if (sorting->heap.count == sorting->most) {
		if (!is_before(&place, &sorting->heap.at[0]))
			return true;
		sorting->heap.at[0] = place;
		sink_down(sorting, 0);
		return true;
	}
	if (!vec_push(&sorting->heap, place))
		return false;
	if (sorting->heap.count == sorting->most)
		for (i = sorting->heap.count / 2; i-- > 0;)
			sink_down(sorting, i);
	return true;
}

/* Converts a number to a key in the sorting order: an empty cell comes last, ascending or descending. */
static uint64_t key_of(const struct sorting *sorting, int64_t number)
{
	uint64_t key = (uint64_t)number ^ UINT64_C(1) << 63;

	if (number == sorting->none && number != CT_VIEW_NOTHING)
		return UINT64_MAX;
	if (sorting->ranks)
		key = sorting->ranks[(uint64_t)number / VIEW_NR_SHARES];
	key = sorting->is_descending ? ~key : key;
	return key == UINT64_MAX ? key - 1 : key;
}

struct ranked {
	const char *text;
	size_t at;
};

static int compare_texts(const void *left, const void *right)
{
	return strcmp(((const struct ranked *)left)->text, ((const struct ranked *)right)->text);
}

/* Ranks texts alphabetically. False: out of memory. */
static bool rank_texts(struct sorting *sorting, const struct ct_view *view, enum view_share share)
{
	const struct view_texts *texts = &view->texts[share];
	struct ranked *all = calloc(texts->all.count + 1, sizeof(*all));
	size_t i;

	sorting->ranks = calloc(texts->all.count + 1, sizeof(*sorting->ranks));
	for (i = 0; all && i < texts->all.count; i++)
		all[i] = (struct ranked){texts->all.at[i], i};
	if (all && sorting->ranks) {
		qsort(all, texts->all.count, sizeof(*all), compare_texts);
		for (i = 0; i < texts->all.count; i++)
			sorting->ranks[all[i].at] = (uint32_t)i;
	}
	free(all);
	return all && sorting->ranks;
}

static enum ct_status sort_rows(struct ct_view_scan *scan, struct sorting *sorting,
	struct numbers *numbers, struct ct_error *reterr)
{
	const struct ct_view_rows *rows;
	enum ct_status status;
	uint64_t i;

	while ((status = ct_view_scan_next(scan, &rows, reterr)) == CT_OK) {
		numbers->nr_matched += rows->nr_rows;
		for (i = 0; i < rows->nr_rows; i++)
			if (!offer(sorting, (struct place){key_of(sorting, rows->columns[0][i]),
						    scan->numbers[i]}))
				return ct_fail_memory(reterr);
	}
	if (status != CT_END)
		return status;
	if (sorting->heap.count)
		qsort(sorting->heap.at, sorting->heap.count, sizeof(*sorting->heap.at),
			compare_places);
	return CT_OK;
}

static enum ct_status take_page(const struct sorting *sorting, uint64_t offset,
	struct numbers *numbers, struct ct_error *reterr)
{
	uint64_t i;

	for (i = offset; i < sorting->heap.count; i++)
		if (!vec_push(&numbers->at, sorting->heap.at[i].number))
			return ct_fail_memory(reterr);
	return CT_OK;
}

static enum ct_status each_sorted(struct ct_view_scan *scan, const struct ct_view_request *request,
	struct numbers *numbers, struct ct_error *reterr)
{
	enum ct_view_type type = scan->rows->types[0];
	struct sorting sorting = {.most = request->limit ? request->offset + request->limit : 0,
		.none = ct_view_none(type),
		.is_descending = request->is_descending};
	enum ct_status status = CT_OK;

	if (!sorting.most || sorting.most < request->offset)
		sorting.most = UINT64_MAX;
	if (type == CT_VIEW_TYPE_TEXT &&
		!rank_texts(
			&sorting, scan->view, view_tables[view_tables[request->table].log].share))
		status = ct_fail_memory(reterr);
	if (status == CT_OK)
		status = sort_rows(scan, &sorting, numbers, reterr);
	if (status == CT_OK)
		status = take_page(&sorting, request->offset, numbers, reterr);
	vec_fini(&sorting.heap);
	free(sorting.ranks);
	return status;
}

/* ---------------------------------------------------------------- fetching the rows */

struct wanted {
	uint64_t number;
	uint64_t place; /* on the page */
};

static int compare_wanted(const void *left, const void *right)
{
	const struct wanted *one = left, *other = right;

	return one->number < other->number ? -1 : one->number > other->number;
}

/* Fetches chunk by chunk, so that each is unpacked once. False, with errno: a chunk cannot be read back. */
static bool fetch(const struct column_log *log, const struct wanted *wanted, uint64_t count,
	const uint32_t *columns, struct ct_view_rows *rows)
{
	int64_t values[COLUMN_ROWS];
	uint64_t from, until, i;
	uint32_t k;

	for (from = 0; from < count; from = until) {
		uint32_t chunk = (uint32_t)(wanted[from].number / COLUMN_ROWS);

		for (until = from; until < count && wanted[until].number / COLUMN_ROWS == chunk;)
			until++;
		for (k = 0; k < rows->nr_columns; k++) {
			if (!column_log_read(log, chunk, columns[k], values))
				return false;
			for (i = from; i < until; i++)
				view_rows_column(rows, k)[wanted[i].place] =
					values[wanted[i].number % COLUMN_ROWS];
		}
	}
	return true;
}

static enum ct_status fetch_rows(struct ct_view *view, const struct ct_view_request *request,
	const struct numbers *numbers, const struct ct_view_rows **ret_rows,
	struct ct_error *reterr)
{
	const struct view_table *table = &view_tables[request->table];
	struct wanted *wanted = calloc(numbers->at.count + 1, sizeof(*wanted));
	enum ct_view_type types[COLUMN_MOST];
	struct ct_view_rows *rows = NULL;
	enum ct_status status = CT_OK;
	uint32_t nr_columns, k;
	uint32_t *columns = view_scan_columns(request, &nr_columns);
	uint64_t i;

	for (k = 0; columns && k < nr_columns; k++)
		types[k] = table->description.columns[columns[k]].type;
	if (wanted && columns)
		rows = view_rows_new(types, nr_columns, numbers->at.count);
	if (rows) {
		for (i = 0; i < numbers->at.count; i++)
			wanted[i] = (struct wanted){numbers->at.at[i], i};
		qsort(wanted, numbers->at.count, sizeof(*wanted), compare_wanted);
		if (!fetch(&view->logs[table->log], wanted, numbers->at.count, columns, rows))
			status = view_scan_fail_unread(errno ? errno : EIO, reterr);
		rows->nr_matched = numbers->nr_matched;
	}
	free(wanted);
	free(columns);
	if (!rows)
		return ct_fail_memory(reterr);
	if (status)
		ct_view_rows_free(rows);
	else
		*ret_rows = rows;
	return status;
}

enum ct_status ct_view_select(struct ct_view *view, const struct ct_view_request *given,
	const struct ct_view_rows **ret_rows, struct ct_error *reterr)
{
	struct ct_view_request request, narrow;
	struct ct_view_scan *scan;
	struct numbers numbers = {.nr_matched = 0};
	enum ct_status status;

	known_options(&request, sizeof(request), given);
	status = view_scan_check(&request, reterr);
	if (status)
		return status;
	narrow = request;
	narrow.columns = &request.order;
	narrow.nr_columns = request.is_sorted;
	status = ct_view_scan_open(view, &narrow, &scan, reterr);
	if (status)
		return status;
	status = request.is_sorted ? each_sorted(scan, &request, &numbers, reterr)
				   : each_row(scan, &request, &numbers, reterr);
	ct_view_scan_close(scan);
	if (status == CT_OK)
		status = fetch_rows(view, &request, &numbers, ret_rows, reterr);
	vec_fini(&numbers.at);
	return status;
}
