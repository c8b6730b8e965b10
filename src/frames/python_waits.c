/* SPDX-License-Identifier: MIT */
/*
 * Which task waits for which (python_tasks.h). A task that awaits another one says so itself. One that awaits a future
 * of gather, wait, wait_for, shield or a group does not: but the end of each of its children calls a function that
 * knows that future, or is a method of that group.
 */
#include "frames/python_tasks.h"

#define CALLBACKS_MAX 64u
#define ITEMS_MAX 64u
#define LIST_ITEMS 24u
#define FUNCTION_CELLS 72u
#define PARTIAL_ARGUMENTS 24u
#define METHOD_SELF 24u

static uint64_t word_of(const struct python *python, uint64_t object, uint32_t offset)
{
	uint64_t word = 0;

	image_read_word(python->image, object + offset, &word);
	return word;
}

static uint32_t size_of(const struct python *python, uint64_t object)
{
	uint64_t size = word_of(python, object, PYTHON_OBJECT_SIZE);

	return size < ITEMS_MAX ? (uint32_t)size : ITEMS_MAX;
}

/* ---------------------------------------------------------------- interests */

/* The first task that has an interest in an object is kept. */
static bool note(struct python_tasks *tasks, uint64_t object, uint32_t at)
{
	uint32_t other;

	return !object || map_get(&tasks->awaiting, object, &other) ||
	       map_put(&tasks->awaiting, object, at);
}

bool python_waits_note(struct python_tasks *tasks, uint32_t at, const struct python_chain *chain)
{
	struct python *python = &tasks->python;
	uint32_t i;

	if (!note(tasks, tasks->tasks.at[at].waiter, at))
		return false;
	for (i = chain->count; i-- > 0;) {
		const struct python_code *code = python_code_at(python, chain->at[i].code);

		if (!code || !python_is_of_asyncio(code->file))
			return true;
		if (strcmp(code->name, "TaskGroup.__aexit__") == 0 &&
			!note(tasks, chain->at[i].locals[0], at))
			return false;
	}
	return true;
}

/* ---------------------------------------------------------------- what the end of a task calls */

static bool is_of_interest(const struct python_tasks *tasks, uint64_t object, uint32_t *ret_waiter)
{
	return object && map_get(&tasks->awaiting, object, ret_waiter);
}

/* A tuple of what is looked for, or of cells that hold it. */
static bool has_any(
	const struct python_tasks *tasks, uint64_t tuple, bool has_cells, uint32_t *ret_waiter)
{
	const struct python *python = &tasks->python;
	uint32_t i, count;
	uint64_t item;

	if (python_type_of(python, tuple) != PYTHON_TUPLE)
		return false;
	count = size_of(python, tuple);
	for (i = 0; i < count; i++) {
		item = word_of(python, tuple, python->layout->items + i * 8);
		if (has_cells)
			item = word_of(python, item, PYTHON_CELL_CONTENT);
		if (is_of_interest(tasks, item, ret_waiter))
			return true;
	}
	return false;
}

static bool is_for(const struct python_tasks *tasks, uint64_t callback, uint32_t *ret_waiter)
{
	const struct python *python = &tasks->python;

	switch (python_type_of(python, callback)) {
	case PYTHON_FUNCTION:
		return has_any(tasks, word_of(python, callback, FUNCTION_CELLS), true, ret_waiter);
	case PYTHON_PARTIAL:
		return has_any(
			tasks, word_of(python, callback, PARTIAL_ARGUMENTS), false, ret_waiter);
	case PYTHON_METHOD:
		return is_of_interest(tasks, word_of(python, callback, METHOD_SELF), ret_waiter);
	default:
		return false;
	}
}

/* The list has pairs of a function and its context. */
static bool is_for_any(const struct python_tasks *tasks, uint64_t list, uint32_t *ret_waiter)
{
	const struct python *python = &tasks->python;
	uint32_t i, count;
	uint64_t items, pair;

	if (python_type_of(python, list) != PYTHON_LIST)
		return false;
	count = size_of(python, list);
	items = word_of(python, list, LIST_ITEMS);
	for (i = 0; i < count && i < CALLBACKS_MAX; i++) {
		pair = word_of(python, items, i * 8);
		if (is_for(tasks, word_of(python, pair, python->layout->items), ret_waiter))
			return true;
	}
	return false;
}

void python_waits_link(struct python_tasks *tasks)
{
	uint32_t i, waiter;

	for (i = 0; i < tasks->tasks.count; i++) {
		const struct python_task *task = &tasks->tasks.at[i];
		struct found_coroutine *coroutine;

		if (task->state != PYTHON_PENDING ||
			(!is_for(tasks, task->callback, &waiter) &&
				!is_for_any(tasks, task->callbacks, &waiter)))
			continue;
		coroutine = &tasks->python.found->coroutines.at[tasks->first + waiter];
		if (waiter != i && coroutine->state == FRAME_WAITS && !coroutine->awaited)
			coroutine->awaited = task->address;
	}
}
