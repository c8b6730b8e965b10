/* SPDX-License-Identifier: MIT */
/* The scheduler: workers, where they find the next fiber, how they switch to it, and how fibers are woken. */
#include "scheduler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "truth.h"

#ifdef FIBER_HAS_ASAN
#define STACK_BYTES (512u << 10)
#else
#define STACK_BYTES (128u << 10)
#endif
#define OUTSIDE_PERIOD \
	61u /* looks for work after which the poller and the common queue come first */
#define SLOT_IN_ROW_MAX 16u

static uint64_t queue_handle(unsigned number)
{
	return CTP_HANDLE(CTP_RESOURCE_QUEUE, number);
}

/* ---------------------------------------------------------------- the worker that runs the caller */

static _Thread_local struct worker *own_worker;

/*
 * The empty assembly statement keeps compilers from finding out that this only reads one variable;
 * they would otherwise be free to call it once in a function, switches or not.
 */
__attribute__((noinline)) struct worker *worker_self(void)
{
	__asm__ volatile("");
	return own_worker;
}

struct fiber *fiber_self(void)
{
	struct worker *worker = worker_self();

	return worker ? worker->current : NULL;
}

/* ---------------------------------------------------------------- ready fibers */

static void queue_push(struct worker *worker, struct fiber *fiber)
{
	if (!run_queue_push(&worker->queue, fiber))
		injection_push(&worker->scheduler->injection, fiber);
}

static struct fiber *slot_take(struct worker *owner)
{
	struct fiber *fiber;

	if (!atomic_load_explicit(&owner->slot, memory_order_relaxed))
		return NULL;
	fiber = atomic_exchange_explicit(&owner->slot, NULL, memory_order_acq_rel);
	if (fiber)
		ctp_dequeue(fiber->id, owner->slot_handle);
	return fiber;
}

static void slot_put(struct worker *owner, struct fiber *fiber)
{
	struct fiber *displaced;

	if (has_fault(PRIVATE_SLOT))
		ctp_enqueue_private(fiber->id, owner->slot_handle);
	else
		ctp_enqueue(fiber->id, owner->slot_handle);
	displaced = atomic_exchange_explicit(&owner->slot, fiber, memory_order_acq_rel);
	if (!displaced)
		return;
	ctp_dequeue(displaced->id, owner->slot_handle);
	queue_push(owner, displaced);
}

void scheduler_ready(struct scheduler *scheduler, struct fiber *fiber, enum urgency urgency)
{
	struct worker *worker = worker_self();

	if (!worker || worker->scheduler != scheduler)
		injection_push(&scheduler->injection, fiber);
	else if (urgency == URGENCY_NEXT)
		slot_put(worker, fiber);
	else
		queue_push(worker, fiber);
	idle_wake_one(&scheduler->idle);
}

/* ---------------------------------------------------------------- finding work */

/* The slot goes first, but two fibers that wake each other must not keep the others waiting. */
static struct fiber *take_own(struct worker *worker)
{
	struct fiber *fiber = NULL;

	if (worker->nr_slot_in_row < SLOT_IN_ROW_MAX)
		fiber = slot_take(worker);
	if (fiber) {
		worker->nr_slot_in_row++;
		return fiber;
	}
	worker->nr_slot_in_row = 0;
	fiber = run_queue_pop(&worker->queue);
	return fiber ? fiber : slot_take(worker);
}

/* The other workers' queues come first, and their slots only where there is nothing else. */
static struct fiber *steal(struct worker *worker)
{
	struct scheduler *scheduler = worker->scheduler;
	struct fiber *fiber = NULL;
	unsigned i, first = worker->nr_looks;

	for (i = 0; !fiber && i < scheduler->nr_workers; i++) {
		struct worker *victim = &scheduler->workers[(first + i) % scheduler->nr_workers];

		if (victim != worker)
			fiber = run_queue_steal(&victim->queue, &worker->queue);
	}
	for (i = 0; !fiber && !has_fault(PRIVATE_SLOT) && i < scheduler->nr_workers; i++)
		fiber = slot_take(&scheduler->workers[(first + i) % scheduler->nr_workers]);
	return fiber;
}

