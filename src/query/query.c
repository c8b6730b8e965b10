/* SPDX-License-Identifier: MIT */
/*
 * A query: a database in memory whose tables are those of a view. A statement can only read; it ends when its time is
 * over or the user interrupts it, and its memory is limited.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/failure.h"
#include "base/known_options.h"
#include "query/nearest.h"
#include "query/query.h"
#include "query/write.h"

#define MEMORY_BYTES (UINT64_C(1) << 30)
/* instructions of SQLite's virtual machine: well below a millisecond */
#define STEPS_BETWEEN_LOOKS 10000

/* ---------------------------------------------------------------- permitted statements */

static bool is_harmless_pragma(const char *name)
{
	static const char *const harmless[] = {
		"table_info", "table_xinfo", "table_list", "function_list", "collation_list"};
	size_t i;

	for (i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		if (sqlite3_stricmp(name, harmless[i]) == 0)
			return true;
	return false;
}

static int authorize(void *context, int action, const char *first, const char *second,
	const char *third, const char *fourth)
{
	(void)context;
	(void)third;
	(void)fourth;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return second && sqlite3_stricmp(second, "load_extension") == 0 ? SQLITE_DENY
										: SQLITE_OK;
	case SQLITE_UPDATE:
		/* SQLite asks this before it shows a pragma as a table; SQLite itself protects the schema. */
		return first && strcmp(first, "sqlite_master") == 0 ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_PRAGMA:
		return first && is_harmless_pragma(first) ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

/* Not 0: the statement must end. */
static int look(void *context)
{
	struct ct_query *query = context;

	if (query->deadline && (int64_t)clock_monotonic_ns() > query->deadline)
		query->is_late = true;
	return query->is_late || atomic_load(&query->is_interrupted);
}

void ct_query_interrupt(struct ct_query *query)
{
	atomic_store(&query->is_interrupted, true);
}

/* ---------------------------------------------------------------- failures */

static enum ct_status say_stopped(const struct ct_query *query, struct ct_error *reterr)
{
	struct text limit = {0};
	enum ct_status status;

	if (!query->is_late)
		return ct_fail(reterr, CT_ERR_STOPPED, "interrupted");
	text_duration(&limit, query->timeout_ns);
	status = ct_fail(reterr, CT_ERR_STOPPED, "not done in %s, and ended", text_peek(&limit));
	text_fini(&limit);
	return status;
}

static enum ct_status say_memory(const struct ct_query *query, struct ct_error *reterr)
{
	return ct_fail(reterr, CT_ERR_NO_MEMORY, "it needs more than %llu MiB of memory",
		(unsigned long long)(query->memory_bytes >> 20));
}

static enum ct_status say_complaint(const char *complaint, int offset, struct ct_error *reterr)
{
	const char *table = query_table_with(complaint);
	const char *nearest = query_nearest(complaint);
	uint64_t place = offset < 0 ? CT_NO_OFFSET : (uint64_t)offset;

	if (table)
		return ct_fail_at(reterr, CT_ERR_USAGE, place,
			"%s; a column of that name is in table %s", complaint, table);
	if (nearest)
		return ct_fail_at(
			reterr, CT_ERR_USAGE, place, "%s; did you mean '%s'?", complaint, nearest);
	return ct_fail_at(reterr, CT_ERR_USAGE, place, "%s", complaint);
}

static enum ct_status fail(struct ct_query *query, int result, struct ct_error *reterr)
{
	int offset = sqlite3_error_offset(query->database);

	if (query->failure.status) {
		if (reterr)
			*reterr = query->failure;
		return query->failure.status;
	}
	switch (result & 0xff) {
	case SQLITE_INTERRUPT:
		return say_stopped(query, reterr);
	case SQLITE_NOMEM:
		return say_memory(query, reterr);
	case SQLITE_AUTH:
		return ct_fail(reterr, CT_ERR_USAGE, "a query reads, and does nothing else");
	default:
		return say_complaint(sqlite3_errmsg(query->database), offset, reterr);
	}
}

/* ---------------------------------------------------------------- opening */

static void set_limits(struct ct_query *query)
{
	sqlite3 *database = query->database;

	sqlite3_hard_heap_limit64((sqlite3_int64)query->memory_bytes);
	sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(database, SQLITE_LIMIT_WORKER_THREADS, 0);
	sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, NULL);
	sqlite3_progress_handler(database, STEPS_BETWEEN_LOOKS, look, query);
	sqlite3_set_authorizer(database, authorize, query);
}

static int prepare(struct ct_query *query)
{
	/* No data is written to a disk, so sorting stays below the memory limit. */
	int result = sqlite3_open_v2(":memory:", &query->database,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);

	if (result == SQLITE_OK)
		result =
			sqlite3_exec(query->database, "PRAGMA temp_store=MEMORY", NULL, NULL, NULL);
	if (result == SQLITE_OK)
		result = query_module_create(query);
	if (result == SQLITE_OK)
		result = query_functions_create(query);
	if (result == SQLITE_OK)
		set_limits(query);
	return result;
}

enum ct_status ct_query_open(struct ct_view *view, const struct ct_query_options *given,
	struct ct_query **ret_query, struct ct_error *reterr)
{
	struct ct_query *query = calloc(1, sizeof(*query));
	struct ct_query_options options;
	enum ct_status status;
	int result;

	if (!query)
		return ct_fail_memory(reterr);
	known_options(&options, sizeof(options), given);
	query->view = view;
	query->timeout_ns = options.timeout_ns;
	query->memory_bytes = options.memory_bytes ? options.memory_bytes : MEMORY_BYTES;
	result = prepare(query);
	if (result == SQLITE_OK) {
		*ret_query = query;
		return CT_OK;
	}
	status = fail(query, result, reterr);
	ct_query_close(query);
	return status;
}

/* Ends the statement and frees the rows that were kept for it. */
static void end(struct ct_query *query)
{
	enum ct_view_table table;

	sqlite3_finalize(query->statement);
	query->statement = NULL;
	for (table = 0; table < CT_VIEW_NR_TABLES; table++)
		if (query->vtabs[table])
			query_keep_fini(query->vtabs[table]);
	free(query->cells);
	query->cells = NULL;
	query->failure.status = CT_OK;
	query->is_late = false;
}

void ct_query_close(struct ct_query *query)
{
	uint32_t nr_sites, i;

	if (!query)
		return;
	end(query);
	sqlite3_close(query->database);
	nr_sites = ct_view_tables(query->view)->nr_sites;
	for (i = 0; query->places && i < nr_sites; i++)
		free(query->places[i]);
	free(query->places);
	free(query);
}

/* ---------------------------------------------------------------- running */

/*
 * Compiles the first statement at or behind *at; query->statement stays NULL if there is none. *at moves behind the
 * statement, or to the statement that fails.
 */
static int find_statement(struct ct_query *query, const char **at)
{
	const char *rest = *at;
	int result = SQLITE_OK;

	while (result == SQLITE_OK && !query->statement && *rest) {
		*at = rest;
		result = sqlite3_prepare_v3(query->database, *at, -1, 0, &query->statement, &rest);
	}
	if (result == SQLITE_OK)
		*at = rest;
	return result;
}

enum ct_status ct_query_ask(
	struct ct_query *query, const char *sql, const char **ret_rest, struct ct_error *reterr)
{
	const char *at = sql;
	enum ct_status status;
	int result;

	end(query);
	atomic_store(&query->is_interrupted, false);
	query->deadline = 0;
	result = find_statement(query, &at);
	if (result != SQLITE_OK) {
		status = fail(query, result, reterr);
		if (reterr && reterr->offset != CT_NO_OFFSET)
			reterr->offset += (uint64_t)(at - sql);
		return status;
	}
	*ret_rest = at;
	if (!query->statement)
		return CT_END;
	/* Compiling may have filled the view, which cannot be interrupted, so an interruption is checked here. */
	if (atomic_load(&query->is_interrupted))
		return say_stopped(query, reterr);
	query->cells = calloc(ct_query_nr_columns(query) + 1u, sizeof(*query->cells));
	if (!query->cells)
		return ct_fail_memory(reterr);
	if (query->timeout_ns)
		query->deadline = (int64_t)clock_monotonic_ns() + query->timeout_ns;
	return CT_OK;
}

uint32_t ct_query_nr_columns(const struct ct_query *query)
{
	return query->statement ? (uint32_t)sqlite3_column_count(query->statement) : 0;
}

const char *ct_query_column(const struct ct_query *query, uint32_t column)
{
	const char *name =
		query->statement ? sqlite3_column_name(query->statement, (int)column) : NULL;

	return name ? name : "";
}

/* The columns of all tables are declared as one of these two (module.c). */
enum ct_query_type ct_query_column_type(const struct ct_query *query, uint32_t column)
{
	const char *declared =
		query->statement ? sqlite3_column_decltype(query->statement, (int)column) : NULL;

	if (!declared)
		return CT_QUERY_NULL;
	return strcmp(declared, "TEXT") == 0 ? CT_QUERY_TEXT : CT_QUERY_INTEGER;
}

static enum ct_query_type type_of(int type)
{
	switch (type) {
	case SQLITE_INTEGER:
		return CT_QUERY_INTEGER;
	case SQLITE_FLOAT:
		return CT_QUERY_REAL;
	case SQLITE_TEXT:
		return CT_QUERY_TEXT;
	case SQLITE_BLOB:
		return CT_QUERY_BYTES;
	default:
		return CT_QUERY_NULL;
	}
}

/* False: out of memory. */
static bool take_cell(
	sqlite3_stmt *statement, int column, bool has_digits, struct ct_query_cell *cell)
{
	*cell = (struct ct_query_cell){
		.type = type_of(sqlite3_column_type(statement, column)), .text = ""};
	if (cell->type == CT_QUERY_NULL)
		return true;
	if (cell->type == CT_QUERY_INTEGER)
		cell->number = sqlite3_column_int64(statement, column);
	if (cell->type == CT_QUERY_REAL)
		cell->real = sqlite3_column_double(statement, column);
	if (!has_digits && (cell->type == CT_QUERY_INTEGER || cell->type == CT_QUERY_REAL))
		return true;
	cell->text = cell->type == CT_QUERY_BYTES
			     ? (const char *)sqlite3_column_blob(statement, column)
			     : (const char *)sqlite3_column_text(statement, column);
	cell->nr_bytes = (size_t)sqlite3_column_bytes(statement, column);
	if (!cell->text && cell->type == CT_QUERY_BYTES && !cell->nr_bytes)
		cell->text = "";
	return cell->text != NULL;
}

enum ct_status query_next(struct ct_query *query, bool has_digits,
	const struct ct_query_cell **ret_cells, struct ct_error *reterr)
{
	uint32_t i, count = ct_query_nr_columns(query);
	int result = query->statement ? sqlite3_step(query->statement) : SQLITE_DONE;

	if (result == SQLITE_DONE)
		return CT_END;
	if (result != SQLITE_ROW)
		return fail(query, result, reterr);
	for (i = 0; i < count; i++)
		if (!take_cell(query->statement, (int)i, has_digits, &query->cells[i]))
			return say_memory(query, reterr);
	*ret_cells = query->cells;
	return CT_OK;
}

enum ct_status ct_query_next(
	struct ct_query *query, const struct ct_query_cell **ret_cells, struct ct_error *reterr)
{
	return query_next(query, true, ret_cells, reterr);
}

/* ---------------------------------------------------------------- SQL keywords */

const char *ct_query_keyword(uint32_t number)
{
	static _Thread_local char keyword[32];
	const char *name;
	int length;

	if (sqlite3_keyword_name((int)number, &name, &length) != SQLITE_OK ||
		length >= (int)sizeof(keyword))
		return NULL;
	memcpy(keyword, name, (size_t)length);
	keyword[length] = '\0';
	return keyword;
}

bool ct_query_is_complete(const char *sql)
{
	return sqlite3_complete(sql) == 1;
}
