/* SPDX-License-Identifier: MIT */
/* Which thread runs which task (python_tasks.h). A loop runs one task at a time, and a thread one loop. */
#include <stdlib.h>

#include "frames/python_tasks.h"

#define WORD sizeof(uint64_t)
#define STACK_BYTES_MAX ((size_t)1 << 20)

static struct found_coroutine *running_at(struct python_tasks *tasks, uint64_t address)
{
	struct found *found = tasks->python.found;
	struct found_coroutine *coroutine;
	uint32_t index;

	if (!map_get(&found->by_address, address, &index) || index < tasks->first)
		return NULL;
	coroutine = &found->coroutines.at[index];
	return coroutine->state == FRAME_RUNS && coroutine->thread == FOUND_NO_THREAD ? coroutine
										      : NULL;
}

/* False: the stack has no such task. */
static bool look_at_stack(
	struct python_tasks *tasks, uint32_t thread, const uint64_t *words, size_t count)
{
	struct found_coroutine *coroutine = NULL;
	size_t i;

	for (i = 0; i < count && !coroutine; i++)
		coroutine = running_at(tasks, words[i]);
	if (coroutine) {
		coroutine->thread = thread;
		coroutine->callees = python_stacks_callees(&tasks->python, thread);
	}
	return coroutine != NULL;
}

/* The stack pointer of a thread that runs is not known: if there is one such thread, it runs the task that is left. */
static void take_last(struct python_tasks *tasks, uint32_t thread, unsigned nr_threads)
{
	struct found *found = tasks->python.found;
	struct found_coroutine *last = NULL;
	unsigned nr_left = 0;
	size_t i;

	for (i = tasks->first; i < found->coroutines.count; i++) {
		if (!running_at(tasks, found->coroutines.at[i].address))
			continue;
		last = &found->coroutines.at[i];
		nr_left++;
	}
	if (nr_left == 1 && nr_threads == 1)
		last->thread = thread;
}

bool python_threads_find(struct python_tasks *tasks)
{
	const struct image *image = tasks->python.image;
	uint64_t *words = malloc(STACK_BYTES_MAX);
	unsigned nr_left = 0;
	uint32_t i, left = 0;

	for (i = 0; words && i < image->threads.count; i++) {
		uint64_t pointer = image->threads.at[i].stack_pointer & ~UINT64_C(7);

		if (pointer && look_at_stack(tasks, i, words,
				       image_read(image, pointer, words, STACK_BYTES_MAX) / WORD))
			continue;
		if (!pointer) {
			left = i;
			nr_left++;
		}
	}
	if (words)
		take_last(tasks, left, nr_left);
	free(words);
	return words != NULL;
}
