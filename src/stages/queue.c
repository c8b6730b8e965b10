/* SPDX-License-Identifier: MIT */
/*
 * The queue: calls become messages in a block. A full block, or a block that someone waits for, goes to the queue's
 * thread, which turns the messages into the same calls on the next sink.
 *
 * A block is filled without a lock. Records stay in the open block until a definition comes that speaks of the events
 * before it (a heartbeat, an end), or a flush, so that a quiet recording does not wake the thread.
 */
#include <stdlib.h>
#include <string.h>

#include "stages/queue_blocks.h"
#include "stream/definition.h"
#include "stages/queue.h"
#include "base/thread.h"

enum message_type {
	MESSAGE_PUT = 1,
	MESSAGE_REFUSED, /* a put whose caller was told that the put failed */
	MESSAGE_DEFINE,
	MESSAGE_FLUSH,
	MESSAGE_CALL,
};

struct message {
	uint32_t type;     /* enum message_type */
	uint32_t nr_bytes; /* including this head; a multiple of 8 */
};

/* The records follow. */
struct put {
	struct message head;
	struct ct_batch batch;
};

/* The texts follow. */
struct define {
	struct message head;
	struct ct_definition definition;
};

struct call {
	struct message head;
	queue_function *function;
	void *context;
	uint64_t argument;
};

struct queue {
	struct ct_sink sink; /* must be the first member */
	struct ct_sink *next;
	struct blocks blocks;
	struct block *open; /* NULL: none */
	pthread_t thread;
	bool was_told; /* the failure was returned by a definition or the close */

	pthread_mutex_t lock; /* protects what follows */
	uint64_t nr_lost;
	struct ct_error trouble;
};

static struct queue *queue_of(struct ct_sink *sink)
{
	return (struct queue *)sink;
}

/* ---------------------------------------------------------------- the side that fills */

static void hand_over(struct queue *queue)
{
	if (queue->open)
		queue_blocks_hand_over(&queue->blocks, queue->open);
	queue->open = NULL;
}

static size_t room(const struct queue *queue)
{
	return queue->open ? BLOCK_BYTES - queue->open->nr_bytes : 0;
}

/* Makes room for a message of at most a block. */
static void *message_add(struct queue *queue, enum message_type type, size_t nr_bytes)
{
	struct message *message;

	nr_bytes = (nr_bytes + 7) / 8 * 8;
	if (room(queue) < nr_bytes) {
		hand_over(queue);
		queue->open = queue_blocks_take(&queue->blocks);
	}
	message = (struct message *)(void *)(queue->open->bytes + queue->open->nr_bytes);
	queue->open->nr_bytes += nr_bytes;
	*message = (struct message){(uint32_t)type, (uint32_t)nr_bytes};
	return message;
}

static enum ct_status failure(struct queue *queue, struct ct_error *reterr)
{
	enum ct_status status;

	pthread_mutex_lock(&queue->lock);
	status = queue->trouble.status;
	if (status && reterr)
		*reterr = queue->trouble;
	pthread_mutex_unlock(&queue->lock);
	queue->was_told |= status != CT_OK;
	return status;
}

/* Returns how many records a message can contain at present: in the rest of the open block, or in a new block. */
static size_t records_at_once(const struct queue *queue)
{
	size_t left = room(queue);

	if (left < sizeof(struct put) + sizeof(struct ctp_record))
		left = BLOCK_BYTES;
	return (left - sizeof(struct put)) / sizeof(struct ctp_record);
}

/*
 * The records may change while they are copied; after that there is one version of each, which no other thread writes.
 */
static enum ct_status queue_put(
	struct ct_sink *sink, const struct ct_batch *batch, struct ct_error *reterr)
{
	struct queue *queue = queue_of(sink);
	enum ct_status status = failure(queue, reterr);
	enum message_type type = status ? MESSAGE_REFUSED : MESSAGE_PUT;
	size_t next = 0;

	while (next < batch->nr_records) {
		size_t left = batch->nr_records - next, at_once = records_at_once(queue);
		size_t count = left < at_once ? left : at_once;
		size_t nr_bytes = count * sizeof(struct ctp_record);
		struct put *put = message_add(queue, type, sizeof(*put) + nr_bytes);
		struct ctp_record *records = (struct ctp_record *)(void *)(put + 1);

		put->batch = *batch;
		put->batch.records = records;
		put->batch.nr_records = count;
		put->batch.is_copy = true;
		memcpy(records, batch->records + next, nr_bytes);
		next += count;
	}
	return status;
}

