/* SPDX-License-Identifier: MIT */
/*
 * The loop: one thread reads lines and keeps them in a queue, so that a cancellation is noticed while a call is being
 * answered; the caller's thread answers them in order.
 *
 * The two threads share `struct loop` under its lock. A cancelled request that still waits is removed from the queue. A
 * request that is being answered polls the pipe `cancel`, to which a byte is written; the pipe is emptied before the
 * next request. Both happen under the lock, so that no byte reaches a later call. If the queue is full, no more input
 * is read until the eventfd `room` signals that there is room; a signal that stops the server is still noticed.
 */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <sys/uio.h>
#include <unistd.h>

#include "mcp/json.h"
#include "mcp/server.h"

/* The most requests that wait; no client sends so many. Input behind them is not read, so it cannot cancel them. */
#define QUEUE_MOST 4096u
#define QUEUE_BYTES ((size_t)16 << 20)

struct queued {
	struct json_object *message; /* NULL: a line that could not be read */
	size_t nr_bytes;             /* of the line */
	STAILQ_ENTRY(queued) link;
};

struct loop {
	int input;
	int output;
	int stop_descriptor;
	int cancel[2];
	int done[2]; /* the answering thread closes it at its end */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	STAILQ_HEAD(, queued) queue;
	unsigned nr_queued;
	size_t queued_bytes;
	int room;                    /* readable when a message was taken */
	struct json_object *running; /* the id of the request that is being answered; NULL: none */
	bool has_ended;              /* the input has ended; waiting requests are still answered */
	bool is_stopped;             /* no further request shall be answered */
	int output_errno;            /* why output fails; 0: it does not */
	char *line;
	size_t nr_bytes;
	bool is_skipping; /* the rest of a line that is too long is being skipped */
};

/* ---------------------------------------------------------------- the reader's side */

static bool is_request(struct json_object *message, struct json_object *id)
{
	return message && id && json_object_equal(mcp_json_get(message, "id"), id);
}

/* The message is the caller's. */
static struct json_object *remove_queued(struct loop *loop, struct queued *queued)
{
	struct json_object *message = queued->message;

	STAILQ_REMOVE(&loop->queue, queued, queued, link);
	loop->nr_queued--;
	loop->queued_bytes -= queued->nr_bytes;
	free(queued);
	return message;
}

/* A request that was already answered is not found. */
static void cancel(struct loop *loop, struct json_object *id)
{
	struct queued *queued = STAILQ_FIRST(&loop->queue), *next;

	if (id && loop->running && json_object_equal(loop->running, id))
		(void)!write(loop->cancel[1], "", 1);
	for (; queued; queued = next) {
		next = STAILQ_NEXT(queued, link);
		if (is_request(queued->message, id))
			json_object_put(remove_queued(loop, queued));
	}
}

static bool is_cancellation(struct json_object *message)
{
	const char *method = mcp_json_text(message, "method");

	return method && strcmp(method, "notifications/cancelled") == 0;
}

static bool is_full(struct loop *loop)
{
	bool is_full;

	pthread_mutex_lock(&loop->lock);
	is_full = loop->nr_queued >= QUEUE_MOST || loop->queued_bytes >= QUEUE_BYTES;
	pthread_mutex_unlock(&loop->lock);
	return is_full;
}

/* If memory is out, the request is not answered. */
static void append(struct loop *loop, struct json_object *message, size_t nr_bytes)
{
	struct queued *queued = malloc(sizeof(*queued));

	if (!queued) {
		json_object_put(message);
		return;
	}
	*queued = (struct queued){.message = message, .nr_bytes = nr_bytes};
	STAILQ_INSERT_TAIL(&loop->queue, queued, link);
	loop->nr_queued++;
	loop->queued_bytes += nr_bytes;
}

/* Takes over the message. */
static void enqueue(struct loop *loop, struct json_object *message, size_t nr_bytes)
{
	pthread_mutex_lock(&loop->lock);
	if (is_cancellation(message)) {
		cancel(loop, mcp_json_get(mcp_json_get(message, "params"), "requestId"));
		json_object_put(message);
	} else {
		append(loop, message, nr_bytes);
	}
	pthread_cond_broadcast(&loop->changed);
	pthread_mutex_unlock(&loop->lock);
}

static void take_line(struct loop *loop, const char *line, size_t nr_bytes)
{
	struct json_object *message;

	if (nr_bytes && line[nr_bytes - 1] == '\r')
		nr_bytes--;
	if (!nr_bytes)
		return;
	mcp_json_read(line, nr_bytes, &message);
	enqueue(loop, message, nr_bytes);
}

