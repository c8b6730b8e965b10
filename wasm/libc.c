/* SPDX-License-Identifier: MIT */
/*
 * Functions of the C library that a page's lacks, or has otherwise: numbers of errors and signals are those of the
 * traced machine, and what is sorted comes in the same order as there, equal elements, too.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "wasm/libc.h"
#include "wasm/sort.h"

const char *strerrorname_np(int number)
{
	switch (number) {
#define X(number, name) \
	case number:    \
		return name;
#include <errors.def>
#undef X
	default:
		return NULL;
	}
}

const char *sigabbrev_np(int number)
{
	switch (number) {
#define X(number, name) \
	case number:    \
		return name;
#include <signals.def>
#undef X
	default:
		return NULL;
	}
}

/* ---------------------------------------------------------------- sorting */

/* As the machine's C library: in order of what is equal with memory, in place without. */
void qsort_r(void *at, size_t count, size_t size, compare_function *compare, void *context)
{
	size_t nr_bytes;
	char *room = __builtin_mul_overflow(count, size, &nr_bytes) ? NULL : malloc(nr_bytes + 1);

	if (room)
		sort_rows(at, count, size, room, compare, context);
	else
		sort_in_place(at, count, size, compare, context);
	free(room);
}

struct plain {
	int (*compare)(const void *left, const void *right);
};

static int compare_plain(const void *left, const void *right, void *context)
{
	return ((struct plain *)context)->compare(left, right);
}

void qsort(void *at, size_t count, size_t size, int (*compare)(const void *left, const void *right))
{
	struct plain plain = {compare};

	qsort_r(at, count, size, compare_plain, &plain);
}
