/* SPDX-License-Identifier: MIT */
/*
 * One thread makes the messages; the daemon's threads send them.
 *
 * A message is a text with an increasing number, under the lock. A reader that has sent its last message copies the
 * newest message that it does not have yet. If there is none, the reader is suspended until the messages' thread has
 * made one and resumes it.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/failure.h"
#include "base/thread.h"
#include "serve/api.h"
#include "serve/connections.h"
#include "serve/readers.h"
#include "serve/reply.h"

#define TICK_NS 250000000L
#define SECOND_NS 1000000000L
#define FAREWELL_NS SECOND_NS /* the time in which readers are sent the end */
/*
 * If a trace does not change, its state is still sent once in this many ticks, because only sending shows that a reader
 * is gone.
 */
#define QUIET_TICKS 4u
#define PIECE_BYTES 16384

enum message {
	MESSAGE_STATE,
	MESSAGE_FINDINGS,
	NR_MESSAGES,
};

struct reader {
	struct reader *next;
	struct serve_readers *readers;
	struct MHD_Connection *connection;
	uint64_t seen[NR_MESSAGES];
	struct text sending;
	size_t nr_sent;
	bool is_suspended;
	bool was_told_the_end;
};

struct serve_readers {
	struct ct_serve *serve;
	pthread_t thread;
	pthread_mutex_t lock;   /* protects all members below */
	pthread_cond_t changed; /* signals a change of the next three members */
	bool has_ended;
	bool has_news; /* a judgement that readers do not know */
	struct reader *first;
	uint32_t nr_readers;
	struct text messages[NR_MESSAGES];
	uint64_t numbers[NR_MESSAGES];
	uint64_t generation; /* of the findings that were sent last */
	uint32_t nr_ticks;
};

/* ---------------------------------------------------------------- messages */

static void begin_message(struct text *text, struct json *json, const char *name)
{
	text_clear(text);
	text_format(text, "event: %s\ndata: ", name);
	json_init(json, text, false);
}

static void end_message(struct serve_readers *readers, enum message message)
{
	text_add(&readers->messages[message], "\n\n");
	readers->numbers[message]++;
}

static void make_state(struct serve_readers *readers)
{
	struct json json;

	begin_message(&readers->messages[MESSAGE_STATE], &json, "state");
	serve_api_tell_state(&json, readers->serve);
	end_message(readers, MESSAGE_STATE);
}

/* Returns whether there is a newer judgement than the readers know. */
static bool make_findings(struct serve_readers *readers)
{
	const struct judged *judged = judging_borrow(readers->serve->judging);
	struct json json;
	bool is_newer;

	if (!judged)
		return false;
	is_newer = judged->generation != readers->generation;
	if (is_newer) {
		readers->generation = judged->generation;
		begin_message(&readers->messages[MESSAGE_FINDINGS], &json, "findings");
		serve_api_tell_findings(&json, judged);
		end_message(readers, MESSAGE_FINDINGS);
	}
	judging_return(readers->serve->judging, judged);
	return is_newer;
}

static void wake_readers(struct serve_readers *readers)
{
	struct reader *reader;

	for (reader = readers->first; reader; reader = reader->next) {
		if (reader->is_suspended)
			mhd.resume_connection(reader->connection);
		reader->is_suspended = false;
	}
}

/* Asking for the recording's state keeps the trace judged, whether or not there are readers. */
static void keep_fresh(struct ct_serve *serve)
{
	struct ct_record_now now;

	serve_now(serve, &now);
}

static void tick(struct serve_readers *readers)
{
	serve_connections_close_slow(readers->serve->connections, clock_monotonic_ns());
	keep_fresh(readers->serve);
	if (!readers->first)
		return;
	/* The state has the number of the judgement, for which a page waits. */
	if (make_findings(readers) || readers->nr_ticks++ % QUIET_TICKS == 0 ||
		readers->serve->record)
		make_state(readers);
	wake_readers(readers);
}

static struct timespec due_in(long ns)
{
	struct timespec due;

	clock_gettime(CLOCK_MONOTONIC, &due);
	ns += due.tv_nsec;
	due.tv_sec += ns / SECOND_NS;
	due.tv_nsec = ns % SECOND_NS;
	return due;
}

static void *tell(void *argument)
{
	struct serve_readers *readers = argument;
	struct timespec due;

	pthread_mutex_lock(&readers->lock);
	while (!readers->has_ended) {
		due = due_in(TICK_NS);
		while (!readers->has_ended && !readers->has_news &&
			pthread_cond_timedwait(&readers->changed, &readers->lock, &due) == 0)
			;
		readers->has_news = false;
		if (!readers->has_ended)
			tick(readers);
	}
	wake_readers(readers);
	/* A reader that no longer reads is not waited for. */
	due = due_in(FAREWELL_NS);
	while (readers->first &&
		pthread_cond_timedwait(&readers->changed, &readers->lock, &due) == 0)
		;
	pthread_mutex_unlock(&readers->lock);
	return NULL;
}

/* ---------------------------------------------------------------- readers */

