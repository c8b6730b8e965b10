/* SPDX-License-Identifier: MIT */
/*
 * Reads writable memory for frames (scan.h). Nearly all words are no addresses of code: a comparison with the lowest
 * and the highest such address leaves few to look up.
 */
#include <stdlib.h>
#include <string.h>

#include "frames/heap.h"
#include "frames/scan.h"

#define CHUNK_BYTES ((size_t)1 << 20)
#define PAGE_BYTES 4096u
#define WORD sizeof(uint64_t)
#define FRAMES_MAX 100000000u

/* Frames begin at such addresses: those that the allocators of C++ return. */
#define ALIGNMENT 8u

struct memory {
	struct scan *scan;
	uint8_t *bytes;
	bool is_stack; /* the present region is a thread's stack */
	bool is_out_of_memory;
};

/* The function whose destroying part the word leads to; NULL: it leads elsewhere. */
static const struct code_function *destroyed_by(
	const struct code *code, uint64_t word, uint32_t *ret_index)
{
	if (word < code->lowest || word > code->highest ||
		!map_get(&code->by_destroy, word, ret_index))
		return NULL;
	return &code->functions.at[*ret_index];
}

/* Two words are the head of a frame; a coroutine that ended has no function to resume. */
static bool is_head(
	const struct code *code, uint64_t resume, uint64_t destroy, struct frame *ret_frame)
{
	const struct code_function *function;
	uint32_t index;

	function = destroyed_by(code, destroy, &index);
	if (!function)
		return false;
	ret_frame->function = index;
	ret_frame->state = resume ? FRAME_WAITS : FRAME_HAS_END;
	return resume == 0 || resume == function->resume + code->modules.at[function->module].bias;
}

static bool read_index(const struct scan *scan, const struct frame *frame, uint64_t *ret_index)
{
	const struct code_shape *shape = &scan->code->functions.at[frame->function].shape;
	uint64_t index = 0;

	if (shape->index_bytes == 0)
		return false;
	if (image_read(scan->image, frame->address + shape->index_offset, &index,
		    shape->index_bytes) != shape->index_bytes)
		return false;
	*ret_index = index & shape->index_mask;
	return true;
}

static bool take_frame(struct memory *memory, struct frame *frame)
{
	struct scan *scan = memory->scan;
	struct code_function *function = &scan->code->functions.at[frame->function];

	if (scan->frames.count == FRAMES_MAX)
		return true;
	if (!code_look_at(scan->code, function))
		return false;
	read_index(scan, frame, &frame->index);
	return vec_push(&scan->frames, *frame);
}

static void look_at_words(
	struct memory *memory, const uint64_t *words, size_t count, uint64_t address)
{
	const struct code *code = memory->scan->code;
	uint64_t lowest = code->lowest, span = code->highest - code->lowest;
	size_t i;

	for (i = 1; i < count; i++) {
		struct frame frame = {.address = address + (i - 1) * WORD};

		if (words[i] - lowest > span || !is_head(code, words[i - 1], words[i], &frame))
			continue;
		/* A zero and an address of code are nothing special on a stack. */
		if (memory->is_stack && frame.state == FRAME_HAS_END)
			continue;
		if (!take_frame(memory, &frame)) {
			memory->is_out_of_memory = true;
			return;
		}
	}
}

/*
 * Where the memory in use of a region begins: of a stack, at its pointer; what lies below was left by functions that
 * have returned.
 */
static uint64_t start_of(struct memory *memory, const struct image_region *region)
{
	const struct image *image = memory->scan->image;
	size_t i;

	memory->is_stack = strcmp(region->path, "[stack]") == 0;
	for (i = 0; i < image->threads.count; i++) {
		uint64_t pointer = image->threads.at[i].stack_pointer;

		if (pointer <= region->start || pointer >= region->end)
			continue;
		memory->is_stack = true;
		return pointer & ~UINT64_C(7);
	}
	return region->start;
}

/*
 * Chunks overlap by one word, because a head may lie across their border. Where memory cannot be read, the next page is
 * tried.
 */
