/* SPDX-License-Identifier: MIT */
/*
 * A folder that nobody else may look into, and that does not outlive its maker for long: it is locked, the
 * kernel gives the lock back however its maker ends, and whoever makes the next one in the same place
 * removes those that nobody holds any more.
 */
#ifndef VERSION1_PRIVATE_FOLDER_H
#define VERSION1_PRIVATE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* The names that may lie in such a folder: nothing else is ever removed from it. */
#define PRIVATE_FOLDER_FILES "stations", "socket"

/*
 * version1_private_folder_open: makes one below `parent`, with mode 0700, and writes its path to ret_path. Returns
 * the descriptor that holds the lock, or -1: the parent is none, or the path would be longer than nr_bytes
 * less `nr_room`, which is kept for names in it.
 */
int version1_private_folder_open(
	const char *parent, char *ret_path, size_t nr_bytes, size_t nr_room);

/* version1_private_folder_close: removes the folder, if it is empty, and gives the lock back. */
void version1_private_folder_close(int descriptor, const char *path);

#endif
