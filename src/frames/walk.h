/* SPDX-License-Identifier: MIT */
/* Walks over all words of writable memory, a piece at a time, and over constants. */
#ifndef FRAMES_WALK_H
#define FRAMES_WALK_H

#include "frames/image.h"

struct walk {
	/*
	 * take: gets a piece of a region; is_stack: it is of a thread's stack, and in use. The first word was the last
	 * one of the piece before, if that was of the same region. False: ends the walk.
	 */
	bool (*take)(void *context, const uint64_t *words, size_t count, uint64_t address,
		bool is_stack);
	void *context;
	bool is_of_files;   /* only regions of mapped files are wanted */
	bool is_below;      /* also what lies below a stack pointer, where other stacks may be */
	uint64_t nr_unread; /* bytes that could not be read */
};

/* walk_memory: walks by address. False: out of memory, or `take` said so. */
bool walk_memory(struct walk *walk, const struct image *image);

/*
 * walk_constants: hands on each word of what is mapped of files and is no code, with its address: tables of functions
 * are among the constants that were relocated. False: `take` said so.
 */
bool walk_constants(const struct image *image,
	bool (*take)(void *context, uint64_t word, uint64_t address), void *context);

#endif