/* Takes the next text for a reader; false: there is none at present. */
static bool take_message(struct reader *reader)
{
	struct serve_readers *readers = reader->readers;
	unsigned i;

	text_clear(&reader->sending);
	reader->nr_sent = 0;
	if (readers->has_ended) {
		text_add(&reader->sending, "event: end\ndata: {}\n\n");
		reader->was_told_the_end = true;
		return true;
	}
	for (i = 0; i < NR_MESSAGES; i++) {
		if (reader->seen[i] == readers->numbers[i])
			continue;
		reader->seen[i] = readers->numbers[i];
		text_append(&reader->sending, text_peek(&readers->messages[i]),
			readers->messages[i].length);
	}
	return reader->sending.length > 0;
}

static ssize_t read_pieces(void *context, uint64_t position, char *buffer, size_t nr_bytes)
{
	struct reader *reader = context;
	struct serve_readers *readers = reader->readers;
	size_t left = reader->sending.length - reader->nr_sent;

	(void)position;
	if (!left) {
		if (reader->was_told_the_end)
			return MHD_CONTENT_READER_END_OF_STREAM;
		pthread_mutex_lock(&readers->lock);
		if (!take_message(reader)) {
			reader->is_suspended = true;
			mhd.suspend_connection(reader->connection);
		}
		pthread_mutex_unlock(&readers->lock);
		left = reader->sending.length;
	}
	if (reader->sending.is_broken)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (left > nr_bytes)
		left = nr_bytes;
	memcpy(buffer, text_peek(&reader->sending) + reader->nr_sent, left);
	reader->nr_sent += left;
	return (ssize_t)left;
}

static void end_reader(void *context)
{
	struct reader *reader = context, **at;
	struct serve_readers *readers = reader->readers;

	pthread_mutex_lock(&readers->lock);
	for (at = &readers->first; *at; at = &(*at)->next) {
		if (*at != reader)
			continue;
		*at = reader->next;
		readers->nr_readers--;
		break;
	}
	pthread_cond_signal(&readers->changed);
	pthread_mutex_unlock(&readers->lock);
	text_fini(&reader->sending);
	free(reader);
}

/* False: there are too many readers. The first reader gets its messages at once. */
static bool add_reader(struct serve_readers *readers, struct reader *reader)
{
	bool has_room;

	pthread_mutex_lock(&readers->lock);
	has_room = readers->nr_readers < SERVE_READERS_MAX && !readers->has_ended;
	if (has_room) {
		reader->next = readers->first;
		readers->first = reader;
		readers->nr_readers++;
		make_state(readers);
		make_findings(readers);
	}
	pthread_mutex_unlock(&readers->lock);
	return has_room;
}

enum MHD_Result serve_readers_reply(struct serve_readers *readers, struct serve_call *call)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	struct MHD_Response *response;

	if (!reader)
		return MHD_NO;
	reader->readers = readers;
	reader->connection = call->connection;
	if (!add_reader(readers, reader)) {
		free(reader);
		return serve_reply_error(call, MHD_HTTP_SERVICE_UNAVAILABLE,
			"at most %u pages receive events at a time", SERVE_READERS_MAX);
	}
	response = mhd.create_response_from_callback(
		MHD_SIZE_UNKNOWN, PIECE_BYTES, read_pieces, reader, end_reader);
	if (!response) {
		end_reader(reader);
		return MHD_NO;
	}
	serve_connections_note_events(call->connection);
	return serve_reply_response(call, MHD_HTTP_OK, "text/event-stream", response);
}

/* ---------------------------------------------------------------- functions for other files */

static void free_readers(struct serve_readers *readers)
{
	unsigned i;

	for (i = 0; i < NR_MESSAGES; i++)
		text_fini(&readers->messages[i]);
	pthread_cond_destroy(&readers->changed);
	pthread_mutex_destroy(&readers->lock);
	free(readers);
}

enum ct_status serve_readers_open(
	struct ct_serve *serve, struct serve_readers **ret_readers, struct ct_error *reterr)
{
	struct serve_readers *readers = calloc(1, sizeof(*readers));
	pthread_condattr_t monotonic;
	int trouble;

	if (!readers)
		return ct_fail_memory(reterr);
	readers->serve = serve;
	pthread_mutex_init(&readers->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&readers->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	trouble = thread_start(&readers->thread, tell, readers);
	if (trouble) {
		free_readers(readers);
		return ct_fail(reterr, CT_ERR_SYSTEM, "starting a thread: %s", strerror(trouble));
	}
	*ret_readers = readers;
	return CT_OK;
}

void serve_readers_tell(void *context)
{
	struct serve_readers *readers = context;

	pthread_mutex_lock(&readers->lock);
	readers->has_news = true;
	pthread_cond_signal(&readers->changed);
	pthread_mutex_unlock(&readers->lock);
}

void serve_readers_end(struct serve_readers *readers)
{
	pthread_mutex_lock(&readers->lock);
	readers->has_ended = true;
	pthread_cond_signal(&readers->changed);
	pthread_mutex_unlock(&readers->lock);
	pthread_join(readers->thread, NULL);
}

void serve_readers_close(struct serve_readers *readers)
{
	if (readers)
		free_readers(readers);
}
