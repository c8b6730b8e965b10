/* SPDX-License-Identifier: MIT */
/*
 * The objects that coroutines of C++20 await, each said once with what is in it, and who else has a pointer to it in an
 * object among its variables: of a lock, the guard of the coroutine that has the lock.
 */
#ifndef FRAMES_AWAITED_OBJECTS_H
#define FRAMES_AWAITED_OBJECTS_H

#include "frames/object_counts.h"
#include "frames/scan.h"

/* The objects of one look. Zeroed but for the first two members: none yet. */
struct awaited_objects {
	const struct scan *scan;
	struct found *found;
	struct object_counts counts; /* by the frames that wait */
};

/*
 * awaited_objects_take: counts the object that a waiting frame awaits. Returns what the frame awaits, in words that
 * belong to what was found: "awaits Receive: attempts = 3, channel->closed_ = false"; NULL: nothing is known.
 */
const char *awaited_objects_take(struct awaited_objects *objects, size_t frame);

/*
 * awaited_objects_tell: adds what is in the objects for which most wait to the sights; all frames are told by then.
 * awaited_objects_fini: frees what awaited_objects_take kept.
 */
void awaited_objects_tell(struct awaited_objects *objects);
void awaited_objects_fini(struct awaited_objects *objects);

#endif
