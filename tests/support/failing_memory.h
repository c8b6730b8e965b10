/* SPDX-License-Identifier: MIT */
/*
 * Counts allocations and makes one of them fail: for tests linked with --wrap=malloc, calloc and realloc.
 */
#ifndef TESTS_FAILING_MEMORY_H
#define TESTS_FAILING_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *at, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *at, size_t bytes);

/* For the calling thread: */
static _Thread_local long fail_at;    /* 0: never; n: the n-th allocation from now on fails */
static _Thread_local bool has_failed; /* since a test set it to false */
static _Thread_local unsigned long nr_allocations;

static bool must_fail(void)
{
	nr_allocations++;
	if (fail_at == 0 || --fail_at)
		return false;
	has_failed = true;
	return true;
}

void *__wrap_malloc(size_t bytes)
{
	return must_fail() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
	return must_fail() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *at, size_t bytes)
{
	return must_fail() ? NULL : __real_realloc(at, bytes);
}

#endif
