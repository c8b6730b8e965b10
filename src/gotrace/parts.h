/* SPDX-License-Identifier: MIT */
/*
 * Where the generations of a Go trace lie: found by the heads of batches, without reading what is in them.
 *
 * A generation can be understood alone, so that some that follow each other, behind a header, are a trace.
 */
#ifndef GOTRACE_PARTS_H
#define GOTRACE_PARTS_H

#include "base/input.h"
#include "base/vec.h"

struct gotrace_part {
	uint64_t number;
	uint64_t offset; /* of its first batch */
	uint64_t end;    /* behind its last byte, its marker's where it has one */
	int64_t time;    /* of its earliest batch, in nanoseconds */
};

struct gotrace_parts {
	VEC(struct gotrace_part) at;
	struct ct_error
		failure; /* why the file is of no use behind them; status CT_OK: nothing is there */
};

/*
 * gotrace_parts_find: the generations that are there up to their last batch; the caller calls gotrace_parts_fini, also
 * after a failure. Whether what is in them is sound is not asked. CT_ERR_FORMAT as gotrace_header_read says.
 */
enum ct_status gotrace_parts_find(
	const struct input *input, struct gotrace_parts *parts, struct ct_error *reterr);
void gotrace_parts_fini(struct gotrace_parts *parts);

#endif
