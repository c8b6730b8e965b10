/* SPDX-License-Identifier: MIT */
/*
 * The engine's side of version 1: who processes and threads are, numbers in the trace, and the way
 * out.
 */
#ifndef VERSION1_ENGINE_H
#define VERSION1_ENGINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "stream/stream.h"

struct process; /* the engine's */

/* `engine` is the context of struct version1_engine. */
struct version1_engine_ops {
	/* refusal: why this peer is turned away; NULL: it is not. refuse: counts that it was. */
	const char *(*refusal)(void *engine, uid_t uid, pid_t pid);
	void (*refuse)(void *engine, pid_t pid, const char *why);

	/*
	 * watch: the engine's wait ends when the descriptor has something. `only_wakes`: that is all it is for, nobody
	 * arrives there.
	 */
	enum ct_status (*watch)(
		void *engine, int descriptor, bool only_wakes, struct ct_error *reterr);

	/*
	 * take_up: a process that has connected; NULL: there are too many. process_of: that of a thread, by an id of
	 * ours (0: the target's); NULL: it is not traced, or not known.
	 */
	struct process *(*take_up)(void *engine, pid_t pid);
	struct process *(*process_of)(void *engine, uint64_t tid);

	/* segment, stream: the number of a new segment of a process, of a new stream in it. thread: of a thread. */
	uint32_t (*segment)(void *engine, struct process *process);
	uint32_t (*stream)(void *engine, uint32_t segment);
	uint32_t (*thread)(void *engine, struct process *process, uint64_t tid, uint64_t time);

	/* site: defines an address as a site; false: no code of the process is known to lie there. */
	bool (*site)(void *engine, struct process *process, uint32_t segment, uint32_t id,
		uint64_t address);

	/* moved: a coroutine of the process was seen to move. */
	void (*moved)(void *engine, struct process *process);

	/*
	 * put: hands records on, of which `nr_events` are events. count_lost: of a loss that a record tells of. lose:
	 * defines a loss; a count of 0 is nothing.
	 */
	void (*put)(void *engine, const struct ct_batch *batch, uint64_t nr_events);
	void (*count_lost)(void *engine, uint64_t count);
	void (*lose)(
		void *engine, uint32_t reason, uint64_t count, uint64_t first_ns, uint64_t last_ns);
};

struct version1_engine {
	const struct version1_engine_ops *ops;
	void *context;
};

#endif
