/* SPDX-License-Identifier: MIT */
/*
 * Joins frames (scan_link in scan.h): a pointer from one frame to another is a handle of a coroutine.
 *
 * A handle in a promise is whom the coroutine resumes at its end: the other one waits for it. A handle in an awaiter is
 * whose end is waited for, if the other's promise does not say otherwise. A frame runs if a thread's stack holds both
 * its address and a return address into its function.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "frames/scan.h"

#define WORD sizeof(uint64_t)
#define FRAME_BYTES_MAX 65536u
#define STACK_BYTES_MAX ((size_t)1 << 20)

struct links {
	struct scan *scan;
	uint8_t *bytes;
};

/* The frame that a word leads to: its beginning, or its promise. */
static bool leads_to(const struct scan *scan, uint64_t word, uint32_t *ret_frame)
{
	static const uint32_t promise_at = 16;

	if (map_get(&scan->by_address, word, ret_frame))
		return true;
	return word > promise_at && map_get(&scan->by_address, word - promise_at, ret_frame) &&
	       scan_function(scan, &scan->frames.at[*ret_frame])->shape.promise_offset ==
		       promise_at;
}

/* ---------------------------------------------------------------- who waits for whom */

static void await(struct scan *scan, uint32_t waiter, uint32_t awaited)
{
	struct frame *frame = &scan->frames.at[waiter];

	if (waiter == awaited || frame->has_awaited || frame->state != FRAME_WAITS ||
		scan->frames.at[awaited].state == FRAME_HAS_END)
		return;
	frame->has_awaited = true;
	frame->awaited = awaited;
}

static size_t read_frame(const struct links *links, const struct frame *frame)
{
	uint32_t bytes = scan_function(links->scan, frame)->shape.bytes;

	return image_read(links->scan->image, frame->address, links->bytes,
		bytes < FRAME_BYTES_MAX ? bytes : FRAME_BYTES_MAX);
}

static uint64_t word_at(const struct links *links, size_t offset)
{
	uint64_t word;

	memcpy(&word, links->bytes + offset, WORD);
	return word;
}

static void follow_promise(struct links *links, uint32_t at)
{
	struct frame *frame = &links->scan->frames.at[at];
	const struct code_shape *shape = &scan_function(links->scan, frame)->shape;
	size_t nr_bytes = read_frame(links, frame), offset;
	uint32_t other;

	frame->content = hash_bytes(HASH_START, links->bytes, nr_bytes);
	for (offset = shape->promise_offset;
		offset + WORD <= shape->promise_offset + shape->promise_bytes &&
		offset + WORD <= nr_bytes;
		offset += WORD)
		if (leads_to(links->scan, word_at(links, offset), &other))
			await(links->scan, other, at);
}

static void follow_awaiter(struct links *links, uint32_t at)
{
	struct frame *frame = &links->scan->frames.at[at];
	const struct code_awaiter *awaiter = scan_awaiter(links->scan, frame);
	size_t nr_bytes, offset;
	uint32_t other;

	if (!awaiter)
		return;
	nr_bytes = read_frame(links, frame);
	for (offset = awaiter->offset;
		offset + WORD <= awaiter->offset + awaiter->bytes && offset + WORD <= nr_bytes;
		offset += WORD) {
		if (!leads_to(links->scan, word_at(links, offset), &other))
			continue;
		await(links->scan, at, other);
		frame->is_await_told |= frame->has_awaited && frame->awaited == other;
	}
}

/* Takes back the waits of a circle that are not told by what is awaited; false: there are none. */
static bool take_back(struct scan *scan, uint32_t first, bool are_of_descriptors)
{
	bool is_broken = false;
	uint32_t at = first;

	do {
		struct frame *frame = &scan->frames.at[at];

		at = frame->awaited;
		if (frame->is_await_told || (are_of_descriptors && !frame->has_descriptor))
			continue;
		frame->has_awaited = false;
		is_broken = true;
	} while (at != first);
	return is_broken;
}

/*
 * A promise may also hold the handle of a frame that it does not resume: asio's first one has that of the innermost.
 * Then the row of frames is a circle, in which that one does not say itself what it awaits, or awaits a descriptor.
 */
static void break_circle(struct scan *scan, uint32_t at)
{
	if (!take_back(scan, at, true))
		take_back(scan, at, false);
}

