/* SPDX-License-Identifier: MIT */
/*
 * A file without a name, for data that would take too much memory: written once, from its beginning to its end, and
 * read at any offset. The file disappears with its last descriptor, however the program ends.
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

/*
 * spill_open_file: makes such a file, in TMPDIR or else /var/tmp. Returns a descriptor that the caller closes; -1 and
 * the reason.
 */
int spill_open_file(struct ct_error *reterr);

/*
 * spill_open: makes an empty spill. Returns false if the file cannot be made; the spill is not open then. spill_close:
 * closes the spill, open or not.
 */
bool spill_open(struct spill *spill);
void spill_close(struct spill *spill);

/*
 * spill_append: appends, on one thread. Returns false if the disk is full, or fails; earlier bytes stay. spill_read:
 * reads what was appended at this offset, on any thread. Returns false if the disk fails.
 */
bool spill_append(struct spill *spill, const void *bytes, size_t nr_bytes, uint64_t *ret_offset);
bool spill_read(const struct spill *spill, uint64_t offset, void *ret_bytes, size_t nr_bytes);

#endif
