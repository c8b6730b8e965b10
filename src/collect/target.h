/* SPDX-License-Identifier: MIT */
/*
 * The target: started as the user's shell would start it, watched, and reaped.
 *
 * The child keeps standard input, output and error, the working directory and the environment. The preload library
 * (with its folder in LD_LIBRARY_PATH, if its path has a blank) and the ways to the engine are added to the
 * environment; those of an outer engine are removed. The child does not depend on the engine's life: nothing kills
 * the child when the engine dies.
 */
#ifndef COLLECT_TARGET_H
#define COLLECT_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "corotracer/event.h"
#include "version1/channel.h"
#include "base/failure.h"

struct target {
	pid_t pid;
	bool is_found; /* not our child: how it ends is not reported to us */
	bool has_ended;
	enum ct_ending ending;
	int ending_value;
	uint64_t ended_ns;  /* CLOCK_MONOTONIC */
	uint64_t forwarded; /* bit n - 1: signal n was passed on, or noted */
};

struct target_options {
	char *const *command;           /* argv */
	const char *socket_name;        /* value of CTP_ENVIRONMENT */
	bool is_coarse;                 /* probes are to use the coarse clock */
	const char *preload;            /* library, NULL: none */
	const struct channel *version1; /* NULL: version 1 is not served */
};

/*
 * collect_target_start: starts the child; returns once the child runs its own program. CT_ERR_NOT_FOUND as in
 * collect_open. After a failure nothing is left.
 */
enum ct_status collect_target_start(
	const struct target_options *options, struct target *ret_target, struct ct_error *reterr);

/*
 * collect_target_find: makes a process that runs already the target. collect_target_note_gone: notes that such a target
 * has ended.
 */
void collect_target_find(pid_t pid, struct target *ret_target);
void collect_target_note_gone(struct target *target, uint64_t ended_ns);

/* collect_target_reap: returns whether the child has ended, and fills in its ending. Never waits. */
bool collect_target_reap(struct target *target);

/*
 * collect_target_signal: notes the signal, and sends it to the child and its family (family.h) unless `is_note_only`.
 */
enum ct_status collect_target_signal(
	struct target *target, int signal_number, bool is_note_only, struct ct_error *reterr);

/*
 * collect_target_was_forwarded: returns whether a process of the family that ended in this way was ended by a signal
 * that was passed on.
 */
bool collect_target_was_forwarded(const struct target *target, enum ct_ending ending, int value);

#endif
