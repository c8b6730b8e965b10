/* SPDX-License-Identifier: MIT */
/*
 * Memory as a program gives it out: a copy of all writable words, the blocks in it that are in use, and the roots,
 * which are what is in no block: stacks, variables that live as long as the program, memory of allocators that are not
 * known. Blocks are known of glibc's malloc and of CPython's allocator of small objects.
 */
#ifndef FRAMES_BLOCKS_H
#define FRAMES_BLOCKS_H

#include "frames/image.h"

struct block {
	uint64_t start;
	uint64_t end;
};

struct blocks_piece {
	uint64_t start;
	size_t first; /* index of its first word */
	size_t count;
	bool is_stack;
};

struct blocks {
	VEC(struct blocks_piece) pieces; /* by address */
	VEC(uint64_t) words;
	VEC(struct block) blocks; /* by address */
	VEC(struct block) roots;  /* the same */
	bool is_too_large;        /* more than is copied: there is nothing */
};

/* blocks_take: false: out of memory. blocks_fini: frees all. */
bool blocks_take(struct blocks *blocks, const struct image *image);
void blocks_fini(struct blocks *blocks);

/* blocks_at: finds the block that contains the address. */
bool blocks_at(const struct blocks *blocks, uint64_t address, uint32_t *ret_index);

/* blocks_words: returns the words from the address on, and how many up to `end` lie in a row; 0: none. */
const uint64_t *blocks_words(
	const struct blocks *blocks, uint64_t address, uint64_t end, size_t *ret_count);

#endif
