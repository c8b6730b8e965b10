/* SPDX-License-Identifier: MIT */
/*
 * NEED: what a test's target expects of its own calls; ends the target with status 1 if the condition is false.
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
