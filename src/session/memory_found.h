/* SPDX-License-Identifier: MIT */
/*
 * The coroutines that a look into memory found in a program without a probe, kept until the trace gets them at its end.
 */
#ifndef SESSION_MEMORY_FOUND_H
#define SESSION_MEMORY_FOUND_H

#include <sys/types.h>

#include "collect/collect.h"
#include "stream/stream.h"

struct memory_found {
	struct ct_source *source; /* of frames_see; NULL: none */
	uint32_t *threads;        /* the numbers that its threads have in the trace */
};

/*
 * memory_found_keep: gets it ready for the end of the recording, when the process may be gone; forgets it if it may be
 * wrong by then. The threads of a process that has ended are not known. memory_found_fini: forgets it; it can be used
 * again.
 */
void memory_found_keep(
	struct memory_found *found, struct collect *collect, uint32_t process, bool goes_on);
void memory_found_fini(struct memory_found *found);

/* memory_found_program: returns a number that differs once a process has become another program; 0: it has ended. */
uint32_t memory_found_program(pid_t pid);

#endif
