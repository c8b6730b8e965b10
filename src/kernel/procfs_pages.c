/* SPDX-License-Identifier: MIT */
/* Reads a pagemap in parts (procfs_pages.h); proc_pid_pagemap(5) has the bits. */
#include <fcntl.h>
#include <unistd.h>

#include "kernel/procfs_pages.h"

#define IS_PRESENT (UINT64_C(1) << 63)
#define IS_SWAPPED (UINT64_C(1) << 62)

bool procfs_pages_open(struct procfs_pages *pages, int folder)
{
	pages->file = openat(folder, "pagemap", O_RDONLY | O_CLOEXEC);
	pages->is_open = pages->file >= 0 && sysconf(_SC_PAGESIZE) == PROCFS_PAGE_BYTES;
	pages->count = 0;
	return pages->is_open;
}

void procfs_pages_close(struct procfs_pages *pages)
{
	if (pages->file > 0)
		close(pages->file);
	*pages = (struct procfs_pages){.file = -1};
}

/* Makes the room hold this page; false: the kernel does not say. */
static bool hold(struct procfs_pages *pages, uint64_t page, uint64_t last)
{
	uint64_t wanted = last - page < PROCFS_PAGES_AT_ONCE ? last - page : PROCFS_PAGES_AT_ONCE;
	ssize_t got;

	if (page >= pages->first && page - pages->first < pages->count)
		return true;
	got = pread(pages->file, pages->room, (size_t)wanted * sizeof(*pages->room),
		(off_t)(page * sizeof(*pages->room)));
	pages->first = page;
	pages->count = got > 0 ? (uint64_t)got / sizeof(*pages->room) : 0;
	return pages->count > 0;
}

static bool is_there(const struct procfs_pages *pages, uint64_t page)
{
	return pages->room[page - pages->first] & (IS_PRESENT | IS_SWAPPED);
}

bool procfs_pages_next(struct procfs_pages *pages, uint64_t *start, uint64_t end, uint64_t *ret_end)
{
	uint64_t page = *start / PROCFS_PAGE_BYTES;
	uint64_t last = end / PROCFS_PAGE_BYTES + (end % PROCFS_PAGE_BYTES > 0);

	while (page < last && hold(pages, page, last) && !is_there(pages, page))
		page++;
	if (page >= last || !hold(pages, page, last))
		return false;
	if (page * PROCFS_PAGE_BYTES > *start)
		*start = page * PROCFS_PAGE_BYTES;
	while (page < last && hold(pages, page, last) && is_there(pages, page))
		page++;
	*ret_end = page * PROCFS_PAGE_BYTES < end ? page * PROCFS_PAGE_BYTES : end;
	return true;
}
