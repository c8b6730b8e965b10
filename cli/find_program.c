/* SPDX-License-Identifier: MIT */
/*
 * Finding a command as a shell would.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exits.h"
#include "find_program.h"
#include "say.h"

/* 0, or the error number that executing the file would meet. */
static int trouble_with(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return errno;
	if (S_ISDIR(status.st_mode))
		return EISDIR;
	if (!S_ISREG(status.st_mode))
		return EACCES;
	return access(path, X_OK) < 0 ? errno : 0;
}

/* Looks in one folder of PATH; an empty one is the present folder. */
static int trouble_in(const char *folder, size_t nr_bytes, const char *command)
{
	char *path;
	int trouble;

	if (asprintf(&path, "%.*s%s%s", (int)nr_bytes, folder, nr_bytes ? "/" : "", command) < 0)
		return ENOMEM;
	trouble = trouble_with(path);
	free(path);
	return trouble;
}

/* The best of all folders: a file that cannot be executed says more than one that does not exist. */
static int trouble_in_path(const char *command)
{
	const char *folders = getenv("PATH");
	int worst = ENOENT, trouble;

	if (!folders)
		folders = "/bin:/usr/bin";
	for (;; folders++) {
		size_t length = strcspn(folders, ":");

		trouble = trouble_in(folders, length, command);
		if (trouble == 0)
			return 0;
		if (trouble != ENOENT && trouble != ENOTDIR && trouble != EISDIR)
			worst = trouble;
		folders += length;
		if (!*folders)
			return worst;
	}
}

int find_program(const char *command)
{
	int trouble = strchr(command, '/') ? trouble_with(command) : trouble_in_path(command);

	if (trouble == 0)
		return 0;
	if (!*command || trouble == ENOENT || trouble == ENOTDIR) {
		say_sentence("there is no command '%s'%s", command,
			strchr(command, '/') ? "" : " in the folders that PATH names");
		return EXIT_NOT_FOUND;
	}
	say_sentence("can not execute '%s': %s", command, strerror(trouble));
	return EXIT_NOT_EXECUTABLE;
}
