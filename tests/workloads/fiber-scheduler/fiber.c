/* SPDX-License-Identifier: MIT */
/* Fibers: beginning, waiting, end. */
#include "fiber.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "fault.h"
#include "scheduler.h"

/* ---------------------------------------------------------------- thread-local state */

/*
 * The C library declares the function behind errno as one whose result never changes, so that a
 * compiler may keep the address across anything, a switch included. Behind a call that it cannot see
 * through, the address is taken on the thread that runs at that moment.
 */
__attribute__((noinline)) int fiber_errno(void)
{
	__asm__ volatile("");
	return errno;
}

__attribute__((noinline)) void fiber_set_errno(int number)
{
	__asm__ volatile("");
	errno = number;
}

uint64_t fiber_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* ---------------------------------------------------------------- the end */

uint64_t fiber_id(const struct fiber *fiber)
{
	return fiber->id;
}

const char *fiber_name(const struct fiber *fiber)
{
	return fiber->name;
}

enum fiber_state fiber_state(const struct fiber *fiber)
{
	return (enum fiber_state)atomic_load_explicit(&fiber->state, memory_order_acquire);
}

void fiber_release(struct fiber *fiber)
{
	if (atomic_fetch_sub_explicit(&fiber->nr_owners, 1, memory_order_acq_rel) != 1)
		return;
	pthread_mutex_destroy(&fiber->guard);
	free(fiber);
}

void fiber_bury(struct fiber *fiber)
{
	struct scheduler *scheduler = fiber->scheduler;

	sanitizer_end(&fiber->sanitizer);
	stack_close(&scheduler->stacks, &fiber->stack);
	fiber_release(fiber);
	atomic_fetch_sub_explicit(&scheduler->nr_alive, 1, memory_order_acq_rel);
}

/* The fibers that wait for this fiber's end go on. */
static void let_joiners_go(struct fiber *fiber, uint64_t waker)
{
	struct wait_list joiners;
	struct fiber *joiner;

	wait_list_init(&joiners, &fiber->guard);
	pthread_mutex_lock(&fiber->guard);
	fiber->is_over = true;
	wait_list_move(&fiber->joiners, &joiners);
	while ((joiner = wait_list_take_first(&joiners)))
		fiber_wake(joiner, waker, CTP_SITE("end"));
	pthread_mutex_unlock(&fiber->guard);
}

static void finish(struct fiber *self)
{
	struct worker *worker;
	struct fiber *next;

	let_joiners_go(self, self->id);
	ctp_return(self->id);
	worker = worker_self();
	next = worker_next(worker);
	ctp_switch(self->id, fiber_id_of(next), 0, CTP_POINT_FINAL);
	worker_change(worker, next, FATE_ENDS);
	abort(); /* an ended fiber is never entered again */
}

/* ---------------------------------------------------------------- the beginning */

static void fiber_main(void)
{
	struct fiber *self;

	worker_arrive();
	self = fiber_self();
	self->function(self->argument);
	finish(self);
}

static struct fiber *make(struct scheduler *scheduler)
{
	struct fiber *fiber = calloc(1, sizeof(*fiber));

	if (!fiber)
		return NULL;
	if (!stack_open(&scheduler->stacks, &fiber->stack)) {
		free(fiber);
		return NULL;
	}
	sanitizer_begin(&fiber->sanitizer, fiber->stack.low, fiber->stack.bytes);
	context_make(&fiber->context, fiber->stack.low, fiber->stack.bytes, fiber_main);
	pthread_mutex_init(&fiber->guard, NULL);
	wait_list_init(&fiber->joiners, &fiber->guard);
	atomic_init(&fiber->nr_owners, 2);
	fiber->scheduler = scheduler;
	return fiber;
}

struct fiber *fiber_spawn_at(struct scheduler *scheduler, const char *name,
	fiber_function *function, void *argument, uint32_t site)
{
	struct fiber *fiber = make(scheduler);

	if (!fiber)
		return NULL;
	fiber->name = name;
	fiber->function = function;
	fiber->argument = argument;
	fiber->id = ctp_coro_new();
	ctp_create(fiber->id, (uintptr_t)fiber, site);
	ctp_frame(fiber->id, fiber->stack.low,
		ctp_site_address((const void *)(uintptr_t)function, CTP_SITE_FUNCTION));
	atomic_fetch_add_explicit(&scheduler->nr_alive, 1, memory_order_relaxed);
	scheduler_ready(scheduler, fiber, URGENCY_QUEUE);
	return fiber;
}

/* ---------------------------------------------------------------- waiting */

/* A wait with a deadline takes a detail of its own, so it does not fit into a switch record. */
static void trace_leaving(struct fiber *self, struct fiber *next, const struct wait *wait)
{
	if (wait->deadline_ns == 0) {
		ctp_switch_for(
			self->id, fiber_id_of(next), wait->resource, wait->site, CTP_POINT_AWAIT);
		return;
	}
	ctp_suspend_until(self->id, wait->resource, wait->site, CTP_POINT_AWAIT, wait->deadline_ns);
	if (next)
		ctp_resume(next->id, CTP_POINT_AWAIT);
}

void fiber_wait(const struct wait *wait)
{
	struct worker *worker = worker_self();
	struct fiber *next = worker_next(worker);

	trace_leaving(worker->current, next, wait);
	worker_change(worker, next, FATE_WAITS);
}

void fiber_yield_at(uint32_t site)
{
	struct worker *worker = worker_self();
	struct fiber *next = worker_next(worker);

	if (!next)
		return;
	ctp_switch(worker->current->id, next->id, site, CTP_POINT_YIELD);
	worker_change(worker, next, FATE_YIELDS);
}

