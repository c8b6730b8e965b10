/* SPDX-License-Identifier: MIT */
/*
 * Sorting, for a C library without qsort_r. No function allocates.
 */
#ifndef WASM_SORT_H
#define WASM_SORT_H

#include <stddef.h>

typedef int compare_function(const void *left, const void *right, void *context);

/* sort_rows: a stable sort. `room` must hold at least half of the rows. */
void sort_rows(
	char *at, size_t count, size_t size, char *room, compare_function *compare, void *context);

/* sort_in_place: needs no room; not stable. */
void sort_in_place(char *at, size_t count, size_t size, compare_function *compare, void *context);

#endif
