/* SPDX-License-Identifier: MIT */
/* Local variables of the coroutines of a task of asyncio, with their values. */
#ifndef FRAMES_PYTHON_LOCALS_H
#define FRAMES_PYTHON_LOCALS_H

#include "frames/python_tasks.h"

/*
 * python_locals_say: says the variables in the program's own functions, of each at most eight: "locals of serve:
 * number = 3, path = '/item/3', len(items) = 4". Numbers, texts up to 40 characters, truth values and None are said, of
 * collections how much is in them, and of other objects nothing. NULL: there is nothing to say. Out of memory: noted
 * in `python->found`.
 */
const char *python_locals_say(struct python *python, const struct python_chain *chain);

#endif