void fiber_park_at(uint32_t site)
{
	struct wait wait = {
		.resource = CTP_HANDLE(CTP_RESOURCE_EVENT, (uintptr_t)fiber_self()),
		.site = site,
	};

	fiber_wait(&wait);
}

void fiber_unpark_at(struct fiber *fiber, uint32_t site)
{
	fiber_wake(fiber, fiber_id_of(fiber_self()), site);
}

void fiber_join_at(struct fiber *child, uint32_t site)
{
	struct fiber *self = fiber_self();
	struct wait wait = {
		.resource = CTP_HANDLE(CTP_RESOURCE_COROUTINE, child->id),
		.site = site,
	};
	bool is_over;

	ctp_await(self->id, child->id, site);
	pthread_mutex_lock(&child->guard);
	is_over = child->is_over;
	if (!is_over)
		wait_list_append(&child->joiners, self);
	pthread_mutex_unlock(&child->guard);
	if (!is_over)
		fiber_wait(&wait);
	ctp_await_done(self->id, child->id);
}

/* ---------------------------------------------------------------- the world outside */

/* The first fiber that needs the poller has a sleeping worker take its chair. */
static bool need_poller(struct scheduler *scheduler)
{
	bool is_first;

	if (!poller_open(&scheduler->poller, &is_first))
		return false;
	if (is_first)
		idle_wake_one(&scheduler->idle);
	return true;
}

void fiber_sleep_until_at(uint64_t deadline_ns, uint32_t site)
{
	struct fiber *self = fiber_self();
	struct wait wait = {
		.resource = CTP_HANDLE(CTP_RESOURCE_TIMER, self->id),
		.site = site,
		.deadline_ns = deadline_ns,
	};

	self->deadline_ns = deadline_ns;
	if (!need_poller(self->scheduler) || !poller_add_timer(&self->scheduler->poller, self))
		abort(); /* neither descriptors nor memory: an example does not go on without */
	fiber_wait(&wait);
}

/* False: the descriptor cannot be waited for; fiber_errno() says why. */
static bool wait_for_descriptor(int fd, uint32_t events, uint32_t site)
{
	struct fiber *self = fiber_self();
	/* Generation 0: the descriptor ledger, which sees it opened and closed, knows the generation. */
	struct wait wait = {.resource = CTP_DESCRIPTOR(fd, 0), .site = site};

	if (!need_poller(self->scheduler) ||
		!poller_arm(&self->scheduler->poller, fd, events, self))
		return false;
	fiber_wait(&wait);
	return true;
}

ssize_t fiber_read_at(int fd, void *buffer, size_t nr_bytes, uint32_t site)
{
	ssize_t nr_read;

	/* Not `errno`: after the wait this may run on another thread. */
	while ((nr_read = read(fd, buffer, nr_bytes)) < 0 && fiber_errno() == EAGAIN)
		if (!wait_for_descriptor(fd, EPOLLIN, site))
			return -1;
	return nr_read;
}

ssize_t fiber_write_at(int fd, const void *buffer, size_t nr_bytes, uint32_t site)
{
	ssize_t nr_written;

	while ((nr_written = write(fd, buffer, nr_bytes)) < 0 && fiber_errno() == EAGAIN)
		if (!wait_for_descriptor(fd, EPOLLOUT, site))
			return -1;
	return nr_written;
}

/* ---------------------------------------------------------------- destruction */

static bool claim_waiting(struct fiber *fiber)
{
	int expected = FIBER_WAITING;

	return atomic_compare_exchange_strong_explicit(&fiber->state, &expected, FIBER_DESTROYED,
		memory_order_acq_rel, memory_order_acquire);
}

/* The fiber that has taken it out of the list is about to wake it: destroying it is too late. */
static bool take_from_list(struct fiber *fiber)
{
	struct wait_list *list = atomic_load_explicit(&fiber->waits_in, memory_order_acquire);
	bool is_taken;

	if (!list)
		return false;
	pthread_mutex_lock(list->guard);
	is_taken = atomic_load_explicit(&fiber->waits_in, memory_order_relaxed) == list &&
		   claim_waiting(fiber);
	if (is_taken && !has_fault(DEAD_WAITER))
		wait_list_remove(list, fiber);
	pthread_mutex_unlock(list->guard);
	return is_taken;
}

static bool take_from_timers(struct fiber *fiber)
{
	struct poller *poller = &fiber->scheduler->poller;
	bool is_taken;

	pthread_mutex_lock(&poller->guard);
	is_taken = fiber->heap_place != 0 && claim_waiting(fiber);
	if (is_taken && !has_fault(GHOST_RESUME))
		timer_heap_remove(&poller->timers, fiber);
	pthread_mutex_unlock(&poller->guard);
	return is_taken;
}

/*
 * A fiber that waits and is in no list has been taken out by who will wake it, so it is not to be
 * destroyed. The fault's wake never comes, and its scheduler knows no such care.
 */
static bool take_from_nowhere(struct fiber *fiber)
{
	return has_fault(DROPPED_WAKE) && claim_waiting(fiber);
}

bool fiber_destroy_at(struct fiber *fiber, uint32_t site)
{
	if (!take_from_list(fiber) && !take_from_timers(fiber) && !take_from_nowhere(fiber))
		return false;
	let_joiners_go(fiber, fiber_id_of(fiber_self()));
	ctp_destroy_at(fiber->id, CTP_LIFE_SUSPENDED, site);
	fiber_bury(fiber);
	return true;
}
