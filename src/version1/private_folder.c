/* SPDX-License-Identifier: MIT */
/*
 * Private folders and their locks. A new folder has no lock for a moment, in which another process may take it for an
 * abandoned one and remove it; so after locking, its maker checks that it still exists.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "version1/private_folder.h"

#define NAME_PREFIX "corotracer-v1-"
#define NAME_PATTERN NAME_PREFIX "XXXXXX"
#define ATTEMPTS 8
#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static bool is_ours(int descriptor)
{
	struct stat status;

	return fstat(descriptor, &status) == 0 && status.st_uid == geteuid() &&
	       (status.st_mode & 0777) == 0700;
}

/* The lock is free, so the process that made the files there has died. */
static void remove_abandoned(int parent, const char *name)
{
	static const char *const files[] = {PRIVATE_FOLDER_FILES};
	int folder = openat(parent, name, FOLDER_FLAGS);
	size_t i;

	if (folder < 0)
		return;
	if (is_ours(folder) && flock(folder, LOCK_EX | LOCK_NB) == 0) {
		for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
			unlinkat(folder, files[i], 0);
		unlinkat(parent, name, AT_REMOVEDIR);
	}
	close(folder);
}

static void sweep(const char *parent)
{
	DIR *entries = opendir(parent);
	const struct dirent *entry;

	if (!entries)
		return;
	while ((entry = readdir(entries)))
		if (strlen(entry->d_name) == sizeof(NAME_PATTERN) - 1 &&
			strncmp(entry->d_name, NAME_PREFIX, sizeof(NAME_PREFIX) - 1) == 0)
			remove_abandoned(dirfd(entries), entry->d_name);
	closedir(entries);
}

static int make_locked(char *path)
{
	int descriptor;

	if (!mkdtemp(path))
		return -1;
	descriptor = open(path, FOLDER_FLAGS);
	if (descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0 &&
		io_is_named(descriptor, path))
		return descriptor;
	version1_private_folder_close(descriptor, path);
	return -1;
}

int version1_private_folder_open(
	const char *parent, char *ret_path, size_t nr_bytes, size_t nr_room)
{
	size_t length = parent ? strlen(parent) : 0;
	int descriptor = -1;
	int i;

	if (length == 0 || parent[0] != '/' ||
		length + 1 + sizeof(NAME_PATTERN) + nr_room > nr_bytes)
		return -1;
	sweep(parent);
	for (i = 0; i < ATTEMPTS && descriptor < 0; i++) {
		snprintf(ret_path, nr_bytes, "%s/" NAME_PATTERN, parent);
		descriptor = make_locked(ret_path);
	}
	return descriptor;
}

void version1_private_folder_close(int descriptor, const char *path)
{
	rmdir(path);
	if (descriptor >= 0)
		close(descriptor);
}
