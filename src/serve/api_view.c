/* SPDX-License-Identifier: MIT */
/*
 * The page's requests to the view of the newest judgement: arguments of the address in, bytes out (ask/ask.h).
 */
#include <string.h>

#include "ask/ask.h"
#include "serve/api.h"
#include "serve/reply.h"

#define FOLDER "/api/v1/view/"

struct arguments {
	struct ask_argument all[ASK_ARGUMENTS_MAX + 1];
	uint32_t count;
};

/* The token is for the server, not for the view. */
static enum MHD_Result take_argument(
	void *context, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct arguments *arguments = context;

	(void)kind;
	if (strcmp(key, "token") == 0)
		return MHD_YES;
	if (arguments->count > ASK_ARGUMENTS_MAX)
		return MHD_NO;
	arguments->all[arguments->count++] = (struct ask_argument){key, value ? value : ""};
	return MHD_YES;
}

static enum MHD_Result reply(struct serve_call *call, const struct ask_answer *answer)
{
	return serve_reply_response(call, MHD_HTTP_OK, answer->type,
		mhd.create_response_from_buffer(
			answer->nr_bytes, answer->bytes, MHD_RESPMEM_MUST_FREE));
}

enum MHD_Result serve_api_view(struct serve_call *call)
{
	const struct judged *judged = judging_borrow(call->serve->judging);
	struct arguments arguments = {.count = 0};
	struct ask_request request = {.name = call->path + strlen(FOLDER)};
	struct ask_answer answer;
	struct ct_error error;
	enum ct_status status;

	if (!judged)
		return serve_api_refuse_unjudged(call);
	mhd.get_connection_values(
		call->connection, MHD_GET_ARGUMENT_KIND, take_argument, &arguments);
	request.arguments = arguments.all;
	request.nr_arguments = arguments.count;
	status = ask_view(judged->view, &request, &answer, &error);
	judging_return(call->serve->judging, judged);
	return status ? serve_reply_failure(call, &error) : reply(call, &answer);
}
