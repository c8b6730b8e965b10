/* SPDX-License-Identifier: MIT */
/* The layout of the frames of a function, from debug information (DWARF 4 and 5), and the objects that it awaits. */
#ifndef FRAMES_SHAPE_H
#define FRAMES_SHAPE_H

#include <elfutils/libdw.h>

#include "frames/code.h"

/*
 * shape_read: fills in the shape, the places, and the declaration of a function. What the debug information does not
 * say stays unknown. False: out of memory.
 */
bool shape_read(struct code *code, struct code_function *function);

/*
 * shape_awaiter_of_point: returns the index of the awaiter in the frame that belongs to the place: of GCC the one of
 * this number, of clang the only one of this type. CODE_NO_OFFSET: there is none, or several.
 */
uint32_t shape_awaiter_of_point(
	const struct code_function *function, const struct code_point *point);

/*
 * shape_take_class: tells the class of an awaiter, of which clang's frame names no members: those that are called as
 * descriptors are get their places, and all their ways. False: out of memory.
 */
bool shape_take_class(struct code *code, struct code_function *function, const char *class_name,
	Dwarf_Die *class_entry);

#endif
