/* SPDX-License-Identifier: MIT */
/*
 * Where the screens have their data from: a trace, opened once, or a process, which is recorded while the screens show
 * it, or a trace that somebody writes: one snapshot after the other is made, each a view of the trace so far.
 *
 * Snapshots are made on a thread of their own, behind the traced program (nice) and at most a quarter of the time. All
 * functions are called by one thread.
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
		*thresholds;   /* lent until the source is closed; NULL: all defaults */
	uint64_t memory_bytes; /* of ct_open_options */
};

/* One state of the trace; both halves of its view are filled. */
struct top_snapshot {
	struct ct_trace *trace;
	struct ct_view *view;
	const struct ct_report *report; /* the view's */
	uint64_t taken_ns;              /* CLOCK_MONOTONIC: later events are not in it */
	uint64_t took_ns;               /* to be made */
	bool is_growing;                /* the recording went on */
};

/*
 * top_source_open: opens the trace, or begins to record, and starts the thread. Fails as ct_trace_open or
 * ct_record_open does.
 */
enum ct_status top_source_open(const struct top_source_options *options,
	struct top_source **ret_source, struct ct_error *reterr);

/* top_source_close: the process runs on, untraced. What the source is at it finishes first. NULL is allowed. */
void top_source_close(struct top_source *source);

/* top_source_descriptor: readable when there is something to take. */
int top_source_descriptor(const struct top_source *source);

/*
 * top_source_take: the newest snapshot that was not taken yet, the caller's until top_snapshot_free; NULL: there is
 * none. top_snapshot_free before the source is closed; NULL is allowed.
 */
struct top_snapshot *top_source_take(struct top_source *source);
void top_snapshot_free(struct top_snapshot *snapshot);

/* top_source_trouble: why no snapshot could be made when it was last tried. False: one could. */
bool top_source_trouble(struct top_source *source, struct ct_error *ret_error);

/*
 * top_source_ask_why: has the chain of a coroutine followed, in this snapshot, which stays until top_source_take_why
 * has the answer. top_source_is_asked: is there an answer to come?
 */
void top_source_ask_why(struct top_source *source, const struct top_snapshot *snapshot,
	uint32_t process, uint64_t id);
bool top_source_is_asked(struct top_source *source);

/*
 * top_source_take_why: CT_OK: the answer, the caller's until ct_report_free, before its snapshot is freed. CT_AGAIN:
 * not yet. Else following it failed.
 */
enum ct_status top_source_take_why(
	struct top_source *source, const struct ct_report **ret_report, struct ct_error *reterr);

#endif
