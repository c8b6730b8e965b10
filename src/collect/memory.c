/* SPDX-License-Identifier: MIT */
/*
 * Accepting a peer's memory: the rules of the protocol on hostile peers, in the order in which they
 * must be asked.
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "memory.h"
#include "proto.h"

/* A seal set by anyone holds for everyone: where the peer forgot it, it is set here. */
static bool is_sealed(int descriptor)
{
	int seals = fcntl(descriptor, F_GET_SEALS);

	if (seals >= 0 && !(seals & F_SEAL_SHRINK)) {
		fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK);
		seals = fcntl(descriptor, F_GET_SEALS);
	}
	return seals >= 0 && (seals & F_SEAL_SHRINK);
}

static enum ct_status check_memory(int descriptor, size_t *ret_bytes, struct ct_error *reterr)
{
	struct statfs system;
	struct stat status;

	if (fstatfs(descriptor, &system) || system.f_type != TMPFS_MAGIC)
		return ct_fail(reterr, CT_ERR_REFUSED,
			"what it handed over is not shared memory of the ordinary kind");
	if (!is_sealed(descriptor))
		return ct_fail(
			reterr, CT_ERR_REFUSED, "its memory can not be sealed against shrinking");
	/* After the seal: from here on the size can only grow. */
	if (fstat(descriptor, &status) || !S_ISREG(status.st_mode))
		return ct_fail(reterr, CT_ERR_REFUSED, "its memory is not a regular file");
	if (status.st_size < (off_t)CTP_PAGE_BYTES || status.st_size > (off_t)PROTO_BYTES_MAX)
		return ct_fail(reterr, CT_ERR_REFUSED, "its memory has %lld bytes",
			(long long)status.st_size);
	*ret_bytes = (size_t)status.st_size;
	return CT_OK;
}

enum ct_status memory_map(
	int descriptor, void **ret_base, size_t *ret_bytes, struct ct_error *reterr)
{
	enum ct_status status = check_memory(descriptor, ret_bytes, reterr);
	void *base;

	if (status)
		return status;
	base = mmap(NULL, *ret_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
	if (base == MAP_FAILED)
		return ct_fail_errno(reterr, "mapping its memory");
	madvise(base, *ret_bytes, MADV_DONTDUMP);
	*ret_base = base;
	return CT_OK;
}

void memory_unmap(void *base, size_t nr_bytes)
{
	munmap(base, nr_bytes);
}
