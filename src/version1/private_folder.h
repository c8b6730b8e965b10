/* SPDX-License-Identifier: MIT */
/*
 * A folder that other users cannot read, and that does not outlive its maker for long. The folder is locked, and the
 * kernel releases the lock however its maker ends. A process that makes a new folder in the same place removes all
 * folders whose lock is free.
 */
#ifndef VERSION1_PRIVATE_FOLDER_H
#define VERSION1_PRIVATE_FOLDER_H

#include <stddef.h>

/* The only names in such a folder: no other file is ever removed from it. */
#define PRIVATE_FOLDER_FILES "stations", "socket"

/*
 * version1_private_folder_open: makes a folder below `parent`, with mode 0700, and writes its path to ret_path. Returns
 * the descriptor that holds the lock. -1: `parent` cannot be used, or the path would be longer than nr_bytes less
 * `nr_room`, which is reserved for the names in it.
 */
int version1_private_folder_open(
	const char *parent, char *ret_path, size_t nr_bytes, size_t nr_room);

/* version1_private_folder_close: removes the folder if it is empty, and releases the lock. */
void version1_private_folder_close(int descriptor, const char *path);

#endif
