/* SPDX-License-Identifier: MIT */
/*
 * Is this descriptor memory that can be mapped without danger? And mapping it.
 *
 * What is mapped can not shrink (the seal), can not raise SIGBUS for want of huge pages (the file
 * system's magic), and is as large as the kernel says, not as the peer says.
 */
#ifndef COLLECT_MEMORY_H
#define COLLECT_MEMORY_H

#include <stddef.h>

#include "failure.h"

/*
 * memory_map: checks and maps the descriptor, which stays the caller's. CT_ERR_REFUSED says why it is
 * not fit. The mapping lives until memory_unmap.
 */
enum ct_status memory_map(
	int descriptor, void **ret_base, size_t *ret_bytes, struct ct_error *reterr);

void memory_unmap(void *base, size_t nr_bytes);

#endif
