/* SPDX-License-Identifier: MIT */
/*
 * The stacks on which an interpreter's threads have the frames of their functions (python_tasks.h): memory of which a
 * thread's state has the address, how much is in use, and the end, side by side.
 */
#include "frames/python_tasks.h"
#include "frames/walk.h"

#define WORD sizeof(uint64_t)
#define PAGE UINT64_C(4096)
#define LEAST_BYTES UINT64_C(16384)
#define MOST_BYTES (UINT64_C(1) << 30)
#define HEAD_WORDS 3u
#define STATE_WORDS 96u /* of a thread's state, in front of that */

/* A stack begins with the address of the one before it, and with its own size. */
static bool is_stack(const struct image *image, const uint64_t *words)
{
	uint64_t head[HEAD_WORDS], start = words[0], bytes = words[2] - words[0];

	return start && start % PAGE == 0 && bytes >= LEAST_BYTES && bytes <= MOST_BYTES &&
	       bytes % LEAST_BYTES == 0 && words[1] >= start + HEAD_WORDS * WORD &&
	       words[1] <= words[2] && words[1] % WORD == 0 &&
	       image_read(image, start, head, sizeof(head)) == sizeof(head) && head[1] == bytes;
}

static uint32_t thread_at(const struct image *image, uint64_t address)
{
	uint64_t words[STATE_WORDS];
	size_t count, i;
	uint32_t at;

	count = image_read(image, address - sizeof(words), words, sizeof(words)) / WORD;
	for (i = count; i-- > 0;)
		for (at = 0; at < image->threads.count; at++)
			if (words[i] == image->threads.at[at].tid)
				return at;
	return FOUND_NO_THREAD;
}

/* The state of a thread that has ended may still be there, and its stack be another one's now. */
static bool take_stack(struct found_python *python, const struct found_python_stack *stack)
{
	struct found_python_stack *known;
	size_t i;

	for (i = 0; i < python->stacks.count; i++) {
		known = &python->stacks.at[i];
		if (known->start != stack->start)
			continue;
		if (stack->top > known->top)
			*known = *stack;
		return true;
	}
	return vec_push(&python->stacks, *stack);
}

static bool look_for_stacks(
	void *context, const uint64_t *words, size_t count, uint64_t address, bool is_of_thread)
{
	struct python *python = context;
	struct found_python_stack stack;
	size_t i;

	for (i = 0; i + 2 < count && !is_of_thread; i++) {
		if (words[i] % PAGE || words[i + 1] - words[i] > MOST_BYTES ||
			!is_stack(python->image, words + i))
			continue;
		stack.start = words[i];
		stack.top = words[i + 1];
		stack.end = words[i + 2];
		stack.thread = thread_at(python->image, address + i * WORD);
		if (!take_stack(&python->found->python, &stack))
			return false;
	}
	return true;
}

bool python_stacks_find(struct python *python)
{
	struct walk walk = {.take = look_for_stacks, .context = python};

	return walk_memory(&walk, python->image);
}
