/* SPDX-License-Identifier: MIT */
/*
 * Thread ids of a process that lives in a PID namespace of its own, as programs in a container do: what it tells of its
 * threads are numbers in there, while /proc, and whoever reads a trace, knows them by ours.
 *
 * The kernel tells both numbers of a thread (NSpid in its status). The numbers are read once for each thread, when one
 * is told that is not known yet; a number that is given out anew in there is read again.
 */
#ifndef KERNEL_THREAD_IDS_H
#define KERNEL_THREAD_IDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/map.h"

/* Zeroed: its ids are ours. */
struct thread_ids {
	bool are_own;     /* the process has a namespace of its own */
	struct map here;  /* by id in there */
	struct map there; /* by our id */
};

/* thread_ids_init: asks of a process that lives whether it has ids of its own. */
void thread_ids_init(struct thread_ids *ids, pid_t pid);

/* thread_ids_fini: gives the memory back. */
void thread_ids_fini(struct thread_ids *ids);

/*
 * thread_ids_here: our id of the thread that has this id in the process's namespace. For a thread that was gone before
 * it could be asked for: the id that was told.
 */
uint64_t thread_ids_here(struct thread_ids *ids, pid_t pid, uint64_t told);

#endif
