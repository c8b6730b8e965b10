/* SPDX-License-Identifier: MIT */
/* Folders in TMPDIR (private_folder.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "private_folder.h"

bool private_folder_make(struct private_folder *folder, const char *name)
{
	const char *parent = getenv("TMPDIR");

	if (!parent || parent[0] != '/' || strlen(parent) > PRIVATE_FOLDER_BYTES / 2)
		parent = "/tmp";
	snprintf(folder->folder, sizeof(folder->folder), "%s/corotracer-XXXXXX", parent);
	if (!mkdtemp(folder->folder)) {
		folder->folder[0] = '\0';
		return false;
	}
	snprintf(folder->file, sizeof(folder->file), "%s/%s", folder->folder, name);
	return true;
}

void private_folder_remove(struct private_folder *folder)
{
	if (!folder->folder[0])
		return;
	unlink(folder->file);
	rmdir(folder->folder);
	folder->folder[0] = '\0';
}
