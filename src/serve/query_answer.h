/* SPDX-License-Identifier: MIT */
/*
 * The answer to one statement, as JSON. Private to src/serve.
 */
#ifndef SERVE_QUERY_ANSWER_H
#define SERVE_QUERY_ANSWER_H

#include "base/text.h"
#include "corotracer/ct.h"

/*
 * serve_query_ask: asks the one statement of `sql`. CT_ERR_USAGE: there is none, or a second one, too; else as
 * ct_query_ask fails.
 */
enum ct_status serve_query_ask(struct ct_query *query, const char *sql, struct ct_error *reterr);

/*
 * serve_query_answer: appends the object of the specification; `begun_ns` of CLOCK_MONOTONIC is when it was asked.
 * Fails as ct_query_next does; what was appended then is no answer.
 */
enum ct_status serve_query_answer(
	struct ct_query *query, uint64_t begun_ns, struct text *text, struct ct_error *reterr);

#endif
