/* SPDX-License-Identifier: MIT */
/*
 * References to what tasks wait for: a future that nobody refers to but the task that awaits it will never be set, nor
 * will one that only lies in a variable of a task that has gone on without it. References are counted as Python's
 * garbage collector counts them, some times a second at most, and only of tasks that have waited for at least a second.
 */
#ifndef COROTRACER_PYTHON_HELD_H
#define COROTRACER_PYTHON_HELD_H

#include "python.h"

#include <stdbool.h>
#include <stdint.h>

/* The wait of a task, a part of what the task is recorded by. */
struct held_wait {
	struct held_wait *before, *behind; /* in the list of all waits */
	PyObject *steps, *coroutine;       /* the task's wrapper and coroutine; both borrowed */
	PyObject *
		subject; /* what it waits for: a future, or a lock, a queue and the like; NULL: it does not wait */
	uint64_t coro;
	uint64_t due_ns; /* when it is looked at next */
	uint64_t age_ns; /* how long it has waited then */
	uint64_t told;   /* the value of the last mark */
	uint32_t count;  /* references to the subject as the wait began */
	bool is_future;
};

/*
 * held_join: adds a task, which does not wait yet; both objects have to live until held_leave, which may be called
 * again.
 */
void held_join(struct held_wait *wait, PyObject *steps, PyObject *coroutine, uint64_t coro);
void held_leave(struct held_wait *wait);

/*
 * held_begin: the task has just suspended, for a future or, if not `is_future`, another object. A reference to it is
 * kept until held_end, which may be called at any time.
 */
void held_begin(struct held_wait *wait, PyObject *subject, bool is_future);
void held_end(struct held_wait *wait);

/* held_look: looks at waits that have lasted for long, if it is time, and records who refers to what they wait for. */
void held_look(void);

#endif
