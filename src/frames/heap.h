/* SPDX-License-Identifier: MIT */
/*
 * What the allocator of the GNU C library says of memory: is it in use, or free again?
 *
 * Its heaps are rows of chunks, each with its size in front, and a bit that says whether the chunk before it is in use
 * (malloc/malloc.c of glibc, "Chunks of memory are maintained using a boundary tag method"). A region is such a heap if
 * the row, followed from its beginning, ends where the region ends. Nothing is said of other memory.
 */
#ifndef FRAMES_HEAP_H
#define FRAMES_HEAP_H

#include "frames/image.h"

/*
 * heap_find_free: says of `count` addresses, in ascending order, which of them lie in chunks that are free. ret_is_free
 * has room for them; an address in memory of which nothing is known is not free.
 */
void heap_find_free(
	const struct image *image, const uint64_t *addresses, size_t count, bool *ret_is_free);

/*
 * heap_blocks: hands on the room of each chunk of a region that is in use, by address, if the region is such a heap.
 * False: `take` said so, or out of memory.
 */
bool heap_blocks(const struct image *image, const struct image_region *region,
	bool (*take)(void *context, uint64_t start, uint64_t end), void *context,
	bool *ret_is_heap);

#endif
