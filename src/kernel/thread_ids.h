/* SPDX-License-Identifier: MIT */
/*
 * Thread ids of a process that has its own PID namespace, as programs in a container do: the ids that the process
 * records are those of its namespace, while /proc and the reader of a trace know its threads by ids of ours.
 *
 * The kernel shows both ids of a thread (NSpid in its status). Both are read when the process first records an unknown
 * id; if an id is reused in its namespace, they are read again.
 */
#ifndef KERNEL_THREAD_IDS_H
#define KERNEL_THREAD_IDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/map.h"

/* Zeroed: the process has the same ids as we. */
struct thread_ids {
	bool are_own;     /* the process has its own namespace */
	struct map here;  /* by the id in its namespace */
	struct map there; /* by our id */
};

/* thread_ids_init: finds out whether a running process has its own ids. */
void thread_ids_init(struct thread_ids *ids, pid_t pid);

/* thread_ids_fini: frees the memory. */
void thread_ids_fini(struct thread_ids *ids);

/*
 * thread_ids_here: our id of the thread that has this id in the process's namespace. If the thread was gone before it
 * could be looked up, returns the recorded id.
 */
uint64_t thread_ids_here(struct thread_ids *ids, pid_t pid, uint64_t told);

#endif
