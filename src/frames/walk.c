/* SPDX-License-Identifier: MIT */
/* Reads memory in pieces (walk.h). */
#include <stdlib.h>
#include <string.h>

#include "frames/walk.h"

#define PIECE_BYTES ((size_t)1 << 20)
#define PAGE_BYTES 4096u
#define WORD sizeof(uint64_t)
#define CONSTANTS_WORDS 4096u

/*
 * Where the memory in use of a region begins: of a stack, at its pointer; what lies below was left by functions that
 * have returned.
 */
static uint64_t start_of(
	const struct image *image, const struct image_region *region, bool *ret_is_stack)
{
	size_t i;

	*ret_is_stack = strcmp(region->path, "[stack]") == 0;
	for (i = 0; i < image->threads.count; i++) {
		uint64_t pointer = image->threads.at[i].stack_pointer;

		if (pointer <= region->start || pointer >= region->end)
			continue;
		*ret_is_stack = true;
		return pointer & ~UINT64_C(7);
	}
	return region->start;
}

/*
 * Pieces overlap by one word, because what is looked for may lie across their border. Where memory cannot be read, the
 * next page is tried.
 */
static bool walk_row(struct walk *walk, const struct image *image, uint64_t address, uint64_t end,
	bool is_stack, uint64_t *piece)
{
	uint64_t next;
	size_t got;

	while (address + WORD < end) {
		got = end - address < PIECE_BYTES ? (size_t)(end - address) : PIECE_BYTES;
		got = image_read(image, address, piece, got) / WORD * WORD;
		if (got < 2 * WORD) {
			next = (address / PAGE_BYTES + 1) * PAGE_BYTES;
			walk->nr_unread += (next < end ? next : end) - address;
			address = next;
			continue;
		}
		if (!walk->take(walk->context, piece, got / WORD, address, is_stack))
			return false;
		if (address + got >= end)
			return true;
		address += got - WORD;
	}
	return true;
}

static bool walk_region(struct walk *walk, const struct image *image,
	const struct image_region *region, uint64_t *piece)
{
	bool is_stack, is_well = true;
	uint64_t address = start_of(image, region, &is_stack), end;

	if (walk->is_below)
		address = region->start;
	if (!region->is_sparse)
		return walk_row(walk, image, address, region->end, is_stack, piece);
	while (is_well && address < region->end &&
		image->ops->next_used(image, &address, region->end, &end)) {
		is_well = walk_row(walk, image, address, end, is_stack, piece);
		address = end;
	}
	return is_well;
}

/* The memory that a probe shares with its readers holds no coroutine; most of it has never been touched. */
static bool is_of_a_probe(const struct image_region *region)
{
	static const char path[] = "/memfd:corotracer";

	return strncmp(region->path, path, sizeof(path) - 1) == 0;
}

/* A core dump says which parts of a region it lacks. */
static uint64_t unread_bytes(const struct image *image, const struct image_region *region)
{
	uint64_t bytes = region->end - region->start;

	return image->is_moving || region->core_bytes >= bytes ? 0 : bytes - region->core_bytes;
}

bool walk_memory(struct walk *walk, const struct image *image)
{
	uint64_t *piece = malloc(PIECE_BYTES);
	bool is_well = piece != NULL;
	size_t i;

	for (i = 0; is_well && i < image->regions.count; i++) {
		struct image_region region = image->regions.at[i];

		if (!region.is_writable || is_of_a_probe(&region) ||
			(walk->is_of_files && region.path[0] != '/'))
			continue;
		walk->nr_unread += unread_bytes(image, &region);
		region.end -= unread_bytes(image, &region);
		is_well = walk_region(walk, image, &region, piece);
	}
	free(piece);
	return is_well;
}

/* ---------------------------------------------------------------- constants */

static bool take_constants(const struct image *image, const struct image_region *region,
	bool (*take)(void *context, uint64_t word, uint64_t address), void *context)
{
	uint64_t words[CONSTANTS_WORDS], address;
	size_t i, count;

	for (address = region->start; address < region->end; address += count * WORD) {
		count = image_read(image, address, words, sizeof(words)) / WORD;
		for (i = 0; i < count; i++)
			if (!take(context, words[i], address + i * WORD))
				return false;
		if (count == 0)
			return true;
	}
	return true;
}

bool walk_constants(const struct image *image,
	bool (*take)(void *context, uint64_t word, uint64_t address), void *context)
{
	size_t i;

	for (i = 0; i < image->regions.count; i++) {
		const struct image_region *region = &image->regions.at[i];

		if (region->path[0] == '/' && !region->is_code &&
			!take_constants(image, region, take, context))
			return false;
	}
	return true;
}
