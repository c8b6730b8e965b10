/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing files whole, and outputs that appear whole or not at all.
 */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/failure.h"

/*
 * io_write: writes all bytes to a descriptor, through short writes and EINTR, and waits for room where the descriptor
 * is non-blocking. Fails with errno's text.
 */
enum ct_status io_write(
	int descriptor, const void *bytes, size_t nr_bytes, struct ct_error *reterr);

/*
 * io_read_at: reads at an offset, through short reads and EINTR. Returns the number of bytes: fewer than wanted if the
 * file ends there; -1 and errno.
 */
ssize_t io_read_at(int descriptor, void *bytes, size_t nr_bytes, uint64_t offset);

/*
 * io_read_file: reads the whole of a file (or of a pipe) into heap memory, followed by a NUL that is not counted. The
 * caller frees *ret_bytes. Refuses more than `limit_bytes`.
 */
enum ct_status io_read_file(const char *path, size_t limit_bytes, char **ret_bytes,
	size_t *ret_nr_bytes, struct ct_error *reterr);

/* io_is_named: returns whether this name belongs to the descriptor's file. */
bool io_is_named(int descriptor, const char *path);

/* io_is_being_written: returns whether a process holds the lock of an output (below) on this file. */
bool io_is_being_written(int descriptor);

/*
 * An output that gets its name only when it is complete: bytes go to "PATH.partial" beside it, which is renamed at the
 * end. "-" is standard output. An output that is not a regular file (a device, a pipe) is written in place. Two writers
 * of one output do not disturb each other: the second writer is refused.
 */
struct io_output {
	int descriptor; /* -1: not open */
	bool is_in_place;
	char *path;         /* NULL for standard output */
	char *partial_path; /* NULL if written in place */
};

/* io_output_open: creates the partial file beside `path`. A failure leaves nothing. */
enum ct_status io_output_open(struct io_output *output, const char *path, struct ct_error *reterr);

/* io_output_write: writes to the output as io_write does; a failure names the output. */
enum ct_status io_output_write(const struct io_output *output, const void *bytes, size_t nr_bytes,
	struct ct_error *reterr);

/*
 * io_output_name: gives the output its name already now; writing goes on, and the file stays whatever the close says.
 */
enum ct_status io_output_name(struct io_output *output, struct ct_error *reterr);

/*
 * io_output_close: renames the output (is_wanted), or removes what was written; frees the rest in either case.
 * io_output_end: closes the output, wanted if writing succeeded, and returns the first failure.
 */
enum ct_status io_output_close(struct io_output *output, bool is_wanted, struct ct_error *reterr);
enum ct_status io_output_end(
	struct io_output *output, enum ct_status written, struct ct_error *reterr);

/* io_write_file: writes a file of these bytes, whole or not at all; "-" is standard output. */
enum ct_status io_write_file(
	const char *path, const void *bytes, size_t nr_bytes, struct ct_error *reterr);

#endif
