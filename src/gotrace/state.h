/* SPDX-License-Identifier: MIT */
/*
 * The known state of goroutines, processors and threads between two events; it lasts across generations.
 *
 * Each is found by its id in the file and kept under an index, from 1. Ids may be any number: the memory is bounded by
 * the number of events that were read. Texts are kept as names (texts.h), because the id of a string is valid only in
 * its generation.
 */
#ifndef GOTRACE_STATE_H
#define GOTRACE_STATE_H

#include "base/map.h"
#include "base/vec.h"
#include "gotrace/ids.h"

/* The numbers of the states in the file. */
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
	GOTRACE_PROC_ABANDONED, /* in a system call of a thread that is no longer known */
};

/* The sequence number of a goroutine or processor, which begins again in each generation. */
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
	uint32_t assists; /* index of the innermost open mark assist; 0: none */
	uint32_t stops;   /* index of the innermost open stop of the world; 0: none */
	uint32_t regions; /* index of the innermost open region; 0: none */
	uint8_t status;
	bool exists;
};

struct gotrace_proc {
	uint64_t id;
	struct gotrace_count count;
	uint32_t sweeps;
	uint32_t holder; /* index of the thread that took it last, as long as it holds it */
	uint8_t status;
};

struct gotrace_thread {
	uint64_t id;
	uint64_t goroutine; /* id, GOTRACE_NONE: none */
	uint32_t at;        /* index of the goroutine now, or before that goroutine ended */
	uint32_t proc;      /* index of its processor */
	bool was_seen;      /* one of its events was examined, or another event named the thread */
};

/* An open range (kind, name) or region (task, name). */
struct gotrace_open {
	uint64_t kind;
	uint32_t name;
	uint32_t outer; /* index; in a free entry, the next free one */
};

struct gotrace_task {
	uint64_t parent;
	uint32_t name;
	uint32_t next_free;
};

struct gotrace_states {
	VEC(struct gotrace_goroutine) goroutines;
	VEC(struct gotrace_proc) procs;
	/* index 0 stands for batches that belong to no thread */
	VEC(struct gotrace_thread) threads;
	VEC(struct gotrace_open) opens;
	VEC(struct gotrace_task) tasks; /* the active ones */
	VEC(uint32_t) free_goroutines;
	struct gotrace_ids goroutine_of;
	struct map proc_of;
	struct map thread_of;
	struct map task_of;
	struct map stops; /* the open stops, by (goroutine, name) */
	uint32_t free_opens;
	uint32_t free_tasks;
};

/* gotrace_states_init: false if memory is out. */
bool gotrace_states_init(struct gotrace_states *states);
void gotrace_states_fini(struct gotrace_states *states);

/* gotrace_states_goroutine, _proc: the index of a goroutine or processor; 0: unknown. */
static inline uint32_t gotrace_states_goroutine(const struct gotrace_states *states, uint64_t id)
{
	uint32_t index;

	gotrace_ids_find(&states->goroutine_of, id, &index);
	return index;
}

uint32_t gotrace_states_proc(const struct gotrace_states *states, uint64_t id);

/* gotrace_states_thread: the index of a thread; an unknown thread is added. 0: out of memory. */
uint32_t gotrace_states_thread(struct gotrace_states *states, uint64_t id);

/* gotrace_states_add_goroutine, _add_proc: adds one that was unknown and returns its index. 0: out of memory. */
uint32_t gotrace_states_add_goroutine(
	struct gotrace_states *states, uint64_t id, uint8_t status, uint32_t generation);
uint32_t gotrace_states_add_proc(
	struct gotrace_states *states, uint64_t id, uint8_t status, uint32_t generation);

/* gotrace_states_remove_goroutine: removes a goroutine that ended, with its open ranges and regions. */
bool gotrace_states_remove_goroutine(struct gotrace_states *states, uint32_t goroutine);

/* gotrace_states_current: the index of the thread's goroutine; 0: the thread has none, or its goroutine is unknown. */
static inline uint32_t gotrace_states_current(
	const struct gotrace_states *states, const struct gotrace_thread *thread)
{
	const struct gotrace_goroutine *goroutine = &states->goroutines.at[thread->at];

	if (goroutine->exists && goroutine->id == thread->goroutine)
		return thread->at;
	return gotrace_states_goroutine(states, thread->goroutine);
}

/*
 * gotrace_states_open: puts a range or region onto a list; false: out of memory. gotrace_states_close: removes the
 * innermost one from a list.
 */
bool gotrace_states_open(
	struct gotrace_states *states, uint32_t *list, uint64_t kind, uint32_t name);
void gotrace_states_close(struct gotrace_states *states, uint32_t *list);

/* gotrace_states_stop: the goroutine stops the world for the reason `name`. False: out of memory. */
bool gotrace_states_stop(struct gotrace_states *states, uint32_t goroutine, uint32_t name);

/*
 * gotrace_states_is_stopped: has the goroutine already stopped the world for this reason? gotrace_states_go_on: ends
 * the goroutine's last stop.
 */
bool gotrace_states_is_stopped(
	const struct gotrace_states *states, uint32_t goroutine, uint32_t name);
void gotrace_states_go_on(struct gotrace_states *states, uint32_t goroutine);

/* gotrace_states_task: finds an active task; NULL: there is none with this id. */
struct gotrace_task *gotrace_states_task(const struct gotrace_states *states, uint64_t id);

/*
 * gotrace_states_add_task: adds a task that is not active yet. False: out of memory. gotrace_states_remove_task:
 * removes an active task.
 */
bool gotrace_states_add_task(
	struct gotrace_states *states, uint64_t id, uint64_t parent, uint32_t name);
void gotrace_states_remove_task(struct gotrace_states *states, uint64_t id);

#endif
