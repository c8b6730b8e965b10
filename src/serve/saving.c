/* SPDX-License-Identifier: MIT */
/*
 * The connection is suspended before its thread begins; the thread's last action is to resume the connection, and
 * libmicrohttpd then calls the handler again.
 */
#include "serve/saving.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/failure.h"
#include "base/scratch.h"
#include "serve/api.h"
#include "serve/single.h"
#include "serve/reply.h"

struct serve_saving {
	struct serve_savings *all;
	struct serve_call *call;
	int trace; /* -1: closed */
	int page;  /* -1: not made, or handed on */
	bool is_begun;
	enum ct_status status;
	struct ct_error error;
	pthread_t thread;
};

struct serve_savings {
	pthread_mutex_t lock; /* protects all members below except is_stopped */
	pthread_cond_t has_ended;
	struct serve_saving *running;
	bool is_over;
	atomic_bool is_stopped;
};

struct serve_savings *serve_savings_new(void)
{
	struct serve_savings *savings = calloc(1, sizeof(*savings));

	if (!savings)
		return NULL;
	pthread_mutex_init(&savings->lock, NULL);
	pthread_cond_init(&savings->has_ended, NULL);
	return savings;
}

void serve_savings_free(struct serve_savings *savings)
{
	if (!savings)
		return;
	pthread_mutex_destroy(&savings->lock);
	pthread_cond_destroy(&savings->has_ended);
	free(savings);
}

void serve_savings_end(struct serve_savings *savings)
{
	if (!savings)
		return;
	atomic_store(&savings->is_stopped, true);
	pthread_mutex_lock(&savings->lock);
	savings->is_over = true;
	while (savings->running)
		pthread_cond_wait(&savings->has_ended, &savings->lock);
	pthread_mutex_unlock(&savings->lock);
}

/* False: another page is in the making, or the server is ending. */
static bool enter(struct serve_savings *savings, struct serve_saving *saving)
{
	bool is_entered;

	pthread_mutex_lock(&savings->lock);
	is_entered = !savings->running && !savings->is_over;
	if (is_entered)
		savings->running = saving;
	pthread_mutex_unlock(&savings->lock);
	return is_entered;
}

/* The connection is resumed under the lock, so that a thread that waits for the end finds it resumed. */
static void leave(struct serve_saving *saving)
{
	struct serve_savings *savings = saving->all;

	pthread_mutex_lock(&savings->lock);
	savings->running = NULL;
	mhd.resume_connection(saving->call->connection);
	pthread_cond_broadcast(&savings->has_ended);
	pthread_mutex_unlock(&savings->lock);
}

/* ---------------------------------------------------------------- one page */

/* The page's file for commands, and the name under which the browser saves the page. */
static const char *name_of(const struct serve_call *call)
{
	const char *path = call->serve->path, *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static enum ct_status write_page(struct serve_saving *saving, struct ct_trace *trace)
{
	struct scratch scratch;
	enum ct_status status = scratch_open(&scratch, "/var/tmp", "saved.html", &saving->error);

	if (status)
		return status;
	status = serve_page_write(trace, name_of(saving->call), scratch.path,
		&saving->all->is_stopped, &saving->error);
	if (status == CT_OK) {
		saving->page = open(scratch.path, O_RDONLY | O_CLOEXEC);
		if (saving->page < 0)
			status = ct_fail_errno(&saving->error, "reading the page");
	}
	scratch_close(&scratch);
	return status;
}

static void *run(void *context)
{
	struct serve_saving *saving = context;
	struct ct_open_options options = {.size = sizeof(options)};
	struct ct_trace *trace;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", saving->trace);
	saving->status = ct_trace_open(path, &options, &trace, &saving->error);
	if (saving->status == CT_OK) {
		saving->status = write_page(saving, trace);
		ct_trace_close(trace);
	}
	leave(saving);
	return NULL;
}

static void begin(struct serve_saving *saving)
{
	mhd.suspend_connection(saving->call->connection);
	saving->is_begun = pthread_create(&saving->thread, NULL, run, saving) == 0;
	if (saving->is_begun)
		return;
	saving->status = ct_fail(&saving->error, CT_ERR_SYSTEM, "there is no thread for a page");
	leave(saving);
}

void serve_saving_free(struct serve_saving *saving)
{
	if (!saving)
		return;
	if (saving->is_begun)
		pthread_join(saving->thread, NULL);
	if (saving->trace >= 0)
		close(saving->trace);
	if (saving->page >= 0)
		close(saving->page);
	free(saving);
}

/* ---------------------------------------------------------------- requests */

/* "orders.ctrace" becomes "orders.html". */
static void name_page(struct MHD_Response *response, const struct serve_call *call)
{
	const char *name = name_of(call), *dot = name ? strrchr(name, '.') : NULL;
	char saved[256];

	snprintf(saved, sizeof(saved), "%.*s.html",
		(int)(!name                 ? 0
			: dot && dot > name ? dot - name
					    : (ptrdiff_t)strlen(name)),
		name ? name : "");
	serve_api_name_download(response, saved, "corotracer.html");
}

static enum MHD_Result reply(struct serve_call *call, struct serve_saving *saving)
{
	struct MHD_Response *response;
	struct stat status;

	if (saving->status)
		return serve_reply_failure(call, &saving->error);
	if (fstat(saving->page, &status))
		return MHD_NO;
	response = mhd.create_response_from_fd64((uint64_t)status.st_size, saving->page);
	if (!response)
		return MHD_NO;
	saving->page = -1;
	name_page(response, call);
	return serve_reply_response(call, MHD_HTTP_OK, "text/html; charset=utf-8", response);
}

enum MHD_Result serve_savings_reply(struct serve_savings *savings, struct serve_call *call)
{
	struct serve_saving *saving = call->saving;

	if (saving)
		return reply(call, saving);
	saving = calloc(1, sizeof(*saving));
	if (!saving)
		return MHD_NO;
	*saving = (struct serve_saving){.all = savings,
		.call = call,
		.page = -1,
		.trace = serve_api_open_trace(call->serve)};
	call->saving = saving;
	if (saving->trace < 0)
		return serve_reply_error(
			call, MHD_HTTP_NOT_FOUND, "there is no trace in a file to make a page of");
	if (!enter(savings, saving))
		return serve_reply_error(call, MHD_HTTP_SERVICE_UNAVAILABLE,
			"another page is being made; ask again when it is done");
	begin(saving);
	return MHD_YES;
}
