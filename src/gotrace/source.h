/* SPDX-License-Identifier: MIT */
/*
 * A Go trace as a source like any other: goroutines are coroutines, Ps are processors, Ms are threads.
 */
#ifndef GOTRACE_SOURCE_H
#define GOTRACE_SOURCE_H

#include "base/input.h"
#include "stream/stream.h"

/* gotrace_source_is_ours: does a file that begins so claim to be a trace of Go? */
bool gotrace_source_is_ours(const void *first_bytes, size_t nr_bytes);

/*
 * gotrace_source_open: reads the trace once, for its tables; the input is taken over, also on failure. A trace that is
 * damaged, or was cut, is read up to the last generation that is whole: a note says what is wrong, and how many bytes
 * are not used. CT_ERR_FORMAT: no trace of Go, or of a format that is not known; CT_ERR_CORRUPT: nothing of it can be
 * used.
 */
enum ct_status gotrace_source_open(
	struct input *input, struct ct_source **ret_source, struct ct_error *reterr);

/*
 * gotrace_source_open_last: the same of the generations that begin within the last bytes of the file (0: all), but of
 * the last whole one at least. The bytes before them are not looked at, but for the heads of batches.
 */
enum ct_status gotrace_source_open_last(struct input *input, uint64_t last_bytes,
	struct ct_source **ret_source, struct ct_error *reterr);

/* gotrace_source_open_part: the same of the generations from an offset to another one. */
enum ct_status gotrace_source_open_part(struct input *input, uint64_t offset, uint64_t end,
	struct ct_source **ret_source, struct ct_error *reterr);

/*
 * gotrace_follow_open: a source over a trace that grows (input_open_growing), which is taken over, also on failure.
 * Generations are handed out as they end, each event as gotrace_source_open would. CT_AGAIN: there is no further whole
 * one at present; CT_END when nobody writes it any more: then a note tells how much behind the last whole generation is
 * not used, and `is_complete` of the tables whether that is nothing. Tables grow, and are valid until the next call of
 * next. A trace that is followed cannot be read again from the beginning.
 */
enum ct_status gotrace_follow_open(
	struct input *input, struct ct_source **ret_source, struct ct_error *reterr);

/* gotrace_source_note: the sentence about so many bytes that are not used; heap; NULL: out of memory. */
char *gotrace_source_note(uint64_t nr_bytes, const struct ct_error *error);

#endif
