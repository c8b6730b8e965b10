/* SPDX-License-Identifier: MIT */
/*
 * Finds where the generations of a Go trace lie, by the heads of their batches, without reading the payloads.
 *
 * Each generation can be understood alone, so a header and some successive generations form a valid trace.
 */
#ifndef GOTRACE_PARTS_H
#define GOTRACE_PARTS_H

#include "base/input.h"
#include "base/vec.h"

struct gotrace_part {
	uint64_t number;
	uint64_t offset; /* of its first batch, in the file */
	/* the offset behind its last byte, or behind its end marker if it has one */
	uint64_t end;
	int64_t time; /* the time of its earliest batch, in nanoseconds */
};

struct gotrace_parts {
	VEC(struct gotrace_part) at;
	/* why the bytes behind the last generation cannot be used; CT_OK: there are no such bytes */
	struct ct_error failure;
	bool is_unstopped; /* they begin a generation, and end between two of its batches: nobody called trace.Stop */
};

/*
 * gotrace_parts_find: finds the generations whose last batch is complete. The caller calls gotrace_parts_fini, even
 * after a failure. The payloads are not checked. CT_ERR_FORMAT as for gotrace_header_read.
 */
enum ct_status gotrace_parts_find(
	const struct input *input, struct gotrace_parts *parts, struct ct_error *reterr);
void gotrace_parts_fini(struct gotrace_parts *parts);

#endif
