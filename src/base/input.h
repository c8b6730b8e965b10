/* SPDX-License-Identifier: MIT */
/*
 * A file that is read: opened once, told apart by what it holds, and called by one name in every message. Each reader
 * has this object, so that a file that takes over its name meanwhile is never met.
 *
 * Bytes are read and never mapped: a file may shrink while it is looked at, and a mapping would then end the process.
 */
#ifndef BASE_INPUT_H
#define BASE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"

struct input {
	int descriptor; /* of a file that can be read at any place */
	char *name;     /* the path, or "standard input" */
	/* when it was opened, or looked at: what is appended later is not read */
	uint64_t nr_bytes;

	/* The bytes that input_peek keeps. */
	uint8_t *window;
	size_t window_capacity;
	uint64_t window_start;
	size_t window_bytes;
};

/*
 * input_open: "-" is standard input. An input without a size of its own (a pipe) is copied first: to memory while it is
 * small, then to a file without a name in TMPDIR or /var/tmp. CT_ERR_FORMAT: a directory. input_open_growing: what is
 * being written: "PATH.partial" while somebody writes that, else PATH; a file only (CT_ERR_USAGE). A failure of either
 * names the input, as input_fail does.
 */
enum ct_status input_open(const char *path, struct input **ret_input, struct ct_error *reterr);
enum ct_status input_open_growing(
	const char *path, struct input **ret_input, struct ct_error *reterr);

/* input_close: NULL is allowed. */
void input_close(struct input *input);

/* input_look: takes up what was appended since. */
enum ct_status input_look(struct input *input, struct ct_error *reterr);

/* input_peek: bytes of it, valid until the next peek. CT_END where it does not hold so many. */
enum ct_status input_peek(struct input *input, uint64_t offset, size_t nr_bytes,
	const uint8_t **ret_bytes, struct ct_error *reterr);

/*
 * input_read: copies bytes from there on, as many as there are and no more than `nr_bytes`; threads may do so at the
 * same time.
 */
enum ct_status input_read(const struct input *input, uint64_t offset, void *bytes, size_t nr_bytes,
	size_t *ret_nr_read, struct ct_error *reterr);

/* input_fail: puts the input's name before a message that does not tell it; returns status unchanged. */
enum ct_status input_fail(
	const struct input *input, enum ct_status status, struct ct_error *reterr);

#endif
