/* SPDX-License-Identifier: MIT */
/*
 * Finds rows that meet conditions, one chunk at a time. A chunk whose least and greatest numbers rule it out is not
 * unpacked. In other chunks the columns of the conditions are unpacked, one after the other as long as rows are left,
 * and then the wanted columns.
 */
#include <errno.h>
#include <inttypes.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "base/known_options.h"
#include "base/text.h"
#include "view/scan.h"

/* ---------------------------------------------------------------- rows */

struct ct_view_rows *view_rows_new(
	const enum ct_view_type *types, uint32_t nr_columns, uint64_t nr_rows)
{
	struct ct_view_rows *rows = calloc(1, sizeof(*rows));
	int64_t **columns = calloc(nr_columns + 1u, sizeof(*columns));
	int64_t *numbers = calloc(nr_rows * nr_columns + 1, sizeof(*numbers));
	enum ct_view_type *own = calloc(nr_columns + 1u, sizeof(*own));
	uint32_t i;

	if (!rows || !columns || !numbers || !own) {
		free(rows);
		free(columns);
		free(numbers);
		free(own);
		return NULL;
	}
	for (i = 0; i < nr_columns; i++) {
		columns[i] = numbers + i * nr_rows;
		own[i] = types[i];
	}
	columns[nr_columns] = numbers;
	rows->nr_rows = rows->nr_matched = nr_rows;
	rows->nr_columns = nr_columns;
	rows->types = own;
	rows->columns = (const int64_t *const *)columns;
	return rows;
}

void ct_view_rows_free(const struct ct_view_rows *rows)
{
	if (!rows)
		return;
	free((void *)(uintptr_t)rows->columns[rows->nr_columns]);
	free((void *)(uintptr_t)rows->columns);
	free((void *)(uintptr_t)rows->types);
	free((void *)(uintptr_t)rows);
}

/* ---------------------------------------------------------------- terms */

/* Answers kept for one pattern; further texts are matched again each time. */
#define MATCHES_KEPT 65536u

static bool matches(struct ct_view_scan *scan, struct scan_term *term, int64_t number)
{
	struct text text = {0};
	uint32_t is_match;

	if (map_get(&term->matches, (uint64_t)number, &is_match))
		return is_match;
	view_say(&text, scan->view, term->type, number, 0);
	is_match = fnmatch(term->pattern, text_peek(&text), FNM_CASEFOLD) == 0;
	scan->is_broken |=
		text.is_broken || (term->matches.count < MATCHES_KEPT &&
					  !map_put(&term->matches, (uint64_t)number, is_match));
	text_fini(&text);
	return is_match;
}

bool view_meets(
	enum ct_view_compare compare, int64_t wanted, enum ct_view_type type, int64_t number)
{
	bool is_nothing = ct_view_is_nothing(type, number);

	switch (compare) {
	case CT_VIEW_EQUAL:
		return number == wanted;
	case CT_VIEW_UNEQUAL:
		return number != wanted;
	case CT_VIEW_LESS:
		return number < wanted && !is_nothing;
	case CT_VIEW_AT_MOST:
		return number <= wanted && !is_nothing;
	case CT_VIEW_MORE:
		return number > wanted && !is_nothing;
	case CT_VIEW_AT_LEAST:
		return number >= wanted && !is_nothing;
	default:
		return !is_nothing;
	}
}

static bool meets(struct ct_view_scan *scan, struct scan_term *term, int64_t number)
{
	return view_meets(term->compare, term->number, term->type, number) &&
	       (term->compare != CT_VIEW_MATCHES || matches(scan, term, number));
}

/* May any row of the chunk meet the term? */
static bool may_meet(const struct ct_view_scan *scan, const struct scan_term *term)
{
	int64_t least = column_log_least(scan->log, scan->chunk, term->column);
	int64_t most = column_log_most(scan->log, scan->chunk, term->column);

	switch (term->compare) {
	case CT_VIEW_EQUAL:
		return least <= term->number && term->number <= most;
	case CT_VIEW_UNEQUAL:
		return least != most || least != term->number;
	case CT_VIEW_LESS:
		return least < term->number;
	case CT_VIEW_AT_MOST:
		return least <= term->number;
	case CT_VIEW_MORE:
		return most > term->number;
	case CT_VIEW_AT_LEAST:
		return most >= term->number;
	default:
		return true;
	}
}

/* ---------------------------------------------------------------- a chunk */

