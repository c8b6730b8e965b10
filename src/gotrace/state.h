/* SPDX-License-Identifier: MIT */
/*
 * What is known of goroutines, processors and threads between two events, across generations.
 *
 * Each is found by the id that the file gives it, and kept under an index, from 1. Ids may be any number: what is kept
 * is bounded by the events that were read. Texts are names (texts.h), since a string's id ends with its generation.
 */
#ifndef GOTRACE_STATE_H
#define GOTRACE_STATE_H

#include "base/map.h"
#include "base/vec.h"
#include "gotrace/ids.h"

/* How the file numbers states. */
enum gotrace_goroutine_status {
	GOTRACE_GO_RUNNABLE = 1,
	GOTRACE_GO_RUNNING,
	GOTRACE_GO_SYSCALL,
	GOTRACE_GO_WAITING,
};

enum gotrace_proc_status {
	GOTRACE_PROC_RUNNING = 1,
	GOTRACE_PROC_IDLE,
	GOTRACE_PROC_SYSCALL,
	GOTRACE_PROC_ABANDONED, /* in a system call, of a thread that is not known any more */
};

/* How often something happened to a goroutine or processor in a generation. */
struct gotrace_count {
	uint32_t generation; /* 1 for the first one read */
	uint64_t count;
};

static inline bool gotrace_count_is_next(
	const struct gotrace_count *count, uint32_t generation, uint64_t wanted)
{
	return count->generation == generation && wanted == count->count + 1;
}

struct gotrace_goroutine {
	uint64_t id;
	struct gotrace_count count;
	uint32_t assists; /* index of the innermost one that is open; 0: none */
	uint32_t stops;   /* of the world, likewise */
	uint32_t regions; /* likewise */
	uint8_t status;
	bool exists;
};

struct gotrace_proc {
	uint64_t id;
	struct gotrace_count count;
	uint32_t sweeps;
	uint32_t holder; /* the thread that took it last, while it has it */
	uint8_t status;
};

struct gotrace_thread {
	uint64_t id;
	uint64_t goroutine; /* id, GOTRACE_NONE: none */
	uint32_t at;        /* where it is, or was before it ended */
	uint32_t proc;      /* index */
	bool was_seen;      /* an event of it was looked at, or told of it */
};

/* An open range (kind, name) or region (task, name). */
struct gotrace_open {
	uint64_t kind;
	uint32_t name;
	uint32_t outer; /* index; of a free one, the next free one */
};

struct gotrace_task {
	uint64_t parent;
	uint32_t name;
	uint32_t next_free;
};

struct gotrace_states {
	VEC(struct gotrace_goroutine) goroutines;
	VEC(struct gotrace_proc) procs;
	VEC(struct gotrace_thread) threads; /* 0 is what has no thread */
	VEC(struct gotrace_open) opens;
	VEC(struct gotrace_task) tasks; /* that are active */
	VEC(uint32_t) free_goroutines;
	struct gotrace_ids goroutine_of;
	struct map proc_of;
	struct map thread_of;
	struct map task_of;
	struct map stops; /* (goroutine, name) that are open */
	uint32_t free_opens;
	uint32_t free_tasks;
};

/* gotrace_states_init: false: out of memory. */
bool gotrace_states_init(struct gotrace_states *states);
void gotrace_states_fini(struct gotrace_states *states);

/* gotrace_states_goroutine, _proc: the index of one that is known; 0: it is not. */
static inline uint32_t gotrace_states_goroutine(const struct gotrace_states *states, uint64_t id)
{
	uint32_t index;

	gotrace_ids_find(&states->goroutine_of, id, &index);
	return index;
}

uint32_t gotrace_states_proc(const struct gotrace_states *states, uint64_t id);

/* gotrace_states_thread: the index, a new one where it is not known. 0: out of memory. */
uint32_t gotrace_states_thread(struct gotrace_states *states, uint64_t id);

/* gotrace_states_add_goroutine, _add_proc: a new one, which was not known. 0: out of memory. */
uint32_t gotrace_states_add_goroutine(
	struct gotrace_states *states, uint64_t id, uint8_t status, uint32_t generation);
uint32_t gotrace_states_add_proc(
	struct gotrace_states *states, uint64_t id, uint8_t status, uint32_t generation);

/* gotrace_states_remove_goroutine: it ended, and what it had open. */
bool gotrace_states_remove_goroutine(struct gotrace_states *states, uint32_t goroutine);

/* gotrace_states_current: the index of the thread's goroutine; 0: it has none, or one that is not known. */
static inline uint32_t gotrace_states_current(
	const struct gotrace_states *states, const struct gotrace_thread *thread)
{
	const struct gotrace_goroutine *goroutine = &states->goroutines.at[thread->at];

	if (goroutine->exists && goroutine->id == thread->goroutine)
		return thread->at;
	return gotrace_states_goroutine(states, thread->goroutine);
}

/* gotrace_states_open: puts a range or region onto a list; false: no memory. gotrace_states_close: takes one off. */
bool gotrace_states_open(
	struct gotrace_states *states, uint32_t *list, uint64_t kind, uint32_t name);
void gotrace_states_close(struct gotrace_states *states, uint32_t *list);

/* gotrace_states_stop: the goroutine stops the world, for what this name says. False: no memory. */
bool gotrace_states_stop(struct gotrace_states *states, uint32_t goroutine, uint32_t name);

/* gotrace_states_is_stopped: does it so already? gotrace_states_go_on: the last stop is over. */
bool gotrace_states_is_stopped(
	const struct gotrace_states *states, uint32_t goroutine, uint32_t name);
void gotrace_states_go_on(struct gotrace_states *states, uint32_t goroutine);

/* gotrace_states_task: an active one; NULL: it is not. */
struct gotrace_task *gotrace_states_task(const struct gotrace_states *states, uint64_t id);

/* gotrace_states_add_task: one that is not active. False: out of memory. gotrace_states_remove_task: one that is. */
bool gotrace_states_add_task(
	struct gotrace_states *states, uint64_t id, uint64_t parent, uint32_t name);
void gotrace_states_remove_task(struct gotrace_states *states, uint64_t id);

#endif
