/* SPDX-License-Identifier: MIT */
/*
 * The meanings of exit statuses. The statuses of failures come from the library's list (corotracer/def/status.def); the
 * statuses of a traced program are added.
 */
#ifndef CLI_EXITS_H
#define CLI_EXITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options.h"

#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127
#define EXIT_SIGNALED 128

struct exit_description {
	char code[12];
	uint32_t of; /* the commands that return it, one bit each */
	char meaning[320];
};

/* exits_may_be: can the command return this status? COMMAND_NONE: can any command? */
bool exits_may_be(const struct exit_description *exit, enum command command);

/* exits_list: all statuses in ascending order; the list is constant and always valid. */
size_t exits_list(const struct exit_description **ret_exits);

#endif
