/* SPDX-License-Identifier: MIT */
/*
 * The meanings of exit statuses. The statuses of failures come from the library's list
 * (corotracer/def/status.def); those of a traced program are added.
 */
#ifndef CLI_EXITS_H
#define CLI_EXITS_H

#include <stdbool.h>
#include <stddef.h>

#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127
#define EXIT_SIGNALED 128

struct exit_description {
	char code[8];
	bool is_of_run; /* only `run` returns it */
	char meaning[320];
};

/* exits_list: all of them in rising order; the list is constant and lives for ever. */
size_t exits_list(const struct exit_description **ret_exits);

#endif
