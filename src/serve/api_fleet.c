/* SPDX-License-Identifier: MIT */
/*
 * Answers about a fleet. A window is shown by a server of its own, on another port: its page and its token are those of
 * `corotracer serve WINDOW`. The newest few stay open.
 */
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "fleet/fleet.h"
#include "serve/api.h"
#include "serve/windows.h"
#include "serve/reply.h"

#define SERVED_MAX 8u

struct served {
	char *trace;
	struct ct_serve *serve;
};

struct serve_windows {
	pthread_mutex_t lock;
	struct served at[SERVED_MAX]; /* the oldest first */
	size_t count;
};

struct serve_windows *serve_windows_new(void)
{
	struct serve_windows *windows = calloc(1, sizeof(*windows));

	if (windows)
		pthread_mutex_init(&windows->lock, NULL);
	return windows;
}

static void close_one(struct served *served)
{
	ct_serve_close(served->serve);
	free(served->trace);
}

void serve_windows_free(struct serve_windows *windows)
{
	size_t i;

	if (!windows)
		return;
	for (i = 0; i < windows->count; i++)
		close_one(&windows->at[i]);
	pthread_mutex_destroy(&windows->lock);
	free(windows);
}

/* ---------------------------------------------------------------- opening */

static struct ct_serve *find(const struct serve_windows *windows, const char *trace)
{
	size_t i;

	for (i = 0; i < windows->count; i++)
		if (strcmp(windows->at[i].trace, trace) == 0)
			return windows->at[i].serve;
	return NULL;
}

/* Listens where the server of the fleet does, at any port. */
static enum ct_status open_window(const struct ct_serve *fleet, const char *trace,
	struct ct_serve **ret_serve, struct ct_error *reterr)
{
	const char *name = fleet->address.name;
	struct text listen = {0};
	struct ct_serve_options options = {.size = sizeof(options),
		.path = trace,
		.thresholds = fleet->thresholds,
		.memory_bytes = fleet->memory_bytes};
	enum ct_status status;

	text_format(&listen, strchr(name, ':') ? "[%s]:0" : "%s:0", name);
	status = text_status(&listen, reterr);
	options.listen = text_peek(&listen);
	if (status == CT_OK)
		status = ct_serve_open(&options, ret_serve, reterr);
	text_fini(&listen);
	return status;
}

static void keep(struct serve_windows *windows, char *trace, struct ct_serve *serve)
{
	if (windows->count == SERVED_MAX) {
		close_one(&windows->at[0]);
		memmove(windows->at, windows->at + 1, sizeof(*windows->at) * --windows->count);
	}
	windows->at[windows->count++] = (struct served){trace, serve};
}

/* Called with the lock held: two requests for one window open it once. */
static struct ct_serve *find_or_open(
	struct ct_serve *fleet, const char *trace, struct ct_error *reterr)
{
	struct ct_serve *serve = find(fleet->windows, trace);
	char *name;

	if (serve)
		return serve;
	name = strdup(trace);
	if (!name)
		ct_fail_memory(reterr);
	else if (open_window(fleet, trace, &serve, reterr) == CT_OK)
		keep(fleet->windows, name, serve);
	if (!serve)
		free(name);
	return serve;
}

/* ---------------------------------------------------------------- requests */

enum MHD_Result serve_api_fleet(struct serve_call *call)
{
	struct text text = {0};
	struct json json;

	json_init(&json, &text, false);
	fleet_tell(call->serve->fleet, &json);
	return serve_reply_json(call, MHD_HTTP_OK, &text);
}

enum MHD_Result serve_api_fleet_open(struct serve_call *call)
{
	struct ct_serve *fleet = call->serve, *serve;
	struct ct_error error;
	struct text text = {0};
	struct json json;

	if (!fleet_has(fleet->fleet, text_peek(&call->body)))
		return serve_reply_error(call, MHD_HTTP_NOT_FOUND,
			"the body of this request is the name of a window of this fleet");
	json_init(&json, &text, false);
	json_open(&json, '{');
	json_key(&json, "url");
	pthread_mutex_lock(&fleet->windows->lock);
	serve = find_or_open(fleet, text_peek(&call->body), &error);
	if (serve)
		json_text(&json, ct_serve_url(serve));
	pthread_mutex_unlock(&fleet->windows->lock);
	json_close(&json, '}');
	if (serve)
		return serve_reply_json(call, MHD_HTTP_OK, &text);
	text_fini(&text);
	return serve_reply_failure(call, &error);
}