static void look_at_region(struct memory *memory, const struct image_region *region)
{
	uint64_t address = start_of(memory, region), next;
	size_t got;

	while (address + WORD < region->end && !memory->is_out_of_memory) {
		got = region->end - address < CHUNK_BYTES ? (size_t)(region->end - address)
							  : CHUNK_BYTES;
		got = image_read(memory->scan->image, address, memory->bytes, got) / WORD * WORD;
		if (got < 2 * WORD) {
			next = (address / PAGE_BYTES + 1) * PAGE_BYTES;
			memory->scan->nr_unread +=
				(next < region->end ? next : region->end) - address;
			address = next;
			continue;
		}
		look_at_words(memory, (const uint64_t *)memory->bytes, got / WORD, address);
		if (address + got >= region->end)
			return;
		address += got - WORD;
	}
}

/* A core dump says which parts of a region it lacks. */
static uint64_t unread_bytes(const struct image *image, const struct image_region *region)
{
	uint64_t bytes = region->end - region->start;

	return image->is_moving || region->core_bytes >= bytes ? 0 : bytes - region->core_bytes;
}

static void look_at_memory(struct memory *memory)
{
	const struct image *image = memory->scan->image;
	size_t i;

	for (i = 0; i < image->regions.count && !memory->is_out_of_memory; i++) {
		struct image_region region = image->regions.at[i];

		if (!region.is_writable)
			continue;
		memory->scan->nr_unread += unread_bytes(image, &region);
		region.end -= unread_bytes(image, &region);
		look_at_region(memory, &region);
	}
}

/* ---------------------------------------------------------------- what is no frame */

static void keep_used(struct scan *scan, const bool *is_free)
{
	size_t kept = 0, i;

	for (i = 0; i < scan->frames.count; i++) {
		scan->nr_freed += is_free[i];
		if (!is_free[i])
			scan->frames.at[kept++] = scan->frames.at[i];
	}
	scan->frames.count = kept;
}

static bool leave_out_freed(struct scan *scan)
{
	size_t count = scan->frames.count, i;
	uint64_t *addresses = calloc(count + 1, sizeof(*addresses));
	bool *is_free = calloc(count + 1, sizeof(*is_free));
	bool is_there = addresses && is_free;

	for (i = 0; is_there && i < count; i++)
		addresses[i] = scan->frames.at[i].address;
	if (is_there) {
		heap_find_free(scan->image, addresses, count, is_free);
		keep_used(scan, is_free);
	}
	free(addresses);
	free(is_free);
	return is_there;
}

/* A frame is believed if its head and its index are the same when it is read again. */
static void leave_out_changed(struct scan *scan)
{
	size_t kept = 0, i;

	if (!scan->image->is_moving)
		return;
	for (i = 0; i < scan->frames.count; i++) {
		struct frame frame = scan->frames.at[i], again = frame;
		uint64_t words[2];

		if (image_read(scan->image, frame.address, words, sizeof(words)) != sizeof(words) ||
			!is_head(scan->code, words[0], words[1], &again) ||
			again.function != frame.function) {
			scan->nr_changed++;
			continue;
		}
		read_index(scan, &again, &again.index);
		scan->frames.at[kept++] = again;
	}
	scan->frames.count = kept;
}

enum ct_status scan_frames(
	struct scan *scan, struct image *image, struct code *code, struct ct_error *reterr)
{
	struct memory memory = {.scan = scan};
	uint32_t i;

	memset(scan, 0, sizeof(*scan));
	scan->image = image;
	scan->code = code;
	if (code->functions.count == 0)
		return CT_OK;
	memory.bytes = malloc(CHUNK_BYTES);
	if (!memory.bytes)
		return ct_fail_memory(reterr);
	look_at_memory(&memory);
	free(memory.bytes);
	if (memory.is_out_of_memory || !leave_out_freed(scan))
		return ct_fail_memory(reterr);
	leave_out_changed(scan);
	for (i = 0; i < scan->frames.count; i++)
		if (!map_put(&scan->by_address, scan->frames.at[i].address, i))
			return ct_fail_memory(reterr);
	return CT_OK;
}

void scan_fini(struct scan *scan)
{
	vec_fini(&scan->frames);
	map_fini(&scan->by_address);
}
