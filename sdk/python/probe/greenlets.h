/* SPDX-License-Identifier: MIT */
/*
 * Greenlets: each switch of a thread, as greenlet.settrace reports it after it took place.
 *
 * A greenlet is a coroutine from its start, or its first switch, on. A greenlet that only drives the others, such as
 * gevent's hub, is not a coroutine: while it runs, the thread itself runs.
 */
#ifndef COROTRACER_PYTHON_GREENLETS_H
#define COROTRACER_PYTHON_GREENLETS_H

#include "python.h"

/* greenlets_add: adds the functions to the module. 0, or -1 with an exception set. */
int greenlets_add(PyObject *module);

#endif
