/* SPDX-License-Identifier: MIT */
/* The arguments of coroutines of C++20, as far as their frames keep them and debug information names them. */
#ifndef FRAMES_GIVEN_H
#define FRAMES_GIVEN_H

#include <elfutils/libdw.h>

#include "base/text.h"
#include "frames/code.h"

/*
 * given_take: adds the member of the function's frame, if it is an argument whose type is a number, a truth value,
 * an enumeration or a pointer. `entry`: the function that resumes. False: out of memory.
 */
bool given_take(struct code *code, struct code_function *function, Dwarf_Die *entry,
	Dwarf_Die *member, uint32_t offset);

/* given_name_length: the length of a name without the numbers of its block, "text" of GCC's "text_2_3". */
size_t given_name_length(const char *name);

/* given_tell: appends "arguments: number = 5, done = false"; nothing, if none is known. */
void given_tell(const struct code_function *function, const struct image *image, uint64_t frame,
	struct text *text);

#endif
