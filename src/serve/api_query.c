/* SPDX-License-Identifier: MIT */
/*
 * SQL queries, and their interruption.
 */
#include <stdlib.h>

#include "serve/api.h"
#include "serve/queries.h"
#include "serve/reply.h"

enum MHD_Result serve_api_query(struct serve_call *call)
{
	return serve_queries_reply(call->serve->queries, call);
}

enum MHD_Result serve_api_query_stop(struct serve_call *call)
{
	uint64_t number = strtoull(text_peek(&call->body), NULL, 10);
	struct text text = {0};
	struct json json;

	if (!number)
		return serve_reply_error(call, MHD_HTTP_BAD_REQUEST,
			"the body is the number that the query was given");
	json_init(&json, &text, false);
	json_open(&json, '{');
	json_key_unsigned(&json, "nr_stopped", serve_queries_stop(call->serve->queries, number));
	json_close(&json, '}');
	return serve_reply_json(call, MHD_HTTP_OK, &text);
}
