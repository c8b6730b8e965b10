/* SPDX-License-Identifier: MIT */
/* Follows the rows of chunks of glibc's malloc (heap.h). */
#include <stdlib.h>
#include <string.h>

#include "frames/heap.h"

#define FLAGS UINT64_C(7)
#define PREVIOUS_IN_USE UINT64_C(1)
#define IS_MAPPED UINT64_C(2) /* alone, by mmap(2): in no row, and in use until it is unmapped */
#define LEAST_BYTES 32u
#define HEADER_BYTES 16u /* "size of the chunk before, if free; own size and flags" */
#define WINDOW_BYTES ((size_t)1 << 16)
/* Heaps of threads begin with a description, the first one of each with a larger one. */
#define DESCRIPTION_MAX 0x1000u

/* A row of chunks that is being followed. */
struct row {
	const struct image *image;
	const struct image_region *region;
	uint64_t at; /* of the present chunk */
	uint64_t bytes;
	bool is_previous_in_use;
	uint8_t *window;
	uint64_t window_start;
	size_t window_bytes;
};

static bool read_header(struct row *row, uint64_t address, uint64_t *ret_size)
{
	if (address < row->window_start ||
		address + HEADER_BYTES > row->window_start + row->window_bytes) {
		row->window_start = address;
		row->window_bytes = image_read(row->image, address, row->window, WINDOW_BYTES);
	}
	if (row->window_bytes < HEADER_BYTES)
		return false;
	memcpy(ret_size, row->window + (address - row->window_start) + 8, sizeof(*ret_size));
	return true;
}

/* Goes to the chunk at this address; false: there is none. */
static bool enter(struct row *row, uint64_t address)
{
	uint64_t size;

	if (address + HEADER_BYTES > row->region->end || !read_header(row, address, &size))
		return false;
	row->at = address;
	row->bytes = size & ~FLAGS;
	row->is_previous_in_use = size & PREVIOUS_IN_USE;
	return !(size & IS_MAPPED) && row->bytes >= LEAST_BYTES && row->bytes % 16 == 0 &&
	       row->bytes <= row->region->end - address;
}

static bool is_last(const struct row *row)
{
	return row->at + row->bytes == row->region->end;
}

/* Does the row that begins here end with the region? There is nothing free before the first one. */
static bool leads_to_end(struct row *row, uint64_t start)
{
	if (!enter(row, start) || !row->is_previous_in_use)
		return false;
	while (!is_last(row))
		if (!enter(row, row->at + row->bytes))
			return false;
	return true;
}

/* Finds the first chunk of a region; false: it is no heap. */
static bool find_start(struct row *row, uint64_t *ret_start)
{
	uint64_t start = row->region->start;

	for (; start < row->region->start + DESCRIPTION_MAX; start += 16) {
		if (!leads_to_end(row, start))
			continue;
		*ret_start = start;
		return true;
	}
	return false;
}

/* The chunk behind the last address is followed, too: only it says whether the one before is in use. */
static void judge(
	struct row *row, uint64_t start, const uint64_t *addresses, size_t count, bool *ret_is_free)
{
	size_t i = 0, first = 0;
	uint64_t next = start;

	while (i < count && enter(row, next)) {
		for (; first < i; first++)
			ret_is_free[first] = !row->is_previous_in_use;
		next = row->at + row->bytes;
		while (i < count && addresses[i] < next)
			i++;
		/* The last chunk is what has not been given out yet. */
		for (; is_last(row) && first < i; first++)
			ret_is_free[first] = true;
		if (is_last(row))
			return;
	}
	if (first < i && enter(row, next))
		for (; first < i; first++)
			ret_is_free[first] = !row->is_previous_in_use;
}

static bool may_be_heap(const struct image_region *region)
{
	return !region->path[0] || strcmp(region->path, "[heap]") == 0;
}

static void judge_region(
	struct row *row, const uint64_t *addresses, size_t count, bool *ret_is_free)
{
	uint64_t start;

	row->window_bytes = 0;
	if (row->region->is_writable && may_be_heap(row->region) && find_start(row, &start))
		judge(row, start, addresses, count, ret_is_free);
}

void heap_find_free(
	const struct image *image, const uint64_t *addresses, size_t count, bool *ret_is_free)
{
	struct row row = {.image = image, .window = malloc(WINDOW_BYTES)};
	size_t i = 0, first;

	memset(ret_is_free, 0, count * sizeof(*ret_is_free));
	while (row.window && i < count) {
		row.region = image_region_of(image, addresses[i]);
		first = i++;
		if (!row.region)
			continue;
		while (i < count && addresses[i] < row.region->end)
			i++;
		judge_region(&row, addresses + first, i - first, ret_is_free + first);
	}
	free(row.window);
}

bool heap_blocks(const struct image *image, const struct image_region *region,
	bool (*take)(void *context, uint64_t start, uint64_t end), void *context, bool *ret_is_heap)
{
	struct row row = {.image = image, .region = region, .window = malloc(WINDOW_BYTES)};
	bool is_well = row.window != NULL;
	uint64_t start = 0, before = 0, at;

	*ret_is_heap = is_well && may_be_heap(region) && find_start(&row, &start);
	/* A chunk ends with the first word of the next one, which says whether it is in use. */
	for (at = start; *ret_is_heap && is_well && enter(&row, at); at += row.bytes) {
		if (before && row.is_previous_in_use)
			is_well = take(context, before + HEADER_BYTES, at + sizeof(at));
		if (is_last(&row))
			break;
		before = at;
	}
	free(row.window);
	return is_well;
}
