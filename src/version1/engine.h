/* SPDX-License-Identifier: MIT */
/*
 * The functions of the engine that version 1 uses: to identify processes and threads, to get numbers in the trace, and
 * to write records.
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
	/* refusal: why this peer is refused; NULL: the peer is accepted. refuse: counts a refusal. */
	const char *(*refusal)(void *engine, uid_t uid, pid_t pid);
	void (*refuse)(void *engine, pid_t pid, const char *why);

	/*
	 * watch: makes the engine's wait end when the descriptor is readable. `only_wakes`: the descriptor only wakes
	 * the engine; no connection arrives there.
	 */
	enum ct_status (*watch)(
		void *engine, int descriptor, bool only_wakes, struct ct_error *reterr);

	/*
	 * take_up: begins to trace a process that has connected; NULL: there are too many. process_of: the process of a
	 * thread, by our id (0: the target); NULL: it is not traced, or unknown.
	 */
	struct process *(*take_up)(void *engine, pid_t pid);
	struct process *(*process_of)(void *engine, uint64_t tid);

	/*
	 * segment, stream: return the number of a new segment of a process, and of a new stream in it. thread: the
	 * number of a thread.
	 */
	uint32_t (*segment)(void *engine, struct process *process);
	uint32_t (*stream)(void *engine, uint32_t segment);
	uint32_t (*thread)(void *engine, struct process *process, uint64_t tid, uint64_t time);

	/* site: defines an address as a site; false: the process has no known code at the address. */
	bool (*site)(void *engine, struct process *process, uint32_t segment, uint32_t id,
		uint64_t address);

	/* moved: notes that a coroutine of the process has run or suspended. */
	void (*moved)(void *engine, struct process *process);

	/*
	 * put: passes on records, `nr_events` of which are events. count_lost: counts a loss that a record reports.
	 * lose: defines a loss; does nothing if the count is 0.
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
