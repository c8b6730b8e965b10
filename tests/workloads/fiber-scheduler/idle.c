/* SPDX-License-Identifier: MIT */
/* Idle workers. */
#include "idle.h"

#include <stdint.h>

#include "corotracer/ctp_probe.h"
#include "poller.h"

void idle_init(struct idle *idle, unsigned nr_workers, struct poller *poller)
{
	unsigned i;

	*idle = (struct idle){.nr_workers = nr_workers, .poller = poller};
	pthread_mutex_init(&idle->guard, NULL);
	pthread_cond_init(&idle->lay_down, NULL);
	for (i = 0; i < WORKERS_MAX; i++)
		pthread_cond_init(&idle->seats[i].changed, NULL);
}

void idle_fini(struct idle *idle)
{
	unsigned i;

	for (i = 0; i < WORKERS_MAX; i++)
		pthread_cond_destroy(&idle->seats[i].changed);
	pthread_cond_destroy(&idle->lay_down);
	pthread_mutex_destroy(&idle->guard);
}

/* ---------------------------------------------------------------- seats, under the guard */

static void set_busy(struct idle *idle, struct seat *seat)
{
	if (seat->state == SEAT_BUSY)
		return;
	seat->state = SEAT_BUSY;
	atomic_fetch_sub_explicit(&idle->nr_idle, 1, memory_order_acq_rel);
}

static struct seat *find(struct idle *idle, enum seat_state state)
{
	unsigned i;

	for (i = 0; i < idle->nr_workers; i++)
		if (idle->seats[i].state == state)
			return &idle->seats[i];
	return NULL;
}

/* The woken worker is busy from now on, so that the next fiber wakes another one. */
static void wake(struct idle *idle, struct seat *seat)
{
	enum seat_state was = seat->state;

	set_busy(idle, seat);
	if (was == SEAT_ASLEEP)
		pthread_cond_signal(&seat->changed);
	if (was == SEAT_POLLING)
		poller_interrupt(idle->poller);
}

/* The poller's chair is passed on, so that a worker polls while any worker is idle. */
static void leave_poller(struct idle *idle, unsigned worker)
{
	struct seat *heir;

	if (idle->poller_of != worker + 1)
		return;
	heir = find(idle, SEAT_ASLEEP);
	idle->poller_of = heir ? (unsigned)(heir - idle->seats) + 1 : 0;
	if (!heir)
		return;
	heir->state = SEAT_POLLING;
	pthread_cond_signal(&heir->changed);
}

/* ---------------------------------------------------------------- workers */

void idle_lie_down(struct idle *idle, unsigned worker)
{
	struct seat *seat = &idle->seats[worker];

	pthread_mutex_lock(&idle->guard);
	if (!idle->is_stopping) {
		seat->state = SEAT_ASLEEP;
		if (idle->poller_of == 0 && poller_is_open(idle->poller))
			seat->state = SEAT_POLLING;
		if (seat->state == SEAT_POLLING)
			idle->poller_of = worker + 1;
		atomic_fetch_add_explicit(&idle->nr_idle, 1, memory_order_acq_rel);
		pthread_cond_broadcast(&idle->lay_down);
	}
	pthread_mutex_unlock(&idle->guard);
}

void idle_get_up(struct idle *idle, unsigned worker)
{
	pthread_mutex_lock(&idle->guard);
	set_busy(idle, &idle->seats[worker]);
	leave_poller(idle, worker);
	pthread_mutex_unlock(&idle->guard);
}

static void sleep_until_changed(struct idle *idle, struct seat *seat)
{
	uint64_t handle = CTP_HANDLE(CTP_RESOURCE_CONDITION, (uintptr_t)seat);

	if (seat->state != SEAT_ASLEEP)
		return;
	ctp_park(handle, CTP_SITE("worker sleeps"));
	while (seat->state == SEAT_ASLEEP)
		pthread_cond_wait(&seat->changed, &idle->guard);
	ctp_unpark(handle);
}

void idle_sleep(struct idle *idle, unsigned worker)
{
	struct seat *seat = &idle->seats[worker];
	bool polls;

	pthread_mutex_lock(&idle->guard);
	sleep_until_changed(idle, seat);
	polls = idle->poller_of == worker + 1;
	pthread_mutex_unlock(&idle->guard);
	if (polls)
		poller_wait(idle->poller);
	idle_get_up(idle, worker);
}

/* ---------------------------------------------------------------- everybody */

void idle_wake_one(struct idle *idle)
{
	struct seat *seat;

	/* A read that writes, for the reason given at the top of idle.h. */
	if (atomic_fetch_add_explicit(&idle->nr_idle, 0, memory_order_acq_rel) == 0)
		return;
	pthread_mutex_lock(&idle->guard);
	seat = find(idle, SEAT_ASLEEP);
	if (!seat)
		seat = find(idle, SEAT_POLLING);
	if (seat)
		wake(idle, seat);
	pthread_mutex_unlock(&idle->guard);
}

void idle_stop(struct idle *idle)
{
	unsigned i;

	pthread_mutex_lock(&idle->guard);
	idle->is_stopping = true;
	for (i = 0; i < idle->nr_workers; i++)
		wake(idle, &idle->seats[i]);
	pthread_mutex_unlock(&idle->guard);
}

bool idle_is_stopping(struct idle *idle)
{
	bool is_stopping;

	pthread_mutex_lock(&idle->guard);
	is_stopping = idle->is_stopping;
	pthread_mutex_unlock(&idle->guard);
	return is_stopping;
}

unsigned idle_count(struct idle *idle)
{
	return atomic_load_explicit(&idle->nr_idle, memory_order_acquire);
}

void idle_await_others(struct idle *idle)
{
	pthread_mutex_lock(&idle->guard);
	while (idle_count(idle) + 1 < idle->nr_workers)
		pthread_cond_wait(&idle->lay_down, &idle->guard);
	pthread_mutex_unlock(&idle->guard);
}
