/* SPDX-License-Identifier: MIT */
/*
 * What the C library of a page lacks. This header is included first in each file that is compiled for a page.
 */
#ifndef WASM_LIBC_H
#define WASM_LIBC_H

#include <stddef.h>
#include <sys/types.h>

/* fallocate: space cannot be reserved; always returns -1 with ENOTSUP. */
#define FALLOC_FL_KEEP_SIZE 1
int fallocate(int descriptor, int mode, off_t offset, off_t length);

/* strerrorname_np, sigabbrev_np, qsort_r: as in the C library of Linux. */
const char *strerrorname_np(int number);
const char *sigabbrev_np(int number);
void qsort_r(void *at, size_t count, size_t size,
	int (*compare)(const void *left, const void *right, void *context), void *context);

/* Why SQL is not answered in a page, if it is not (query/none.c). */
#define QUERY_LACKS                                                                     \
	"the corotracer that wrote this page was built without SQLite's source, which " \
	"tools/fetch-sqlite fetches"

#endif
