/* SPDX-License-Identifier: MIT */
/*
 * The virtual tables. A cursor reads rows of a scan, rows of one page of sorted rows, or kept rows, if a statement
 * looks up numbers again and again.
 */

#include "query/query.h"
#include "view/view.h"

/* After this many look-ups in one statement, a table's rows are kept, because each look-up would be a scan. */
#define LOOKUPS_LEAST 8u

struct cursor {
	sqlite3_vtab_cursor base;
	struct query_terms terms;
	struct ct_view_scan *scan;
	const struct ct_view_rows *page; /* owned by the cursor */
	const struct ct_view_rows *rows; /* the rows of the scan, or of the page */
	uint64_t at;                     /* index in `rows` */
	/* the position in `rows` of each of the view's columns */
	uint8_t places[QUERY_COLUMNS_MOST];
	const struct query_kept *kept;
	uint32_t row;                   /* index in the kept rows */
	const struct ct_view_term *key; /* the term by which rows are looked up */
	bool is_end;
};

static struct query_vtab *vtab_of(const struct cursor *cursor)
{
	return (struct query_vtab *)cursor->base.pVtab;
}

/* Passes a failure of the view on through SQLite; returns SQLite's result. */
static int fail_module(struct ct_query *query, enum ct_status status, const struct ct_error *error)
{
	if (query->failure.status == CT_OK)
		query->failure = *error;
	return status == CT_ERR_NO_MEMORY ? SQLITE_NOMEM : SQLITE_ERROR;
}

int query_module_count(struct query_vtab *vtab, uint64_t *ret_nr_rows)
{
	uint32_t no_columns[1];
	const struct ct_view_request request = {.size = sizeof(request),
		.table = vtab->table->table,
		.columns = no_columns,
		.limit = 1};
	const struct ct_view_rows *rows;
	struct ct_error error;
	enum ct_status status;

	if (vtab->nr_rows == UINT64_MAX) {
		status = ct_view_select(vtab->query->view, &request, &rows, &error);
		if (status)
			return fail_module(vtab->query, status, &error);
		vtab->nr_rows = rows->nr_matched;
		ct_view_rows_free(rows);
	}
	*ret_nr_rows = vtab->nr_rows;
	return SQLITE_OK;
}

/* ---------------------------------------------------------------- tables */

static int declare(sqlite3 *database, const struct query_table *table)
{
	sqlite3_str *sql = sqlite3_str_new(database);
	char *terminated;
	uint32_t i;
	int result;

	sqlite3_str_appendall(sql, "CREATE TABLE x(");
	for (i = 0; i < table->nr_columns; i++)
		sqlite3_str_appendf(sql, "%s\"%w\" %s", i ? ", " : "", table->descriptions[i].name,
			table->descriptions[i].type);
	sqlite3_str_appendchar(sql, 1, ')');
	terminated = sqlite3_str_finish(sql);
	result = terminated ? sqlite3_declare_vtab(database, terminated) : SQLITE_NOMEM;
	sqlite3_free(terminated);
	return result;
}

static int connect_table(sqlite3 *database, void *context, int nr_words, const char *const *words,
	sqlite3_vtab **ret_vtab, char **reterr)
{
	struct ct_query *query = context;
	enum ct_view_table table = ct_view_find_table(words[2]);
	struct query_vtab *vtab;
	int result;

	(void)nr_words;
	(void)reterr;
	if (table == CT_VIEW_NR_TABLES)
		return SQLITE_ERROR;
	vtab = sqlite3_malloc64(sizeof(*vtab));
	if (!vtab)
		return SQLITE_NOMEM;
	*vtab = (struct query_vtab){
		.query = query, .table = query_table(table), .nr_rows = UINT64_MAX};
	result = declare(database, vtab->table);
	if (result != SQLITE_OK) {
		sqlite3_free(vtab);
		return result;
	}
	query->vtabs[table] = vtab;
	*ret_vtab = &vtab->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *base)
{
	struct query_vtab *vtab = (struct query_vtab *)base;

	vtab->query->vtabs[vtab->table->table] = NULL;
	query_keep_fini(vtab);
	sqlite3_free(vtab);
	return SQLITE_OK;
}

/* ---------------------------------------------------------------- cursors */

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **ret_cursor)
{
	struct cursor *cursor = sqlite3_malloc64(sizeof(*cursor));

	(void)base;
	if (!cursor)
		return SQLITE_NOMEM;
	*cursor = (struct cursor){.is_end = true};
	*ret_cursor = &cursor->base;
	return SQLITE_OK;
}

