/* SPDX-License-Identifier: MIT */
/* Accepting a peer's memory: the protocol's rules about hostile peers, in the order in which they must be checked. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "collect/memory.h"
#include "proto/proto.h"

#define PAGES_ASKED 17 /* 64 KiB that begin in the middle of a page */

const char *collect_memory_absence(void)
{
	int descriptor = memfd_create("corotracer-trial", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	bool can_be_sealed = descriptor >= 0 && fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK) == 0;

	if (descriptor < 0)
		return "no probe and no ledger can attach: this system refuses memory without a "
		       "name (memfd_create), in which these write their events";
	close(descriptor);
	return can_be_sealed ? NULL
			     : "no probe and no ledger can attach: this system refuses to seal "
			       "memory without a name (F_ADD_SEALS), in which these write their "
			       "events";
}

/* A seal that any process sets holds for all: if the peer forgot the seal, it is set here. */
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
			reterr, CT_ERR_REFUSED, "its memory cannot be sealed against shrinking");
	/* Checked after the seal: from here on the size can only grow. */
	if (fstat(descriptor, &status) || !S_ISREG(status.st_mode))
		return ct_fail(reterr, CT_ERR_REFUSED, "its memory is not a regular file");
	if (status.st_size < (off_t)CTP_PAGE_BYTES || status.st_size > (off_t)PROTO_BYTES_MAX)
		return ct_fail(reterr, CT_ERR_REFUSED, "its memory has %lld bytes",
			(long long)status.st_size);
	*ret_bytes = (size_t)status.st_size;
	return CT_OK;
}

enum ct_status collect_memory_map(
	int descriptor, struct memory *ret_memory, struct ct_error *reterr)
{
	enum ct_status status;
	size_t nr_bytes = 0;
	void *base;

	status = check_memory(descriptor, &nr_bytes, reterr);
	if (status)
		return status;
	base = mmap(NULL, nr_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
	if (base == MAP_FAILED)
		return ct_fail_errno(reterr, "mapping its memory");
	madvise(base, nr_bytes, MADV_DONTDUMP);
	*ret_memory = (struct memory){base, nr_bytes, descriptor};
	return CT_OK;
}

/* Returns whether the file has data there, even if swapped out; called only if the page is not in memory. */
static bool is_data(const struct memory *memory, const char *page)
{
	off_t offset = page - (const char *)memory->base;

	return lseek(memory->descriptor, offset, SEEK_DATA) == offset;
}

bool collect_memory_holds(const struct memory *memory, const void *at, size_t nr_bytes)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	size_t before = (size_t)((const char *)at - (const char *)memory->base) % page_bytes;
	char *begin =
		(char *)memory->base + ((const char *)at - (const char *)memory->base) - before;
	size_t nr_pages = (before + nr_bytes + page_bytes - 1) / page_bytes;
	unsigned char are_there[PAGES_ASKED];
	size_t i;

	if (nr_pages > PAGES_ASKED || mincore(begin, nr_pages * page_bytes, are_there))
		return true;
	for (i = 0; i < nr_pages; i++)
		if (!(are_there[i] & 1) && !is_data(memory, begin + i * page_bytes))
			return false;
	return true;
}

enum ct_status collect_memory_claim(struct memory *memory, struct ct_error *reterr)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char path[32];
	int own;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", memory->descriptor);
	own = open(path, O_RDWR | O_CLOEXEC);
	if (own < 0)
		return CT_OK; /* no /proc: no process can attach through it either */
	if (fcntl(own, F_OFD_SETLK, &whole) < 0 && (errno == EAGAIN || errno == EACCES)) {
		close(own);
		return ct_fail(reterr, CT_ERR_BUSY, "another recording has its memory");
	}
	close(memory->descriptor);
	memory->descriptor = own;
	return CT_OK;
}

void collect_memory_unmap(struct memory *memory)
{
	munmap(memory->base, memory->nr_bytes);
	if (memory->descriptor >= 0)
		close(memory->descriptor);
}
