/* SPDX-License-Identifier: MIT */
/*
 * Which pages of its memory a process has: /proc/PID/pagemap. Reading any other page from outside would give it one.
 */
#ifndef KERNEL_PROCFS_PAGES_H
#define KERNEL_PROCFS_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#define PROCFS_PAGE_BYTES 4096u
#define PROCFS_PAGES_AT_ONCE 8192u

/* Zeroed: not open. */
struct procfs_pages {
	bool is_open;
	int file;
	uint64_t first; /* number of the first page in the room */
	uint64_t count; /* of pages in the room */
	uint64_t room[PROCFS_PAGES_AT_ONCE];
};

/*
 * procfs_pages_open: `folder` comes from procfs_open. False: the kernel does not say. procfs_pages_close: also if it is
 * not open.
 */
bool procfs_pages_open(struct procfs_pages *pages, int folder);
void procfs_pages_close(struct procfs_pages *pages);

/*
 * procfs_pages_next: finds the first row of pages in [*start, end) that are in memory or swapped out. False: there is
 * none, or the kernel does not say.
 */
bool procfs_pages_next(
	struct procfs_pages *pages, uint64_t *start, uint64_t end, uint64_t *ret_end);

#endif
