/* SPDX-License-Identifier: MIT */
/*
 * Merge sort, and heap sort if there is no room.
 */
#include <string.h>

#include "wasm/sort.h"

/* Merges two adjacent sorted sequences into one. */
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

void sort_rows(
	char *at, size_t count, size_t size, char *room, compare_function *compare, void *context)
{
	size_t half = count / 2;

	if (count < 2)
		return;
	sort_rows(at, half, size, room, compare, context);
	sort_rows(at + half * size, count - half, size, room, compare, context);
	merge(at, half, count - half, size, room, compare, context);
}

/* ---------------------------------------------------------------- in place */

static void swap(char *one, char *other, size_t size)
{
	char kept;

	for (; size; size--) {
		kept = *one;
		*one++ = *other;
		*other++ = kept;
	}
}

/* Moves the row at `top` down until no row below it is larger. */
static void sink(
	char *at, size_t top, size_t count, size_t size, compare_function *compare, void *context)
{
	size_t child;

	while ((child = 2 * top + 1) < count) {
		if (child + 1 < count &&
			compare(at + child * size, at + (child + 1) * size, context) < 0)
			child++;
		if (compare(at + top * size, at + child * size, context) >= 0)
			return;
		swap(at + top * size, at + child * size, size);
		top = child;
	}
}

void sort_in_place(char *at, size_t count, size_t size, compare_function *compare, void *context)
{
	size_t i;

	for (i = count / 2; i > 0; i--)
		sink(at, i - 1, count, size, compare, context);
	for (i = count; i > 1; i--) {
		swap(at, at + (i - 1) * size, size);
		sink(at, 0, i - 1, size, compare, context);
	}
}
