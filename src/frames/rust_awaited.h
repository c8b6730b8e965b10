/* SPDX-License-Identifier: MIT */
/*
 * What is in a future of Rust that a task awaits, by debug information: its members, and what its references and
 * pointers lead to, such as the queue of a `Pop` that somebody wrote by hand. And what is in a task's variables.
 */
#ifndef FRAMES_RUST_AWAITED_H
#define FRAMES_RUST_AWAITED_H

#include "base/text.h"
#include "frames/found.h"
#include "frames/rust_types.h"

/* Where a walk through a value has its texts, and what it reads. */
struct rust_reading {
	const struct image *image;
	struct arena *arena;
};

/*
 * rust_awaited_say: appends the members with their values, "queue->closed = false, queue->items.len = 3"; nothing, if
 * none can be said. False: out of memory.
 */
bool rust_awaited_say(
	const struct rust_reading *reading, const struct rust_value *value, struct text *text);

/*
 * rust_variable_say: appends what a variable is, "id = 3", and of a structure what its own members are, as far as a
 * word or a text says that: no pointers. `nr_values` counts the values, before which there is a comma unless it is 0.
 * Nothing is appended if `most` of them are there. False: out of memory.
 */
bool rust_variable_say(const struct rust_reading *reading, const char *name,
	const struct rust_value *value, uint32_t most, uint32_t *nr_values, struct text *text);

/*
 * rust_awaited_object: finds the first object to which the value leads, without what counts its references. False:
 * there is none.
 */
bool rust_awaited_object(const struct rust_reading *reading, const struct rust_value *value,
	struct rust_value *ret_object);

#endif
