/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a trace file, read and never mapped: a file may shrink while it is looked at, and a
 * mapping would then end the process.
 */
#ifndef STORE_INPUT_H
#define STORE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"

struct store_input {
	int descriptor; /* -1: not open */
	uint64_t size;  /* when it was opened: what is appended later is not looked at */
	uint8_t *window;
	size_t window_capacity;
	uint64_t window_start;
	size_t window_bytes;
};

/*
 * store_input_open: "-" is standard input. An input without a size of its own (a pipe) is copied to a temporary file
 * without a name first.
 */
enum ct_status store_input_open(
	struct store_input *input, const char *path, struct ct_error *reterr);

/* store_input_close: releases all; an input that is not open, but was zeroed or failed, is allowed. */
void store_input_close(struct store_input *input);

/*
 * store_input_peek: bytes of the file, valid until the next peek. CT_END where the file does not hold
 * so many.
 */
enum ct_status store_input_peek(struct store_input *input, uint64_t offset, size_t nr_bytes,
	const uint8_t **ret_bytes, struct ct_error *reterr);

#endif