static size_t texts_bytes(const char **texts[], size_t nr_texts)
{
	size_t i, nr_bytes = 0;

	for (i = 0; i < nr_texts; i++)
		nr_bytes += *texts[i] ? strlen(*texts[i]) + 1 : 0;
	return nr_bytes;
}

static void copy_definition(
	struct queue *queue, const struct ct_definition *definition, size_t nr_bytes_of_texts)
{
	struct define *define =
		message_add(queue, MESSAGE_DEFINE, sizeof(*define) + nr_bytes_of_texts);
	char *at = (char *)(define + 1);
	const char **texts[DEFINITION_TEXTS_MAX];
	size_t i, nr_texts;

	define->definition = *definition;
	nr_texts = definition_texts(&define->definition, texts);
	for (i = 0; i < nr_texts; i++) {
		size_t nr_bytes = texts_bytes(&texts[i], 1);

		if (nr_bytes == 0)
			continue;
		*texts[i] = memcpy(at, *texts[i], nr_bytes);
		at += nr_bytes;
	}
}

static void pass_on_definition(struct queue *queue, const struct ct_definition *definition);

static enum ct_status queue_define(
	struct ct_sink *sink, const struct ct_definition *definition, struct ct_error *reterr)
{
	struct queue *queue = queue_of(sink);
	struct ct_definition copy = *definition;
	const char **texts[DEFINITION_TEXTS_MAX];
	size_t nr_bytes = texts_bytes(texts, definition_texts(&copy, texts));

	if (sizeof(struct define) + nr_bytes <= BLOCK_BYTES) {
		copy_definition(queue, definition, nr_bytes);
	} else {
		queue_settle(queue);
		pass_on_definition(queue, definition);
	}
	/* Readers of the output wait for this definition. */
	if (definition_speaks_of_events(definition))
		hand_over(queue);
	return queue->was_told ? CT_OK : failure(queue, reterr);
}

static enum ct_status queue_flush(struct ct_sink *sink, struct ct_error *reterr)
{
	struct queue *queue = queue_of(sink);

	message_add(queue, MESSAGE_FLUSH, sizeof(struct message));
	hand_over(queue);
	return failure(queue, reterr);
}

void queue_call(struct queue *queue, queue_function *function, void *context, uint64_t argument)
{
	struct call *call = message_add(queue, MESSAGE_CALL, sizeof(*call));

	call->function = function;
	call->context = context;
	call->argument = argument;
	hand_over(queue);
}

void queue_settle(struct queue *queue)
{
	hand_over(queue);
	queue_blocks_settle(&queue->blocks);
}

void queue_state(struct queue *queue, struct queue_state *ret_state)
{
	*ret_state = (struct queue_state){0};
	pthread_mutex_lock(&queue->lock);
	ret_state->nr_lost = queue->nr_lost;
	ret_state->trouble = queue->trouble.status ? queue->trouble.text : NULL;
	pthread_mutex_unlock(&queue->lock);
	pthread_mutex_lock(&queue->blocks.lock);
	ret_state->nr_full = queue->blocks.nr_full;
	ret_state->most_bytes = (uint64_t)queue->blocks.nr_most * BLOCK_BYTES;
	pthread_mutex_unlock(&queue->blocks.lock);
}

/* ---------------------------------------------------------------- the side that empties */

static uint64_t count_events(const struct ct_batch *batch)
{
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < batch->nr_records; i++)
		count += CTP_TAIL_KIND(batch->records[i].tail) != CTP_KIND_LOST;
	return count;
}

static bool has_failed(struct queue *queue)
{
	return queue->trouble.status != CT_OK; /* only this thread sets it */
}

/* A status above zero is not a failure: a sink does not report flow. */
static void note_status(struct queue *queue, enum ct_status status, const struct ct_error *error)
{
	if (status >= 0 || has_failed(queue))
		return;
	pthread_mutex_lock(&queue->lock);
	queue->trouble = *error;
	queue->trouble.status = status;
	pthread_mutex_unlock(&queue->lock);
}

static void lose(struct queue *queue, const struct ct_batch *batch)
{
	uint64_t count = count_events(batch);

	pthread_mutex_lock(&queue->lock);
	queue->nr_lost += count;
	pthread_mutex_unlock(&queue->lock);
}

