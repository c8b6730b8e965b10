/* SPDX-License-Identifier: MIT */
/* Scenarios of fibers that wait for each other in a circle. */
#include "stage.h"
#include "synchronisation.h"
#include "truth.h"

/* ---------------------------------------------------------------- (h) mutex cycle */

/*
 * `forward` locks the left mutex and then the right one, `backward` the other way round; both hold their
 * first one before either asks for its second. In the correct build backward only tries, gives back
 * what it has, and begins again in the right order.
 */
static struct {
	struct fiber_mutex left;
	struct fiber_mutex right;
	pthread_barrier_t both_hold;
	struct fiber *forward;
} h;

static void unlock_both(void)
{
	fiber_mutex_unlock(&h.right);
	fiber_mutex_unlock(&h.left);
}

static void lock_forward(void *argument)
{
	(void)argument;
	fiber_mutex_lock(&h.left);
	meet(&h.both_hold);
	fiber_mutex_lock(&h.right);
	unlock_both();
}

static void lock_backward(void *argument)
{
	(void)argument;
	fiber_mutex_lock(&h.right);
	meet(&h.both_hold);
	if (has_fault(MUTEX_CYCLE)) {
		truth_cause(MUTEX_CYCLE, fiber_id(fiber_self()), fiber_id(h.forward));
		fiber_mutex_lock(&h.left);
	} else if (!fiber_mutex_try_lock(&h.left)) {
		fiber_mutex_unlock(&h.right);
		fiber_mutex_lock(&h.left);
		fiber_mutex_lock(&h.right);
	}
	unlock_both();
}

static void begin_mutex_cycle(void)
{
	fiber_mutex_init(&h.left);
	fiber_mutex_init(&h.right);
	pthread_barrier_init(&h.both_hold, NULL, 2);
	h.forward = stage_spawn("forward", lock_forward, NULL);
	stage_spawn("backward", lock_backward, NULL);
}

const struct scenario scenario_mutex_cycle = {
	.fault = MUTEX_CYCLE,
	.nr_workers = 2,
	.begin = begin_mutex_cycle,
};

/* ---------------------------------------------------------------- (i) await cycle */

/*
 * `first` awaits `second`, second awaits `third`, and third needs a result of first: in the correct
 * build one that first gives out before it waits, in the fault its end.
 */
static struct {
	struct fiber *first;
	struct fiber *second;
	struct fiber *third;
	struct fiber_semaphore go;
	struct fiber_semaphore result;
} i;

static void run_first(void *argument)
{
	(void)argument;
	fiber_semaphore_acquire(&i.go);
	fiber_semaphore_release(&i.result);
	fiber_join(i.second);
}

static void run_second(void *argument)
{
	(void)argument;
	fiber_semaphore_acquire(&i.go);
	fiber_join(i.third);
}

static void run_third(void *argument)
{
	(void)argument;
	fiber_semaphore_acquire(&i.go);
	if (has_fault(AWAIT_CYCLE)) {
		truth_cause(AWAIT_CYCLE, fiber_id(i.first), fiber_id(i.third));
		fiber_join(i.first);
	} else {
		fiber_semaphore_acquire(&i.result);
	}
}

static void begin_await_cycle(void)
{
	unsigned number;

	fiber_semaphore_init(&i.go, 0);
	fiber_semaphore_init(&i.result, 0);
	i.first = stage_spawn("first", run_first, NULL);
	i.second = stage_spawn("second", run_second, NULL);
	i.third = stage_spawn("third", run_third, NULL);
	for (number = 0; number < 3; number++)
		fiber_semaphore_release(&i.go);
}

const struct scenario scenario_await_cycle = {
	.fault = AWAIT_CYCLE,
	.nr_workers = 2,
	.begin = begin_await_cycle,
};