enum ct_status view_scan_fail_unread(int number, struct ct_error *reterr)
{
	errno = number;
	return ct_fail_errno(reterr, "reading back rows for which there was no room in memory");
}

static const int64_t *values_of(struct ct_view_scan *scan, uint32_t column)
{
	if (!scan->is_read[column] &&
		!column_log_read(scan->log, scan->chunk, column, scan->values[column])) {
		scan->unread_errno = errno ? errno : EIO; /* the file ended early */
		memset(scan->values[column], 0, COLUMN_ROWS * sizeof(*scan->values[column]));
	}
	scan->is_read[column] = true;
	return scan->values[column];
}

/* The numbers that meet a comparison; empty: from > to. */
struct range {
	int64_t from;
	int64_t to;
	bool has_hole;
	int64_t hole; /* stands for no value */
};

/* False: the numbers that meet the term are no range. */
static bool range_of(const struct scan_term *term, struct range *ret_range)
{
	int64_t number = term->number, none = ct_view_none(term->type);

	*ret_range = (struct range){INT64_MIN, INT64_MAX, none != CT_VIEW_NOTHING, none};
	switch (term->compare) {
	case CT_VIEW_EQUAL:
		*ret_range = (struct range){.from = number, .to = number};
		return true;
	case CT_VIEW_AT_MOST:
		ret_range->to = number;
		return true;
	case CT_VIEW_AT_LEAST:
		ret_range->from = number;
		return true;
	case CT_VIEW_LESS:
		ret_range->to = number - 1;
		return number != INT64_MIN;
	case CT_VIEW_MORE:
		ret_range->from = number + 1;
		return number != INT64_MAX;
	default:
		return false;
	}
}

/* Does every row of the chunk lie in the range? */
static bool lies_in(const struct ct_view_scan *scan, uint32_t column, const struct range *range)
{
	int64_t least = column_log_least(scan->log, scan->chunk, column);
	int64_t most = column_log_most(scan->log, scan->chunk, column);

	return range->from <= least && most <= range->to &&
	       !(range->has_hole && least <= range->hole && range->hole <= most);
}

/* Without a branch: which rows meet the term cannot be foretold. */
static uint32_t narrow_to(
	struct ct_view_scan *scan, uint32_t column, const struct range *range, uint32_t count)
{
	const int64_t *values = values_of(scan, column);
	uint32_t i, nr_left = 0;

	for (i = 0; i < count; i++) {
		int64_t value = values[scan->places[i]];

		scan->places[nr_left] = scan->places[i];
		nr_left += (value >= range->from) & (value <= range->to) &
			   !(range->has_hole & (value == range->hole));
	}
	return nr_left;
}

static uint32_t narrow(struct ct_view_scan *scan, struct scan_term *term, uint32_t count)
{
	const int64_t *values;
	struct range range;
	uint32_t i, nr_left = 0;

	if (range_of(term, &range))
		return lies_in(scan, term->column, &range)
			       ? count
			       : narrow_to(scan, term->column, &range, count);
	values = values_of(scan, term->column);
	for (i = 0; i < count; i++)
		if (meets(scan, term, values[scan->places[i]]))
			scan->places[nr_left++] = scan->places[i];
	return nr_left;
}

static uint32_t narrow_selected(struct ct_view_scan *scan, uint32_t count)
{
	uint32_t columns[VIEW_SELECTED_MOST], i, nr_left = 0;
	uint32_t nr_columns = view_selected_needs(&scan->selected, columns);

	for (i = 0; i < nr_columns; i++)
		values_of(scan, columns[i]);
	for (i = 0; i < count; i++)
		if (view_selected_takes(&scan->selected, scan->values, scan->places[i]))
			scan->places[nr_left++] = scan->places[i];
	return nr_left;
}

/* How many rows of the present chunk are left. */
static uint32_t take_chunk(struct ct_view_scan *scan)
{
	uint32_t count = column_log_rows(scan->log, scan->chunk), i;

	memset(scan->is_read, 0, sizeof(scan->is_read));
	for (i = 0; i < scan->nr_terms; i++)
		if (!may_meet(scan, &scan->terms[i]))
			return 0;
	for (i = 0; i < count; i++)
		scan->places[i] = (uint16_t)i;
	for (i = 0; count && i < scan->nr_terms; i++)
		count = narrow(scan, &scan->terms[i], count);
	return scan->selected.pass ? narrow_selected(scan, count) : count;
}

