/* SPDX-License-Identifier: MIT */
/* What steps.c and driven.c share: what a coroutine is recorded by. */
#ifndef COROTRACER_PYTHON_STEP_H
#define COROTRACER_PYTHON_STEP_H

#include "python.h"

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ctp_probe.h"
#include "held.h"

enum state { STATE_NEW, STATE_RUNNING, STATE_WAITING, STATE_YIELDED, STATE_READY, STATE_DONE };

struct steps {
	PyObject_HEAD PyObject *inner;
	PyObject *ends_first; /* the future that ends at deadline_ns; compared, never followed */
	struct steps *outer;  /* inside whose step a step begun by begin() runs */
	uint64_t coro;
	uint64_t child;     /* the task whose end it waits for, or 0 */
	uint64_t *gathered; /* the tasks whose ends it waits for together */
	int nr_gathered;
	uint64_t resource;    /* resource of a wait inside this step, or 0 */
	uint64_t deadline_ns; /* deadline of ends_first */
	uint64_t limit_ns;    /* time by which any wait of this step ends, or 0 */
	enum state state;
	bool is_cancelled; /* a cancellation began this step, and no time-out of its own made it */
	bool has_waited; /* its last step ended by a wait, and not by going to the end of the queue */
	struct held_wait wait;
};

#define CORO(steps) CTP_HANDLE(CTP_RESOURCE_COROUTINE, (steps)->coro)

extern _Thread_local struct steps *running;

/* steps_unwrap: the coroutine inside a wrapper, borrowed; NULL: it is none. */
PyObject *steps_unwrap(PyObject *object);

/*
 * steps_begin: a step begins; returns the one inside of which it does so. steps_end: the coroutine has ended.
 * steps_is_cancellation: is this class, or that of this object, one by which a library cancels?
 * steps_task_is_cancelled: does somebody cancel the running task of asyncio? False before Python 3.11.
 */
struct steps *steps_begin(struct steps *steps);
void steps_end(struct steps *steps);
bool steps_is_cancellation(PyObject *error);
bool steps_task_is_cancelled(void);

/* steps_gather: waits for the tasks among `children`, a list of futures, tasks, or their wrappers. */
void steps_gather(struct steps *steps, PyObject *children, uint32_t site);

/* steps_wake: what runs on this thread makes the coroutine ready. */
void steps_wake(struct steps *steps);

/* steps_time: converts seconds on the loop's clock, which is CLOCK_MONOTONIC; 0: none. */
uint64_t steps_time(double seconds);

/* The methods for a loop that drives the coroutine itself, and reports when it does so. */
PyObject *driven_begin(PyObject *self, PyObject *nothing);
PyObject *driven_suspend(PyObject *self, PyObject *arguments);
PyObject *driven_finish(PyObject *self, PyObject *arguments);
PyObject *driven_join(PyObject *self, PyObject *children);
PyObject *driven_ready(PyObject *self, PyObject *nothing);

#endif
