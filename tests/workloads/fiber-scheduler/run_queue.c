/* SPDX-License-Identifier: MIT */
/* Queues of ready fibers: a ring for each worker, and a list for all. */
#include "run_queue.h"

#include <stddef.h>

#include "scheduler.h"

void run_queue_init(struct run_queue *queue, uint64_t handle)
{
	atomic_init(&queue->head, 0);
	atomic_init(&queue->tail, 0);
	queue->handle = handle;
}

bool run_queue_push(struct run_queue *queue, struct fiber *fiber)
{
	uint32_t tail = atomic_load_explicit(&queue->tail, memory_order_relaxed);
	/* Acquire: the thief has copied the entry that is overwritten here. */
	uint32_t head = atomic_load_explicit(&queue->head, memory_order_acquire);

	if (tail - head >= RUN_QUEUE_ENTRIES)
		return false;
	ctp_enqueue(fiber->id, queue->handle);
	atomic_store_explicit(&queue->entry[tail % RUN_QUEUE_ENTRIES], fiber, memory_order_relaxed);
	/* Release: a thread that sees the new tail sees the fiber. */
	atomic_store_explicit(&queue->tail, tail + 1, memory_order_release);
	return true;
}

struct fiber *run_queue_pop(struct run_queue *queue)
{
	uint32_t tail = atomic_load_explicit(&queue->tail, memory_order_relaxed);
	uint32_t head = atomic_load_explicit(&queue->head, memory_order_acquire);
	struct fiber *fiber;

	do {
		if (head == tail)
			return NULL;
		fiber = atomic_load_explicit(
			&queue->entry[head % RUN_QUEUE_ENTRIES], memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(
		&queue->head, &head, head + 1, memory_order_acq_rel, memory_order_acquire));
	ctp_dequeue(fiber->id, queue->handle);
	return fiber;
}

/* Copies half of the fibers in the queue; *ret_head is where the copy begins. */
static uint32_t copy_half(
	struct run_queue *victim, struct fiber *copy[RUN_QUEUE_ENTRIES / 2], uint32_t *ret_head)
{
	uint32_t head = atomic_load_explicit(&victim->head, memory_order_acquire);
	uint32_t tail = atomic_load_explicit(&victim->tail, memory_order_acquire);
	uint32_t count = tail - head, i;

	count -= count / 2;
	/* Head and tail were read at two moments: the queue never held this many. */
	if (count > RUN_QUEUE_ENTRIES / 2)
		count = RUN_QUEUE_ENTRIES / 2;
	for (i = 0; i < count; i++)
		copy[i] = atomic_load_explicit(
			&victim->entry[(head + i) % RUN_QUEUE_ENTRIES], memory_order_relaxed);
	*ret_head = head;
	return count;
}

struct fiber *run_queue_steal(struct run_queue *victim, struct run_queue *own)
{
	struct fiber *copy[RUN_QUEUE_ENTRIES / 2];
	uint32_t count, head, i;

	do {
		count = copy_half(victim, copy, &head);
		if (count == 0)
			return NULL;
	} while (!atomic_compare_exchange_weak_explicit(
		&victim->head, &head, head + count, memory_order_acq_rel, memory_order_relaxed));
	for (i = 0; i < count; i++)
		ctp_dequeue(copy[i]->id, victim->handle);
	for (i = 1; i < count; i++)
		run_queue_push(own, copy[i]);
	return copy[0];
}

bool run_queue_is_empty(struct run_queue *queue)
{
	uint32_t head = atomic_load_explicit(&queue->head, memory_order_acquire);

	return head == atomic_load_explicit(&queue->tail, memory_order_acquire);
}

/* ---------------------------------------------------------------- everybody's queue */

void injection_init(struct injection *injection, uint64_t handle)
{
	*injection = (struct injection){.handle = handle};
	pthread_mutex_init(&injection->guard, NULL);
}

void injection_fini(struct injection *injection)
{
	pthread_mutex_destroy(&injection->guard);
}

void injection_push(struct injection *injection, struct fiber *fiber)
{
	fiber->next = NULL;
	pthread_mutex_lock(&injection->guard);
	ctp_enqueue(fiber->id, injection->handle);
	if (injection->last)
		injection->last->next = fiber;
	else
		injection->first = fiber;
	injection->last = fiber;
	atomic_fetch_add_explicit(&injection->count, 1, memory_order_release);
	pthread_mutex_unlock(&injection->guard);
}

struct fiber *injection_pop(struct injection *injection)
{
	struct fiber *fiber;

	if (injection_is_empty(injection))
		return NULL;
	pthread_mutex_lock(&injection->guard);
	fiber = injection->first;
	if (fiber) {
		injection->first = fiber->next;
		if (!injection->first)
			injection->last = NULL;
		atomic_fetch_sub_explicit(&injection->count, 1, memory_order_relaxed);
		ctp_dequeue(fiber->id, injection->handle);
	}
	pthread_mutex_unlock(&injection->guard);
	return fiber;
}

bool injection_is_empty(struct injection *injection)
{
	return atomic_load_explicit(&injection->count, memory_order_acquire) == 0;
}
