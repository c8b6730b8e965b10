/* SPDX-License-Identifier: MIT */
/*
 * What is in a future of Rust that a task awaits, by debug information: its members, and what its references and
 * pointers lead to, such as the queue of a `Pop` that somebody wrote by hand.
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
 * rust_awaited_object: finds the first object to which the value leads, without what counts its references. False:
 * there is none.
 */
bool rust_awaited_object(const struct rust_reading *reading, const struct rust_value *value,
	struct rust_value *ret_object);

#endif
