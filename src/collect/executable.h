/* SPDX-License-Identifier: MIT */
/*
 * Looking at a command before it is started: which file it is, and whether a library can be preloaded
 * into it.
 *
 * The file may be anything; it is read with bounds, never mapped, never executed here.
 */
#ifndef COLLECT_EXECUTABLE_H
#define COLLECT_EXECUTABLE_H

#include <limits.h>
#include <stdbool.h>

#include "base/failure.h"

struct executable {
	char path[PATH_MAX];
	/* Why nothing can be preloaded: the rest of a sentence that begins with the command's name,
	 * such as "is statically linked". "": it can. */
	char obstacle[120];
};

/*
 * collect_executable_find: looks the command up as execvp does, and looks at what it found. CT_ERR_NOT_FOUND
 * with system_errno ENOENT or EACCES where there is nothing to execute.
 */
enum ct_status collect_executable_find(
	const char *command, struct executable *ret_executable, struct ct_error *reterr);

/* collect_executable_is_go: was it linked by Go? False, too, where its headers cannot be read. */
bool collect_executable_is_go(const struct executable *executable);

#endif
