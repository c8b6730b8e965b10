/* SPDX-License-Identifier: MIT */
/*
 * One request: first the sender is checked, only by headers; then the body is read and the handler is called.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "serve/api.h"
#include "serve/assets.h"
#include "serve/connections.h"
#include "serve/queries.h"
#include "serve/reply.h"
#include "serve/saving.h"

#define NICE 10 /* the traced program has priority */

struct route {
	const char *method;
	const char *path;
	enum MHD_Result (*handle)(struct serve_call *call);
	enum serve_access access;
};

#define R(method, path, handler, access, what) {#method, path, serve_api_##handler, SERVE_##access},
static const struct route trace_routes[] = {
#include "serve/routes.def"
	{0},
};
static const struct route fleet_routes[] = {
#include "serve/fleet_routes.def"
	{0},
};
#undef R

/* An entry without a path ends the table. */
static const struct route *routes_of(const struct ct_serve *serve)
{
	return serve->fleet ? fleet_routes : trace_routes;
}

const char *serve_call_header(const struct serve_call *call, const char *name)
{
	return mhd.lookup_connection_value(call->connection, MHD_HEADER_KIND, name);
}

const char *serve_call_argument(const struct serve_call *call, const char *name)
{
	return mhd.lookup_connection_value(call->connection, MHD_GET_ARGUMENT_KIND, name);
}

/* ---------------------------------------------------------------- finding the handler */

static bool is_reading(const char *method)
{
	return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
}

static bool is_for(const struct route *route, const struct serve_call *call)
{
	return strcmp(route->path, call->path) == 0 &&
	       (strcmp(route->method, call->method) == 0 ||
		       (is_reading(route->method) && is_reading(call->method)));
}

/* Finds the route. If only another method has this path, returns that route in *ret_other. */
static const struct route *find_route(const struct serve_call *call, const struct route **ret_other)
{
	const struct route *route;

	*ret_other = NULL;
	for (route = routes_of(call->serve); route->path; route++) {
		if (is_for(route, call))
			return route;
		if (strcmp(route->path, call->path) == 0)
			*ret_other = route;
	}
	return NULL;
}

/* The paths that exist, for the error that programs get: "/api/v1/state, /api/v1/findings". */
static void say_paths(const struct ct_serve *serve, struct text *text)
{
	const struct route *route;

	for (route = routes_of(serve); route->path; route++)
		if (is_reading(route->method))
			text_format(text, "%s%s", text->length ? ", " : "", route->path);
}

static enum MHD_Result answer_nothing(struct serve_call *call)
{
	enum MHD_Result result;
	struct text paths = {0};

	if (strncmp(call->path, "/api/", 5) != 0)
		return serve_reply_error(call, MHD_HTTP_NOT_FOUND,
			"there is nothing at this address: the page is at '/', and what programs "
			"can ask for is below /api/v1/");
	say_paths(call->serve, &paths);
	result = serve_reply_error(call, MHD_HTTP_NOT_FOUND,
		"there is nothing at this address; there is %s", text_peek(&paths));
	text_fini(&paths);
	return result;
}

static enum MHD_Result answer_file(struct serve_call *call)
{
	bool is_index = strcmp(call->path, "/") == 0;
	const struct serve_asset *asset =
		serve_asset_find(is_index && call->serve->fleet ? "/fleet.html" : call->path);

	if (!asset)
		return answer_nothing(call);
	if (!is_reading(call->method))
		return serve_reply_error(
			call, MHD_HTTP_METHOD_NOT_ALLOWED, "a file of the page can only be read");
	return serve_reply_lasting(call, asset->type, asset->bytes, asset->nr_bytes);
}

/* ---------------------------------------------------------------- access */

/*
 * A browser's own reader of server-sent events cannot send a header, so a request that only reads may have the token in
 * its address.
 */
static bool has_token(const struct serve_call *call, enum serve_access access)
{
	const char *token = call->serve->token;

	return serve_access_token(serve_call_header(call, "X-Corotracer-Token"), token) ||
	       (access == SERVE_READ &&
		       serve_access_token(serve_call_argument(call, "token"), token));
}

static bool needs_token(const struct serve_call *call, enum serve_access access)
{
	return access == SERVE_CHANGE || call->serve->address.is_open_to_others;
}

