/* SPDX-License-Identifier: MIT */
/* Copies memory, and finds blocks and roots in it (blocks.h). */
#include <stdlib.h>
#include <string.h>

#include "frames/blocks.h"
#include "frames/heap.h"
#include "frames/walk.h"

#define WORD sizeof(uint64_t)
#define WORDS_MAX ((size_t)1 << 26)
#define PAGE_BYTES 4096u
#define CHUNK_HEADER 16u
#define CHUNK_FLAGS UINT64_C(7)
#define CHUNK_IS_MAPPED UINT64_C(2)

/* CPython's pools of small objects of one size (Objects/obmalloc.c), the same since Python 3.10. */
#define POOL_BYTES UINT64_C(16384)
#define POOL_HEADER 48u
#define POOL_UNIT 16u
#define POOL_SIZES 32u

struct pool {
	uint64_t nr_used;
	uint64_t free_block;
	uint64_t next;
	uint64_t previous;
	uint32_t arena;
	uint32_t size;
	uint32_t next_offset;
	uint32_t last_offset;
};

/* ---------------------------------------------------------------- the copy */

static bool copy(
	void *context, const uint64_t *words, size_t count, uint64_t address, bool is_stack)
{
	struct blocks *blocks = context;
	struct blocks_piece *last =
		blocks->pieces.count ? &blocks->pieces.at[blocks->pieces.count - 1] : NULL;
	struct blocks_piece fresh = {
		.start = address, .first = blocks->words.count, .is_stack = is_stack};

	if (blocks->words.count + count > WORDS_MAX) {
		blocks->is_too_large = true;
		return false;
	}
	if (last && last->is_stack == is_stack &&
		address == last->start + (last->count - 1) * WORD) {
		words++;
		count--;
	} else if (!vec_push(&blocks->pieces, fresh)) {
		return false;
	}
	if (!vec_reserve(&blocks->words, blocks->words.count + count))
		return false;
	memcpy(blocks->words.at + blocks->words.count, words, count * WORD);
	blocks->words.count += count;
	blocks->pieces.at[blocks->pieces.count - 1].count += count;
	return true;
}

const uint64_t *blocks_words(
	const struct blocks *blocks, uint64_t address, uint64_t end, size_t *ret_count)
{
	size_t nr = vec_count_while(blocks->pieces.count, i, blocks->pieces.at[i].start <= address);
	const struct blocks_piece *piece = nr ? &blocks->pieces.at[nr - 1] : NULL;
	size_t at = piece ? (size_t)(address - piece->start) / WORD : 0;

	*ret_count = 0;
	if (!piece || at >= piece->count || end <= address)
		return NULL;
	*ret_count = piece->count - at;
	if ((end - address) / WORD < *ret_count)
		*ret_count = (size_t)(end - address) / WORD;
	return blocks->words.at + piece->first + at;
}

/* ---------------------------------------------------------------- blocks */

static bool take_block(void *context, uint64_t start, uint64_t end)
{
	struct blocks *blocks = context;
	struct block block = {.start = start, .end = end};

	return vec_push(&blocks->blocks, block);
}

static bool take_root(struct blocks *blocks, uint64_t start, uint64_t end)
{
	struct block root = {.start = start, .end = end};
	struct block *last =
		blocks->roots.count ? &blocks->roots.at[blocks->roots.count - 1] : NULL;

	if (last && last->end == start) {
		last->end = end;
		return true;
	}
	return start >= end || vec_push(&blocks->roots, root);
}

static bool is_pool(const struct blocks *blocks, uint64_t address, struct pool *ret_pool)
{
	size_t count;
	const uint64_t *words = blocks_words(blocks, address, address + sizeof(*ret_pool), &count);
	uint32_t bytes;

	if (address % POOL_BYTES != 0 || count * WORD < sizeof(*ret_pool))
		return false;
	memcpy(ret_pool, words, sizeof(*ret_pool));
	if (ret_pool->size >= POOL_SIZES)
		return false;
	bytes = (ret_pool->size + 1) * POOL_UNIT;
	return ret_pool->last_offset == POOL_BYTES - bytes && ret_pool->next_offset <= POOL_BYTES &&
	       ret_pool->next_offset >= POOL_HEADER &&
	       ret_pool->nr_used <= (POOL_BYTES - POOL_HEADER) / bytes;
}

static bool take_pool(struct blocks *blocks, uint64_t address, const struct pool *pool)
{
	uint64_t bytes = (pool->size + UINT64_C(1)) * POOL_UNIT, at;

	for (at = POOL_HEADER; at + bytes <= pool->next_offset; at += bytes)
		if (!take_block(blocks, address + at, address + at + bytes))
			return false;
	return true;
}

/* Returns where the row of chunks that mmap(2) made ends: `start`, if there is none. */
static uint64_t take_mapped(struct blocks *blocks, uint64_t start, uint64_t end, bool *is_well)
{
	uint64_t bytes, address = start;
	const uint64_t *words;
	size_t count;

	while (*is_well && address < end) {
		words = blocks_words(blocks, address, address + CHUNK_HEADER, &count);
		bytes = count == 2 && words[0] < PAGE_BYTES ? words[1] : 0;
		if ((bytes & CHUNK_FLAGS) != CHUNK_IS_MAPPED || bytes > end - address ||
			(bytes & ~CHUNK_FLAGS) % PAGE_BYTES)
			return address;
		bytes &= ~CHUNK_FLAGS;
		*is_well = take_block(blocks, address + CHUNK_HEADER, address + bytes);
		address += bytes;
	}
	return address;
}