/* Each frame is visited once: a way ends where an earlier one came by. */
static void break_circles(struct scan *scan)
{
	uint32_t i, at;

	for (i = 0; i < scan->frames.count; i++) {
		at = i;
		while (scan->frames.at[at].has_awaited && !scan->frames.at[at].visit) {
			scan->frames.at[at].visit = i + 1;
			at = scan->frames.at[at].awaited;
		}
		if (scan->frames.at[at].has_awaited && scan->frames.at[at].visit == i + 1)
			break_circle(scan, at);
	}
}

static void find_descriptor(struct scan *scan, struct frame *frame)
{
	const struct code_awaiter *awaiter = scan_awaiter(scan, frame);
	uint64_t address;

	if (!awaiter || !awaiter->has_descriptor)
		return;
	address = frame->address + awaiter->descriptor.offset;
	if (awaiter->descriptor.behind != CODE_NO_OFFSET) {
		if (!image_read_word(scan->image, address, &address))
			return;
		address += awaiter->descriptor.behind;
	}
	if (image_read(scan->image, address, &frame->descriptor, sizeof(frame->descriptor)) !=
			sizeof(frame->descriptor) ||
		frame->descriptor < 0)
		return;
	frame->has_descriptor = true;
}

/* ---------------------------------------------------------------- who runs */

static bool is_in(const struct scan *scan, const struct frame *frame, uint64_t word)
{
	const struct code_function *function = scan_function(scan, frame);
	uint64_t start = function->resume + scan->code->modules->at[function->module].bias;

	return word > start && word - start <= function->resume_bytes;
}

/* Does the stack, from here on, have a return address into the frame's function? */
static bool is_entered(
	const struct scan *scan, const struct frame *frame, const uint64_t *words, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (is_in(scan, frame, words[i]))
			return true;
	return false;
}

/* What functions that have returned left on a stack counts only if the row of calls is not known to its beginning. */
static bool is_running(const struct scan *scan, const struct frame *frame,
	const struct found_thread *thread, const uint64_t *words, size_t count, uint64_t word_at)
{
	const struct code_function *function = scan_function(scan, frame);
	uint64_t start = function->resume + scan->code->modules->at[function->module].bias;

	if (!thread || !thread->calls.is_whole)
		return is_entered(scan, frame, words, count);
	return found_thread_is_in(thread, start, function->resume_bytes, word_at);
}

static void look_at_words(
	struct links *links, uint32_t thread, const uint64_t *words, size_t count, uint64_t address)
{
	struct scan *scan = links->scan;
	const struct found_thread *known = found_thread_at(scan->found, thread);
	uint32_t at;
	size_t i;

	for (i = 0; i < count; i++) {
		struct frame *frame;

		if (!map_get(&scan->by_address, words[i], &at))
			continue;
		frame = &scan->frames.at[at];
		if (frame->state != FRAME_WAITS ||
			!is_running(scan, frame, known, words, count, address + i * WORD))
			continue;
		frame->state = FRAME_RUNS;
		frame->thread = thread;
	}
}

static bool look_at_stacks(struct links *links)
{
	const struct image *image = links->scan->image;
	uint64_t *words = malloc(STACK_BYTES_MAX);
	uint32_t i;

	for (i = 0; words && i < image->threads.count; i++) {
		const struct image_thread *thread = &image->threads.at[i];
		uint64_t pointer = thread->stack_pointer & ~UINT64_C(7);

		if (!pointer)
			continue;
		look_at_words(links, i, words,
			image_read(image, pointer, words, STACK_BYTES_MAX) / WORD, pointer);
		if (thread->known)
			look_at_words(links, i, thread->registers, IMAGE_REGISTERS, 0);
	}
	free(words);
	return words != NULL;
}

enum ct_status scan_link(struct scan *scan, struct ct_error *reterr)
{
	struct links links = {.scan = scan, .bytes = malloc(FRAME_BYTES_MAX)};
	bool is_done = links.bytes && look_at_stacks(&links);
	uint32_t i;

	for (i = 0; is_done && i < scan->frames.count; i++)
		follow_promise(&links, i);
	for (i = 0; is_done && i < scan->frames.count; i++) {
		follow_awaiter(&links, i);
		find_descriptor(scan, &scan->frames.at[i]);
	}
	if (is_done)
		break_circles(scan);
	free(links.bytes);
	return is_done ? CT_OK : ct_fail_memory(reterr);
}