static struct fiber *find_work(struct worker *worker)
{
	struct injection *injection = &worker->scheduler->injection;
	struct fiber *fiber = NULL;

	worker->nr_looks++;
	if (worker->nr_looks % OUTSIDE_PERIOD == 0) {
		poller_look(&worker->scheduler->poller);
		fiber = injection_pop(injection);
	}
	if (!fiber)
		fiber = take_own(worker);
	if (!fiber)
		fiber = injection_pop(injection);
	return fiber ? fiber : steal(worker);
}

/* Whether there is a fiber that this worker could find. */
static bool has_work(struct worker *worker)
{
	struct scheduler *scheduler = worker->scheduler;
	unsigned i;

	if (!injection_is_empty(&scheduler->injection))
		return true;
	for (i = 0; i < scheduler->nr_workers; i++) {
		struct worker *each = &scheduler->workers[i];
		bool is_slot_open = each == worker || !has_fault(PRIVATE_SLOT);

		if (!run_queue_is_empty(&each->queue) ||
			(is_slot_open && atomic_load_explicit(&each->slot, memory_order_acquire)))
			return true;
	}
	return false;
}

/*
 * The scheduler has taken a fiber that runs already, or that was destroyed, and would resume it. Going on
 * would run two threads on one stack, or on none; what the program would have done is recorded, and
 * left out. Without a planted fault this cannot be.
 */
static void resume_ghost(struct fiber *fiber)
{
	if (!has_fault(DOUBLE_RESUME) && !has_fault(GHOST_RESUME))
		abort();
	ctp_resume(fiber->id, CTP_POINT_AWAIT);
	truth_cause(has_fault(DOUBLE_RESUME) ? DOUBLE_RESUME : GHOST_RESUME, fiber->id, 0);
}

static bool claim(struct fiber *fiber)
{
	bool is_running =
		atomic_exchange_explicit(&fiber->is_on_worker, true, memory_order_acquire);
	int state = atomic_load_explicit(&fiber->state, memory_order_acquire);

	if (!is_running && state == FIBER_READY) {
		atomic_store_explicit(&fiber->state, FIBER_RUNNING, memory_order_relaxed);
		return true;
	}
	resume_ghost(fiber);
	if (!is_running)
		atomic_store_explicit(&fiber->is_on_worker, false, memory_order_release);
	return false;
}

struct fiber *worker_next(struct worker *worker)
{
	struct fiber *fiber;

	do {
		fiber = find_work(worker);
	} while (fiber && !claim(fiber));
	return fiber;
}

/* ---------------------------------------------------------------- changing over */

static struct context *context_of(struct worker *worker, struct fiber *fiber)
{
	return fiber ? &fiber->context : &worker->context;
}

static struct sanitizer_context *sanitizer_of(struct worker *worker, struct fiber *fiber)
{
	return fiber ? &fiber->sanitizer : &worker->sanitizer;
}

/* From here on a waker finds the fiber WAITING; an earlier waker has left a token. */
static void settle_waiting(struct fiber *left)
{
	uint64_t target = CTP_HANDLE(CTP_RESOURCE_COROUTINE, left->id);
	int expected = FIBER_RUNNING;

	scheduler_at(left->scheduler, POINT_SUSPENDING, left);
	if (atomic_compare_exchange_strong_explicit(&left->state, &expected, FIBER_WAITING,
		    memory_order_acq_rel, memory_order_acquire))
		return;
	/* The wake takes effect now, and still counts as done by the fiber that left the token. */
	ctp_wake(atomic_load_explicit(&left->notified_by, memory_order_relaxed), target,
		CTP_SITE("token found"), CTP_OUTCOME_QUEUED);
	atomic_store_explicit(&left->state, FIBER_READY, memory_order_release);
	scheduler_ready(left->scheduler, left, URGENCY_QUEUE);
}