/* Returns the cursor to its state after opening. */
static void reset(struct cursor *cursor)
{
	sqlite3_vtab_cursor base = cursor->base;

	ct_view_scan_close(cursor->scan);
	ct_view_rows_free(cursor->page);
	query_terms_fini(&cursor->terms);
	*cursor = (struct cursor){.base = base, .is_end = true};
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct cursor *cursor = (struct cursor *)base;

	reset(cursor);
	sqlite3_free(cursor);
	return SQLITE_OK;
}

/* ---------------------------------------------------------------- scans and pages */

static int next_rows(struct cursor *cursor)
{
	struct ct_error error;
	enum ct_status status = ct_view_scan_next(cursor->scan, &cursor->rows, &error);

	cursor->at = 0;
	cursor->is_end = status == CT_END;
	return status < 0 ? fail_module(vtab_of(cursor)->query, status, &error) : SQLITE_OK;
}

static uint32_t list_columns(
	struct cursor *cursor, uint64_t wanted, uint32_t columns[QUERY_COLUMNS_MOST])
{
	uint32_t i, count = 0;

	for (i = 0; i < QUERY_COLUMNS_MOST; i++) {
		if (!(wanted >> i & 1))
			continue;
		cursor->places[i] = (uint8_t)count;
		columns[count++] = i;
	}
	return count;
}

static int begin_scan(struct cursor *cursor, const struct ct_view_request *request)
{
	struct ct_query *query = vtab_of(cursor)->query;
	struct ct_error error;
	enum ct_status status = ct_view_scan_open(query->view, request, &cursor->scan, &error);

	return status ? fail_module(query, status, &error) : next_rows(cursor);
}

static int begin_page(struct cursor *cursor, const struct ct_view_request *request)
{
	struct ct_query *query = vtab_of(cursor)->query;
	struct ct_error error;
	enum ct_status status = ct_view_select(query->view, request, &cursor->page, &error);

	if (status)
		return fail_module(query, status, &error);
	cursor->rows = cursor->page;
	cursor->is_end = cursor->page->nr_rows == 0;
	return SQLITE_OK;
}

/* ---------------------------------------------------------------- kept rows */

/* Does the row meet all terms? */
static bool meets(const struct cursor *cursor, uint32_t row)
{
	const struct query_vtab *vtab = vtab_of(cursor);
	uint32_t i;

	for (i = 0; i < cursor->terms.count; i++) {
		const struct ct_view_term *term = &cursor->terms.at[i];

		if (term->compare == CT_VIEW_MATCHES)
			continue;
		if (!view_meets(term->compare, term->number,
			    ct_view_describe(vtab->table->table)->columns[term->column].type,
			    query_kept_cell(cursor->kept, term->column, row)))
			return false;
	}
	return true;
}

static int take_kept(struct cursor *cursor, uint32_t row)
{
	while (row != QUERY_NO_ROW && !meets(cursor, row))
		row = query_kept_next(cursor->kept, row, cursor->key->number);
	cursor->row = row;
	cursor->is_end = row == QUERY_NO_ROW;
	return SQLITE_OK;
}

/* The term by which rows can be looked up; NULL: there is none. */
static const struct ct_view_term *key_of(const struct cursor *cursor)
{
	const struct query_terms *terms = &cursor->terms;
	const struct query_vtab *vtab = vtab_of(cursor);
	const struct ct_view_term *key = NULL;
	uint32_t i;

	for (i = 0; i < terms->count; i++) {
		enum ct_view_type type =
			ct_view_describe(vtab->table->table)->columns[terms->at[i].column].type;
		bool is_rare = type == CT_VIEW_TYPE_COROUTINE || type == CT_VIEW_TYPE_EVENT ||
			       type == CT_VIEW_TYPE_TASK;

		if (terms->at[i].compare == CT_VIEW_EQUAL && (!key || is_rare))
			key = &terms->at[i];
	}
	return key;
}

static bool use_kept(struct cursor *cursor, uint64_t wanted)
{
	struct query_vtab *vtab = vtab_of(cursor);
	const struct ct_view_term *key = key_of(cursor);
	uint64_t nr_rows;
	uint32_t i;

	if (!key || ++vtab->nr_lookups < LOOKUPS_LEAST ||
		query_module_count(vtab, &nr_rows) != SQLITE_OK)
		return false;
	for (i = 0; i < cursor->terms.count; i++)
		wanted |= UINT64_C(1) << cursor->terms.at[i].column;
	cursor->kept = query_keep(vtab, wanted, key->column);
	cursor->key = key;
	return cursor->kept != NULL;
}

/* ---------------------------------------------------------------- filtering */

/* Reads a number of `nr_digits` hexadecimal digits and moves *text behind it. */
static uint64_t take_hex(const char **text, unsigned nr_digits)
{
	uint64_t number = 0;

	for (; nr_digits && **text; nr_digits--, (*text)++)
		number = number * 16 + (uint64_t)(**text <= '9' ? **text - '0' : **text - 'a' + 10);
	return number;
}