/* Passes on complete lines while the queue has room; the bytes left are further lines, or the beginning of one. */
static void split(struct loop *loop)
{
	char *from = loop->line, *end = loop->line + loop->nr_bytes, *newline;

	while (!is_full(loop) && (newline = memchr(from, '\n', (size_t)(end - from)))) {
		if (!loop->is_skipping)
			take_line(loop, from, (size_t)(newline - from));
		loop->is_skipping = false;
		from = newline + 1;
	}
	loop->nr_bytes = (size_t)(end - from);
	memmove(loop->line, from, loop->nr_bytes);
	if (loop->nr_bytes < MCP_LINE_BYTES || memchr(loop->line, '\n', loop->nr_bytes))
		return;
	if (!loop->is_skipping)
		enqueue(loop, NULL, 0);
	loop->is_skipping = true;
	loop->nr_bytes = 0;
}

/* After the end or a failure of the input, it is not polled any more. */
static void read_some(struct loop *loop)
{
	ssize_t got =
		read(loop->input, loop->line + loop->nr_bytes, MCP_LINE_BYTES - loop->nr_bytes);

	if (got > 0) {
		loop->nr_bytes += (size_t)got;
		split(loop);
		return;
	}
	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (loop->nr_bytes && !loop->is_skipping)
		take_line(loop, loop->line, loop->nr_bytes);
	loop->input = -1;
	pthread_mutex_lock(&loop->lock);
	loop->has_ended = true;
	pthread_cond_broadcast(&loop->changed);
	pthread_mutex_unlock(&loop->lock);
}

/* The request that is being answered ends early; waiting requests are not answered. */
static void stop(struct loop *loop)
{
	pthread_mutex_lock(&loop->lock);
	loop->is_stopped = true;
	(void)!write(loop->cancel[1], "", 1);
	pthread_cond_broadcast(&loop->changed);
	pthread_mutex_unlock(&loop->lock);
}

/* Lines that were already read come first. */
static void go_on(struct loop *loop)
{
	uint64_t nr_taken;

	(void)!read(loop->room, &nr_taken, sizeof(nr_taken));
	split(loop);
}

/* Reads until the user stops the server, or the answering thread closes its end of `done`. */
static void *read_all(void *context)
{
	struct loop *loop = context;
	struct pollfd look[] = {
		{.fd = loop->input, .events = POLLIN},
		{.fd = loop->stop_descriptor > 0 ? loop->stop_descriptor : -1, .events = POLLIN},
		{.fd = loop->done[0], .events = POLLIN},
		{.fd = loop->room, .events = POLLIN},
	};

	while (!look[1].revents && !look[2].revents) {
		look[0].fd = is_full(loop) ? -1 : loop->input;
		if (poll(look, sizeof(look) / sizeof(look[0]), -1) <= 0) {
			look[1].revents = look[2].revents = 0;
			continue;
		}
		if (look[1].revents || look[2].revents)
			break;
		if (look[3].revents)
			go_on(loop);
		else if (look[0].revents)
			read_some(loop);
	}
	if (look[1].revents)
		stop(loop);
	return NULL;
}

/* ---------------------------------------------------------------- the answering side */

/* If the client has gone away, no further request is answered. */
static void put_line(void *context, const char *line, size_t nr_bytes)
{
	struct loop *loop = context;
	struct iovec parts[] = {
		{.iov_base = (void *)(uintptr_t)line, .iov_len = nr_bytes},
		{.iov_base = (void *)(uintptr_t) "\n", .iov_len = 1},
	};
	ssize_t put;
	size_t i = 0;

	while (i < 2 && !loop->output_errno) {
		put = writev(loop->output, parts + i, (int)(2 - i));
		if (put < 0 && errno != EINTR)
			loop->output_errno = errno;
		for (; put > 0 && i < 2 && (size_t)put >= parts[i].iov_len; i++)
			put -= (ssize_t)parts[i].iov_len;
		if (put > 0 && i < 2) {
			parts[i].iov_base = (char *)parts[i].iov_base + put;
			parts[i].iov_len -= (size_t)put;
		}
	}
}

/* The next message is the caller's; false: there is no further one. */
static bool take_message(struct loop *loop, struct json_object **ret_message)
{
	bool is_there;
	char byte;

	pthread_mutex_lock(&loop->lock);
	while (!loop->nr_queued && !loop->has_ended && !loop->is_stopped)
		pthread_cond_wait(&loop->changed, &loop->lock);
	is_there = loop->nr_queued && !loop->is_stopped;
	if (is_there) {
		*ret_message = remove_queued(loop, STAILQ_FIRST(&loop->queue));
		loop->running = mcp_json_get(*ret_message, "id");
		while (read(loop->cancel[0], &byte, 1) == 1)
			;
	}
	pthread_mutex_unlock(&loop->lock);
	if (is_there)
		(void)!write(loop->room, &(uint64_t){1}, sizeof(uint64_t));
	return is_there;
}

