/* SPDX-License-Identifier: MIT */
/*
 * Places in Python code, as sites of the probe: a file, a line, a function, and what is called there.
 *
 * A place is the innermost line of the program's own code; if there is none, that of installed code: packages and the
 * standard library. Lines of libraries that schedule (asyncio, and this package) are not places. The function that is
 * called at the place is the site's name: `Queue.get in consume, app.py:12`. All functions need the interpreter's lock,
 * and leave an exception that is set as it is.
 */
#ifndef COROTRACER_PYTHON_PLACES_H
#define COROTRACER_PYTHON_PLACES_H

#include "python.h"

#include <stdint.h>

/* places_open: prepares what places need from the interpreter, once. 0, or -1 with an exception set. */
int places_open(void);

/*
 * places_add_library: from now on files whose path begins with `prefix`, a str, belong to a library that schedules, for
 * code that was not met yet; the first prefix is this package's. places_add_installed: such files are installed code.
 * 0, or -1 with an exception set.
 */
int places_add_library(PyObject *prefix);
int places_add_installed(PyObject *prefix);

/* places_add_hidden: frames of this code are left out: a library calls this package by way of it. */
void places_add_hidden(PyObject *code);
/* places_add_bottom: names a loop's function, by its code: what called the function has no part in what it runs. */
void places_add_bottom(PyObject *code);

/*
 * places_here: returns the site of the line that this thread executes; if no line of the program is under way, as in a
 * timer's callback, the innermost line of a library. 0: the thread executes no Python code, or the program is not
 * traced.
 */
uint32_t places_here(void);

/*
 * places_of_await: returns the site of the line at which a suspended coroutine or generator waits, at the end of the
 * chain of what it awaits, with at most eight calls of the program that led there, the innermost, and at most four
 * calls of installed code that were made there, the innermost (P-45); 0: not known, or the program is not traced.
 * `unwrap` returns the coroutine that an object of another type stands for, as a borrowed reference, or NULL.
 */
uint32_t places_of_await(PyObject *coroutine, PyObject *(*unwrap)(PyObject *object));

/*
 * places_of_frame: returns the site of a frame's line, or of the line of its first caller that is the program's; 0 as
 * above.
 * places_of_stack: does the same, with the calls of the program that led there, as places_of_await has them.
 */
uint32_t places_of_frame(PyObject *frame);
uint32_t places_of_stack(PyObject *frame);

/*
 * places_of_error: returns the site of the line at which the exception that is set was raised, with the calls that led
 * there; 0: no exception is set, its lines are not known, or the program is not traced.
 */
uint32_t places_of_error(void);

/*
 * places_name: returns a str as a site without a place. Each text is interned once; 0 while the program is not traced,
 * and for texts after the first 4,096, because a process has a limited number of sites.
 */
uint32_t places_name(PyObject *text);

#endif
