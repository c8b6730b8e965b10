/* SPDX-License-Identifier: MIT */
/*
 * One event a line, as JSON:
 *
 *	{"probe_id":7,"tid":101,"addr":"0x00007f0000001000","seq":2,"is_active":false,"ts":123456789}
 *
 *	probe_id   the coroutine's id; in a probe's second segment plus 2^48, in the third plus 2 * 2^48 ...
 *	tid        kernel id of the thread
 *	addr       on suspend the frame's address if known (version 1: the value from the probe), else 0;
 *	           on resume 0
 *	seq        numbers the coroutine's rows, as the options say; with all kinds, those of each kind
 *	is_active  true: the coroutine runs from here on; false: it has suspended
 *	ts         CLOCK_MONOTONIC, nanoseconds
 *
 * A row has these six keys in this order; further keys may follow. A row is written for each suspend and each resume. A
 * switch makes two rows: one coroutine suspends, the other resumes. A cancelled suspension is written as a resume,
 * because the coroutine runs on.
 *
 * With the option for all kinds, other events have rows too, marked by a seventh key "event" that holds the kind's
 * name. In such a row addr is the event's object, is_active is that of the coroutine's last suspend or resume, and
 * probe_id and seq are 0 if the event names no coroutine.
 */
#ifndef JSONL_JSONL_H
#define JSONL_JSONL_H

#include "base/input.h"
#include "stream/stream.h"

/*
 * jsonl_sink_open: opens a sink that writes rows to "PATH.partial", which is renamed at close; "-" is standard output.
 * Rows wait in memory until flush, or until very many wait, and are then sorted by time. So the rows between two
 * flushes are in order of time, and the rows of a stream always are in the order of writing. Processes, segments,
 * threads and streams must be defined before the batches that name them. If a segment's clock does not count
 * nanoseconds, at least one clock reading (with a known frequency: two) must be defined before the first flush. All
 * other definitions are ignored.
 *
 * When writing fails, put and flush return the failure from then on, and the file is cut back to its last complete row.
 * One thread uses the sink at a time.
 */
struct jsonl_options {
	bool all_kinds;
	/* the file gets its final name with its first row, and replaces a file of that name */
	bool names_early;
	enum ct_row_numbers numbers;
};
enum ct_status jsonl_sink_open(const char *path, const struct jsonl_options *options,
	struct ct_sink **ret_sink, struct ct_error *reterr);

/*
 * jsonl_sink_show: writes the rows up to this CLOCK_MONOTONIC time. Every stream must have delivered all events up to
 * then, and a clock reading behind that time must be defined. A failure is returned by the next put or flush.
 */
void jsonl_sink_show(struct ct_sink *sink, uint64_t until_ns);

/* jsonl_sink_rows: the number of rows written; rows that wait for a flush are not counted. */
uint64_t jsonl_sink_rows(const struct ct_sink *sink);

/* jsonl_sink_lost: the number of events that put accepted, but whose rows did not reach the file. */
uint64_t jsonl_sink_lost(const struct ct_sink *sink);

/*
 * jsonl_source_open: opens a source that reads rows by the rules of docs/spec/jsonl.md. The source takes over the
 * input, even on failure. Each run in the file becomes a process of its own. The file is read once for the tables and
 * again for the events: memory grows with the number of coroutines and with the disorder of rows, not with the number
 * of rows. CT_ERR_FORMAT: no row can be true; the error names the file and the line.
 */
enum ct_status jsonl_source_open(
	struct input *input, struct ct_source **ret_source, struct ct_error *reterr);

/* jsonl_is_ours: do these first bytes of a file look like JSON lines? */
bool jsonl_is_ours(const void *first_bytes, size_t nr_bytes);

#endif
