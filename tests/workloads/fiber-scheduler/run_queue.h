/* SPDX-License-Identifier: MIT */
/*
 * Queues of ready fibers.
 *
 * struct run_queue belongs to one worker: a ring that its owner fills at the tail and empties at the head; thieves take
 * half of it from the head. Only the owner writes `tail`. `head` is moved by compare and exchange, and the worker that
 * moves it owns the entries between its old and its new place. A thief copies entries first and then moves the head; if
 * another worker was faster, the copy is discarded. An entry is not overwritten while the head stands before it, so a
 * copy followed by a successful move is valid.
 *
 * struct injection belongs to all workers: a list with a lock, for fibers that become ready outside any worker, and for
 * fibers that do not fit into a ring.
 *
 * Entries are traced: ENQUEUE before a fiber can be seen in a queue, DEQUEUE after it was taken.
 */
#ifndef FIBER_RUN_QUEUE_H
#define FIBER_RUN_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct fiber;

#define RUN_QUEUE_ENTRIES 256u

struct run_queue {
	_Alignas(64) _Atomic uint32_t head; /* the next entry to be taken */
	_Alignas(64) _Atomic uint32_t tail; /* the next entry to be filled */
	_Atomic(struct fiber *) entry[RUN_QUEUE_ENTRIES];
	uint64_t handle; /* its name in the trace */
};

void run_queue_init(struct run_queue *queue, uint64_t handle);

/* run_queue_push: false: the ring is full. The owner only. */
bool run_queue_push(struct run_queue *queue, struct fiber *fiber);

/* run_queue_pop: NULL: the ring is empty. The owner only. */
struct fiber *run_queue_pop(struct run_queue *queue);

/*
 * run_queue_steal: takes half of `victim`, at least one fiber; returns one fiber and puts the others into `own`, which
 * is the caller's and empty. NULL: there was no fiber. Any worker except the victim.
 */
struct fiber *run_queue_steal(struct run_queue *victim, struct run_queue *own);

/* run_queue_is_empty: was the ring empty at some moment during the call? Any thread. */
bool run_queue_is_empty(struct run_queue *queue);

struct injection {
	pthread_mutex_t guard;
	struct fiber *first;
	struct fiber *last;
	_Atomic uint32_t count;
	uint64_t handle;
};

void injection_init(struct injection *injection, uint64_t handle);
void injection_fini(struct injection *injection);
void injection_push(struct injection *injection, struct fiber *fiber);
struct fiber *injection_pop(struct injection *injection);
bool injection_is_empty(struct injection *injection);

#endif
