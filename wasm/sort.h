/* SPDX-License-Identifier: MIT */
/*
 * Sorting, for a C library that has no qsort_r. Nothing here allocates.
 */
#ifndef WASM_SORT_H
#define WASM_SORT_H

#include <stddef.h>

typedef int compare_function(const void *left, const void *right, void *context);

/* sort_rows: what is equal stays in its order. `room`: for half of the rows, at least. */
void sort_rows(
	char *at, size_t count, size_t size, char *room, compare_function *compare, void *context);

/* sort_in_place: needs no room, and what is equal comes in any order. */
void sort_in_place(char *at, size_t count, size_t size, compare_function *compare, void *context);

#endif
