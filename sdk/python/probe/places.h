/* SPDX-License-Identifier: MIT */
/*
 * Places in Python code, as sites of the probe: a file, a line, a function, and what is called there.
 *
 * A place is the innermost line that is the program's own; where there is none, that of installed code: packages and
 * the standard library. Libraries that schedule (asyncio, and this package) are no places. What is called there is
 * the site's name: `Queue.get in consume, app.py:12`. All functions need the interpreter's lock, and leave an
 * exception that is set as it is.
 */
#ifndef COROTRACER_PYTHON_PLACES_H
#define COROTRACER_PYTHON_PLACES_H

#include "python.h"

#include <stdint.h>

/* places_open: what places need of the interpreter, once. 0, or -1 with an exception set. */
int places_open(void);

/*
 * places_add_library: files whose path begins with `prefix`, a str, are of a library that schedules from now on, for
 * code that was not met yet; the first one names this package. places_add_installed: they are installed code.
 * 0, or -1 with an exception set.
 */
int places_add_library(PyObject *prefix);
int places_add_installed(PyObject *prefix);

/* places_add_bottom: a loop's function, by its code: what called it has no part in what it runs. */
void places_add_bottom(PyObject *code);

/*
 * places_here: the site of the line that this thread executes; where no line of the program is under way, as in a
 * timer's callback, the innermost of a library. 0: it executes no Python code, or nothing traces.
 */
uint32_t places_here(void);

/*
 * places_of_await: the site of the line at which a suspended coroutine or generator waits, down the chain of what it
 * awaits, with the calls of the program that led there, the innermost eight, and those of installed code that were made
 * there, the innermost four (P-45); 0: not known, or nothing traces. `unwrap` gives the coroutine that an object of
 * another type stands for, as a borrowed reference, or NULL.
 */
uint32_t places_of_await(PyObject *coroutine, PyObject *(*unwrap)(PyObject *object));

/*
 * places_of_frame: the site of a frame's line, or of the first of its callers that is the program's; 0 as above.
 * places_of_stack: the same, with the calls of the program that led there, as places_of_await has them.
 */
uint32_t places_of_frame(PyObject *frame);
uint32_t places_of_stack(PyObject *frame);

/*
 * places_name: a str as a site without a place. Each text is interned once; 0 where nothing traces, and for those that
 * come after the first 4,096 texts: the sites of a process are limited.
 */
uint32_t places_name(PyObject *text);

#endif
