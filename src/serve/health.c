/* SPDX-License-Identifier: MIT */
/*
 * A request is refused by its Host header as one of the page is; it may only read. The port that was asked for is the
 * one that is used, because whoever watches knows no other.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/access.h"
#include "serve/health.h"
#include "serve/listen.h"
#include "serve/mhd.h"

#define CONNECTIONS_MOST 32u
#define CONNECTION_BYTES 8192u
#define SILENT_SECONDS 10u
#define PLAIN "text/plain; charset=utf-8"
#define METRICS "text/plain; version=0.0.4; charset=utf-8"

struct serve_health {
	struct serve_health_options options;
	struct serve_address address;
	struct MHD_Daemon *daemon;
	char *url;
};

static enum MHD_Result reply(
	struct MHD_Connection *connection, unsigned code, const char *type, struct text *text)
{
	struct MHD_Response *response = mhd.create_response_from_buffer(
		text->length, (void *)(uintptr_t)text_peek(text), MHD_RESPMEM_MUST_COPY);
	enum MHD_Result result = MHD_NO;

	if (response) {
		mhd.add_response_header(response, "Content-Type", type);
		mhd.add_response_header(response, "X-Content-Type-Options", "nosniff");
		mhd.add_response_header(response, "Cache-Control", "no-store");
		result = mhd.queue_response(connection, code, response);
		mhd.destroy_response(response);
	}
	text_fini(text);
	return result;
}

static enum MHD_Result refuse(
	struct MHD_Connection *connection, unsigned code, const char *sentence)
{
	struct text text = {0};

	text_format(&text, "%s\n", sentence);
	return reply(connection, code, PLAIN, &text);
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *path,
	const char *method, const char *version, const char *bytes, size_t *nr_bytes,
	void **request)
{
	const char *host = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
	struct serve_health *health = context;
	struct text text = {0};
	bool is_well = true;

	(void)version, (void)bytes, (void)request;
	*nr_bytes = 0;
	if (!host || !serve_access_host(host, health->address.name))
		return refuse(connection, MHD_HTTP_FORBIDDEN, "another machine's name led here");
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "this can only be read");
	if (strcmp(path, "/healthz") == 0) {
		is_well = health->options.write_health(health->options.context, &text);
		return reply(connection, is_well ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE,
			PLAIN, &text);
	}
	if (strcmp(path, "/metrics") != 0)
		return refuse(connection, MHD_HTTP_NOT_FOUND, "there are /healthz and /metrics");
	health->options.write_metrics(health->options.context, &text);
	return reply(connection, MHD_HTTP_OK, METRICS, &text);
}

static enum ct_status start(struct serve_health *health, struct ct_error *reterr)
{
	struct serve_address *address = &health->address;
	enum ct_status status = serve_listen_read(health->options.listen, address, reterr);
	int listening;

	if (status)
		return status;
	address->is_default_port = false;
	listening = serve_listen_open(address, reterr);
	if (listening < 0)
		return CT_ERR_SYSTEM;
	if (asprintf(&health->url, "http://%s%s%s:%u", strchr(address->name, ':') ? "[" : "",
		    address->name, strchr(address->name, ':') ? "]" : "", address->port) < 0)
		health->url = NULL;
	health->daemon = mhd.start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD | (address->is_version_6 ? MHD_USE_IPv6 : 0),
		address->port, NULL, NULL, answer, health, MHD_OPTION_LISTEN_SOCKET, listening,
		MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MOST, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)CONNECTION_BYTES, MHD_OPTION_CONNECTION_TIMEOUT, SILENT_SECONDS,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
	if (health->daemon && health->url)
		return CT_OK;
	if (!health->daemon)
		close(listening);
	return ct_fail(reterr, CT_ERR_SYSTEM, "starting the server's thread");
}

enum ct_status serve_health_open(const struct serve_health_options *options,
	struct serve_health **ret_health, struct ct_error *reterr)
{
	enum ct_status status = serve_load(reterr);
	struct serve_health *health;

	if (status)
		return status;
	health = calloc(1, sizeof(*health));
	if (!health)
		return ct_fail_memory(reterr);
	health->options = *options;
	status = start(health, reterr);
	if (status)
		serve_health_close(health);
	else
		*ret_health = health;
	return status;
}

const char *serve_health_url(const struct serve_health *health)
{
	return health->url;
}

void serve_health_close(struct serve_health *health)
{
	if (!health)
		return;
	if (health->daemon)
		mhd.stop_daemon(health->daemon);
	free(health->url);
	free(health);
}