/* MHD_YES: the request is allowed; else it was refused, or memory is out. */
static enum MHD_Result refuse_stranger(struct serve_call *call)
{
	const char *host = serve_call_header(call, MHD_HTTP_HEADER_HOST);

	if (!serve_access_host(host, call->serve->address.name))
		return serve_reply_error(call, MHD_HTTP_MISDIRECTED_REQUEST,
			"this server answers to its own address only, and not to the name that was "
			"asked for");
	if (strncmp(call->path, "/api/", 5) == 0 &&
		!serve_access_origin(serve_call_header(call, MHD_HTTP_HEADER_ORIGIN),
			serve_call_header(call, "Sec-Fetch-Site"), host))
		return serve_reply_error(call, MHD_HTTP_FORBIDDEN,
			"the page that sends this request is not of this server");
	return MHD_YES;
}

static enum MHD_Result refuse_size(struct serve_call *call)
{
	const char *length = serve_call_header(call, MHD_HTTP_HEADER_CONTENT_LENGTH);

	if (call->is_too_large || (length && strtoull(length, NULL, 10) > SERVE_BODY_BYTES))
		return serve_reply_error(call, MHD_HTTP_CONTENT_TOO_LARGE,
			"a request has a body of at most %u bytes", SERVE_BODY_BYTES);
	return MHD_YES;
}

static enum MHD_Result judge(struct serve_call *call)
{
	const struct route *other, *route = find_route(call, &other);
	enum MHD_Result result = refuse_stranger(call);

	if (result == MHD_YES && !call->has_answer)
		result = refuse_size(call);
	if (call->has_answer || !result)
		return result;
	if (!route && other)
		return serve_reply_error(call, MHD_HTTP_METHOD_NOT_ALLOWED,
			"this address takes requests of method %s", other->method);
	if (route && needs_token(call, route->access) && !has_token(call, route->access))
		return serve_reply_error(call, MHD_HTTP_FORBIDDEN,
			"this request needs the token that the printed address ends with");
	return MHD_YES;
}

static enum MHD_Result answer(struct serve_call *call)
{
	const struct route *other, *route = find_route(call, &other);

	return route ? route->handle(call) : answer_file(call);
}

/* ---------------------------------------------------------------- for libmicrohttpd */

static void be_nice(void)
{
	static _Thread_local bool is_nice;

	if (!is_nice)
		setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	is_nice = true;
}

static enum MHD_Result begin(struct ct_serve *serve, struct MHD_Connection *connection,
	const char *path, const char *method, void **ret_call)
{
	struct serve_call *call = calloc(1, sizeof(*call));

	be_nice();
	if (!call)
		return MHD_NO;
	call->serve = serve;
	call->connection = connection;
	call->path = path;
	call->method = method;
	*ret_call = call;
	return judge(call);
}

/* A chunked body's size is known only at its end, and the request cannot be answered before. */
static void take_body(struct serve_call *call, const char *bytes, size_t nr_bytes)
{
	if (call->has_answer || call->is_too_large)
		return;
	call->is_too_large = call->body.length + nr_bytes > SERVE_BODY_BYTES;
	if (!call->is_too_large)
		text_append(&call->body, bytes, nr_bytes);
}

enum MHD_Result serve_request(void *context, struct MHD_Connection *connection, const char *path,
	const char *method, const char *version, const char *upload, size_t *upload_bytes,
	void **of_request)
{
	struct serve_call *call = *of_request;
	(void)version;
	if (!call)
		return begin(context, connection, path, method, of_request);
	call->path = path;
	call->method = method;
	if (*upload_bytes) {
		take_body(call, upload, *upload_bytes);
		*upload_bytes = 0;
		return MHD_YES;
	}
	if (call->has_answer)
		return MHD_YES;
	serve_connections_note_request(connection);
	return call->is_too_large ? refuse_size(call) : answer(call);
}

void serve_request_end(void *context, struct MHD_Connection *connection, void **of_request,
	enum MHD_RequestTerminationCode code)
{
	struct serve_call *call = *of_request;

	(void)context, (void)code;
	serve_connections_note_answer(connection);
	if (!call)
		return;
	serve_query_free(call->query);
	serve_saving_free(call->saving);
	text_fini(&call->body);
	free(call);
	*of_request = NULL;
}
