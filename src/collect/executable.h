/* SPDX-License-Identifier: MIT */
/*
 * Looking at a command before it is started: which file it is, and whether a library can be preloaded into it. The file
 * may contain anything; it is read within bounds, never mapped, and never executed here.
 */
#ifndef COLLECT_EXECUTABLE_H
#define COLLECT_EXECUTABLE_H

#include <limits.h>
#include <stdbool.h>

#include "base/failure.h"

struct executable {
	char path[PATH_MAX];
	/*
	 * Why nothing can be preloaded: the end of a sentence that begins with the command's name, such as "is
	 * statically linked". "": a library can be preloaded.
	 */
	char obstacle[120];
};

/*
 * collect_executable_find: searches for the command as execvp does, and examines the file. CT_ERR_NOT_FOUND with
 * system_errno ENOENT or EACCES if there is nothing to execute.
 */
enum ct_status collect_executable_find(
	const char *command, struct executable *ret_executable, struct ct_error *reterr);

/*
 * collect_executable_is_go: returns whether Go linked the program. Returns false, too, if its headers cannot be read.
 */
bool collect_executable_is_go(const struct executable *executable);

#endif
