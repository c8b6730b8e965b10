/* SPDX-License-Identifier: MIT */
/* Local variables of coroutines of C++20 that lie in their frames, by the places at which they are in use. */
#ifndef FRAMES_LOCALS_H
#define FRAMES_LOCALS_H

#include <elfutils/libdw.h>

#include "base/text.h"
#include "frames/code.h"

/*
 * locals_take: finds the variables of the function whose types are numbers, truth values, enumerations or pointers, and
 * notes for each place which of them are in scope there and declared on a line before it. The function's places are
 * known by then. `entry`: the function that resumes; `frame`: the frame's type. False: out of memory.
 */
bool locals_take(
	struct code *code, struct code_function *function, Dwarf_Die *entry, Dwarf_Die *frame);

/* locals_tell: appends "locals: i = 5, is_open = false"; nothing, if none is in use there. NULL: no place is known. */
void locals_tell(const struct code_function *function, const struct code_point *point,
	const struct image *image, uint64_t frame, struct text *text);

#endif
