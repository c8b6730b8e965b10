/* SPDX-License-Identifier: MIT */
/*
 * A file without a name, for what would take too much memory: written once, from its beginning to its end, and read at
 * any place. The file is gone with its last descriptor, however the program ends.
 */
#ifndef BASE_SPILL_H
#define BASE_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"

struct spill {
	int descriptor; /* -1: not open */
	uint64_t nr_bytes;
};

/* spill_open_file: such a file, in TMPDIR or else /var/tmp. A descriptor that the caller closes; -1, and why not. */
int spill_open_file(struct ct_error *reterr);

/* spill_open: empty. False: there is no such file; the spill is not open then. spill_close: also of one not open. */
bool spill_open(struct spill *spill);
void spill_close(struct spill *spill);

/*
 * spill_append: on one thread. False: the disk is full, or fails; what was there stays. spill_read: what was appended
 * at this offset, on any thread. False: the disk fails.
 */
bool spill_append(struct spill *spill, const void *bytes, size_t nr_bytes, uint64_t *ret_offset);
bool spill_read(const struct spill *spill, uint64_t offset, void *ret_bytes, size_t nr_bytes);

#endif
