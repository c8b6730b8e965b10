/* SPDX-License-Identifier: MIT */
/*
 * A file that is read: opened once, recognised by its contents, and called by one name in every message. All readers
 * share this object, so that another file that gets the name meanwhile is never read.
 *
 * Bytes are read and never mapped: a file may shrink while it is read, and an access to a mapping would then end the
 * process.
 */
#ifndef BASE_INPUT_H
#define BASE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"

struct input {
	int descriptor; /* of a file that can be read at any offset */
	char *name;     /* the path, or "standard input" */
	/* size when it was opened, or last looked at: bytes appended later are not read */
	uint64_t nr_bytes;

	/* The bytes that input_peek keeps. */
	uint8_t *window;
	size_t window_capacity;
	uint64_t window_start;
	size_t window_bytes;

	/* A stream that is read while it is written: its bytes so far are kept in the file of `descriptor`. */
	struct input_stream {
		bool is_there;
		bool is_over;
		bool is_in_file;   /* false: in memory */
		int descriptor;    /* of the stream */
		uint64_t nr_given; /* bytes that were given back */
	} stream;
};

/*
 * input_open: opens a file; "-" is standard input. An input without a size (a pipe) is copied first: to memory while it
 * is small, then to a nameless file in TMPDIR or /var/tmp. CT_ERR_FORMAT: a directory. input_open_growing: opens a file
 * that is being written: "PATH.partial" while a process writes that, else PATH; or standard input, of which each look
 * takes as much as is there (CT_ERR_USAGE: neither file nor standard input). A failure of either names the input, as
 * input_fail does.
 */
enum ct_status input_open(const char *path, struct input **ret_input, struct ct_error *reterr);
enum ct_status input_open_growing(
	const char *path, struct input **ret_input, struct ct_error *reterr);

/* input_again: opens the same file once more, with its size as it was; not for a stream that is still written. */
enum ct_status input_again(
	const struct input *input, struct input **ret_input, struct ct_error *reterr);

/* input_close: closes the input. NULL is allowed. */
void input_close(struct input *input);

/* input_look: makes bytes that were appended since readable; does not wait. */
enum ct_status input_look(struct input *input, struct ct_error *reterr);

/*
 * input_is_written: returns whether more bytes may be appended: to a stream until its end was reached, to a file while
 * some process has it open for writing.
 */
bool input_is_written(const struct input *input);

/* input_give_back: says that bytes before the offset are not needed again, so that a stream need not keep them. */
void input_give_back(struct input *input, uint64_t offset);

/* input_peek: returns bytes of the input, valid until the next peek. CT_END if the input has not that many bytes. */
enum ct_status input_peek(struct input *input, uint64_t offset, size_t nr_bytes,
	const uint8_t **ret_bytes, struct ct_error *reterr);

/*
 * input_read: copies at most `nr_bytes` bytes from the offset on, as many as there are; several threads may do so at
 * the same time.
 */
enum ct_status input_read(const struct input *input, uint64_t offset, void *bytes, size_t nr_bytes,
	size_t *ret_nr_read, struct ct_error *reterr);

/* input_fail: puts the input's name before a message that does not contain it; returns status unchanged. */
enum ct_status input_fail(
	const struct input *input, enum ct_status status, struct ct_error *reterr);

#endif
