/* SPDX-License-Identifier: MIT */
/*
 * JSON lines that hold a whole trace in further keys (docs/spec/jsonl.md, R-13).
 */
#ifndef SESSION_TOLD_H
#define SESSION_TOLD_H

#include "base/input.h"
#include "corotracer/ct.h"
#include "stream/stream.h"

#define TOLD_EVENTS_MAX UINT64_C(1000000) /* a trace with more events keeps only its six keys */

/*
 * told_open: opens the whole trace, from an input that stays the caller's. CT_END if the file holds no whole trace:
 * read it by its six keys then.
 */
enum ct_status told_open(
	const struct input *input, struct ct_source **ret_source, struct ct_error *reterr);

/*
 * told_keep: makes everything that goes into *sink go into a file beside the output as well; returns the file's name
 * (heap). NULL, with nothing changed: the file cannot be made. told_forget: removes the file. NULL is allowed.
 */
char *told_keep(const char *output, struct ct_sink **sink);
void told_forget(char *whole);

/*
 * told_write: replaces the rows by rows that hold what was kept; if that is too much, or fails, the rows stay as they
 * are.
 */
void told_write(const char *whole, const struct ct_record_stats *stats, enum ct_row_numbers numbers,
	const char *output);

#endif