static void settle(struct worker *worker)
{
	struct fiber *left = worker->left;

	worker->left = NULL;
	if (!left)
		return;
	atomic_store_explicit(&left->is_on_worker, false, memory_order_release);
	switch (worker->fate) {
	case FATE_WAITS:
		settle_waiting(left);
		break;
	case FATE_YIELDS:
		atomic_store_explicit(&left->state, FIBER_READY, memory_order_release);
		scheduler_ready(left->scheduler, left, URGENCY_QUEUE);
		break;
	case FATE_ENDS:
		atomic_store_explicit(&left->state, FIBER_DONE, memory_order_release);
		ctp_destroy(left->id, CTP_LIFE_DONE);
		fiber_bury(left);
		break;
	}
}

void worker_arrive(void)
{
	struct worker *worker = worker_self();

	sanitizer_arrive(
		sanitizer_of(worker, worker->current), &worker->sanitizer, worker->left == NULL);
	settle(worker);
}

void worker_change(struct worker *worker, struct fiber *to, enum fate fate)
{
	struct fiber *from = worker->current;
	int number = fiber_errno();

	worker->left = from;
	worker->fate = fate;
	worker->current = to;
	atomic_fetch_add_explicit(&worker->nr_moves, 1, memory_order_relaxed);
	sanitizer_leave(sanitizer_of(worker, from), sanitizer_of(worker, to), fate == FATE_ENDS);
	context_switch(context_of(worker, from), context_of(worker, to));
	/* The thread may be another now: `worker` is the one that was left, and must not be used. */
	worker_arrive();
	fiber_set_errno(number);
}

/* ---------------------------------------------------------------- waking */

static void trace_wake(
	struct fiber *target, uint64_t waker, uint32_t site, enum ctp_outcome outcome)
{
	ctp_wake(waker, CTP_HANDLE(CTP_RESOURCE_COROUTINE, target->id), site, outcome);
}

static bool wake_waiting(struct fiber *fiber, uint64_t waker, uint32_t site)
{
	int expected = FIBER_WAITING;

	scheduler_at(fiber->scheduler, POINT_WAKE_SEEN, fiber);
	if (has_fault(DOUBLE_RESUME))
		atomic_store_explicit(&fiber->state, FIBER_READY, memory_order_release);
	else if (!atomic_compare_exchange_strong_explicit(&fiber->state, &expected, FIBER_READY,
			 memory_order_acq_rel, memory_order_acquire))
		return false;
	trace_wake(fiber, waker, site, CTP_OUTCOME_QUEUED);
	scheduler_ready(fiber->scheduler, fiber, URGENCY_NEXT);
	return true;
}

static bool wake_running(struct fiber *fiber, uint64_t waker, uint32_t site)
{
	int expected = FIBER_RUNNING;

	/* Written first: once the token lies there, the fiber may run, and wait for something else. */
	trace_wake(fiber, waker, site, CTP_OUTCOME_TARGET_RUNNING);
	if (has_fault(DROPPED_WAKE)) {
		truth_cause(DROPPED_WAKE, fiber->id, waker);
		return true;
	}
	atomic_store_explicit(&fiber->notified_by, waker, memory_order_relaxed);
	return atomic_compare_exchange_strong_explicit(&fiber->state, &expected, FIBER_NOTIFIED,
		memory_order_acq_rel, memory_order_acquire);
}

static void wake_destroyed(struct fiber *fiber, uint64_t waker, uint32_t site)
{
	if (has_fault(GHOST_RESUME)) {
		trace_wake(fiber, waker, site, CTP_OUTCOME_QUEUED);
		scheduler_ready(fiber->scheduler, fiber, URGENCY_NEXT);
		return;
	}
	trace_wake(fiber, waker, site, CTP_OUTCOME_NO_TARGET);
	if (has_fault(DEAD_WAITER))
		truth_cause(DEAD_WAITER, fiber->id, waker);
}

