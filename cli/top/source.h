/* SPDX-License-Identifier: MIT */
/*
 * The data of the screens: a trace, opened once; or a process, which is recorded while the screens show it; or a trace
 * that another recording writes. One snapshot after the other is made; each is a view of the trace so far.
 *
 * Snapshots are made on a thread of their own, with a lower priority than the traced program (nice), and for at most a
 * quarter of the time. One thread calls all functions.
 */
#ifndef CLI_TOP_SOURCE_H
#define CLI_TOP_SOURCE_H

#include "corotracer/ct.h"

struct top_source;

struct top_source_options {
	const char *path; /* of a trace; NULL: `pid` is recorded */
	int64_t pid;
	bool no_symbols;
	const struct ct_thresholds
		*thresholds;   /* borrowed until the source is closed; NULL: all defaults */
	uint64_t memory_bytes; /* as in ct_open_options */
};

/* One state of the trace; both halves of its view are filled. */
struct top_snapshot {
	struct ct_trace *trace;
	struct ct_view *view;
	const struct ct_report *report; /* the view's */
	uint64_t taken_ns;              /* CLOCK_MONOTONIC: later events are not in the snapshot */
	uint64_t took_ns;               /* how long it took to make */
	bool is_growing;                /* the recording was still going on */
};

/*
 * top_source_open: opens the trace, or begins to record, and starts the thread. Errors as for ct_trace_open or
 * ct_record_open.
 */
enum ct_status top_source_open(const struct top_source_options *options,
	struct top_source **ret_source, struct ct_error *reterr);

/* top_source_close: lets the thread finish its present work; the process runs on, untraced. NULL is allowed. */
void top_source_close(struct top_source *source);

/* top_source_descriptor: readable when there is a snapshot or an answer to take. */
int top_source_descriptor(const struct top_source *source);

/*
 * top_source_take: takes the newest snapshot that was not taken yet; it is the caller's until top_snapshot_free. NULL:
 * there is none. top_snapshot_free: must be called before the source is closed; NULL is allowed.
 */
struct top_snapshot *top_source_take(struct top_source *source);
void top_snapshot_free(struct top_snapshot *snapshot);

/* top_source_trouble: why the last try to make a snapshot failed. False: it did not fail. */
bool top_source_trouble(struct top_source *source, struct ct_error *ret_error);

/*
 * top_source_ask_why: asks the thread to follow the chain of a coroutine in this snapshot, which must stay until
 * top_source_take_why has returned the answer. top_source_is_asked: is an answer still to come?
 */
void top_source_ask_why(struct top_source *source, const struct top_snapshot *snapshot,
	uint32_t process, uint64_t id);
bool top_source_is_asked(struct top_source *source);

/*
 * top_source_take_why: CT_OK: the answer; it is the caller's until ct_report_free, which must come before its snapshot
 * is freed. CT_AGAIN: not ready yet. Other errors: following the chain failed.
 */
enum ct_status top_source_take_why(
	struct top_source *source, const struct ct_report **ret_report, struct ct_error *reterr);

#endif
