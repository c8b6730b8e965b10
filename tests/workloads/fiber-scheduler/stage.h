/* SPDX-License-Identifier: MIT */
/*
 * The stage: what scenarios have in common. A scenario is a small play: fibers meet in a forced order, so that the same
 * thing happens in every run. The order is forced by meetings and bells, at which whole worker threads wait, and by
 * steps that the main thread takes when every worker is idle. A build with a fault and one without play the same
 * scenario.
 */
#ifndef FIBER_STAGE_H
#define FIBER_STAGE_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

#include "fault.h"
#include "fiber.h"
#include "scheduler.h"

struct scenario {
	enum fault fault; /* the fault that it can show; NO_FAULT: none */
	unsigned nr_workers;
	void (*begin)(void); /* on the main thread, with all workers idle */
	/*
	 * Called with 0, 1, 2, ... when every worker is idle while fibers are alive: makes the next thing happen.
	 * False: there is nothing more, and the fibers are on their own. NULL: never called.
	 */
	bool (*step)(unsigned number);
	/* called after the end: was the result right? NULL: no result is checked */
	bool (*is_right)(void);
};

extern const struct scenario scenario_mixed, scenario_dropped_wake, scenario_missed_notify,
	scenario_dead_waiter, scenario_private_list, scenario_double_resume, scenario_ghost_resume,
	scenario_mutex_cycle, scenario_await_cycle, scenario_private_slot, scenario_blocked_worker,
	scenario_wake_storm, scenario_leak;

/* stage_scenario: the scenario that can show this fault; NO_FAULT: the mixed one. */
const struct scenario *stage_scenario(enum fault fault);

/* stage_open, stage_close: the scheduler that scenarios play on. */
void stage_open(unsigned nr_workers);
void stage_close(void);
struct scheduler *stage_scheduler(void);

/*
 * stage_spawn: fiber_spawn on the stage's scheduler; the stage remembers the fiber, and reports at the end how it
 * ended. The handle is the stage's. Any thread.
 */
#define stage_spawn(name, function, argument) \
	stage_spawn_at((name), (function), (argument), CTP_SITE("spawn"))
struct fiber *stage_spawn_at(
	const char *name, fiber_function *function, void *argument, uint32_t site);

/* stage_tell: writes the end of the log; returns how many fibers have not ended. */
unsigned stage_tell(void);

/* stage_end: ends the program here, even if fibers are alive. stage_has_ended: was it called? */
void stage_end(void);
bool stage_has_ended(void);

/* stage_pipe: makes a pipe whose ends block, or not. stage_close closes both ends. */
void stage_pipe(int ends[2], bool is_blocking);

/* A bell: bell_await blocks the whole thread until the bell has been rung once. */
struct bell {
	sem_t semaphore;
};

void bell_init(struct bell *bell);
void bell_ring(struct bell *bell);
void bell_await(struct bell *bell);

/* meet: blocks the whole thread until two threads have come. */
void meet(pthread_barrier_t *barrier);

#endif
