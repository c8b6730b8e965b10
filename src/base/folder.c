/* SPDX-License-Identifier: MIT */
/*
 * Folders that appear whole or not at all. Only files with the names that the folder may contain are removed: a folder
 * with any other file stays.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"

static void remove_name(const struct folder *folder, const char *name, const char *suffix)
{
	char *path;

	if (asprintf(&path, "%s/%s%s", folder->partial_path, name, suffix) < 0)
		return;
	unlink(path);
	free(path);
}

static void remove_partial(const struct folder *folder)
{
	size_t i;

	for (i = 0; i < folder->nr_names; i++) {
		remove_name(folder, folder->names[i], "");
		remove_name(folder, folder->names[i], ".partial");
	}
	rmdir(folder->partial_path);
}

static void forget(struct folder *folder)
{
	if (folder->descriptor >= 0)
		close(folder->descriptor);
	free(folder->path);
	free(folder->partial_path);
}

/* "run/" means "run": the partial folder beside it is "run.partial". */
static char *without_slashes(const char *path)
{
	size_t length = strlen(path);

	while (length > 1 && path[length - 1] == '/')
		length--;
	return strndup(path, length);
}

static enum ct_status name_both(struct folder *folder, const char *path, struct ct_error *reterr)
{
	folder->path = without_slashes(path);
	if (folder->path && asprintf(&folder->partial_path, "%s.partial", folder->path) < 0)
		folder->partial_path = NULL; /* asprintf leaves it undefined if it fails */
	return folder->partial_path ? CT_OK : ct_fail_memory(reterr);
}

static bool lock(struct folder *folder)
{
	folder->descriptor = open(folder->partial_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return folder->descriptor < 0 || flock(folder->descriptor, LOCK_EX | LOCK_NB) == 0;
}

static enum ct_status make(struct folder *folder, struct ct_error *reterr)
{
	struct stat there;

	if (lstat(folder->path, &there) == 0 || errno != ENOENT)
		return ct_fail(reterr, CT_ERR_USAGE,
			"cannot write '%s': something of that name is there already", folder->path);
	if (!lock(folder))
		return ct_fail(reterr, CT_ERR_USAGE,
			"cannot write '%s': somebody else is writing it", folder->path);
	if (folder->descriptor >= 0) {
		remove_partial(folder);
		close(folder->descriptor);
	}
	folder->descriptor = -1;
	if (mkdir(folder->partial_path, 0777))
		return ct_fail_errno(reterr, "cannot make the folder '%s'", folder->partial_path);
	lock(folder);
	return CT_OK;
}

enum ct_status folder_open(struct folder *folder, const char *path, const char *const *names,
	size_t nr_names, struct ct_error *reterr)
{
	enum ct_status status;

	*folder = (struct folder){.names = names, .nr_names = nr_names, .descriptor = -1};
	if (strcmp(path, "-") == 0)
		return ct_fail(
			reterr, CT_ERR_USAGE, "a trace of this format is a folder: name one");
	status = name_both(folder, path, reterr);
	if (status == CT_OK)
		status = make(folder, reterr);
	if (status)
		forget(folder);
	return status;
}

enum ct_status folder_output(const struct folder *folder, const char *name,
	struct io_output *output, struct ct_error *reterr)
{
	enum ct_status status;
	char *path;

	if (asprintf(&path, "%s/%s", folder->partial_path, name) < 0)
		return ct_fail_memory(reterr);
	status = io_output_open(output, path, reterr);
	free(path);
	return status;
}

enum ct_status folder_end(struct folder *folder, enum ct_status written, struct ct_error *reterr)
{
	enum ct_status status = written;

	if (status == CT_OK && rename(folder->partial_path, folder->path))
		status = ct_fail_errno(reterr, "cannot name '%s'", folder->path);
	if (status)
		remove_partial(folder);
	forget(folder);
	return status;
}
