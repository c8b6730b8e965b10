/* SPDX-License-Identifier: MIT */
/*
 * A page has no files, so everything stays in memory.
 */
#include "base/spill.h"

bool spill_open(struct spill *spill)
{
	*spill = (struct spill){.descriptor = -1};
	return false;
}

void spill_close(struct spill *spill)
{
	*spill = (struct spill){.descriptor = -1};
}

bool spill_append(struct spill *spill, const void *bytes, size_t nr_bytes, uint64_t *ret_offset)
{
	(void)spill;
	(void)bytes;
	(void)nr_bytes;
	(void)ret_offset;
	return false;
}

bool spill_read(const struct spill *spill, uint64_t offset, void *ret_bytes, size_t nr_bytes)
{
	(void)spill;
	(void)offset;
	(void)ret_bytes;
	(void)nr_bytes;
	return false;
}
