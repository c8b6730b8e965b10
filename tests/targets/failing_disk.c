/* SPDX-License-Identifier: MIT */
/*
 * A library to be preloaded: a disk on which calls fail. The library affects calls for files whose path contains
 * FAILING_NAME. Calls of the kind FAILING_CALL ("write", for example) fail with FAILING_ERRNO, a number, beginning with
 * the FAILING_FROM-th call (1: the first), FAILING_TIMES in a row (0: all from then on). Errno 0 makes a write take
 * half of the bytes. At the end, the number of calls of each kind is written to the file FAILING_COUNTS, with "kind
 * number" in each line.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "need.h"

#define MAX_DESCRIPTORS 1024

#define CALLS(X)     \
	X(open)      \
	X(flock)     \
	X(ftruncate) \
	X(lseek)     \
	X(fallocate) \
	X(write)     \
	X(rename)    \
	X(dup)       \
	X(close)

enum call {
#define X(name) CALL_##name,
	CALLS(X)
#undef X
		NR_CALLS
};

static const char *const names[] = {
#define X(name) #name,
	CALLS(X)
#undef X
};

static struct {
	pthread_mutex_t lock;
	bool is_looked_at[MAX_DESCRIPTORS];
	unsigned long counts[NR_CALLS];
} disk = {.lock = PTHREAD_MUTEX_INITIALIZER};

static unsigned long number_of(const char *variable)
{
	const char *value = getenv(variable);

	return value ? strtoul(value, NULL, 10) : 0;
}

static void *next(const char *symbol)
{
	void *found = dlsym(RTLD_NEXT, symbol);

	NEED(found);
	return found;
}

static bool is_in_range(unsigned long nth)
{
	unsigned long from = number_of("FAILING_FROM"), times = number_of("FAILING_TIMES");

	return nth >= from && (!times || nth < from + times);
}

/* Counts the call; must this one fail? */
static bool must_fail(enum call call)
{
	const char *failing = getenv("FAILING_CALL");
	unsigned long nth;

	pthread_mutex_lock(&disk.lock);
	nth = ++disk.counts[call];
	pthread_mutex_unlock(&disk.lock);
	if (!failing || strcmp(failing, names[call]) != 0 || !is_in_range(nth))
		return false;
	errno = (int)number_of("FAILING_ERRNO");
	return true;
}

static bool is_looked_at(int descriptor)
{
	return descriptor >= 0 && descriptor < MAX_DESCRIPTORS && disk.is_looked_at[descriptor];
}

static void look_at(int descriptor)
{
	if (descriptor >= 0 && descriptor < MAX_DESCRIPTORS)
		disk.is_looked_at[descriptor] = true;
}

static bool is_named(const char *path)
{
	const char *name = getenv("FAILING_NAME");

	return name && strstr(path, name);
}

__attribute__((destructor)) static void tell(void)
{
	const char *path = getenv("FAILING_COUNTS");
	FILE *file = disk.counts[CALL_open] && path ? fopen(path, "w") : NULL;
	size_t i;

	for (i = 0; file && i < NR_CALLS; i++)
		fprintf(file, "%s %lu\n", names[i], disk.counts[i]);
	if (file)
		fclose(file);
}

#pragma GCC visibility push(default)

/* The variant for large files, as which everything here is built; if no mode was given, the value is not used. */
int open64(const char *path, int flags, ...)
{
	int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))next("open64");
	va_list arguments;
	int descriptor, mode;

	va_start(arguments, flags);
	mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
	va_end(arguments);
	if (is_named(path) && must_fail(CALL_open))
		return -1;
	descriptor = real(path, flags, mode);
	if (is_named(path))
		look_at(descriptor);
	return descriptor;
}

int flock(int descriptor, int operation)
{
	int (*real)(int, int) = (int (*)(int, int))next("flock");

	return is_looked_at(descriptor) && must_fail(CALL_flock) ? -1 : real(descriptor, operation);
}

int ftruncate64(int descriptor, off64_t nr_bytes)
{
	int (*real)(int, off64_t) = (int (*)(int, off64_t))next("ftruncate64");

	return is_looked_at(descriptor) && must_fail(CALL_ftruncate) ? -1
								     : real(descriptor, nr_bytes);
}

off64_t lseek64(int descriptor, off64_t offset, int whence)
{
	off64_t (*real)(int, off64_t, int) = (off64_t(*)(int, off64_t, int))next("lseek64");

	return is_looked_at(descriptor) && must_fail(CALL_lseek) ? -1
								 : real(descriptor, offset, whence);
}

int fallocate64(int descriptor, int mode, off64_t offset, off64_t nr_bytes)
{
	int (*real)(int, int, off64_t, off64_t) =
		(int (*)(int, int, off64_t, off64_t))next("fallocate64");

	return is_looked_at(descriptor) && must_fail(CALL_fallocate)
		       ? -1
		       : real(descriptor, mode, offset, nr_bytes);
}

ssize_t write(int descriptor, const void *bytes, size_t nr_bytes)
{
	ssize_t (*real)(int, const void *, size_t) =
		(ssize_t(*)(int, const void *, size_t))next("write");

	if (!is_looked_at(descriptor) || !must_fail(CALL_write))
		return real(descriptor, bytes, nr_bytes);
	return errno ? -1 : real(descriptor, bytes, nr_bytes - nr_bytes / 2);
}

int rename(const char *from, const char *to)
{
	int (*real)(const char *, const char *) =
		(int (*)(const char *, const char *))next("rename");

	return is_named(from) && must_fail(CALL_rename) ? -1 : real(from, to);
}

int dup(int descriptor)
{
	int (*real)(int) = (int (*)(int))next("dup");
	int again;

	if (!is_looked_at(descriptor))
		return real(descriptor);
	if (must_fail(CALL_dup))
		return -1;
	again = real(descriptor);
	look_at(again);
	return again;
}

/* As on Linux, the descriptor is closed even if close fails. */
int close(int descriptor)
{
	int (*real)(int) = (int (*)(int))next("close");
	int problem;

	if (!is_looked_at(descriptor))
		return real(descriptor);
	disk.is_looked_at[descriptor] = false;
	if (!must_fail(CALL_close))
		return real(descriptor);
	problem = errno;
	real(descriptor);
	errno = problem;
	return -1;
}

#pragma GCC visibility pop
