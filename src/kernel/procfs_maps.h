/* SPDX-License-Identifier: MIT */
/*
 * The mappings of a process: /proc/PID/maps.
 */
#ifndef KERNEL_PROCFS_MAPS_H
#define KERNEL_PROCFS_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct procfs_mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset; /* in the file */
	uint64_t inode;
	bool is_code;
	bool is_readable;
	bool is_writable;
	bool is_shared;
	const char *path; /* "": none */
};

/* The whole text, and the part that was not handed out yet. */
struct procfs_maps {
	char *text;
	char *rest;
};

/* procfs_maps_open: reads all mappings. False: the process is gone, or we may not read them. */
bool procfs_maps_open(struct procfs_maps *maps, pid_t pid);

/* procfs_maps_next: returns the next mapping; false: there is none. Paths are valid until procfs_maps_close. */
bool procfs_maps_next(struct procfs_maps *maps, struct procfs_mapping *ret_mapping);
void procfs_maps_close(struct procfs_maps *maps);

#endif
