/* SPDX-License-Identifier: MIT */
/*
 * The answer to one SQL statement, as JSON. Private to src/serve.
 */
#ifndef SERVE_QUERY_ANSWER_H
#define SERVE_QUERY_ANSWER_H

#include "base/text.h"
#include "corotracer/ct.h"

/*
 * serve_query_ask: runs the one statement of `sql`. CT_ERR_USAGE: `sql` has no statement, or more than one. Other
 * errors as for ct_query_ask.
 */
enum ct_status serve_query_ask(struct ct_query *query, const char *sql, struct ct_error *reterr);

/*
 * serve_query_answer: appends the JSON object of the specification; `begun_ns` (CLOCK_MONOTONIC) is when the statement
 * began. Errors as for ct_query_next; after an error the appended bytes must not be used.
 */
enum ct_status serve_query_answer(
	struct ct_query *query, uint64_t begun_ns, struct text *text, struct ct_error *reterr);

#endif
