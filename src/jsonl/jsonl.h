/* SPDX-License-Identifier: MIT */
/*
 * One event a line, as JSON:
 *
 *	{"probe_id":7,"tid":101,"addr":"0x00007f0000001000","seq":2,"is_active":false,"ts":123456789}
 *
 *	probe_id   the coroutine's id; of the second segment of a probe 2^48 more, of the third 2 * 2^48 ...
 *	tid        kernel id of the thread
 *	addr       on suspend the frame's address where it is known (of version 1 what the probe tells), else 0;
 *	           on resume 0
 *	seq        numbers the coroutine's rows, as the options say; with all kinds wanted, those of each kind
 *	is_active  true: it runs from here on; false: it has suspended
 *	ts         CLOCK_MONOTONIC, nanoseconds
 *
 * These six keys in this order; further ones may follow. A row is written for each suspend and each
 * resume. A switch makes two: the one left suspends, the one entered resumes. A cancelled
 * suspension is a resume: the coroutine runs on.
 *
 * With all kinds wanted, the others have rows, too, marked by a seventh key "event" that holds the
 * kind's name; there addr is the event's object, is_active what the coroutine's last suspend or
 * resume says, and probe_id and seq are 0 where the event names no coroutine.
 */
#ifndef JSONL_JSONL_H
#define JSONL_JSONL_H

#include "base/input.h"
#include "stream/stream.h"

/*
 * jsonl_sink_open: a sink that writes rows to "PATH.partial", renamed at close; "-" is standard
 * output. Rows wait in memory until flush (or until very many wait), and are then sorted by time:
 * between two flushes the file is in order of time, and within a stream it always is in the order of
 * writing. Processes, segments, threads and streams must be defined before the batches that name
 * them, and at least one clock reading (with the frequency known: two) before the first flush, if a
 * segment counts anything but nanoseconds; all other definitions leave no trace here.
 *
 * When writing fails, put and flush return the failure, then and from then on, and the file is cut
 * back to its last whole row. Used by one thread at a time.
 */
struct jsonl_options {
	bool all_kinds;
	bool names_early; /* the file gets its name with its first row, and replaces what had it */
	enum ct_row_numbers numbers;
};
enum ct_status jsonl_sink_open(const char *path, const struct jsonl_options *options,
	struct ct_sink **ret_sink, struct ct_error *reterr);

/*
 * jsonl_sink_show: writes the rows up to this CLOCK_MONOTONIC time, of which every stream must have told all.
 * A clock reading behind it must be defined. A failure is told by the next put or flush.
 */
void jsonl_sink_show(struct ct_sink *sink, uint64_t until_ns);

/* jsonl_sink_rows: how many rows were written; those that wait for a flush are not among them. */
uint64_t jsonl_sink_rows(const struct ct_sink *sink);

/* jsonl_sink_lost: events taken with success whose rows did not reach the file. */
uint64_t jsonl_sink_lost(const struct ct_sink *sink);

/*
 * jsonl_source_open: reads rows by the rules of docs/spec/jsonl.md from an input, which is taken over, also on
 * failure. Each run in it is a process of its own. The file
 * is read once for the tables, and again for the events: memory grows with the coroutines and with how
 * far rows are out of order, not with the rows. CT_ERR_FORMAT, with name and line, where no row can be
 * true.
 */
enum ct_status jsonl_source_open(
	struct input *input, struct ct_source **ret_source, struct ct_error *reterr);

/* jsonl_is_ours: does a file that begins so look like JSON lines? */
bool jsonl_is_ours(const void *first_bytes, size_t nr_bytes);

#endif
