/* SPDX-License-Identifier: MIT */
/*
 * The public functions: the server's socket and its daemon, which has threads of its own.
 *
 * The following are limited: connections and the time that each has (connections.h); the bytes of a request's headers
 * and of its body; readers of events (readers.h); queries (queries.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/failure.h"
#include "base/known_options.h"
#include "fleet/fleet.h"
#include "objects/whole.h"
#include "serve/assets.h"
#include "serve/connections.h"
#include "serve/windows.h"
#include "serve/queries.h"
#include "serve/readers.h"
#include "serve/saving.h"
#include "session/so_far.h"

#define NR_THREADS 3u
#define CONNECTION_BYTES 32768u /* memory of a connection, which limits the size of headers */
#define SILENT_SECONDS 15u      /* a connection on which no bytes move is closed after this time */

static bool make_url(struct ct_serve *serve)
{
	const struct serve_address *address = &serve->address;
	bool is_literal_6 = strchr(address->name, ':') != NULL;

	return asprintf(&serve->url, "http://%s%s%s:%u/#token=%s", is_literal_6 ? "[" : "",
		       address->name, is_literal_6 ? "]" : "", address->port, serve->token) >= 0;
}

static enum ct_status start_daemon(struct ct_serve *serve, int listening, struct ct_error *reterr)
{
	unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
			 (serve->address.is_version_6 ? MHD_USE_IPv6 : 0);

	serve->daemon = mhd.start_daemon(flags, serve->address.port, NULL, NULL, serve_request,
		serve, MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_THREAD_POOL_SIZE, NR_THREADS,
		MHD_OPTION_CONNECTION_LIMIT, SERVE_SOCKETS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)CONNECTION_BYTES, MHD_OPTION_CONNECTION_TIMEOUT, SILENT_SECONDS,
		MHD_OPTION_NOTIFY_CONNECTION, serve_connections_notify, serve->connections,
		MHD_OPTION_NOTIFY_COMPLETED, serve_request_end, serve, MHD_OPTION_STRICT_FOR_CLIENT,
		1, MHD_OPTION_END);
	return serve->daemon ? CT_OK
			     : ct_fail(reterr, CT_ERR_SYSTEM, "starting the server's threads");
}

static int open_so_far(void *record)
{
	return so_far_open(record);
}

static enum ct_status open_judging(
	struct ct_serve *serve, const struct ct_serve_options *options, struct ct_error *reterr)
{
	struct judging_options judging = {
		.path = serve->record    ? NULL
			: *serve->opened ? serve->opened
					 : serve->path,
		.open = serve->record ? open_so_far : NULL,
		.context = serve->record,
		.thresholds = options->thresholds,
		.memory_bytes = options->memory_bytes,
	};

	return judging_open(&judging, &serve->judging, reterr);
}

static enum ct_status open_fleet(
	struct ct_serve *serve, const struct ct_serve_options *options, struct ct_error *reterr)
{
	const struct fleet_options known = {
		.place = options->fleet,
		.thresholds = options->thresholds,
		.memory_bytes = options->memory_bytes,
	};

	if (!serve_asset_find("/fleet.html"))
		return ct_fail(reterr, CT_ERR_UNSUPPORTED, "this build has no page of a fleet");
	serve->thresholds = options->thresholds;
	serve->memory_bytes = options->memory_bytes;
	serve->windows = serve_windows_new();
	return serve->windows ? fleet_open(&known, &serve->fleet, reterr) : ct_fail_memory(reterr);
}

static enum ct_status open_trace(
	struct ct_serve *serve, const struct ct_serve_options *options, struct ct_error *reterr)
{
	enum ct_status status = open_judging(serve, options, reterr);

	if (status == CT_OK)
		status = serve_readers_open(serve, &serve->readers, reterr);
	if (status == CT_OK)
		judging_tell(serve->judging, serve_readers_tell, serve->readers);
	return status;
}

static enum ct_status start(
	struct ct_serve *serve, const struct ct_serve_options *options, struct ct_error *reterr)
{
	enum ct_status status = serve_listen_read(options->listen, &serve->address, reterr);
	int listening;

