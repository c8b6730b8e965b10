/* SPDX-License-Identifier: MIT */
/*
 * JSON-RPC: recognises messages, reports errors in them, and sends answers.
 */
#include <errno.h>
#include <json-c/json.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mcp/json.h"
#include "mcp/methods.h"
#include "mcp/server.h"

#define VERSION_WITH_BATCHES "2025-03-26"

bool mcp_server_init(struct mcp_server *server, const char *root)
{
	struct stat about;

	*server = (struct mcp_server){.version = NULL};
	server->root = root ? realpath(root, NULL) : NULL;
	if (root && !server->root)
		return false;
	if (root && (stat(server->root, &about) < 0 || !S_ISDIR(about.st_mode))) {
		errno = ENOTDIR;
		return false;
	}
	server->folder = server->root ? strdup(server->root) : getcwd(NULL, 0);
	return server->folder != NULL;
}

void mcp_server_fini(struct mcp_server *server)
{
	mcp_traces_fini(&server->traces);
	free(server->root);
	free(server->folder);
	*server = (struct mcp_server){.version = NULL};
}

bool mcp_server_is_cancelled(const struct mcp_server *server)
{
	struct pollfd look = {.fd = server->cancel_descriptor, .events = POLLIN};

	return server->cancel_descriptor > 0 && poll(&look, 1, 0) > 0;
}

/* ---------------------------------------------------------------- answers */

/* Takes over the message. If memory ran out while it was built, it is not sent. */
static void send_message(struct mcp_server *server, struct json_object *message)
{
	const char *line;
	size_t length;

	if (mcp_json_is_whole(message)) {
		line = json_object_to_json_string_length(
			message, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &length);
		if (line)
			server->put(server->context, line, length);
	}
	json_object_put(message);
}

static struct json_object *new_message(void)
{
	struct json_object *message = json_object_new_object();

	mcp_json_put(message, "jsonrpc", mcp_json_word("2.0"));
	return message;
}

/* If a request is so broken that its id is unknown, the answer has no id either. */
static struct json_object *new_error(struct json_object *id, const struct mcp_failure *failure)
{
	struct json_object *message = new_message(), *error = json_object_new_object();

	if (id)
		mcp_json_put(message, "id", json_object_get(id));
	mcp_json_put(error, "code", json_object_new_int(failure->code));
	mcp_json_put(error, "message", mcp_json_data(failure->text));
	if (failure->data)
		mcp_json_put(error, "data", failure->data);
	mcp_json_put(message, "error", error);
	return message;
}

static struct json_object *new_plain_error(int code, const char *text)
{
	struct mcp_failure failure = {.code = code};

	snprintf(failure.text, sizeof(failure.text), "%s", text);
	return new_error(NULL, &failure);
}

void mcp_server_progress(struct mcp_server *server, struct json_object *token, double done,
	double all, const char *message)
{
	struct json_object *told, *parameters;

	if (!token)
		return;
	told = new_message();
	parameters = json_object_new_object();
	mcp_json_put(told, "method", mcp_json_word("notifications/progress"));
	mcp_json_put(parameters, "progressToken", json_object_get(token));
	mcp_json_put(parameters, "progress", json_object_new_double(done));
	mcp_json_put(parameters, "total", json_object_new_double(all));
	mcp_json_put(parameters, "message", mcp_json_word("%s", message));
	mcp_json_put(told, "params", parameters);
	send_message(server, told);
}

/* ---------------------------------------------------------------- requests */

static bool is_id(struct json_object *id)
{
	return json_object_is_type(id, json_type_string) || json_object_is_type(id, json_type_int);
}

/* Notifications and responses get no answer. */
static struct json_object *answer(struct mcp_server *server, struct json_object *request)
{
	struct json_object *id = mcp_json_get(request, "id"), *message, *result;
	const char *rpc = mcp_json_text(request, "jsonrpc");
	struct mcp_request asked = {.method = mcp_json_text(request, "method"),
		.parameters = mcp_json_get(request, "params")};
	struct mcp_failure failure = {.code = 0};

	if (!rpc || strcmp(rpc, "2.0") != 0)
		return new_plain_error(-32600, "this is no request of JSON-RPC 2.0");
	if (!asked.method && id &&
		(mcp_json_get(request, "result") || mcp_json_get(request, "error")))
		return NULL;
	if (!asked.method || (id && !is_id(id)) ||
		(asked.parameters && !json_object_is_type(asked.parameters, json_type_object)))
		return new_plain_error(-32600,
			"a request has a method, an id that is a text or a whole number, "
			"and its parameters in an object");
	if (!id)
		return NULL;
	result = mcp_method_perform(server, &asked, &failure);
	if (!result && failure.code)
		return new_error(id, &failure);
	if (!result)
		return NULL;
	message = new_message();
	mcp_json_put(message, "id", json_object_get(id));
	mcp_json_put(message, "result", result);
	return message;
}

static void answer_all(struct mcp_server *server, struct json_object *batch)
{
	struct json_object *answers = json_object_new_array(), *one;
	size_t i, nr = json_object_array_length(batch);

	for (i = 0; i < nr; i++) {
		one = answer(server, json_object_array_get_idx(batch, i));
		if (one)
			mcp_json_append(answers, one);
	}
	if (answers && json_object_array_length(answers))
		send_message(server, answers);
	else
		json_object_put(answers);
}

void mcp_server_take(struct mcp_server *server, struct json_object *message)
{
	struct json_object *answered;
	size_t nr;

	if (!message) {
		send_message(server,
			new_plain_error(-32700, "the line is no JSON, too long, or too deep"));
	} else if (!json_object_is_type(message, json_type_array)) {
		answered = answer(server, message);
		if (answered)
			send_message(server, answered);
	} else {
		nr = json_object_array_length(message);
		if (!server->version || strcmp(server->version, VERSION_WITH_BATCHES) != 0 ||
			nr == 0 || nr > MCP_BATCH_MOST)
			send_message(server, new_plain_error(-32600, "one message a line"));
		else
			answer_all(server, message);
	}
}
