/* SPDX-License-Identifier: MIT */
/*
 * The collector: starts a target, takes in the segments that its processes hand over, and carries
 * every record that they publish into a sink.
 *
 *	collect_open(&options, sink, &collect, err);
 *	while ((status = collect_step(collect, 100, err)) == CT_OK)
 *		;
 *	... resolve collect_sites(), define the results into the sink ...
 *	collect_finish(collect, err);
 *	collect_close(collect);
 *
 * The caller owns the loop and the sink; the sink outlives the collector. One thread uses a collector
 * at a time. Nothing here prints, and nothing a target does can harm it: all that comes from a target
 * is copied, then checked, then used.
 *
 * The sink gets, in this order: RUN first, then PROCESS of the target itself (also where it never
 * attaches), a CLOCK reading, and from there on definitions and records as they come, each definition
 * before its first use. ENDING of every process comes before collect_step returns CT_END;
 * collect_finish adds the last CLOCK and HEARTBEAT, and END.
 *
 * A failing sink does not end a recording: the first failure is kept as a sentence
 * (ct_record_stats.output_trouble), the sink is called on, and every event that it refuses is
 * counted as lost (CTP_LOSS_OUTPUT).
 *
 * Bounds: 256 segments and 256 processes at a time, 64 peers that have connected and not yet spoken, 1,048,576
 * remembered address sites, 65,536 remembered mappings. Anything beyond is refused or forgotten, and counted. Memory is
 * taken when something new appears (a segment, a ring, a site), never per record.
 */
#ifndef COLLECT_COLLECT_H
#define COLLECT_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "stream/stream.h"

struct collect;

/*
 * collect_open: opens the listener, and starts the target. Only those options count that are about the target, its
 * probes and the ledger, whose path has no default here. Texts and arrays are needed during the call only. The caller
 * keeps `sink` until after collect_close. CT_ERR_NOT_FOUND where the command cannot be started: reterr->system_errno is
 * ENOENT (no such command) or EACCES (there is one that may not be executed); nothing was started and
 * nothing was put into the sink then. With a process id instead of a command nothing is started: CT_ERR_NOT_FOUND
 * where there is no such process, CT_ERR_REFUSED where it may not be looked into, CT_ERR_BUSY where another
 * recording has it, CT_ERR_NO_PROBE where it has no segment that waits.
 */
enum ct_status collect_open(const struct ct_record_options *options, struct ct_sink *sink,
	struct collect **ret_collect, struct ct_error *reterr);

/*
 * collect_step: waits for something to take in, at most `wait_ms` milliseconds and never longer than until
 * something is due by the clock, and takes it in. CT_OK: call again. CT_END: the target itself has ended,
 * all it published is in the sink, and processes that it left behind are detached. Also returns early
 * when a signal handler has run. One that runs just before the wait does not end it: let it write to a pipe, and give
 * the pipe's other end as `wake_descriptor`.
 */
enum ct_status collect_step(struct collect *collect, int wait_ms, struct ct_error *reterr);

/*
 * collect_signal: passes a signal on to the target and remembers it, so that an end by it is known
 * to be the user's wish. `is_note_only`: the kernel has delivered it already (a key in the terminal
 * goes to the whole foreground group): only remember. Else the states of the target's threads are
 * recorded first. CT_OK also where the target has ended already.
 */
enum ct_status collect_signal(
	struct collect *collect, int signal_number, bool is_note_only, struct ct_error *reterr);

/* collect_read_clock: defines what the clocks show now: times up to here are known for good then. */
void collect_read_clock(struct collect *collect);

/* collect_snapshot: records what every thread of every live process is doing (kind THREAD_STATE). */
enum ct_status collect_snapshot(struct collect *collect, struct ct_error *reterr);

/* collect_stop: the next collect_step is the last one; the target, if alive, runs on untraced. */
void collect_stop(struct collect *collect);

/*
 * collect_release: wants no more from any process, now or later: probes detach within a chunk of events. Their events
 * until then are still harvested.
 */
void collect_release(struct collect *collect);

/* collect_leave_out: from now on probes leave these categories out (bits), and no others. */
void collect_leave_out(struct collect *collect, uint32_t categories_off);

/*
 * collect_stats: the present account, of what the collector knows of: events that the sink took, and the target. All
 * other members are 0. Texts live until collect_close.
 */
void collect_stats(const struct collect *collect, struct ct_record_stats *ret_stats);

/* collect_was_forwarded: has the target ended by a signal that the user sent through the engine? */
bool collect_was_forwarded(const struct collect *collect);

/*
 * collect_notes: what the recording lacks besides events, a sentence each, with how often that happened;
 * borrowed until the next call on `collect`. collect_finish puts them into the trace.
 */
const struct ct_note *collect_notes(struct collect *collect, uint32_t *ret_count);

/*
 * A site that is only an address so far (kinds ADDRESS, FUNCTION, INSTRUCTION, CALLER): for the caller to
 * resolve and define again, with function, file and line.
 */
struct collect_site {
	uint32_t segment;
	uint32_t process;
	uint32_t id;
	uint32_t kind; /* enum ctp_site_kind */
	uint64_t address;
	uint64_t inside; /* of CALLER, the second address; else 0 */
};

/* collect_sites: what has been seen so far, borrowed until the next call of collect_step or collect_close. */
const struct collect_site *collect_sites(const struct collect *collect, size_t *ret_count);

/*
 * collect_finish: completes the trace: the last clock reading, the last heartbeat, and END. Called
 * once, after collect_step returned CT_END (or instead of going on: live processes are then detached
 * first). The target, if alive, runs on untraced.
 */
enum ct_status collect_finish(struct collect *collect, struct ct_error *reterr);

/* collect_close: frees everything but the sink. NULL is allowed. Does not touch the target. */
void collect_close(struct collect *collect);

#endif
