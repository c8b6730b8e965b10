/* SPDX-License-Identifier: MIT */
/*
 * libcorotracer, which is loaded when a trace is first opened, so that programs that are only traced do not need it.
 */
#ifndef COROTRACER_PYTHON_LIBRARY_H
#define COROTRACER_PYTHON_LIBRARY_H

#include "corotracer/ct.h"

struct library {
#define X(name) __typeof__(&(name)) name;
#include "functions.def"
#undef X
};

/*
 * library_load: loads the library from a path, or, for a name without a slash, as dlopen(3) searches; returns its
 * functions, which stay until the process ends. NULL: failed, and *ret_trouble says why, valid until the thread's next
 * call. The lock of the interpreter must be held.
 */
const struct library *library_load(const char *path, const char **ret_trouble);

#endif