/* What is no row of chunks is looked through a pool at a time. */
static bool take_other(struct blocks *blocks, const struct image_region *region)
{
	uint64_t address, next, end = region->end;
	bool is_well = true;
	struct pool pool;

	address = take_mapped(blocks, region->start, end, &is_well);
	for (; is_well && address < end; address = next) {
		next = (address / POOL_BYTES + 1) * POOL_BYTES;
		if (next > end)
			next = end;
		is_well = is_pool(blocks, address, &pool) ? take_pool(blocks, address, &pool)
							  : take_root(blocks, address, next);
	}
	return is_well;
}

/* The C library's own variables lead to all memory that is free. */
static bool is_of_library(const struct image_region *region)
{
	const char *name = strrchr(region->path, '/');

	return name && (strncmp(name, "/libc.so", 8) == 0 || strncmp(name, "/libc-2", 7) == 0 ||
			       strncmp(name, "/ld-", 4) == 0);
}

/* ---------------------------------------------------------------- caches of threads */

/* glibc's malloc keeps what a thread frees in lists of its own, of up to 64 sizes, in a chunk that says how many. */
#define CACHE_SIZES 64u
#define CACHE_BYTES (CACHE_SIZES * (sizeof(uint16_t) + WORD))
#define CACHED_MAX 65535u

static uint64_t bytes_of(const struct block *block)
{
	return block->end - block->start;
}

static bool is_start(const struct blocks *blocks, uint64_t address, uint32_t *ret_index)
{
	return blocks_at(blocks, address, ret_index) &&
	       blocks->blocks.at[*ret_index].start == address;
}

/* Each list has as many blocks as it says, of its size. */
static bool is_cache(const struct blocks *blocks, const struct block *block, const uint64_t **ret)
{
	size_t i, nr, nr_lists = 0;
	uint32_t first;
	uint16_t counts[CACHE_SIZES];
	const uint64_t *words = blocks_words(blocks, block->start, block->end, &nr);

	if (bytes_of(block) != CACHE_BYTES + WORD || nr * WORD < CACHE_BYTES)
		return false;
	memcpy(counts, words, sizeof(counts));
	*ret = words + sizeof(counts) / (WORD);
	for (i = 0; i < CACHE_SIZES; i++) {
		if ((counts[i] == 0) != ((*ret)[i] == 0))
			return false;
		if (counts[i] == 0)
			continue;
		if (!is_start(blocks, (*ret)[i], &first) ||
			bytes_of(&blocks->blocks.at[first]) != 3 * WORD + i * 2 * WORD)
			return false;
		nr_lists++;
	}
	return nr_lists > 0;
}

/* The address of the next one is mixed with that of the place where it lies, since glibc 2.32. */
static void free_list(struct blocks *blocks, uint64_t address, bool *is_free)
{
	uint32_t index, steps;
	const uint64_t *words;
	size_t nr;

	for (steps = 0; steps < CACHED_MAX && is_start(blocks, address, &index); steps++) {
		if (is_free[index])
			return;
		is_free[index] = true;
		words = blocks_words(blocks, address, address + WORD, &nr);
		if (nr == 0)
			return;
		address = is_start(blocks, words[0], &index) ? words[0] : words[0] ^ address >> 12;
	}
}

static bool leave_out_cached(struct blocks *blocks)
{
	size_t i, j, kept = 0;
	const uint64_t *lists;
	bool *is_free = calloc(blocks->blocks.count + 1, sizeof(*is_free));

	for (i = 0; is_free && i < blocks->blocks.count; i++) {
		if (!is_cache(blocks, &blocks->blocks.at[i], &lists))
			continue;
		is_free[i] = true;
		for (j = 0; j < CACHE_SIZES; j++)
			free_list(blocks, lists[j], is_free);
	}
	for (i = 0; is_free && i < blocks->blocks.count; i++)
		if (!is_free[i])
			blocks->blocks.at[kept++] = blocks->blocks.at[i];
	if (is_free)
		blocks->blocks.count = kept;
	free(is_free);
	return is_free != NULL;
}

/* ---------------------------------------------------------------- all memory */

static bool take_region(
	struct blocks *blocks, const struct image *image, const struct image_region *region)
{
	bool is_heap = false;

	if (!region->is_writable || is_of_library(region))
		return true;
	if (!heap_blocks(image, region, take_block, blocks, &is_heap))
		return false;
	if (is_heap)
		return true;
	return region->path[0] ? take_root(blocks, region->start, region->end)
			       : take_other(blocks, region);
}

bool blocks_take(struct blocks *blocks, const struct image *image)
{
	struct walk walk = {.take = copy, .context = blocks};
	bool is_well;
	size_t i;

	memset(blocks, 0, sizeof(*blocks));
	is_well = walk_memory(&walk, image);
	if (blocks->is_too_large) {
		blocks->words.count = blocks->pieces.count = 0;
		return true;
	}
	for (i = 0; is_well && i < image->regions.count; i++) {
		struct image_region region = image->regions.at[i];

		/* A damaged dump may claim to have more memory than anything can hold. */
		if (!image->is_moving && region.core_bytes < region.end - region.start)
			region.end = region.start + region.core_bytes;
		is_well = take_region(blocks, image, &region);
	}
	return is_well && leave_out_cached(blocks);
}

void blocks_fini(struct blocks *blocks)
{
	vec_fini(&blocks->pieces);
	vec_fini(&blocks->words);
	vec_fini(&blocks->blocks);
	vec_fini(&blocks->roots);
}

bool blocks_at(const struct blocks *blocks, uint64_t address, uint32_t *ret_index)
{
	size_t nr = vec_count_while(blocks->blocks.count, i, blocks->blocks.at[i].start <= address);

	if (nr == 0 || address >= blocks->blocks.at[nr - 1].end)
		return false;
	*ret_index = (uint32_t)nr - 1;
	return true;
}