static void end_message(struct loop *loop, struct json_object *message)
{
	pthread_mutex_lock(&loop->lock);
	loop->running = NULL;
	pthread_mutex_unlock(&loop->lock);
	json_object_put(message);
}

static void answer_all(struct loop *loop, struct mcp_server *server)
{
	struct json_object *message;

	while (!loop->output_errno && take_message(loop, &message)) {
		mcp_server_take(server, message);
		end_message(loop, message);
	}
}

/* ---------------------------------------------------------------- the whole loop */

static enum ct_status fail(struct ct_error *reterr, int number, const char *what)
{
	*reterr = (struct ct_error){
		.status = CT_ERR_SYSTEM, .system_errno = number, .offset = CT_NO_OFFSET};
	snprintf(reterr->text, sizeof(reterr->text), "%s: %s", what, strerror(number));
	return CT_ERR_SYSTEM;
}

/*
 * A program that is started must neither read requests nor write between answers: it gets no input, and its output goes
 * to standard error.
 */
static bool keep_apart(struct loop *loop, const struct mcp_options *options)
{
	int nothing;

	loop->input = fcntl(options->input, F_DUPFD_CLOEXEC, 3);
	loop->output = fcntl(options->output, F_DUPFD_CLOEXEC, 3);
	if (loop->input < 0 || loop->output < 0)
		return false;
	if (!options->allows_run)
		return true;
	nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (nothing < 0)
		return false;
	dup2(nothing, STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	close(nothing);
	return true;
}

static bool loop_init(struct loop *loop, const struct mcp_options *options)
{
	*loop = (struct loop){
		.input = -1,
		.output = -1,
		.stop_descriptor = options->stop_descriptor,
		.cancel = {-1, -1},
		.done = {-1, -1},
		.room = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER,
	};
	STAILQ_INIT(&loop->queue);
	loop->line = malloc(MCP_LINE_BYTES);
	return loop->line && loop->room >= 0 && pipe2(loop->cancel, O_CLOEXEC | O_NONBLOCK) == 0 &&
	       pipe2(loop->done, O_CLOEXEC) == 0 && keep_apart(loop, options);
}

static void close_if_open(int descriptor)
{
	if (descriptor >= 0)
		close(descriptor);
}

static void loop_fini(struct loop *loop)
{
	while (!STAILQ_EMPTY(&loop->queue))
		json_object_put(remove_queued(loop, STAILQ_FIRST(&loop->queue)));
	close_if_open(loop->room);
	close_if_open(loop->cancel[0]);
	close_if_open(loop->cancel[1]);
	close_if_open(loop->done[0]);
	close_if_open(loop->done[1]);
	close_if_open(loop->output);
	free(loop->line);
}

/* The reader must end before the data that it shares is freed. */
static enum ct_status perform(struct loop *loop, struct mcp_server *server, struct ct_error *reterr)
{
	pthread_t reader;
	int input = loop->input, failed;

	server->cancel_descriptor = loop->cancel[0];
	server->put = put_line;
	server->context = loop;
	failed = pthread_create(&reader, NULL, read_all, loop);
	if (failed)
		return fail(reterr, failed, "cannot start a thread");
	answer_all(loop, server);
	pthread_mutex_lock(&loop->lock);
	loop->is_stopped = true;
	pthread_cond_broadcast(&loop->changed);
	pthread_mutex_unlock(&loop->lock);
	close(loop->done[1]);
	loop->done[1] = -1;
	pthread_join(reader, NULL);
	close(input);
	if (loop->output_errno && loop->output_errno != EPIPE)
		return fail(reterr, loop->output_errno, "writing to standard output");
	return CT_OK;
}

enum ct_status mcp_serve(const struct mcp_options *options, struct ct_error *reterr)
{
	struct mcp_server server;
	struct loop loop;
	enum ct_status status;

	if (!mcp_server_init(&server, options->root)) {
		status = fail(reterr, errno, options->root ? options->root : "the working folder");
		mcp_server_fini(&server);
		return status;
	}
	server.allows_run = options->allows_run;
	if (loop_init(&loop, options))
		status = perform(&loop, &server, reterr);
	else
		status = fail(reterr, errno, "preparing for requests");
	loop_fini(&loop);
	mcp_server_fini(&server);
	return status;
}
