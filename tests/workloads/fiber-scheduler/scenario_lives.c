/* SPDX-License-Identifier: MIT */
/* Scenarios of fibers that are used after their end, or twice at once. */
#include "stage.h"
#include "synchronisation.h"

/* ---------------------------------------------------------------- (d) dead waiter */

/*
 * `holder` holds a mutex, `victim` and then `heir` wait for it. victim is destroyed; then holder
 * unlocks. Where victim is still queued it becomes the owner, and heir waits for ever.
 */
static struct {
	struct fiber_mutex mutex;
	struct fiber_semaphore go;
	struct fiber *victim;
} d;

static void hold(void *argument)
{
	(void)argument;
	fiber_mutex_lock(&d.mutex);
	fiber_semaphore_acquire(&d.go);
	fiber_mutex_unlock(&d.mutex);
}

static void lock_and_unlock(void *argument)
{
	(void)argument;
	fiber_mutex_lock(&d.mutex);
	fiber_mutex_unlock(&d.mutex);
}

static void begin_dead_waiter(void)
{
	fiber_mutex_init(&d.mutex);
	fiber_semaphore_init(&d.go, 0);
	stage_spawn("holder", hold, NULL);
}

static bool step_dead_waiter(unsigned number)
{
	switch (number) {
	case 0:
		d.victim = stage_spawn("victim", lock_and_unlock, NULL);
		return true;
	case 1:
		stage_spawn("heir", lock_and_unlock, NULL);
		return true;
	case 2:
		fiber_destroy(d.victim);
		fiber_semaphore_release(&d.go);
		return true;
	default:
		return false;
	}
}

const struct scenario scenario_dead_waiter = {
	.fault = DEAD_WAITER,
	.nr_workers = 2,
	.begin = begin_dead_waiter,
	.step = step_dead_waiter,
};

/* ---------------------------------------------------------------- (f) double resume */

/*
 * `target` is parked. Two fibers, on a worker each, unpark it at once: both see it waiting before either
 * claims it. In the fault both queue it, each with its own worker; one worker runs it, and target
 * holds that one up until the other has found it, too, and for so long that no clock can have the two
 * in the other order.
 */
#define BEYOND_CLOCKS_NS 1000000

static struct {
	struct fiber *target;
	atomic_bool is_told;
	pthread_barrier_t beginning;
	pthread_barrier_t seen;
	pthread_barrier_t queued;
	_Atomic unsigned nr_seen;
} f;

static void await_word(void *argument)
{
	uint64_t found;

	(void)argument;
	while (!atomic_load(&f.is_told))
		fiber_park();
	idle_await_others(&stage_scheduler()->idle);
	for (found = fiber_now_ns(); fiber_now_ns() - found < BEYOND_CLOCKS_NS;)
		;
}

static void tell(void *argument)
{
	(void)argument;
	meet(&f.beginning);
	atomic_store(&f.is_told, true);
	fiber_unpark(f.target);
	meet(&f.queued);
}

static void direct_double_resume(enum point point, struct fiber *fiber)
{
	if (point == POINT_WAKE_SEEN && fiber == f.target && atomic_fetch_add(&f.nr_seen, 1) < 2)
		meet(&f.seen);
}

static void begin_double_resume(void)
{
	pthread_barrier_init(&f.beginning, NULL, 2);
	pthread_barrier_init(&f.seen, NULL, 2);
	pthread_barrier_init(&f.queued, NULL, 2);
	scheduler_direct(stage_scheduler(), direct_double_resume);
	f.target = stage_spawn("target", await_word, NULL);
}

/* From the first idle moment on the fiber is parked. */
static bool step_double_resume(unsigned number)
{
	if (number > 0)
		return false;
	stage_spawn("teller-1", tell, NULL);
	stage_spawn("teller-2", tell, NULL);
	return true;
}

const struct scenario scenario_double_resume = {
	.fault = DOUBLE_RESUME,
	.nr_workers = 2,
	.begin = begin_double_resume,
	.step = step_double_resume,
};

/* ---------------------------------------------------------------- (g) ghost resume */

/*
 * `sleeper` sleeps, and is destroyed while it does. In the fault its timer runs on, and when it fires the
 * scheduler resumes what is no more. `bystander` sleeps longer, so that there is a scheduler left.
 */
#define SLEEP_NS UINT64_C(600000000)

static struct {
	struct fiber *sleeper;
	uint64_t began_ns;
} g;

static void sleep_one_time(void *argument)
{
	(void)argument;
	fiber_sleep_until(g.began_ns + SLEEP_NS);
}

static void sleep_two_times(void *argument)
{
	(void)argument;
	fiber_sleep_until(g.began_ns + 2 * SLEEP_NS);
}

static void begin_ghost_resume(void)
{
	g.began_ns = fiber_now_ns();
	g.sleeper = stage_spawn("sleeper", sleep_one_time, NULL);
	stage_spawn("bystander", sleep_two_times, NULL);
}

static bool step_ghost_resume(unsigned number)
{
	if (number > 0)
		return false;
	return fiber_destroy(g.sleeper);
}

const struct scenario scenario_ghost_resume = {
	.fault = GHOST_RESUME,
	.nr_workers = 2,
	.begin = begin_ghost_resume,
	.step = step_ghost_resume,
};
