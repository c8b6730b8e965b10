/* SPDX-License-Identifier: MIT */
/* Objects that coroutines await, counted: those for which most wait are said first. */
#ifndef FRAMES_OBJECT_COUNTS_H
#define FRAMES_OBJECT_COUNTS_H

#include "base/text.h"
#include "frames/found.h"

#define OBJECT_COUNTS_SAID 6u

struct object_count {
	uint64_t address;
	size_t first; /* of those that wait, in the numbering of who counts */
	uint64_t nr_coroutines;
};

struct object_counts {
	VEC(struct object_count) list;
	struct map by_address; /* index into `list` */
};

/* object_counts_add: counts one more that waits for the object. False: out of memory. */
bool object_counts_add(struct object_counts *counts, uint64_t address, size_t waiting);

/* object_counts_sort: puts those first for which most wait. No object is added afterwards. */
void object_counts_sort(struct object_counts *counts);

/* How they are with the object: "awaits the" of one, "await the" of several. */
struct object_counts_words {
	const char *of_one;
	const char *of_several;
};

extern const struct object_counts_words object_counts_await;

/* object_counts_say: appends "3 coroutines, one of them at src/a.cpp:7, await the Channel<int> at 0x7f30: ". */
void object_counts_say(const struct object_count *object, const struct found_place *place,
	const struct object_counts_words *words, const char *type, struct text *text);

/* object_counts_fini: frees what object_counts_add made. */
void object_counts_fini(struct object_counts *counts);

#endif
