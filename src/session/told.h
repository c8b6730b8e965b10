/* SPDX-License-Identifier: MIT */
/*
 * JSON lines that hold a whole trace in further keys (docs/spec/jsonl.md, R-13).
 */
#ifndef SESSION_TOLD_H
#define SESSION_TOLD_H

#include "base/input.h"
#include "corotracer/ct.h"
#include "stream/stream.h"

#define TOLD_EVENTS_MAX UINT64_C(1000000) /* a trace of more stays with its six keys */

/*
 * told_open: the whole trace, from an input that stays the caller's. CT_END where the file holds none, or
 * not all of it: it is to be read by its six keys then.
 */
enum ct_status told_open(
	const struct input *input, struct ct_source **ret_source, struct ct_error *reterr);

/*
 * told_keep: has all that goes into *sink kept in a file beside the output as well, whose name is returned (heap).
 * NULL, and nothing has changed: it cannot be made. told_forget: the file is not needed any more; NULL is allowed.
 */
char *told_keep(const char *output, struct ct_sink **sink);
void told_forget(char *whole);

/*
 * told_write: replaces the rows by such that hold what was kept; where that is too much, or fails, they stay as they
 * are.
 */
void told_write(const char *whole, const struct ct_record_stats *stats, enum ct_row_numbers numbers,
	const char *output);

#endif