	if (status)
		return status;
	if (!serve_access_make_token(serve->token))
		return ct_fail_errno(reterr, "making a token");
	listening = serve_listen_open(&serve->address, reterr);
	if (listening < 0)
		return CT_ERR_SYSTEM;
	serve->connections = serve_connections_new();
	serve->metrics = metrics_new();
	serve->queries = serve_queries_new();
	serve->savings = serve_savings_new();
	status = serve->connections && serve->metrics && serve->queries && serve->savings &&
				 make_url(serve)
			 ? CT_OK
			 : ct_fail_memory(reterr);
	if (status == CT_OK)
		status = (options->fleet ? open_fleet : open_trace)(serve, options, reterr);
	if (status == CT_OK)
		status = start_daemon(serve, listening, reterr);
	if (!serve->daemon)
		close(listening);
	return status;
}

/* A trace at an address is read once. The name that is shown has nothing of what follows '?'. */
static enum ct_status name_trace(struct ct_serve *serve, const char *path, struct ct_error *reterr)
{
	bool is_address = path && !serve->record && objects_is_address(path);
	enum ct_status status = CT_OK;

	if (!path)
		return CT_OK;
	serve->path = strndup(path, is_address ? strcspn(path, "?") : strlen(path));
	if (!serve->path)
		return ct_fail_memory(reterr);
	if (!is_address)
		return CT_OK;
	serve->fetched = objects_open_address(path, 0, &status, reterr);
	snprintf(serve->opened, sizeof(serve->opened), "/proc/self/fd/%d", serve->fetched);
	return status;
}

enum ct_status ct_serve_open(const struct ct_serve_options *options, struct ct_serve **ret_serve,
	struct ct_error *reterr)
{
	struct ct_serve *serve;
	struct ct_serve_options known;
	enum ct_status status = serve_load(reterr);

	if (status)
		return status;
	serve = calloc(1, sizeof(*serve));
	if (!serve)
		return ct_fail_memory(reterr);
	known_options(&known, sizeof(known), options);
	pthread_rwlock_init(&serve->recording, NULL);
	serve->record = known.record;
	serve->fetched = -1;
	status = name_trace(serve, known.path, reterr);
	if (status == CT_OK)
		status = start(serve, &known, reterr);
	if (status) {
		ct_serve_close(serve);
		return status;
	}
	*ret_serve = serve;
	return CT_OK;
}

enum ct_status ct_serve_check(const char *listen, struct ct_error *reterr)
{
	struct serve_address address;

	return serve_listen_read(listen, &address, reterr);
}

const char *ct_serve_url(const struct ct_serve *serve)
{
	return serve->url;
}

bool ct_serve_has_moved(const struct ct_serve *serve)
{
	return serve->address.has_moved;
}

bool ct_serve_is_open_to_others(const struct ct_serve *serve)
{
	return serve->address.is_open_to_others;
}

bool serve_now(struct ct_serve *serve, struct ct_record_now *ret_now)
{
	bool has_now;

	pthread_rwlock_rdlock(&serve->recording);
	has_now = serve->record || serve->has_recorded;
	if (serve->record)
		ct_record_now(serve->record, ret_now);
	else
		*ret_now = serve->last;
	pthread_rwlock_unlock(&serve->recording);
	return has_now;
}

void ct_serve_let_go(struct ct_serve *serve)
{
	if (!serve)
		return;
	judging_let_go(serve->judging);
	pthread_rwlock_wrlock(&serve->recording);
	if (serve->record) {
		ct_record_now(serve->record, &serve->last);
		serve->last.has_ended = true;
		serve->last.is_open = false;
		serve->last.age_ns = 0;
		serve->has_recorded = true;
	}
	serve->record = NULL;
	pthread_rwlock_unlock(&serve->recording);
}

enum ct_status ct_serve_turn_to(struct ct_serve *serve, const char *path, struct ct_error *reterr)
{
	return judging_turn_to(serve->judging, path, reterr);
}

void ct_serve_close(struct ct_serve *serve)
{
	if (!serve)
		return;
	if (serve->readers)
		serve_readers_end(serve->readers);
	serve_queries_end(serve->queries);
	serve_savings_end(serve->savings);
	if (serve->daemon)
		mhd.stop_daemon(serve->daemon);
	judging_close(serve->judging); /* its thread tells the readers */
	serve_readers_close(serve->readers);
	serve_windows_free(serve->windows);
	fleet_close(serve->fleet);
	serve_queries_free(serve->queries);
	serve_savings_free(serve->savings);
	serve_connections_free(serve->connections);
	metrics_free(serve->metrics);
	pthread_rwlock_destroy(&serve->recording);
	if (serve->fetched >= 0)
		close(serve->fetched);
	free(serve->path);
	free(serve->url);
	free(serve);
}