void fiber_wake(struct fiber *fiber, uint64_t waker, uint32_t site)
{
	bool is_settled = false;

	while (!is_settled) {
		switch (atomic_load_explicit(&fiber->state, memory_order_acquire)) {
		case FIBER_WAITING:
			is_settled = wake_waiting(fiber, waker, site);
			break;
		case FIBER_RUNNING:
			is_settled = wake_running(fiber, waker, site);
			break;
		case FIBER_READY:
		case FIBER_NOTIFIED:
			trace_wake(fiber, waker, site, CTP_OUTCOME_ALREADY_QUEUED);
			return;
		default:
			wake_destroyed(fiber, waker, site);
			return;
		}
	}
}

/* ---------------------------------------------------------------- workers */

static void rest(struct worker *worker)
{
	struct idle *idle = &worker->scheduler->idle;

	idle_lie_down(idle, worker->index);
	if (has_work(worker))
		idle_get_up(idle, worker->index);
	else
		idle_sleep(idle, worker->index);
}

static void *worker_main(void *context)
{
	struct worker *worker = context;
	char name[16];

	own_worker = worker;
	snprintf(name, sizeof(name), "worker-%u", worker->index);
	pthread_setname_np(pthread_self(), name);
	sanitizer_thread(&worker->sanitizer);
	while (!idle_is_stopping(&worker->scheduler->idle)) {
		struct fiber *fiber = worker_next(worker);

		if (!fiber) {
			rest(worker);
			continue;
		}
		ctp_switch(0, fiber->id, 0, CTP_POINT_AWAIT);
		worker_change(worker, fiber, FATE_WAITS);
	}
	return NULL;
}

static void worker_init(struct scheduler *scheduler, unsigned index)
{
	struct worker *worker = &scheduler->workers[index];

	worker->scheduler = scheduler;
	worker->index = index;
	worker->slot_handle = queue_handle(2 * index + 3);
	run_queue_init(&worker->queue, queue_handle(2 * index + 2));
}

struct scheduler *scheduler_new(unsigned nr_workers)
{
	struct scheduler *scheduler = aligned_alloc(64, sizeof(*scheduler));
	unsigned i;

	if (!scheduler || nr_workers == 0 || nr_workers > WORKERS_MAX) {
		free(scheduler);
		return NULL;
	}
	memset(scheduler, 0, sizeof(*scheduler));
	scheduler->nr_workers = nr_workers;
	injection_init(&scheduler->injection, queue_handle(1));
	poller_init(&scheduler->poller);
	idle_init(&scheduler->idle, nr_workers, &scheduler->poller);
	stack_cache_init(&scheduler->stacks, STACK_BYTES);
	for (i = 0; i < nr_workers; i++)
		worker_init(scheduler, i);
	for (i = 0; i < nr_workers; i++)
		if (pthread_create(&scheduler->workers[i].thread, NULL, worker_main,
			    &scheduler->workers[i]) != 0)
			abort(); /* an example that gets no threads has nothing to show */
	return scheduler;
}

void scheduler_free(struct scheduler *scheduler)
{
	unsigned i;

	idle_stop(&scheduler->idle);
	for (i = 0; i < scheduler->nr_workers; i++)
		pthread_join(scheduler->workers[i].thread, NULL);
	stack_cache_fini(&scheduler->stacks);
	idle_fini(&scheduler->idle);
	poller_fini(&scheduler->poller);
	injection_fini(&scheduler->injection);
	free(scheduler);
}

unsigned scheduler_nr_alive(struct scheduler *scheduler)
{
	return atomic_load_explicit(&scheduler->nr_alive, memory_order_acquire);
}

uint64_t scheduler_nr_moves(struct scheduler *scheduler)
{
	uint64_t nr_moves = 0;
	unsigned i;

	for (i = 0; i < scheduler->nr_workers; i++)
		nr_moves +=
			atomic_load_explicit(&scheduler->workers[i].nr_moves, memory_order_relaxed);
	return nr_moves;
}

bool scheduler_is_quiet(struct scheduler *scheduler)
{
	return idle_count(&scheduler->idle) == scheduler->nr_workers;
}

void scheduler_direct(struct scheduler *scheduler, scheduler_director *director)
{
	scheduler->director = director;
}
