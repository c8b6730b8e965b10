/* SPDX-License-Identifier: MIT */
/*
 * Batches of events in a circle: the thread fills the batch after the last full one; the caller reads the first full
 * batch and gives it back when it asks for more. Each batch belongs to one side at any time. The lock, taken once a
 * batch, protects only the number of full batches.
 *
 * Waking the other side costs more than a short wait. So the thread wakes a waiting caller only once two batches are
 * full, or nothing follows; and the caller wakes a thread that found no room only once half of the batches are empty.
 */
#include <sched.h>
#include <stdlib.h>

#include "stages/ahead.h"
#include "stages/arrange.h"
#include "base/failure.h"
#include "base/thread.h"

#define NR_BATCHES 4u
#define BATCH_EVENTS ARRANGE_ROOM_EVENTS

struct batch {
	struct ct_event room[BATCH_EVENTS];
	struct ct_events events;
	enum ct_status status; /* other than CT_OK: there are no events, and none follow */
	struct ct_error error;
};

struct ahead {
	struct ct_source source; /* must be the first member */
	struct ct_source *inner;
	struct batch *batches; /* NR_BATCHES batches */
	pthread_t thread;
	bool has_thread;
	bool is_direct; /* reading has begun, without a thread */

	struct batch *batch; /* the caller's batch; NULL: none yet */
	size_t nr_lent;      /* events of that batch handed out so far */

	pthread_mutex_t lock;
	pthread_cond_t came; /* a batch was filled */
	pthread_cond_t left; /* batches were given back, or the thread is to end */
	unsigned nr_full;    /* full batches, including the caller's */
	bool is_stopped;
};

/* ---------------------------------------------------------------- the thread */

static void fill(struct ahead *ahead, struct batch *batch)
{
	batch->status =
		source_fill(ahead->inner, batch->room, BATCH_EVENTS, &batch->events, &batch->error);
}

/* Waits for an empty batch. Returns false if the thread is to end. */
static bool wait_for_room(struct ahead *ahead)
{
	bool is_stopped;

	pthread_mutex_lock(&ahead->lock);
	while (ahead->nr_full == NR_BATCHES && !ahead->is_stopped)
		pthread_cond_wait(&ahead->left, &ahead->lock);
	is_stopped = ahead->is_stopped;
	pthread_mutex_unlock(&ahead->lock);
	return !is_stopped;
}

static void hand_over(struct ahead *ahead, bool is_last)
{
	pthread_mutex_lock(&ahead->lock);
	ahead->nr_full++;
	if (ahead->nr_full > 1 || is_last)
		pthread_cond_signal(&ahead->came);
	pthread_mutex_unlock(&ahead->lock);
}

static void *read_on(void *context)
{
	struct ahead *ahead = context;
	bool is_last = false;
	unsigned i;

	for (i = 0; !is_last && wait_for_room(ahead); i++) {
		struct batch *batch = &ahead->batches[i % NR_BATCHES];

		fill(ahead, batch);
		is_last = batch->status != CT_OK;
		hand_over(ahead, is_last);
	}
	return NULL;
}

static bool has_another_processor(void)
{
	cpu_set_t set;

	/* If the call fails there are more processors than the set can hold, so more than one. */
	return sched_getaffinity(0, sizeof(set), &set) || CPU_COUNT(&set) > 1;
}

static void start(struct ahead *ahead)
{
	ahead->nr_full = 0;
	ahead->is_stopped = false;
	ahead->has_thread =
		has_another_processor() && thread_start(&ahead->thread, read_on, ahead) == 0;
	ahead->is_direct = !ahead->has_thread;
}

static void stop(struct ahead *ahead)
{
	if (ahead->has_thread) {
		pthread_mutex_lock(&ahead->lock);
		ahead->is_stopped = true;
		pthread_cond_signal(&ahead->left);
		pthread_mutex_unlock(&ahead->lock);
		pthread_join(ahead->thread, NULL);
	}
	ahead->has_thread = ahead->is_direct = false;
	ahead->batch = NULL;
}

/* ---------------------------------------------------------------- the caller */

static void give_back(struct ahead *ahead)
{
	pthread_mutex_lock(&ahead->lock);
	ahead->nr_full--;
	if (ahead->nr_full == NR_BATCHES / 2)
		pthread_cond_signal(&ahead->left);
	pthread_mutex_unlock(&ahead->lock);
}

static void wait_for_batch(struct ahead *ahead)
{
	pthread_mutex_lock(&ahead->lock);
	while (ahead->nr_full == 0)
		pthread_cond_wait(&ahead->came, &ahead->lock);
	pthread_mutex_unlock(&ahead->lock);
}

static void move_on(struct ahead *ahead)
{
	unsigned next = ahead->batch ? (unsigned)(ahead->batch - ahead->batches + 1) : 0;

	ahead->nr_lent = 0;
	if (!ahead->has_thread && !ahead->is_direct)
		start(ahead);
	if (ahead->is_direct) {
		ahead->batch = &ahead->batches[next % NR_BATCHES];
		fill(ahead, ahead->batch);
	} else {
		if (ahead->batch)
			give_back(ahead);
		wait_for_batch(ahead);
		ahead->batch = &ahead->batches[next % NR_BATCHES];
	}
}

static enum ct_status ahead_next(
	struct ct_source *source, struct ct_events *events, struct ct_error *reterr)
{
	struct ahead *ahead = (struct ahead *)source;

	if (!ahead->batch ||
		(ahead->batch->status == CT_OK && ahead->nr_lent == ahead->batch->events.count))
		move_on(ahead);
	if (ahead->batch->status < 0 && reterr)
		*reterr = ahead->batch->error;
	if (ahead->batch->status == CT_OK)
		source_lend(&ahead->batch->events, &ahead->nr_lent, events);
	return ahead->batch->status;
}

static enum ct_status ahead_reset(struct ct_source *source, struct ct_error *reterr)
{
	struct ahead *ahead = (struct ahead *)source;

	stop(ahead);
	return source_reset(ahead->inner, reterr);
}

static void free_ahead(struct ahead *ahead)
{
	pthread_cond_destroy(&ahead->left);
	pthread_cond_destroy(&ahead->came);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead->batches);
	free(ahead);
}

static void ahead_close(struct ct_source *source)
{
	struct ahead *ahead = (struct ahead *)source;

	stop(ahead);
	source_close(ahead->inner);
	free_ahead(ahead);
}

static const struct ct_source_ops ahead_ops = {
	.next = ahead_next,
	.reset = ahead_reset,
	.close = ahead_close,
};

enum ct_status ahead_open(
	struct ct_source *inner, struct ct_source **ret_source, struct ct_error *reterr)
{
	struct ahead *ahead = calloc(1, sizeof(*ahead));

	if (!ahead)
		return ct_fail_memory(reterr);
	ahead->source = (struct ct_source){
		.ops = &ahead_ops, .tables = inner->tables, .order = inner->order};
	ahead->inner = inner;
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->came, NULL);
	pthread_cond_init(&ahead->left, NULL);
	/* The memory is not touched until events are read. */
	ahead->batches = malloc(NR_BATCHES * sizeof(*ahead->batches));
	if (!ahead->batches) {
		free_ahead(ahead);
		return ct_fail_memory(reterr);
	}
	*ret_source = &ahead->source;
	return CT_OK;
}
