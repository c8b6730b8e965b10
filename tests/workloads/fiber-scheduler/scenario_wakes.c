/* SPDX-License-Identifier: MIT */
/* Scenarios of lost wakes: dropped, sent to an empty list, or sent past a private list. */
#include <stdlib.h>

#include "stage.h"
#include "synchronisation.h"

/* ---------------------------------------------------------------- (b) dropped wake */

/*
 * `holder` holds a mutex and waits for a message; `sender` sends it in the very moment in which holder has
 * left its stack and is still marked as running. Where the wake is dropped, nobody wakes holder any
 * more. The program then gives holder up and destroys it, as the one in the field did; the mutex stays
 * locked, and `other` waits for it for ever.
 */
static struct {
	struct fiber_mutex mutex;
	struct fiber_semaphore message;
	struct fiber *holder;
	pthread_barrier_t beginning;
	struct bell suspending;
	struct bell sent;
	atomic_bool is_met;
} b;

static void lock_and_unlock(void *argument)
{
	(void)argument;
	fiber_mutex_lock(&b.mutex);
	fiber_mutex_unlock(&b.mutex);
}

static void hold_and_wait(void *argument)
{
	(void)argument;
	meet(&b.beginning); /* so that sender has a worker of its own */
	fiber_mutex_lock(&b.mutex);
	stage_spawn("other", lock_and_unlock, NULL);
	fiber_semaphore_acquire(&b.message);
	fiber_mutex_unlock(&b.mutex);
}

static void send_message(void *argument)
{
	(void)argument;
	meet(&b.beginning);
	bell_await(&b.suspending);
	fiber_semaphore_release(&b.message);
	bell_ring(&b.sent);
}

static void direct_dropped_wake(enum point point, struct fiber *fiber)
{
	if (point != POINT_SUSPENDING || fiber != b.holder || atomic_exchange(&b.is_met, true))
		return;
	bell_ring(&b.suspending);
	bell_await(&b.sent);
}

static void begin_dropped_wake(void)
{
	fiber_mutex_init(&b.mutex);
	fiber_semaphore_init(&b.message, 0);
	pthread_barrier_init(&b.beginning, NULL, 2);
	bell_init(&b.suspending);
	bell_init(&b.sent);
	scheduler_direct(stage_scheduler(), direct_dropped_wake);
	b.holder = stage_spawn("holder", hold_and_wait, NULL);
	stage_spawn("sender", send_message, NULL);
}

static bool step_dropped_wake(unsigned number)
{
	if (number > 0)
		return false;
	return fiber_destroy(b.holder);
}

const struct scenario scenario_dropped_wake = {
	.fault = DROPPED_WAKE,
	.nr_workers = 2,
	.begin = begin_dropped_wake,
	.step = step_dropped_wake,
};

/* ---------------------------------------------------------------- (c) missed notify */

/* `consumer` finds the channel empty; before it suspends, `producer` fills it and finds no waiter. */
#define NR_ITEMS 3u

static struct {
	struct fiber_channel channel;
	uintptr_t items[4];
	struct bell empty_seen;
	struct bell filled;
	atomic_bool is_met;
	pthread_barrier_t beginning;
	uintptr_t sum;
} c;

static void consume(void *argument)
{
	unsigned i;

	(void)argument;
	meet(&c.beginning);
	for (i = 0; i < NR_ITEMS; i++)
		c.sum += fiber_channel_receive(&c.channel);
}

static void produce(void *argument)
{
	uintptr_t i;

	(void)argument;
	meet(&c.beginning);
	bell_await(&c.empty_seen);
	for (i = 1; i <= NR_ITEMS; i++)
		fiber_channel_send(&c.channel, i);
	bell_ring(&c.filled);
}

static void direct_missed_notify(enum point point, struct fiber *fiber)
{
	(void)fiber;
	if (point != POINT_EMPTY_SEEN || atomic_exchange(&c.is_met, true))
		return;
	bell_ring(&c.empty_seen);
	bell_await(&c.filled);
}

static void begin_missed_notify(void)
{
	fiber_channel_init(&c.channel, c.items, sizeof(c.items) / sizeof(c.items[0]));
	pthread_barrier_init(&c.beginning, NULL, 2);
	bell_init(&c.empty_seen);
	bell_init(&c.filled);
	scheduler_direct(stage_scheduler(), direct_missed_notify);
	stage_spawn("consumer", consume, NULL);
	stage_spawn("producer", produce, NULL);
}

static bool is_missed_notify_right(void)
{
	return c.sum == NR_ITEMS * (NR_ITEMS + 1) / 2;
}

const struct scenario scenario_missed_notify = {
	.fault = MISSED_NOTIFY,
	.nr_workers = 2,
	.begin = begin_missed_notify,
	.is_right = is_missed_notify_right,
};

/* ---------------------------------------------------------------- (e) private list */

/*
 * Two fibers wait for a permit each, and two release one each, the second while the first has taken the
 * waiters out of the semaphore. In the fault it has taken both, and the second finds nobody.
 */
static struct {
	struct fiber_semaphore permits;
	struct bell taken;
	struct bell released;
	struct fiber *first;
	pthread_barrier_t beginning;
	atomic_bool is_met;
} e;

static void take_permit(void *argument)
{
	(void)argument;
	fiber_semaphore_acquire(&e.permits);
}

static void release_first(void *argument)
{
	(void)argument;
	meet(&e.beginning);
	fiber_semaphore_release(&e.permits);
}

static void release_second(void *argument)
{
	(void)argument;
	meet(&e.beginning);
	bell_await(&e.taken);
	fiber_semaphore_release(&e.permits);
	bell_ring(&e.released);
}

static void direct_private_list(enum point point, struct fiber *fiber)
{
	if (point != POINT_LIST_TAKEN || fiber != e.first || atomic_exchange(&e.is_met, true))
		return;
	bell_ring(&e.taken);
	bell_await(&e.released);
}

static void begin_private_list(void)
{
	fiber_semaphore_init(&e.permits, 0);
	pthread_barrier_init(&e.beginning, NULL, 2);
	bell_init(&e.taken);
	bell_init(&e.released);
	scheduler_direct(stage_scheduler(), direct_private_list);
	stage_spawn("waiter-1", take_permit, NULL);
}

/* The first waits; then both do. */
static bool step_private_list(unsigned number)
{
	if (number > 1)
		return false;
	if (number == 0)
		return stage_spawn("waiter-2", take_permit, NULL) != NULL;
	e.first = stage_spawn("releaser-1", release_first, NULL);
	stage_spawn("releaser-2", release_second, NULL);
	return true;
}

const struct scenario scenario_private_list = {
	.fault = PRIVATE_LIST,
	.nr_workers = 2,
	.begin = begin_private_list,
	.step = step_private_list,
};
