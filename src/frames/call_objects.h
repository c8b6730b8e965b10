/* SPDX-License-Identifier: MIT */
/*
 * The objects that stackful coroutines wait for, as far as debug information tells: an argument of one of the innermost
 * calls on the stack that leads to an object which is called as such objects are, the `struct mutex *m` of `lock`.
 */
#ifndef FRAMES_CALL_OBJECTS_H
#define FRAMES_CALL_OBJECTS_H

#include "frames/calls.h"
#include "frames/code.h"
#include "frames/object_counts.h"

/* What a type of object has in it, and what it is called; kept once for each. */
struct call_type {
	struct code_awaiter members; /* their ways begin at the object */
	const char *name;
};

/* A coroutine that is within a call with such an object. */
struct call_waiting {
	uint32_t type;
	uint32_t place;
	const char *function;
};

struct call_objects {
	struct object_counts counts; /* by an index into `waiting` */
	VEC(struct call_waiting) waiting;
	VEC(struct call_type) types;
	struct map by_type; /* address of its entry, to an index into `types` */
	struct class_names names;
};

/*
 * call_objects_take: finds the object of a row of calls, and counts it. Returns what is in it, in words that belong to
 * what was found: "is in lock with the mutex at 0x7f40: owner = 0x7f30, waiters = 3"; NULL: none is known.
 */
const char *call_objects_take(struct call_objects *objects, const struct calling *calling,
	const struct calls *calls, uint32_t place);

/* call_objects_tell: adds what is in the objects with which most coroutines wait to the sights. */
void call_objects_tell(
	struct call_objects *objects, const struct image *image, struct found *found);

/* call_objects_fini: frees what call_objects_take made. */
void call_objects_fini(struct call_objects *objects);

#endif
