/* SPDX-License-Identifier: MIT */
/*
 * Tables of goroutines, processors, threads and tasks, and of their open ranges and regions.
 */
#include "gotrace/state.h"
#include "gotrace/wire.h"

bool gotrace_states_init(struct gotrace_states *states)
{
	*states = (struct gotrace_states){0};
	return vec_push(&states->goroutines, (struct gotrace_goroutine){0}) &&
	       vec_push(&states->procs, (struct gotrace_proc){.id = GOTRACE_NONE}) &&
	       vec_push(&states->opens, (struct gotrace_open){0}) &&
	       vec_push(&states->tasks, (struct gotrace_task){0}) &&
	       vec_push(&states->threads,
		       ((struct gotrace_thread){.id = GOTRACE_NONE, .goroutine = GOTRACE_NONE}));
}

void gotrace_states_fini(struct gotrace_states *states)
{
	vec_fini(&states->goroutines);
	vec_fini(&states->procs);
	vec_fini(&states->threads);
	vec_fini(&states->opens);
	vec_fini(&states->tasks);
	vec_fini(&states->free_goroutines);
	gotrace_ids_fini(&states->goroutine_of);
	map_fini(&states->proc_of);
	map_fini(&states->thread_of);
	map_fini(&states->task_of);
	map_fini(&states->stops);
}

uint32_t gotrace_states_proc(const struct gotrace_states *states, uint64_t id)
{
	uint32_t index;

	return map_get(&states->proc_of, id, &index) ? index : 0;
}

uint32_t gotrace_states_thread(struct gotrace_states *states, uint64_t id)
{
	uint32_t index;

	if (map_get(&states->thread_of, id, &index))
		return index;
	index = (uint32_t)states->threads.count;
	if (!map_put(&states->thread_of, id, index) ||
		!vec_push(&states->threads,
			((struct gotrace_thread){.id = id, .goroutine = GOTRACE_NONE})))
		return 0;
	return index;
}

uint32_t gotrace_states_add_goroutine(
	struct gotrace_states *states, uint64_t id, uint8_t status, uint32_t generation)
{
	struct gotrace_goroutine goroutine = {
		.id = id, .count.generation = generation, .status = status, .exists = true};
	uint32_t index = (uint32_t)states->goroutines.count;

	if (states->free_goroutines.count)
		index = states->free_goroutines.at[states->free_goroutines.count - 1];
	if (!gotrace_ids_put(&states->goroutine_of, id, index))
		return 0;
	if (index == states->goroutines.count)
		return vec_push(&states->goroutines, goroutine) ? index : 0;
	states->free_goroutines.count--;
	states->goroutines.at[index] = goroutine;
	return index;
}

uint32_t gotrace_states_add_proc(
	struct gotrace_states *states, uint64_t id, uint8_t status, uint32_t generation)
{
	struct gotrace_proc proc = {.id = id, .count.generation = generation, .status = status};
	uint32_t index = (uint32_t)states->procs.count;

	if (!map_put(&states->proc_of, id, index) || !vec_push(&states->procs, proc))
		return 0;
	return index;
}

bool gotrace_states_remove_goroutine(struct gotrace_states *states, uint32_t index)
{
	struct gotrace_goroutine *goroutine = &states->goroutines.at[index];

	while (goroutine->assists)
		gotrace_states_close(states, &goroutine->assists);
	while (goroutine->stops)
		gotrace_states_go_on(states, index);
	while (goroutine->regions)
		gotrace_states_close(states, &goroutine->regions);
	goroutine->exists = false;
	gotrace_ids_remove(&states->goroutine_of, goroutine->id);
	return vec_push(&states->free_goroutines, index);
}

bool gotrace_states_open(
	struct gotrace_states *states, uint32_t *list, uint64_t kind, uint32_t name)
{
	struct gotrace_open open = {.kind = kind, .name = name, .outer = *list};
	uint32_t index = states->free_opens;

	if (index) {
		states->free_opens = states->opens.at[index].outer;
		states->opens.at[index] = open;
	} else {
		index = (uint32_t)states->opens.count;
		if (!vec_push(&states->opens, open))
			return false;
	}
	*list = index;
	return true;
}

void gotrace_states_close(struct gotrace_states *states, uint32_t *list)
{
	uint32_t index = *list;

	*list = states->opens.at[index].outer;
	states->opens.at[index].outer = states->free_opens;
	states->free_opens = index;
}

static uint64_t stop_of(uint32_t goroutine, uint32_t name)
{
	return (uint64_t)goroutine << 32 | name;
}

bool gotrace_states_stop(struct gotrace_states *states, uint32_t goroutine, uint32_t name)
{
	return map_put(&states->stops, stop_of(goroutine, name), 1) &&
	       gotrace_states_open(states, &states->goroutines.at[goroutine].stops, 0, name);
}

bool gotrace_states_is_stopped(
	const struct gotrace_states *states, uint32_t goroutine, uint32_t name)
{
	uint32_t is_stopped;

	return map_get(&states->stops, stop_of(goroutine, name), &is_stopped);
}

void gotrace_states_go_on(struct gotrace_states *states, uint32_t goroutine)
{
	uint32_t *stops = &states->goroutines.at[goroutine].stops;

	map_remove(&states->stops, stop_of(goroutine, states->opens.at[*stops].name));
	gotrace_states_close(states, stops);
}

struct gotrace_task *gotrace_states_task(const struct gotrace_states *states, uint64_t id)
{
	uint32_t index;

	return map_get(&states->task_of, id, &index) ? &states->tasks.at[index] : NULL;
}

bool gotrace_states_add_task(
	struct gotrace_states *states, uint64_t id, uint64_t parent, uint32_t name)
{
	struct gotrace_task task = {.parent = parent, .name = name};
	uint32_t index = states->free_tasks ? states->free_tasks : (uint32_t)states->tasks.count;

	if (!map_put(&states->task_of, id, index))
		return false;
	if (index == states->tasks.count)
		return vec_push(&states->tasks, task);
	states->free_tasks = states->tasks.at[index].next_free;
	states->tasks.at[index] = task;
	return true;
}

void gotrace_states_remove_task(struct gotrace_states *states, uint64_t id)
{
	uint32_t index;

	if (!map_get(&states->task_of, id, &index))
		return;
	map_remove(&states->task_of, id);
	states->tasks.at[index].next_free = states->free_tasks;
	states->free_tasks = index;
}
