/* SPDX-License-Identifier: MIT */
/*
 * Inputs as files in memory, whose descriptors are reused, so that an input costs only some microseconds.
 */
#ifndef TESTS_MEMORY_FILE_H
#define TESTS_MEMORY_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define require(condition)                                                              \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                        \
		}                                                                       \
	} while (0)

struct memory_file {
	int descriptor; /* 0: not made yet */
	char path[32];
};

static inline void file_empty(struct memory_file *file)
{
	if (!file->descriptor) {
		file->descriptor = memfd_create("input", MFD_CLOEXEC);
		require(file->descriptor > 0);
		snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->descriptor);
	}
	require(ftruncate(file->descriptor, 0) == 0 && lseek(file->descriptor, 0, SEEK_SET) == 0);
}

static inline void file_set(struct memory_file *file, const uint8_t *bytes, size_t nr_bytes)
{
	file_empty(file);
	require(pwrite(file->descriptor, bytes, nr_bytes, 0) == (ssize_t)nr_bytes);
}

#endif
