/* SPDX-License-Identifier: MIT */
/* A folder that only this user can read, for a file that the library writes and this program reads once. */
#ifndef CLI_PRIVATE_FOLDER_H
#define CLI_PRIVATE_FOLDER_H

#include <stdbool.h>

#define PRIVATE_FOLDER_BYTES 2048

/* Zeroed: there is none. */
struct private_folder {
	char folder[PRIVATE_FOLDER_BYTES];
	char file[PRIVATE_FOLDER_BYTES + 32]; /* in the folder; it is not there yet */
};

/*
 * private_folder_make: makes the folder in TMPDIR, or in /tmp; the file's name has at most 30 bytes. False: errno says
 * why; there is none then. private_folder_remove: removes the file and the folder, if there are any.
 */
bool private_folder_make(struct private_folder *folder, const char *name);
void private_folder_remove(struct private_folder *folder);

#endif
