/* SPDX-License-Identifier: MIT */
/*
 * The stage: what scenarios have in common. A scenario is a small play: fibers that meet in a forced
 * order, so that the same thing happens in every run. The order is forced by meetings and bells, on which
 * whole worker threads wait, and by steps that the main thread takes when every worker is idle. A build
 * with a fault and one without play the same scenario.
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
	enum fault fault; /* that it can show; NO_FAULT: none */
	unsigned nr_workers;
	void (*begin)(void); /* on the main thread, with all workers idle */
	/*
	 * Called when every worker is idle while fibers are alive, with 0, 1, 2, ...: what is to happen
	 * next. False: nothing, the fibers are on their own. NULL: never.
	 */
	bool (*step)(unsigned number);
	bool (*is_right)(void); /* after the end: was the result right? NULL: there is none */
};

extern const struct scenario scenario_mixed, scenario_dropped_wake, scenario_missed_notify,
	scenario_dead_waiter, scenario_private_list, scenario_double_resume, scenario_ghost_resume,
	scenario_mutex_cycle, scenario_await_cycle, scenario_private_slot, scenario_blocked_worker,
	scenario_wake_storm, scenario_leak;

/* stage_scenario: the one that can show this fault; NO_FAULT: the mixed one. */
const struct scenario *stage_scenario(enum fault fault);

/* stage_open, stage_close: the scheduler that scenarios play on. */
void stage_open(unsigned nr_workers);
void stage_close(void);
struct scheduler *stage_scheduler(void);

/*
 * stage_spawn: fiber_spawn on the stage's scheduler, of a fiber that the stage remembers: at the end
 * it is asked what has become of it. The handle is the stage's. Any thread.
 */
#define stage_spawn(name, function, argument) \
	stage_spawn_at((name), (function), (argument), CTP_SITE("spawn"))
struct fiber *stage_spawn_at(
	const char *name, fiber_function *function, void *argument, uint32_t site);

/* stage_tell: writes the log's end; returns how many fibers have not come to their end. */
unsigned stage_tell(void);

/* stage_end: the program ends here, though fibers may be alive. stage_has_ended: was it called? */
void stage_end(void);
bool stage_has_ended(void);

/* stage_pipe: a pipe whose ends block, or not. The two are closed by stage_close. */
void stage_pipe(int ends[2], bool is_blocking);

/* A bell: who awaits it blocks, with the whole thread, until it has been rung once. */
struct bell {
	sem_t semaphore;
};

void bell_init(struct bell *bell);
void bell_ring(struct bell *bell);
void bell_await(struct bell *bell);

/* meet: blocks, with the whole thread, until two have come. */
void meet(pthread_barrier_t *barrier);

#endif
