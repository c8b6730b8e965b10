/* SPDX-License-Identifier: MIT */
/* The tasks of asyncio, each with its row of coroutines that await one another. */
#ifndef FRAMES_PYTHON_TASKS_H
#define FRAMES_PYTHON_TASKS_H

#include "frames/python.h"

#define CHAIN_MAX 128u
#define CHAIN_LOCALS 2u
#define CHAIN_ENTERED 4u

/* A coroutine, or a generator, in a task. */
struct python_call {
	uint64_t address;
	uint64_t code;
	uint32_t line;
	uint64_t locals[CHAIN_LOCALS];
	/* in whose `async with` it is, or on the way into or out of one; the outermost first */
	uint64_t entered[CHAIN_ENTERED];
	uint32_t nr_entered;
	uint32_t bytes; /* of the object, with its frame */
};

/* From the task's own coroutine to the innermost one. */
struct python_chain {
	struct python_call at[CHAIN_MAX];
	uint32_t count;
	bool is_created; /* the task's coroutine has not begun */
	bool runs;
	bool has_ended;
	uint64_t awaited; /* what the innermost one awaits, which is no coroutine; 0: not known */
};

struct python_task {
	uint64_t address;
	uint64_t loop;
	uint32_t state;
	uint64_t exception;
	uint64_t waiter; /* the future for which it waits; 0: none */
	uint64_t coroutine;
	uint64_t name;
	uint64_t callback; /* the first one of those that its end calls, and a list of others */
	uint64_t callbacks;
};

enum python_task_state {
	PYTHON_PENDING,
	PYTHON_CANCELLED,
	PYTHON_FINISHED,
};

/* A task is within an `async with` of an object. */
struct python_entry {
	uint32_t task;
	uint32_t place; /* of the function that has it */
	uint64_t object;
};

struct python_tasks {
	struct python python;
	VEC(struct python_entry) entries;
	struct map
		locks; /* an object, to an index in `inner`: the lock that waits for it are for */
	VEC(uint64_t) inner;
	VEC(struct python_task)
	tasks; /* index into the coroutines that were found, from `first` on */
	size_t first;
	struct map awaiting; /* an object in which a task has its interest, to its index */
	uint64_t lowest;     /* all types of tasks are in between */
	uint64_t highest;
};

/* python_chain_read: follows the coroutines of a task from its own one on. */
void python_chain_read(struct python *python, uint64_t coroutine, struct python_chain *ret_chain);

/* python_is_of_asyncio: does a file belong to asyncio? */
bool python_is_of_asyncio(const char *file);

/* python_chain_resource: what the innermost call that says so waits for: a handle; 0: none says. */
uint64_t python_chain_resource(
	struct python *python, const struct python_chain *chain, uint64_t waiter);

/*
 * python_waits_note: notes in which objects a task has its interest. python_waits_link: of each task, finds who has
 * interest in its end, by what its end calls: that one waits for it.
 */
bool python_waits_note(struct python_tasks *tasks, uint32_t at, const struct python_chain *chain);
void python_waits_link(struct python_tasks *tasks);

/* python_place_at: returns the place of a line in a function's code, with its stack; line 0: where it is defined. */
uint32_t python_place_at(
	struct python *python, uint64_t code_address, uint32_t line, uint32_t stack);

/*
 * python_holds_note: notes in which objects' `async with` a task is. python_holds_link: tells, of the locks that tasks
 * wait for, which tasks hold them so. False: out of memory.
 */
bool python_holds_note(struct python_tasks *tasks, uint32_t at, const struct python_chain *chain);
bool python_holds_link(struct python_tasks *tasks);

/*
 * python_stacks_look: takes the stacks of the interpreter's threads to which words of memory lead, which walk_memory
 * hands on. False: out of memory.
 */
bool python_stacks_look(
	struct python *python, const uint64_t *words, size_t count, uint64_t address);

/* python_stacks_tell: adds a note for each thread: in which functions it is. */
void python_stacks_tell(struct python *python);

/* python_stacks_callees: the functions that the task of a thread has called, in words; NULL: not known, or none. */
const char *python_stacks_callees(struct python *python, uint32_t thread);

/*
 * python_threads_find: finds the threads that run tasks: the stack of one holds its task's address, or no other thread
 * is left. False: out of memory.
 */
bool python_threads_find(struct python_tasks *tasks);

#endif
