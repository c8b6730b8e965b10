/* SPDX-License-Identifier: MIT */
/*
 * NEED: what a target of the tests expects of its own calls; ends it with status 1 where that is not so.
 */
#ifndef TESTS_NEED_H
#define TESTS_NEED_H

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define NEED(condition)                                                                         \
	do {                                                                                    \
		if (!(condition)) {                                                             \
			fprintf(stderr, "%s:%d: not true: %s (errno %d)\n", __FILE__, __LINE__, \
				#condition, errno);                                             \
			_exit(1);                                                               \
		}                                                                               \
	} while (0)

#endif
