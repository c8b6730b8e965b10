/* SPDX-License-Identifier: MIT */
/*
 * Functions of the C library that a page's library lacks or does differently. Numbers of errors and signals are those
 * of the traced machine, and sorting gives the same order as there, even for equal elements.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wasm/libc.h"
#include "wasm/sort.h"

int fallocate(int descriptor, int mode, off_t offset, off_t length)
{
	(void)descriptor, (void)mode, (void)offset, (void)length;
	errno = ENOTSUP;
	return -1;
}

int poll(struct pollfd *waited, unsigned long count, int timeout_ms)
{
	(void)waited, (void)count, (void)timeout_ms;
	errno = ENOTSUP;
	return -1;
}

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

/* Like the machine's C library: stable if there is memory, in place if there is not. */
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

/* ---------------------------------------------------------------- memory */

#define MEMORY_PAGE 65536u
#define MEMORY_STEP (UINT64_C(16) << 20) /* plus an eighth of the present size */

/* 64 bits, because the size of the whole memory may exceed what size_t can hold. */
static uint64_t memory_bytes(void)
{
	return (uint64_t)__builtin_wasm_memory_size(0) * MEMORY_PAGE;
}

static bool memory_grow(uint64_t nr_bytes)
{
	return __builtin_wasm_memory_grow(
		       0, (size_t)((nr_bytes + MEMORY_PAGE - 1) / MEMORY_PAGE)) != SIZE_MAX;
}

/* Grows the memory up to `end`, and further in proportion to its size, so that it is seldom grown. */
static bool memory_reach(uint64_t end)
{
	uint64_t now = memory_bytes();

	return end <= now || memory_grow(end - now + MEMORY_STEP + now / 8) ||
	       memory_grow(end - now);
}

/*
 * Replaces the C library's function, which grows the memory for each block that the heap asks for; a browser then
 * collects garbage each time. The heap never gives memory back.
 */
void *sbrk(intptr_t nr_more)
{
	static uint64_t end;
	uint64_t begin;

	if (!end)
		end = memory_bytes();
	begin = end;
	if (nr_more < 0 || !memory_reach(end + (uint64_t)nr_more)) {
		errno = ENOMEM;
		return (void *)-1;
	}
	end += (uint64_t)nr_more;
	return (void *)(uintptr_t)begin;
}
