/* SPDX-License-Identifier: MIT */
/*
 * One thread of another process, watched by the kernel (perf_event_open): where it runs, by a clock of its processor
 * time. Nothing happens inside of the process, and nobody waits for the records: whoever watches looks now and then.
 */
#ifndef KERNEL_PERF_THREAD_H
#define KERNEL_PERF_THREAD_H

#include <stdbool.h>
#include <sys/types.h>

#include "kernel/perf_records.h"

/* Zeroed: not open. */
struct perf_thread {
	int descriptor;
	int switches; /* of the event that tells stacks of switches; -1: none */
	int faults;   /* of the event that tells major page faults, likewise */
	void *pages;  /* the kernel's page, and then the ring's data; NULL: not open */
	struct perf_bytes bytes;
	bool is_blind; /* the kernel tells nothing of the thread's time inside of it */
};

/*
 * perf_thread_open: begins to watch. `hz`: samples a second of processor time. `tells_switches`: also record when the
 * thread gets and loses its processor, and where it is then, unless the kernel is hidden from us. False, and errno: the
 * kernel refuses. EACCES or EPERM: it does not allow it; ENOSYS, ENOENT, EOPNOTSUPP: it cannot; EMFILE, ENOMEM: there
 * is no room.
 */
bool perf_thread_open(struct perf_thread *thread, pid_t tid, unsigned hz, bool tells_switches);

/*
 * perf_thread_tell_faults: sets whether pages that are read for the thread are recorded, each with where it is wanted.
 * Nothing says that the kernel refuses that: there are no such records then.
 */
void perf_thread_tell_faults(struct perf_thread *thread, pid_t tid, bool are_told);

/*
 * perf_thread_next: reads the oldest record that was not read, and gives its room back. The rest is as in
 * perf_records_next.
 */
bool perf_thread_next(
	struct perf_thread *thread, struct perf_record *ret_record, bool *ret_is_corrupt);

/* perf_thread_close: ends the watch. A thread that is not open is allowed. */
void perf_thread_close(struct perf_thread *thread);

#endif