static void hand_out(struct ct_view_scan *scan, uint32_t count)
{
	uint32_t i, k;

	for (k = 0; k < scan->nr_wanted; k++) {
		const int64_t *values = values_of(scan, scan->wanted[k]);
		int64_t *column = view_rows_column(scan->rows, k);

		for (i = 0; i < count; i++)
			column[i] = values[scan->places[i]];
	}
	for (i = 0; i < count; i++)
		scan->numbers[i] = scan->first + scan->places[i];
	scan->rows->nr_rows = scan->rows->nr_matched = count;
	scan->rows->numbers = scan->numbers;
}

enum ct_status ct_view_scan_next(
	struct ct_view_scan *scan, const struct ct_view_rows **ret_rows, struct ct_error *reterr)
{
	uint32_t count = 0;

	while (!count && !scan->unread_errno && scan->chunk < scan->log->chunks.count) {
		count = take_chunk(scan);
		if (count)
			hand_out(scan, count);
		scan->first += column_log_rows(scan->log, scan->chunk);
		pass_advance(scan->view->pass, column_log_rows(scan->log, scan->chunk));
		scan->chunk++;
	}
	if (scan->unread_errno)
		return view_scan_fail_unread(scan->unread_errno, reterr);
	if (scan->is_broken)
		return ct_fail_memory(reterr);
	if (!count)
		return CT_END;
	*ret_rows = scan->rows;
	return CT_OK;
}

/* ---------------------------------------------------------------- opening */

enum ct_status view_scan_check(const struct ct_view_request *request, struct ct_error *reterr)
{
	const struct ct_view_description *table;
	uint32_t i;

	if (request->table >= CT_VIEW_NR_TABLES)
		return ct_fail(reterr, CT_ERR_USAGE, "there is no table %d", (int)request->table);
	table = ct_view_describe(request->table);
	if (request->columns && request->nr_columns > COLUMN_MOST)
		return ct_fail(reterr, CT_ERR_USAGE, "%u columns are more than %u",
			request->nr_columns, COLUMN_MOST);
	for (i = 0; request->columns && i < request->nr_columns; i++)
		if (request->columns[i] >= table->nr_columns)
			return ct_fail(reterr, CT_ERR_USAGE, "the table %s has no column %u",
				table->name, request->columns[i]);
	for (i = 0; i < request->nr_terms; i++)
		if (request->terms[i].column >= table->nr_columns)
			return ct_fail(reterr, CT_ERR_USAGE, "the table %s has no column %u",
				table->name, request->terms[i].column);
	if (request->is_sorted && request->order >= table->nr_columns)
		return ct_fail(reterr, CT_ERR_USAGE, "the table %s has no column %u", table->name,
			request->order);
	return CT_OK;
}

uint32_t *view_scan_columns(const struct ct_view_request *request, uint32_t *ret_count)
{
	uint32_t count = request->columns ? request->nr_columns
					  : ct_view_describe(request->table)->nr_columns;
	uint32_t *columns = calloc(count + 1u, sizeof(*columns)), i;

	for (i = 0; columns && i < count; i++)
		columns[i] = request->columns ? request->columns[i] : i;
	*ret_count = count;
	return columns;
}

static bool have_values(struct ct_view_scan *scan, uint32_t column)
{
	if (!scan->values[column])
		scan->values[column] = calloc(COLUMN_ROWS, sizeof(int64_t));
	return scan->values[column] != NULL;
}

static enum ct_status add_pattern(
	struct scan_term *added, const char *pattern, struct ct_error *reterr)
{
	const char *star = pattern;
	uint32_t nr_stars = 0;

	while (star && (star = strchr(star, '*')))
		star++, nr_stars++;
	if (nr_stars > CT_VIEW_STARS_MOST)
		return ct_fail(reterr, CT_ERR_USAGE,
			"a pattern has at most %u stars, and not %" PRIu32, CT_VIEW_STARS_MOST,
			nr_stars);
	added->pattern = pattern ? strdup(pattern) : NULL;
	return added->pattern ? CT_OK : ct_fail_memory(reterr);
}

