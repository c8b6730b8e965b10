/* SPDX-License-Identifier: MIT */
/*
 * A Go trace as a source like any other: goroutines are coroutines, Ps are processors, Ms are threads.
 */
#ifndef GOTRACE_SOURCE_H
#define GOTRACE_SOURCE_H

#include "base/input.h"
#include "stream/stream.h"

struct gotrace_reader;

/* gotrace_source_is_ours: do these first bytes of a file claim to begin a Go trace? */
bool gotrace_source_is_ours(const void *first_bytes, size_t nr_bytes);

/*
 * gotrace_source_open: opens a trace and reads it once, for its tables. The source takes over the input, even on
 * failure. A damaged or cut trace is read up to its last complete generation; a note says what is wrong and how many
 * bytes are not used. A trace that ends between two batches is not damaged: its program ended without trace.Stop.
 * CT_ERR_FORMAT: not a Go trace, or an unknown format. CT_ERR_CORRUPT: no part of the trace can be used.
 */
enum ct_status gotrace_source_open(
	struct input *input, struct ct_source **ret_source, struct ct_error *reterr);

/*
 * gotrace_source_open_last: like gotrace_source_open, for the generations that begin within the last `last_bytes` bytes
 * of the file (0: all), and at least for the last complete generation. Before them, only the heads of batches are read.
 */
enum ct_status gotrace_source_open_last(struct input *input, uint64_t last_bytes,
	struct ct_source **ret_source, struct ct_error *reterr);

/* gotrace_source_open_part: like gotrace_source_open, for the generations between two offsets. */
enum ct_status gotrace_source_open_part(struct input *input, uint64_t offset, uint64_t end,
	struct ct_source **ret_source, struct ct_error *reterr);

/*
 * gotrace_follow_open: opens a source over a growing trace (input_open_growing). The source takes over the input, even
 * on failure. Generations are handed out when they are complete, each event as gotrace_source_open would hand it out.
 * CT_AGAIN: there is no further complete generation at present. CT_END: no process writes the file any more; then a
 * note says how many bytes behind the last complete generation are not used, and `is_complete` of the tables says
 * whether that number is 0. Tables grow, and are valid until the next call of `next`. A followed trace cannot be read
 * again from its beginning.
 */
enum ct_status gotrace_follow_open(
	struct input *input, struct ct_source **ret_source, struct ct_error *reterr);

/*
 * gotrace_source_note: makes the sentence about `nr_bytes` unused bytes, from the error behind the last complete
 * generation, whose events reach to `until`. The string is on the heap; NULL: out of memory.
 */
char *gotrace_source_note(const struct gotrace_reader *reader, uint64_t nr_bytes, ct_time until,
	const struct ct_error *error);

#endif
