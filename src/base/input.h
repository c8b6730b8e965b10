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

	/* A stream that is read while it is written: what came out of it is kept in the file of the descriptor. */
	struct input_stream {
		bool is_there;
		bool is_over;
		bool is_in_file;   /* else in memory */
		int descriptor;    /* of the stream */
		uint64_t nr_given; /* bytes that were given back */
	} stream;
};

/*
 * input_open: "-" is standard input. An input without a size of its own (a pipe) is copied first: to memory while it is
 * small, then to a file without a name in TMPDIR or /var/tmp. CT_ERR_FORMAT: a directory. input_open_growing: what is
 * being written: "PATH.partial" while somebody writes that, else PATH; a file, or standard input, of which each look
 * takes as much as is there (CT_ERR_USAGE: another thing). A failure of either names the input, as input_fail does.
 */
enum ct_status input_open(const char *path, struct input **ret_input, struct ct_error *reterr);
enum ct_status input_open_growing(
	const char *path, struct input **ret_input, struct ct_error *reterr);

/* input_again: another one of the same file, with its size as it was; no stream that is still written. */
enum ct_status input_again(
	const struct input *input, struct input **ret_input, struct ct_error *reterr);

/* input_close: NULL is allowed. */
void input_close(struct input *input);

/* input_look: takes up what was appended since; waits for nothing. */
enum ct_status input_look(struct input *input, struct ct_error *reterr);

/* input_is_written: may more be appended? A stream is, until its end was met; a file, while somebody has it open so. */
bool input_is_written(const struct input *input);

/* input_give_back: bytes before the offset are not asked for again: those of a stream need no room any more. */
void input_give_back(struct input *input, uint64_t offset);

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