static enum ct_status add_term(struct ct_view_scan *scan, enum ct_view_table table,
	const struct ct_view_term *term, struct ct_error *reterr)
{
	const struct ct_view_column *column = &ct_view_describe(table)->columns[term->column];
	struct scan_term *added = &scan->terms[scan->nr_terms++];

	*added = (struct scan_term){.column = term->column,
		.type = column->type,
		.compare = term->compare,
		.number = term->number};
	if (!have_values(scan, term->column))
		return ct_fail_memory(reterr);
	if (term->compare >= CT_VIEW_NR_COMPARES)
		return ct_fail(
			reterr, CT_ERR_USAGE, "there is no comparison %d", (int)term->compare);
	if (term->compare == CT_VIEW_MATCHES)
		return add_pattern(added, term->text, reterr);
	if (term->text &&
		!ct_view_parse(scan->view, table, term->column, term->text, &added->number)) {
		if (column->type == CT_VIEW_TYPE_TEXT)
			added->number = -1; /* equals no row */
		else
			return ct_fail(reterr, CT_ERR_USAGE,
				"'%s' is no %s, in the column %s of %s", term->text,
				ct_view_type_name(column->type), column->name,
				ct_view_describe(table)->name);
	}
	return CT_OK;
}

static enum ct_status prepare(
	struct ct_view_scan *scan, const struct ct_view_request *request, struct ct_error *reterr)
{
	const struct view_table *table = &view_tables[request->table];
	const struct ct_view_term part = {
		.column = table->part_column, .number = table->part_number};
	enum ct_view_type types[COLUMN_MOST];
	uint32_t selecting[VIEW_SELECTED_MOST];
	uint32_t nr_selecting = view_selected_needs(&scan->selected, selecting), i;
	enum ct_status status = CT_OK;

	scan->terms = calloc(request->nr_terms + 1u, sizeof(*scan->terms));
	scan->wanted = view_scan_columns(request, &scan->nr_wanted);
	if (!scan->terms || !scan->wanted)
		return ct_fail_memory(reterr);
	if (table->is_part)
		status = add_term(scan, request->table, &part, reterr);
	for (i = 0; status == CT_OK && i < request->nr_terms; i++)
		status = add_term(scan, request->table, &request->terms[i], reterr);
	for (i = 0; i < nr_selecting; i++)
		scan->is_broken |= !have_values(scan, selecting[i]);
	for (i = 0; i < scan->nr_wanted; i++) {
		types[i] = table->description.columns[scan->wanted[i]].type;
		scan->is_broken |= !have_values(scan, scan->wanted[i]);
	}
	if (status)
		return status;
	scan->rows = view_rows_new(types, scan->nr_wanted, COLUMN_ROWS);
	return scan->rows && !scan->is_broken ? CT_OK : ct_fail_memory(reterr);
}

enum ct_status ct_view_scan_open(struct ct_view *view, const struct ct_view_request *given,
	struct ct_view_scan **ret_scan, struct ct_error *reterr)
{
	struct ct_view_request request;
	struct ct_view_scan *scan;
	enum ct_status status;

	known_options(&request, sizeof(request), given);
	status = view_scan_check(&request, reterr);
	if (status == CT_OK)
		status = view_fill(view, request.table, reterr);
	if (status)
		return status;
	scan = calloc(1, sizeof(*scan));
	if (!scan)
		return ct_fail_memory(reterr);
	scan->view = view;
	scan->log = &view->logs[view_tables[request.table].log];
	view_selected_init(&scan->selected, view->pass, request.table);
	status = prepare(scan, &request, reterr);
	pass_begin(view->pass, ct_view_describe(request.table)->name, scan->log->nr_rows);
	if (status)
		ct_view_scan_close(scan);
	else
		*ret_scan = scan;
	return status;
}

void ct_view_scan_close(struct ct_view_scan *scan)
{
	uint32_t i;

	if (!scan)
		return;
	for (i = 0; i < COLUMN_MOST; i++)
		free(scan->values[i]);
	for (i = 0; scan->terms && i < scan->nr_terms; i++) {
		free((char *)(uintptr_t)scan->terms[i].pattern);
		map_fini(&scan->terms[i].matches);
	}
	free(scan->terms);
	free(scan->wanted);
	ct_view_rows_free(scan->rows);
	free(scan);
}

enum ct_status view_scan_each(struct ct_view *view, const struct ct_view_request *request,
	view_scan_take *take, void *context, struct ct_error *reterr)
{
	const struct ct_view_rows *rows;
	struct ct_view_scan *scan;
	enum ct_status status = ct_view_scan_open(view, request, &scan, reterr);

	if (status)
		return status;
	while (status == CT_OK && (status = ct_view_scan_next(scan, &rows, reterr)) == CT_OK)
		status = take(context, rows, reterr);
	ct_view_scan_close(scan);
	return status == CT_END ? CT_OK : status;
}
