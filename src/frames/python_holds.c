/* SPDX-License-Identifier: MIT */
/*
 * Which task holds which lock of asyncio (python_tasks.h). A lock has no owner, but a task that is within its
 * `async with` has it: the frame keeps the method `__aexit__` for the end. A condition has a lock of its own,
 * which those tell who wait for it: they enter the condition, and acquire the lock. A task that waits in the
 * condition has given it back.
 */
#include "corotracer/ctp.h"
#include "frames/python_tasks.h"

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), nr_chars = strlen(end);

	return length >= nr_chars && strcmp(text + length - nr_chars, end) == 0;
}

static const char *name_at(struct python *python, const struct python_chain *chain, uint32_t at)
{
	const struct python_code *code =
		at < chain->count ? python_code_at(python, chain->at[at].code) : NULL;

	return code ? code->name : "";
}

/* Is the object on its way in, or given back for as long as the task waits? */
static bool is_without(
	struct python *python, const struct python_chain *chain, uint32_t from, uint64_t object)
{
	uint32_t i;

	for (i = from + 1; i < chain->count; i++) {
		const char *name = name_at(python, chain, i);

		if (chain->at[i].locals[0] == object &&
			((i == from + 1 && ends_with(name, ".__aenter__")) ||
				ends_with(name, "Condition.wait")))
			return true;
	}
	return false;
}

/* "Condition.__aenter__, Lock.acquire": what is entered stands for that lock. */
static bool note_lock(struct python_tasks *tasks, const struct python_chain *chain)
{
	struct python *python = &tasks->python;
	uint32_t last = chain->count - 1, known;
	uint64_t entered;

	if (chain->count < 2 || strcmp(name_at(python, chain, last), "Lock.acquire") != 0 ||
		!ends_with(name_at(python, chain, last - 1), ".__aenter__"))
		return true;
	entered = chain->at[last - 1].locals[0];
	return map_get(&tasks->locks, entered, &known) ||
	       (map_put(&tasks->locks, entered, (uint32_t)tasks->inner.count) &&
		       vec_push(&tasks->inner, chain->at[last].locals[0]));
}

/* What one function of a task has entered. */
static bool note_entries(struct python_tasks *tasks, uint32_t at, const struct python_chain *chain,
	const struct python_call *call)
{
	struct python *python = &tasks->python;
	uint32_t i;

	for (i = 0; i < call->nr_entered; i++) {
		struct python_entry entry = {.task = at, .object = call->entered[i]};

		if (is_without(python, chain, (uint32_t)(call - chain->at), entry.object))
			continue;
		entry.place = python_place_at(python, call->code, call->line, 0);
		if (!vec_push(&tasks->entries, entry))
			return false;
	}
	return true;
}

bool python_holds_note(struct python_tasks *tasks, uint32_t at, const struct python_chain *chain)
{
	uint32_t i;

	for (i = 0; i < chain->count; i++)
		if (!note_entries(tasks, at, chain, &chain->at[i]))
			return false;
	return note_lock(tasks, chain);
}

bool python_holds_link(struct python_tasks *tasks)
{
	struct found *found = tasks->python.found;
	size_t i;
	uint32_t known;

	for (i = 0; i < tasks->entries.count; i++) {
		const struct python_entry *entry = &tasks->entries.at[i];
		struct found_holding holding = {
			.coroutine = (uint32_t)tasks->first + entry->task, .place = entry->place};

		if (!map_get(&tasks->locks, entry->object, &known))
			continue;
		holding.object = CTP_HANDLE(CTP_RESOURCE_LOCK, tasks->inner.at[known]);
		if (!vec_push(&found->holdings, holding))
			return false;
	}
	return true;
}
