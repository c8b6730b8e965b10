/* SPDX-License-Identifier: MIT */
/*
 * One SQL statement about a view, and its answer as JSON. Time, memory and rows of a statement are limited.
 */
#ifndef ASK_STATEMENT_H
#define ASK_STATEMENT_H

#include "base/text.h"
#include "corotracer/ct.h"

#define ASK_STATEMENT_SECONDS 10
#define ASK_STATEMENT_BYTES (UINT64_C(256) << 20) /* memory of all statements together */
#define ASK_STATEMENT_ROWS 10000u
#define ASK_STATEMENT_ANSWER_BYTES (8u << 20)

/* ask_statement_open: as ct_query_open, with these limits. */
enum ct_status ask_statement_open(
	struct ct_view *view, struct ct_query **ret_query, struct ct_error *reterr);

/*
 * ask_statement_begin: runs the one statement of `sql`. CT_ERR_USAGE: `sql` has no statement, or more than one. Other
 * errors as for ct_query_ask.
 */
enum ct_status ask_statement_begin(
	struct ct_query *query, const char *sql, struct ct_error *reterr);

/*
 * ask_statement_answer: appends the JSON object of the specification; `begun_ns` (CLOCK_MONOTONIC) is when the
 * statement began. Errors as for ct_query_next; after an error the appended bytes must not be used.
 */
enum ct_status ask_statement_answer(
	struct ct_query *query, uint64_t begun_ns, struct text *text, struct ct_error *reterr);

/* ask_statement: the whole of it: opens, begins, appends the answer, closes. */
enum ct_status ask_statement(
	struct ct_view *view, const char *sql, struct text *text, struct ct_error *reterr);

/* ask_statement_refusal: appends the JSON object that says why a statement is not answered, and where it is wrong. */
void ask_statement_refusal(const struct ct_error *error, struct text *text);

#endif
