/* SPDX-License-Identifier: MIT */
/* The stage: the fibers of a scenario, and how each ended. */
#include "stage.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "truth.h"

#define CAST_MAX 4096
#define PIPES_MAX 8

static struct {
	struct scheduler *scheduler;
	pthread_mutex_t guard;
	struct fiber *cast[CAST_MAX];
	unsigned nr_cast;
	int descriptors[2 * PIPES_MAX];
	unsigned nr_descriptors;
	atomic_bool has_ended;
} stage = {.guard = PTHREAD_MUTEX_INITIALIZER};

const struct scenario *stage_scenario(enum fault fault)
{
	static const struct scenario *const all[] = {
		&scenario_dropped_wake,
		&scenario_missed_notify,
		&scenario_dead_waiter,
		&scenario_private_list,
		&scenario_double_resume,
		&scenario_ghost_resume,
		&scenario_mutex_cycle,
		&scenario_await_cycle,
		&scenario_private_slot,
		&scenario_blocked_worker,
		&scenario_wake_storm,
		&scenario_leak,
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i]->fault == fault)
			return all[i];
	return &scenario_mixed;
}

/* A scenario that cannot be set up has nothing to show. */
static void need(bool condition)
{
	if (!condition)
		abort();
}

void stage_open(unsigned nr_workers)
{
	stage.scheduler = scheduler_new(nr_workers);
	need(stage.scheduler != NULL);
}

void stage_close(void)
{
	unsigned i;

	for (i = 0; i < stage.nr_cast; i++)
		fiber_release(stage.cast[i]);
	scheduler_free(stage.scheduler);
	for (i = 0; i < stage.nr_descriptors; i++)
		close(stage.descriptors[i]);
}

struct scheduler *stage_scheduler(void)
{
	return stage.scheduler;
}

struct fiber *stage_spawn_at(
	const char *name, fiber_function *function, void *argument, uint32_t site)
{
	struct fiber *fiber;

	/* Under the guard, so that the log has a fiber before the fiber does anything. */
	pthread_mutex_lock(&stage.guard);
	fiber = fiber_spawn_at(stage.scheduler, name, function, argument, site);
	need(fiber && stage.nr_cast < CAST_MAX);
	stage.cast[stage.nr_cast++] = fiber;
	truth_line("fiber coroutine=%llu name=%s", (unsigned long long)fiber_id(fiber), name);
	pthread_mutex_unlock(&stage.guard);
	return fiber;
}

static const char *state_name(enum fiber_state state)
{
	switch (state) {
	case FIBER_READY:
		return "ready";
	case FIBER_RUNNING:
	case FIBER_NOTIFIED:
		return "running";
	case FIBER_WAITING:
		return "waiting";
	case FIBER_DONE:
		return "done";
	default:
		return "destroyed";
	}
}

unsigned stage_tell(void)
{
	unsigned nr_stuck = 0, nr_destroyed = 0, i;

	for (i = 0; i < stage.nr_cast; i++) {
		const struct fiber *fiber = stage.cast[i];
		enum fiber_state state = fiber_state(fiber);
		unsigned long long id = fiber_id(fiber);

		if (state == FIBER_DESTROYED) {
			truth_line("destroyed coroutine=%llu name=%s", id, fiber_name(fiber));
			nr_destroyed++;
		} else if (state != FIBER_DONE) {
			truth_line("stuck coroutine=%llu name=%s state=%s", id, fiber_name(fiber),
				state_name(state));
			nr_stuck++;
		}
	}
	truth_line("end stuck=%u destroyed=%u", nr_stuck, nr_destroyed);
	return nr_stuck;
}

void stage_end(void)
{
	atomic_store(&stage.has_ended, true);
}

bool stage_has_ended(void)
{
	return atomic_load(&stage.has_ended);
}

void stage_pipe(int ends[2], bool is_blocking)
{
	need(stage.nr_descriptors + 2 <= 2 * PIPES_MAX);
	need(pipe2(ends, O_CLOEXEC | (is_blocking ? 0 : O_NONBLOCK)) == 0);
	stage.descriptors[stage.nr_descriptors++] = ends[0];
	stage.descriptors[stage.nr_descriptors++] = ends[1];
}

void bell_init(struct bell *bell)
{
	sem_init(&bell->semaphore, 0, 0);
}

void bell_ring(struct bell *bell)
{
	sem_post(&bell->semaphore);
}

void bell_await(struct bell *bell)
{
	while (sem_wait(&bell->semaphore) != 0)
		; /* a signal came between */
}

void meet(pthread_barrier_t *barrier)
{
	pthread_barrier_wait(barrier);
}