static void pass_on_batch(struct queue *queue, const struct ct_batch *batch)
{
	struct ct_error error = {0};
	enum ct_status status = sink_put(queue->next, batch, &error);

	note_status(queue, status, &error);
	if (status < 0)
		lose(queue, batch);
}

/* The events were counted before it was known what would be lost here. */
static void correct_end(const struct queue *queue, struct ct_define_end *end)
{
	uint64_t nr_lost = queue->nr_lost < end->nr_events ? queue->nr_lost : end->nr_events;

	end->nr_events -= nr_lost;
	end->nr_lost += nr_lost;
}

static void pass_on_definition(struct queue *queue, const struct ct_definition *definition)
{
	struct ct_definition changed = *definition;
	struct ct_error error = {0};

	if (definition->type == CT_DEFINE_END)
		correct_end(queue, &changed.end);
	note_status(queue, sink_define(queue->next, &changed, &error), &error);
}

static void pass_on_flush(struct queue *queue)
{
	struct ct_error error = {0};

	if (!has_failed(queue))
		note_status(queue, sink_flush(queue->next, &error), &error);
}

static void pass_on(struct queue *queue, const struct message *message)
{
	const void *whole = message;
	const struct call *call = whole;

	switch ((enum message_type)message->type) {
	case MESSAGE_PUT:
		pass_on_batch(queue, &((const struct put *)whole)->batch);
		return;
	case MESSAGE_REFUSED:
		sink_put(queue->next, &((const struct put *)whole)->batch, NULL);
		return;
	case MESSAGE_DEFINE:
		pass_on_definition(queue, &((const struct define *)whole)->definition);
		return;
	case MESSAGE_FLUSH:
		pass_on_flush(queue);
		return;
	case MESSAGE_CALL:
		call->function(call->context, call->argument);
		return;
	}
}

static void *empty_blocks(void *context)
{
	struct queue *queue = context;
	struct block *block;
	size_t at;

	while ((block = queue_blocks_next(&queue->blocks)) != NULL) {
		for (at = 0; at < block->nr_bytes;) {
			const struct message *message =
				(const struct message *)(const void *)(block->bytes + at);

			pass_on(queue, message);
			at += message->nr_bytes;
		}
		queue_blocks_give_back(&queue->blocks, block);
	}
	return NULL;
}

/* ---------------------------------------------------------------- the beginning and the end */

static void free_queue(struct queue *queue)
{
	pthread_mutex_destroy(&queue->lock);
	queue_blocks_fini(&queue->blocks);
	free(queue);
}

static enum ct_status queue_close(struct ct_sink *sink, bool is_wanted, struct ct_error *reterr)
{
	struct queue *queue = queue_of(sink);
	enum ct_status status, failed = CT_OK;

	hand_over(queue);
	queue_blocks_end(&queue->blocks);
	pthread_join(queue->thread, NULL);
	status = sink_close(queue->next, is_wanted, reterr);
	if (status == CT_OK && !queue->was_told)
		failed = failure(queue, reterr);
	free_queue(queue);
	return status ? status : failed;
}

enum ct_status queue_open(
	struct ct_sink *next, size_t nr_bytes, struct queue **ret_queue, struct ct_error *reterr)
{
	static const struct ct_sink_ops ops = {
		.put = queue_put,
		.define = queue_define,
		.flush = queue_flush,
		.close = queue_close,
	};
	struct queue *queue = calloc(1, sizeof(*queue));
	size_t nr_blocks = (nr_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
	int problem;

	if (!queue)
		return ct_fail_memory(reterr);
	if (!queue_blocks_init(&queue->blocks, nr_blocks < 2 ? 2 : (uint32_t)nr_blocks)) {
		free(queue);
		return ct_fail_memory(reterr);
	}
	queue->sink.ops = &ops;
	queue->next = next;
	pthread_mutex_init(&queue->lock, NULL);
	problem = thread_start(&queue->thread, empty_blocks, queue);
	if (problem) {
		free_queue(queue);
		return ct_fail(reterr, CT_ERR_SYSTEM, "starting the thread that writes: %s",
			strerror(problem));
	}
	*ret_queue = queue;
	return CT_OK;
}

struct ct_sink *queue_sink(struct queue *queue)
{
	return &queue->sink;
}
