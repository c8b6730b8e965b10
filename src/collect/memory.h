/* SPDX-License-Identifier: MIT */
/*
 * Is this descriptor memory that can be mapped without danger? And mapping it.
 *
 * The mapped memory cannot shrink (the seal), cannot raise SIGBUS for want of huge pages (the file
 * system's magic), and is as large as the kernel says, not as the peer says.
 */
#ifndef COLLECT_MEMORY_H
#define COLLECT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/failure.h"

struct memory {
	void *base;
	size_t nr_bytes;
	int descriptor; /* it was mapped from; -1: memory of our own */
};

/*
 * collect_memory_map: checks and maps the descriptor, and takes it on success only. CT_ERR_REFUSED says why it is
 * not fit. Lives until collect_memory_unmap.
 */
enum ct_status collect_memory_map(
	int descriptor, struct memory *ret_memory, struct ct_error *reterr);

/*
 * collect_memory_claim: nobody else has this memory from here on, until collect_memory_unmap or the end of this
 * process. The lock hangs on a descriptor that is opened anew: that of the peer would hold it longer. CT_ERR_BUSY:
 * another engine has it.
 */
enum ct_status collect_memory_claim(struct memory *memory, struct ct_error *reterr);

/* collect_memory_unmap: also closes the descriptor, if there is one. */
void collect_memory_unmap(struct memory *memory);

/*
 * collect_memory_holds: every page of these at most 64 KiB of the mapping has been written, and not been punched out
 * since. To read a page that was not would take memory for it, on the reader's account: a peer could claim a
 * gigabyte that it never wrote. A page that was swapped out holds. True also where the kernel does not tell.
 */
bool collect_memory_holds(const struct memory *memory, const void *at, size_t nr_bytes);

#endif
