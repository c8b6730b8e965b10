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

typedef int compare_function(const void *left, const void *right, void *context);

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

/* Two rows that are sorted, one behind the other, become one. */
static void merge(char *at, size_t left, size_t right, size_t size, char *room,
	compare_function *compare, void *context)
{
	char *one = room, *other = at + left * size;

	memcpy(room, at, left * size);
	while (left && right) {
		if (compare(one, other, context) <= 0) {
			memcpy(at, one, size);
			one += size;
			left--;
		} else {
			memcpy(at, other, size);
			other += size;
			right--;
		}
		at += size;
	}
	memcpy(at, one, left * size);
}

static void sort(
	char *at, size_t count, size_t size, char *room, compare_function *compare, void *context)
{
	size_t half = count / 2;

	if (count < 2)
		return;
	sort(at, half, size, room, compare, context);
	sort(at + half * size, count - half, size, room, compare, context);
	merge(at, half, count - half, size, room, compare, context);
}

/* Without memory nothing is sorted; what was asked for next has none either, and says so. */
void qsort_r(void *at, size_t count, size_t size, compare_function *compare, void *context)
{
	char *room = malloc(count * size + 1);

	if (room)
		sort(at, count, size, room, compare, context);
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
