/* SPDX-License-Identifier: MIT */
/* Descriptors and deadlines. */
#include "poller.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "scheduler.h"

#define EVENTS_AT_ONCE 32

void poller_init(struct poller *poller)
{
	*poller = (struct poller){.epoll = -1, .interrupt = -1};
	pthread_mutex_init(&poller->guard, NULL);
	timer_heap_init(&poller->timers);
}

void poller_fini(struct poller *poller)
{
	if (poller->interrupt >= 0)
		close(poller->interrupt);
	if (poller->epoll >= 0)
		close(poller->epoll);
	timer_heap_fini(&poller->timers);
	pthread_mutex_destroy(&poller->guard);
}

static bool open_descriptors(struct poller *poller)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};

	poller->epoll = epoll_create1(EPOLL_CLOEXEC);
	poller->interrupt = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	return poller->epoll >= 0 && poller->interrupt >= 0 &&
	       epoll_ctl(poller->epoll, EPOLL_CTL_ADD, poller->interrupt, &event) == 0;
}

bool poller_open(struct poller *poller, bool *ret_is_first)
{
	bool is_open = poller_is_open(poller);

	*ret_is_first = false;
	if (is_open)
		return true;
	pthread_mutex_lock(&poller->guard);
	is_open = poller_is_open(poller);
	if (!is_open && poller->epoll < 0) {
		*ret_is_first = is_open = open_descriptors(poller);
		atomic_store_explicit(&poller->is_open, is_open, memory_order_release);
	}
	pthread_mutex_unlock(&poller->guard);
	return is_open;
}

bool poller_is_open(struct poller *poller)
{
	return atomic_load_explicit(&poller->is_open, memory_order_acquire);
}

bool poller_arm(struct poller *poller, int fd, uint32_t events, struct fiber *fiber)
{
	struct epoll_event event = {.events = events | EPOLLONESHOT, .data.ptr = fiber};

	return epoll_ctl(poller->epoll, EPOLL_CTL_MOD, fd, &event) == 0 ||
	       (errno == ENOENT && epoll_ctl(poller->epoll, EPOLL_CTL_ADD, fd, &event) == 0);
}

bool poller_add_timer(struct poller *poller, struct fiber *fiber)
{
	bool is_added, is_first;

	pthread_mutex_lock(&poller->guard);
	is_added = timer_heap_add(&poller->timers, fiber);
	is_first = is_added && fiber->deadline_ns < poller->waits_until_ns;
	pthread_mutex_unlock(&poller->guard);
	if (is_first)
		poller_interrupt(poller);
	return is_added;
}

void poller_interrupt(struct poller *poller)
{
	uint64_t one = 1;
	ssize_t written = write(poller->interrupt, &one, sizeof(one));

	(void)written; /* it can only be refused where the counter is full: the poller returns anyhow */
}

/* ---------------------------------------------------------------- waking */

static struct fiber *take_due(struct poller *poller, uint64_t now_ns)
{
	struct fiber *fiber;

	pthread_mutex_lock(&poller->guard);
	fiber = timer_heap_first(&poller->timers);
	if (fiber && fiber->deadline_ns <= now_ns)
		timer_heap_remove(&poller->timers, fiber);
	else
		fiber = NULL;
	pthread_mutex_unlock(&poller->guard);
	return fiber;
}

static void wake_sleepers(struct poller *poller)
{
	uint64_t now_ns = fiber_now_ns();
	struct fiber *fiber;

	while ((fiber = take_due(poller, now_ns)))
		fiber_wake(fiber, 0, CTP_SITE("timer"));
}

/* Returns true where the interruption was among the events. */
static bool wake_ready(const struct epoll_event *events, int nr_events)
{
	bool is_interrupted = false;
	int i;

	for (i = 0; i < nr_events; i++) {
		if (events[i].data.ptr)
			fiber_wake(events[i].data.ptr, 0, CTP_SITE("readiness"));
		else
			is_interrupted = true;
	}
	return is_interrupted;
}

/* ---------------------------------------------------------------- waiting */

/* Waits until the first deadline, or an earlier one that interrupts. UINT64_MAX: for ever. */
static uint64_t begin_wait(struct poller *poller)
{
	struct fiber *first;
	uint64_t deadline_ns;

	pthread_mutex_lock(&poller->guard);
	first = timer_heap_first(&poller->timers);
	deadline_ns = first ? first->deadline_ns : UINT64_MAX;
	poller->waits_until_ns = deadline_ns;
	pthread_mutex_unlock(&poller->guard);
	return deadline_ns;
}

static void end_wait(struct poller *poller)
{
	pthread_mutex_lock(&poller->guard);
	poller->waits_until_ns = 0; /* nobody waits: nobody has to be interrupted */
	pthread_mutex_unlock(&poller->guard);
}

/* In milliseconds, rounded up: a wait that ended too early would begin again with 0. */
static int timeout_until(uint64_t deadline_ns)
{
	uint64_t now_ns = fiber_now_ns();

	if (deadline_ns == UINT64_MAX)
		return -1;
	if (deadline_ns <= now_ns)
		return 0;
	if (deadline_ns - now_ns > UINT64_C(3600000000000))
		return 3600000;
	return (int)((deadline_ns - now_ns + 999999) / 1000000);
}

void poller_wait(struct poller *poller)
{
	struct epoll_event events[EVENTS_AT_ONCE];
	uint64_t deadline_ns = begin_wait(poller);
	uint64_t handle = CTP_HANDLE(CTP_RESOURCE_EVENT, (uintptr_t)poller);
	uint64_t count;
	int nr_events;

	if (deadline_ns == UINT64_MAX)
		ctp_park(handle, CTP_SITE("poll"));
	else
		ctp_park_until(handle, CTP_SITE("poll"), deadline_ns);
	nr_events = epoll_wait(poller->epoll, events, EVENTS_AT_ONCE, timeout_until(deadline_ns));
	ctp_unpark(handle);
	end_wait(poller);
	/* The interruption is meant for the worker that waits here; poller_look leaves it where it is. */
	if (wake_ready(events, nr_events) && read(poller->interrupt, &count, sizeof(count)) < 0 &&
		fiber_errno() != EAGAIN)
		abort();
	wake_sleepers(poller);
}

void poller_look(struct poller *poller)
{
	struct epoll_event events[EVENTS_AT_ONCE];

	if (!poller_is_open(poller))
		return;
	wake_ready(events, epoll_wait(poller->epoll, events, EVENTS_AT_ONCE, 0));
	wake_sleepers(poller);
}