/* False: the page has no rows. A negative limit means no limit. */
static bool set_page(struct ct_view_request *request, int plan, sqlite3_value **values)
{
	int64_t limit = sqlite3_value_int64(values[0]);
	int64_t offset = plan & QUERY_PLAN_OFFSET ? sqlite3_value_int64(values[1]) : 0;

	request->is_sorted = true;
	request->is_descending = (plan & QUERY_PLAN_DESCENDING) != 0;
	request->order = (uint32_t)plan >> QUERY_PLAN_ORDER_SHIFT;
	request->limit = limit > 0 ? (uint64_t)limit : 0;
	request->offset = offset > 0 ? (uint64_t)offset : 0;
	return limit != 0;
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *text, int nr_values,
	sqlite3_value **values)
{
	struct cursor *cursor = (struct cursor *)base;
	struct query_vtab *vtab = (struct query_vtab *)base->pVtab;
	struct ct_view_request request = {.size = sizeof(request), .table = vtab->table->table};
	uint64_t wanted = take_hex(&text, 16);
	uint32_t columns[QUERY_COLUMNS_MOST];

	reset(cursor);
	for (; *text; values++, nr_values--) {
		uint32_t column = (uint32_t)take_hex(&text, 2);

		if (!query_terms_add(
			    &cursor->terms, vtab, column, (int)take_hex(&text, 2), *values))
			return SQLITE_NOMEM;
	}
	if (cursor->terms.is_never || (plan & QUERY_PLAN_PAGE && !set_page(&request, plan, values)))
		return SQLITE_OK;
	if (!(plan & QUERY_PLAN_PAGE) && use_kept(cursor, wanted))
		return take_kept(cursor, query_kept_first(cursor->kept, cursor->key->number));
	request.columns = columns;
	request.nr_columns = list_columns(cursor, wanted, columns);
	request.terms = cursor->terms.at;
	request.nr_terms = cursor->terms.count;
	return plan & QUERY_PLAN_PAGE ? begin_page(cursor, &request) : begin_scan(cursor, &request);
}

static int next_row(sqlite3_vtab_cursor *base)
{
	struct cursor *cursor = (struct cursor *)base;

	if (cursor->kept)
		return take_kept(
			cursor, query_kept_next(cursor->kept, cursor->row, cursor->key->number));
	if (++cursor->at < cursor->rows->nr_rows)
		return SQLITE_OK;
	cursor->is_end = true;
	return cursor->scan ? next_rows(cursor) : SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	return ((struct cursor *)base)->is_end;
}

/* ---------------------------------------------------------------- cells */

static int64_t number_of(const struct cursor *cursor, uint32_t column)
{
	if (cursor->kept)
		return query_kept_cell(cursor->kept, column, cursor->row);
	return cursor->rows->columns[cursor->places[column]][cursor->at];
}

static int give_cell(sqlite3_vtab_cursor *base, sqlite3_context *context, int place)
{
	const struct cursor *cursor = (struct cursor *)base;
	const struct query_vtab *vtab = vtab_of(cursor);
	const struct query_column *column = &vtab->table->columns[place];
	bool needs_kind = column->is_partial || column->type == CT_VIEW_TYPE_OBJECT ||
			  column->type == CT_VIEW_TYPE_ARGUMENT;

	query_cell(context, vtab->query, column, number_of(cursor, column->column),
		needs_kind ? number_of(cursor, vtab->table->kind_column) : 0);
	return SQLITE_OK;
}

static int give_number(sqlite3_vtab_cursor *base, sqlite3_int64 *ret_number)
{
	const struct cursor *cursor = (struct cursor *)base;

	if (cursor->kept)
		*ret_number = (sqlite3_int64)query_kept_number(cursor->kept, cursor->row);
	else
		*ret_number =
			(sqlite3_int64)(cursor->rows->numbers ? cursor->rows->numbers[cursor->at]
							      : cursor->at);
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.xCreate = connect_table,
	.xConnect = connect_table,
	.xBestIndex = query_plan,
	.xDisconnect = disconnect,
	.xDestroy = disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next_row,
	.xEof = is_at_end,
	.xColumn = give_cell,
	.xRowid = give_number,
};

static int create(struct ct_query *query, enum ct_view_table table)
{
	char *sql = sqlite3_mprintf(
		"CREATE VIRTUAL TABLE \"%w\" USING view", ct_view_describe(table)->name);
	int result = sql ? sqlite3_exec(query->database, sql, NULL, NULL, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return result;
}

int query_module_create(struct ct_query *query)
{
	enum ct_view_table table;
	int result = sqlite3_create_module(query->database, "view", &module, query);

	for (table = 0; table < CT_VIEW_NR_TABLES && result == SQLITE_OK; table++)
		result = create(query, table);
	return result;
}
