/* SPDX-License-Identifier: MIT */
/*
 * A coroutine in a wrapper that records its steps: each send begins a step, and its result ends the step.
 *
 * An event loop drives a task by send() and throw() alone, so that nothing else of the loop has to be known or changed.
 * The wrapper shows the coroutine's own attributes, such as cr_frame, as its own. A loop that drives the coroutine
 * itself and reports its steps, as trio does, has the wrapper beside the coroutine, and calls begin, suspend, ready and
 * finish.
 */
#ifndef COROTRACER_PYTHON_STEPS_H
#define COROTRACER_PYTHON_STEPS_H

#include "python.h"

/* steps_add: adds the type `Steps` and the functions that go with it to the module. 0, or -1 with an exception set. */
int steps_add(PyObject *module);

#endif
