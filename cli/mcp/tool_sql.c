/* SPDX-License-Identifier: MIT */
/*
 * sql: one statement on the tables of a view, or a description of these tables.
 */
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/call.h"
#include "mcp/json.h"
#include "mcp/tools.h"
#include "mcp/traces.h"

#define FEW 20u
#define TIMEOUT_NS (INT64_C(20) * 1000000000)
#define MEMORY_BYTES (UINT64_C(256) << 20)

/* ---------------------------------------------------------------- the tables */

static void tell_table(struct mcp_call *call, const struct ct_query_table *table)
{
	struct json_object *rows = mcp_put_rows(call->answer, "tables"), *row;
	uint32_t i;

	for (i = 0; i < table->nr_columns; i++) {
		row = mcp_row_new();
		mcp_put_word(row, "name", table->columns[i].name);
		mcp_put_word(row, "type", table->columns[i].type);
		mcp_put_word(row, "meaning", table->columns[i].meaning);
		mcp_row_add(call, rows, row);
	}
}

static void tell_tables(struct mcp_call *call)
{
	uint32_t nr, i;
	const struct ct_query_table *tables = ct_query_tables(&nr);
	struct json_object *rows = mcp_put_rows(call->answer, "tables"), *row;

	for (i = 0; i < nr; i++) {
		row = mcp_row_new();
		mcp_put_word(row, "name", tables[i].name);
		mcp_put_word(row, "meaning", tables[i].meaning);
		mcp_row_add(call, rows, row);
	}
	mcp_next(call, "sql handle=%s table=waits", mcp_given_text(call, MCP_ARGUMENT_SQL_HANDLE));
}

static void describe(struct mcp_call *call, const char *name)
{
	uint32_t nr, i;
	const struct ct_query_table *tables = ct_query_tables(&nr);

	if (!name) {
		tell_tables(call);
		return;
	}
	for (i = 0; i < nr; i++)
		if (strcmp(tables[i].name, name) == 0)
			break;
	if (i < nr)
		tell_table(call, &tables[i]);
	else
		mcp_call_fail(call,
			"there is no table '%.40s': without 'table' and 'query' all are listed",
			name);
}

/* ---------------------------------------------------------------- one statement */

/* Bytes that are not text, in hexadecimal digits, as `corotracer query` writes them. */
static struct json_object *new_bytes(const struct ct_query_cell *cell)
{
	char *digits = malloc(2 * cell->nr_bytes + 1);
	struct json_object *value;
	size_t i;

	if (!digits)
		return NULL;
	digits[0] = '\0';
	for (i = 0; i < cell->nr_bytes; i++)
		snprintf(digits + 2 * i, 3, "%02x", (unsigned char)cell->text[i]);
	value = mcp_json_data(digits);
	free(digits);
	return value;
}

static struct json_object *new_cell(const struct ct_query_cell *cell)
{
	switch (cell->type) {
	case CT_QUERY_NULL:
		return mcp_json_null();
	case CT_QUERY_INTEGER:
		return json_object_new_int64(cell->number);
	case CT_QUERY_REAL:
		/* JSON has no infinity. */
		return isfinite(cell->real) ? json_object_new_double(cell->real)
					    : mcp_json_word("%f", cell->real);
	case CT_QUERY_BYTES:
		return new_bytes(cell);
	default:
		return mcp_json_data(cell->text);
	}
}

static struct json_object *new_row(const struct ct_query_cell *cells, uint32_t nr_cells)
{
	struct json_object *row = json_object_new_array();
	uint32_t i;

	for (i = 0; i < nr_cells; i++)
		mcp_json_append(row, new_cell(&cells[i]));
	return row;
}

static void put_columns(struct mcp_call *call, const struct ct_query *query)
{
	struct json_object *columns = mcp_put_rows(call->answer, "columns");
	uint32_t i;

	for (i = 0; i < ct_query_nr_columns(query); i++)
		mcp_row_add(call, columns, mcp_json_data(ct_query_column(query, i)));
}

/* Stops when the answer has no room for more rows, because a result may be endless. */
static enum ct_status tell_rows(
	struct mcp_call *call, struct ct_query *query, struct ct_error *reterr)
{
	uint64_t limit = mcp_given_number(call, MCP_ARGUMENT_SQL_LIMIT, FEW), nr = 0;
	struct json_object *rows = mcp_put_rows(call->answer, "rows");
	const struct ct_query_cell *cells;
	enum ct_status status;

	while ((status = ct_query_next(query, &cells, reterr)) == CT_OK) {
		if (nr++ < limit &&
			mcp_row_add(call, rows, new_row(cells, ct_query_nr_columns(query))))
			continue;
		call->nr_left_out = 0;
		mcp_put_yes(call->answer, "has_more", true);
		mcp_next(call, "the same with count(*), GROUP BY, or LIMIT and OFFSET");
		return CT_END;
	}
	return status;
}

static bool is_alone(struct mcp_call *call, const char *rest)
{
	if (rest[strspn(rest, " \t\r\n;")])
		mcp_call_fail(call, "one statement at a time");
	return !call->has_failed;
}

static void ask(struct mcp_call *call, struct ct_query *query, const char *sql)
{
	const char *rest;
	struct ct_error error;
	enum ct_status status = ct_query_ask(query, sql, &rest, &error);

	if (status == CT_END) {
		mcp_call_fail(call, "'query' holds no statement");
		return;
	}
	if (status == CT_OK && is_alone(call, rest)) {
		put_columns(call, query);
		status = tell_rows(call, query, &error);
	}
	if (status != CT_OK && status != CT_END)
		mcp_call_fail_with(call, &error);
}

void mcp_tool_sql(struct mcp_call *call)
{
	struct mcp_trace *trace = mcp_call_trace(call, MCP_ARGUMENT_SQL_HANDLE);
	const char *sql = mcp_given_text(call, MCP_ARGUMENT_SQL_QUERY);
	struct ct_query_options options = {
		.size = sizeof(options), .memory_bytes = MEMORY_BYTES, .timeout_ns = TIMEOUT_NS};
	struct ct_query *query;
	struct ct_view *view;
	struct ct_error error;
	enum ct_status status;

	if (!trace)
		return;
	if (!sql) {
		describe(call, mcp_given_text(call, MCP_ARGUMENT_SQL_TABLE));
		return;
	}
	status = mcp_trace_view(trace, &view, &error);
	if (status == CT_OK)
		status = ct_query_open(view, &options, &query, &error);
	if (status) {
		mcp_call_fail_with(call, &error);
		return;
	}
	ask(call, query, sql);
	ct_query_close(query);
}
