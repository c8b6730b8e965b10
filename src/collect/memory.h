/* SPDX-License-Identifier: MIT */
/*
 * Checks whether a descriptor's memory can be mapped without danger, and maps it.
 *
 * The mapped memory cannot shrink (the seal), cannot raise SIGBUS for want of huge pages (the file system's magic), and
 * has the size that the kernel states, not the peer.
 */
#ifndef COLLECT_MEMORY_H
#define COLLECT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/failure.h"

struct memory {
	void *base;
	size_t nr_bytes;
	int descriptor; /* the descriptor it was mapped from; -1: our own memory */
};

/*
 * collect_memory_absence: why no process here can make the memory that a probe shares with an engine: a sentence. The
 * kernel, or a filter for system calls, refuses it to this process, too. NULL: it can be made.
 */
const char *collect_memory_absence(void);

/*
 * collect_memory_map: checks and maps the descriptor, which it owns only after success. CT_ERR_REFUSED says why the
 * memory is not fit. The mapping lives until collect_memory_unmap.
 */
enum ct_status collect_memory_map(
	int descriptor, struct memory *ret_memory, struct ct_error *reterr);

/*
 * collect_memory_claim: claims the memory for this engine, until collect_memory_unmap or the end of this process. The
 * lock belongs to a descriptor that is opened again here: on the peer's descriptor the peer would keep the lock alive.
 * CT_ERR_BUSY: another engine has the memory.
 */
enum ct_status collect_memory_claim(struct memory *memory, struct ct_error *reterr);

/* collect_memory_unmap: unmaps the memory, and closes the descriptor if there is one. */
void collect_memory_unmap(struct memory *memory);

/*
 * collect_memory_holds: returns whether every page of these at most 64 KiB of the mapping has been written, and not
 * been punched out since. Reading a page that was never written would allocate memory for it, on the reader's account:
 * a peer could claim a gigabyte that it never wrote. A page that was swapped out counts as written. Returns true also
 * if the kernel does not say.
 */
bool collect_memory_holds(const struct memory *memory, const void *at, size_t nr_bytes);

#endif
