/* SPDX-License-Identifier: MIT */
/*
 * The minimum for a unit test: CHECK prints which condition failed and where, and goes on; check_result() is what main
 * returns. Exit status 0: passed, 1: failed, 77: skipped.
 */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failures;
static int check_count;

#define CHECK(condition)                                                                          \
	do {                                                                                      \
		check_count++;                                                                    \
		if (!(condition)) {                                                               \
			check_failures++;                                                         \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
		}                                                                                 \
	} while (0)

#define CHECK_EQUAL(actual, expected)                                                             \
	do {                                                                                      \
		long long check_a = (long long)(actual), check_e = (long long)(expected);         \
		check_count++;                                                                    \
		if (check_a != check_e) {                                                         \
			check_failures++;                                                         \
			fprintf(stderr, "%s:%d: %s is %lld, expected %lld\n", __FILE__, __LINE__, \
				#actual, check_a, check_e);                                       \
		}                                                                                 \
	} while (0)

#define CHECK_TEXT(actual, expected)                                                        \
	do {                                                                                \
		const char *check_a = (actual), *check_e = (expected);                      \
		check_count++;                                                              \
		if (strcmp(check_a, check_e) != 0) {                                        \
			check_failures++;                                                   \
			fprintf(stderr, "%s:%d: %s is \"%s\", expected \"%s\"\n", __FILE__, \
				__LINE__, #actual, check_a, check_e);                       \
		}                                                                           \
	} while (0)

#define SKIP(reason)                                      \
	do {                                              \
		fprintf(stderr, "skipped: %s\n", reason); \
		exit(77);                                 \
	} while (0)

static inline int check_result(void)
{
	if (check_count == 0) {
		fprintf(stderr, "this test checked nothing\n");
		return 1;
	}
	return check_failures ? 1 : 0;
}

#endif
