/* SPDX-License-Identifier: MIT */
/*
 * Rows are arrays, so each column's name is written once, however many rows there are.
 */
#include "ask/statement.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/failure.h"
#include "base/json_write.h"

static void tell_bytes(struct json *json, const struct ct_query_cell *cell)
{
	struct text hex = {0};
	size_t i;

	for (i = 0; i < cell->nr_bytes; i++)
		text_digits(&hex, (unsigned char)cell->text[i], 16, 2);
	json_text(json, text_peek(&hex));
	json->text->is_broken |= hex.is_broken;
	text_fini(&hex);
}

static void tell_cell(struct json *json, const struct ct_query_cell *cell)
{
	if (cell->type == CT_QUERY_INTEGER)
		json_number(json, cell->number);
	else if (cell->type == CT_QUERY_REAL && isfinite(cell->real))
		json_real(json, cell->real);
	else if (cell->type == CT_QUERY_TEXT)
		json_text(json, cell->text);
	else if (cell->type == CT_QUERY_BYTES)
		tell_bytes(json, cell);
	else
		json_null(json);
}

static void tell_columns(struct json *json, const struct ct_query *query)
{
	uint32_t i;

	json_key_open(json, "columns", '[');
	for (i = 0; i < ct_query_nr_columns(query); i++)
		json_text(json, ct_query_column(query, i));
	json_close(json, ']');
}

/* CT_END: these were all rows. CT_OK: there are more. */
static enum ct_status tell_rows(struct json *json, struct ct_query *query, struct ct_error *reterr)
{
	uint32_t nr_columns = ct_query_nr_columns(query), nr_rows, i;
	const struct ct_query_cell *cells;
	enum ct_status status = CT_OK;

	json_key_open(json, "rows", '[');
	for (nr_rows = 0; status == CT_OK; nr_rows++) {
		status = ct_query_next(query, &cells, reterr);
		if (status || nr_rows == ASK_STATEMENT_ROWS ||
			json->text->length > ASK_STATEMENT_ANSWER_BYTES)
			break;
		json_open(json, '[');
		for (i = 0; i < nr_columns; i++)
			tell_cell(json, &cells[i]);
		json_close(json, ']');
	}
	json_close(json, ']');
	return status;
}

/* Checks that only blanks and semicolons stand behind the statement. */
static enum ct_status check_rest(const char *sql, const char *rest, struct ct_error *reterr)
{
	rest += strspn(rest, " \t\r\n;");
	return *rest ? ct_fail_at(reterr, CT_ERR_USAGE, (uint64_t)(rest - sql),
			       "one statement is answered at a time, and a second one begins here")
		     : CT_OK;
}

enum ct_status ask_statement_open(
	struct ct_view *view, struct ct_query **ret_query, struct ct_error *reterr)
{
	const struct ct_query_options options = {.size = sizeof(options),
		.memory_bytes = ASK_STATEMENT_BYTES,
		.timeout_ns = ASK_STATEMENT_SECONDS * INT64_C(1000000000)};

	return ct_query_open(view, &options, ret_query, reterr);
}

enum ct_status ask_statement_begin(struct ct_query *query, const char *sql, struct ct_error *reterr)
{
	const char *rest;
	enum ct_status status = ct_query_ask(query, sql, &rest, reterr);

	if (status == CT_END)
		return ct_fail(reterr, CT_ERR_USAGE, "there is no statement");
	return status ? status : check_rest(sql, rest, reterr);
}

enum ct_status ask_statement_answer(
	struct ct_query *query, uint64_t begun_ns, struct text *text, struct ct_error *reterr)
{
	struct json json;
	enum ct_status status;

	json_init(&json, text, false);
	json_open(&json, '{');
	tell_columns(&json, query);
	status = tell_rows(&json, query, reterr);
	if (status < 0)
		return status;
	json_key_bool(&json, "has_more", status == CT_OK);
	json_key_unsigned(&json, "took_ns", clock_monotonic_ns() - begun_ns);
	json_close(&json, '}');
	return text_status(text, reterr);
}

enum ct_status ask_statement(
	struct ct_view *view, const char *sql, struct text *text, struct ct_error *reterr)
{
	uint64_t begun_ns = clock_monotonic_ns();
	struct ct_query *query;
	enum ct_status status = ask_statement_open(view, &query, reterr);

	if (status)
		return status;
	status = ask_statement_begin(query, sql, reterr);
	if (status == CT_OK)
		status = ask_statement_answer(query, begun_ns, text, reterr);
	ct_query_close(query);
	return status;
}

void ask_statement_refusal(const struct ct_error *error, struct text *text)
{
	struct json json;

	json_init(&json, text, false);
	json_open(&json, '{');
	json_key_text(&json, "error", error->text);
	if (error->offset != CT_NO_OFFSET)
		json_key_unsigned(&json, "offset", error->offset);
	json_close(&json, '}');
}
