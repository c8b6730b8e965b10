/* SPDX-License-Identifier: MIT */
/*
 * Reads writable memory for frames (scan.h). Nearly all words are no addresses of code: a comparison with the lowest
 * and the highest such address leaves few to look up.
 */
#include <stdlib.h>
#include <string.h>

#include "frames/heap.h"
#include "frames/scan.h"
#include "frames/walk.h"

#define WORD sizeof(uint64_t)
#define FRAMES_MAX 100000000u

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
	return resume == 0 || resume == function->resume + code->modules->at[function->module].bias;
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

/* The two pointers alone: in a stack before a frame is made of them, or left of a frame that is gone. */
static bool is_pair_alone(const struct scan *scan, const struct frame *frame)
{
	const struct code_shape *shape = &scan->code->functions.at[frame->function].shape;
	uint64_t handle;

	return shape->handle_offset &&
	       (!image_read_word(scan->image, frame->address + shape->handle_offset, &handle) ||
		       handle != frame->address);
}

static bool take_frame(struct scan *scan, struct frame *frame, bool is_stack)
{
	struct code_function *function = &scan->code->functions.at[frame->function];

	if (scan->frames.count == FRAMES_MAX)
		return true;
	if (!code_look_at(scan->code, function))
		return false;
	if ((is_stack || frame->state == FRAME_HAS_END) && is_pair_alone(scan, frame))
		return true;
	read_index(scan, frame, &frame->index);
	return vec_push(&scan->frames, *frame);
}

static bool look_at_words(
	void *context, const uint64_t *words, size_t count, uint64_t address, bool is_stack)
{
	struct scan *scan = context;
	const struct code *code = scan->code;
	uint64_t lowest = code->lowest, span = code->highest - code->lowest;
	size_t i;

	for (i = 1; i < count; i++) {
		struct frame frame = {.address = address + (i - 1) * WORD};

		if (words[i] - lowest > span || !is_head(code, words[i - 1], words[i], &frame))
			continue;
		/* A zero and an address of code are nothing special on a stack. */
		if (is_stack && frame.state == FRAME_HAS_END)
			continue;
		if (!take_frame(scan, &frame, is_stack))
			return false;
	}
	return true;
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
	struct walk walk = {.take = look_at_words, .context = scan};
	uint32_t i;

	memset(scan, 0, sizeof(*scan));
	scan->image = image;
	scan->code = code;
	if (code->functions.count == 0)
		return CT_OK;
	if (!walk_memory(&walk, image) || !leave_out_freed(scan))
		return ct_fail_memory(reterr);
	scan->nr_unread = walk.nr_unread;
	leave_out_changed(scan);
	for (i = 0; i < scan->frames.count; i++)
		if (!map_put(&scan->by_address, scan->frames.at[i].address, i))
			return ct_fail_memory(reterr);
	return CT_OK;
}

const struct code_function *scan_function(const struct scan *scan, const struct frame *frame)
{
	return &scan->code->functions.at[frame->function];
}

const struct code_awaiter *scan_awaiter(const struct scan *scan, const struct frame *frame)
{
	const struct code_function *function = scan_function(scan, frame);
	const struct code_point *point = code_point_of(function, frame->index);

	if (frame->state != FRAME_WAITS || !point || point->awaiter_at == CODE_NO_OFFSET)
		return NULL;
	return &function->shape.awaiters.at[point->awaiter_at];
}

void scan_fini(struct scan *scan)
{
	vec_fini(&scan->frames);
	map_fini(&scan->by_address);
}
