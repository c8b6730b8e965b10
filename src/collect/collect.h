/* SPDX-License-Identifier: MIT */
/*
 * The collector: starts a target, accepts the segments that its processes hand over, and passes every record that they
 * publish to a sink.
 *
 *	collect_open(&options, sink, &collect, err);
 *	while ((status = collect_step(collect, 100, err)) == CT_OK)
 *		;
 *	... resolve collect_sites(), define the results into the sink ...
 *	collect_finish(collect, err);
 *	collect_close(collect);
 *
 * The caller owns the loop and the sink; the sink outlives the collector. One thread uses a collector at a time. The
 * collector never prints, and nothing that a target does can harm it: everything that comes from a target is copied,
 * then checked, then used.
 *
 * The sink gets, in this order: RUN, then PROCESS of the target itself (even if it never attaches), then a CLOCK
 * reading, and from then on definitions and records as they come, each definition before its first use. ENDING of every
 * process comes before collect_step returns CT_END; collect_finish adds the last CLOCK and HEARTBEAT, and END.
 *
 * A failing sink does not end a recording: the first failure is kept as a sentence (ct_record_stats.output_trouble),
 * the sink is still called, and every event that the sink refuses is counted as lost (CTP_LOSS_OUTPUT).
 *
 * Bounds: 256 segments and 256 processes at a time, 64 peers that have connected but not sent a greeting, 1,048,576
 * remembered address sites, 65,536 remembered mappings. Anything beyond is refused or forgotten, and counted. Memory is
 * allocated when something new appears (a segment, a ring, a site), never per record.
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
 * collect_open: opens the listener, and starts the target. Only those options are used that concern the target, its
 * probes and the ledger, whose path has no default here. Texts and arrays are needed during the call only. The caller
 * keeps `sink` until after collect_close. CT_ERR_NOT_FOUND if the command cannot be started: reterr->system_errno is
 * ENOENT (no such command) or EACCES (the command may not be executed); nothing was started then, and nothing was put
 * into the sink. With a process id instead of a command nothing is started: CT_ERR_NOT_FOUND if there is no such
 * process, CT_ERR_REFUSED if the process may not be looked into, CT_ERR_BUSY if another recording has it,
 * CT_ERR_NO_PROBE if it has no segment that waits.
 */
enum ct_status collect_open(const struct ct_record_options *options, struct ct_sink *sink,
	struct collect **ret_collect, struct ct_error *reterr);

/*
 * collect_step: waits for something to collect, at most `wait_ms` milliseconds, and at most until the next timed task
 * is due; then collects it. CT_OK: call again. CT_END: the target itself has ended, everything it published is in the
 * sink, and the processes that it left are detached. Also returns early after a signal handler has run. A handler that
 * runs just before the wait does not end the wait: let the handler write to a pipe, and give the pipe's other end as
 * `wake_descriptor`.
 */
enum ct_status collect_step(struct collect *collect, int wait_ms, struct ct_error *reterr);

/*
 * collect_signal: passes a signal on to the target and remembers it, so that an end by this signal is known to be the
 * user's wish. `is_note_only`: only remember the signal, because the kernel has delivered it already (a key in the
 * terminal goes to the whole foreground group). Otherwise the states of the target's threads are recorded first.
 * Returns CT_OK also if the target has ended already.
 */
enum ct_status collect_signal(
	struct collect *collect, int signal_number, bool is_note_only, struct ct_error *reterr);

/* collect_read_clock: defines a reading of the clocks: times up to now are final then. */
void collect_read_clock(struct collect *collect);

/* A process whose coroutines stand still, and since when, on CLOCK_MONOTONIC. */
struct collect_still {
	int64_t pid;
	uint64_t since_ns;
	bool has_probe;
	uint32_t process; /* its number in the trace */
};

/*
 * collect_still: finds the process that has stood still for longest, of those with coroutines; else the one that wrote
 * last, of those that have only a descriptor ledger. False: there is none that lives.
 */
bool collect_still(const struct collect *collect, struct collect_still *ret_still);

/*
 * collect_note_waits: from now on notes since when each coroutine waits. False: out of memory. collect_waits: finds, of
 * the processes that live, the one in which most coroutines have begun to wait in an interval, and wait still. False:
 * there is none. collect_waits_since: since when a coroutine waited at a time (UINT64_MAX: now), if it has not waited
 * again since it went on; UINT64_MAX: it went on before, or that is not known. Also of a process that has ended.
 */
bool collect_note_waits(struct collect *collect);
bool collect_waits(const struct collect *collect, uint64_t from_ns, uint64_t until_ns,
	struct collect_still *ret_still);
uint64_t collect_waits_since(
	const struct collect *collect, uint32_t process, uint64_t coro, uint64_t at_ns);

/*
 * collect_seen_threads: writes the numbers that threads of a live process have in the trace, by the index that they
 * have in tables of what was seen in its memory. False: the process has ended, and nothing was written.
 *
 * collect_put_seen: puts what was seen, a source of this one process (frames_see), into the trace; its sights are left
 * out.
 */
bool collect_seen_threads(struct collect *collect, uint32_t process, const struct ct_tables *tables,
	uint32_t *threads);
enum ct_status collect_put_seen(struct collect *collect, uint32_t process, struct ct_source *seen,
	const uint32_t *threads, struct ct_error *reterr);

/* collect_snapshot: records what every thread of every live process is doing (kind THREAD_STATE). */
enum ct_status collect_snapshot(struct collect *collect, struct ct_error *reterr);

/* collect_stop: the next collect_step is the last one; the target, if alive, runs on untraced. */
void collect_stop(struct collect *collect);

/*
 * collect_release: stops wanting events from any process, now and later: probes detach within a chunk of events. Their
 * events until then are still harvested.
 */
void collect_release(struct collect *collect);

/* collect_leave_out: from now on probes leave out the events of these categories (bits), and of no others. */
void collect_leave_out(struct collect *collect, uint32_t categories_off);

/*
 * collect_stats: returns the present state, as far as the collector knows it: events that the sink took, and the
 * target. All other members are 0. Texts live until collect_close.
 */
void collect_stats(const struct collect *collect, struct ct_record_stats *ret_stats);

/* collect_was_forwarded: returns whether the target was ended by a signal that the user sent through the engine. */
bool collect_was_forwarded(const struct collect *collect);

/*
 * collect_notes: returns what the recording lacks besides events, one sentence each, with the number of times; borrowed
 * until the next call on `collect`. collect_finish puts the notes into the trace.
 */
const struct ct_note *collect_notes(struct collect *collect, uint32_t *ret_count);

/*
 * A site that is only an address so far (kinds ADDRESS, FUNCTION, INSTRUCTION, CALLER): the caller resolves it and
 * defines it again, with function, file and line.
 */
struct collect_site {
	uint32_t segment;
	uint32_t process;
	uint32_t id;
	uint32_t kind; /* enum ctp_site_kind */
	uint64_t address;
	uint64_t inside; /* for CALLER, the second address; else 0 */
};

/* collect_sites: returns the sites seen so far, borrowed until the next call of collect_step or collect_close. */
const struct collect_site *collect_sites(const struct collect *collect, size_t *ret_count);

/*
 * collect_finish: completes the trace with the last clock reading, the last heartbeat, and END. Call it once, after
 * collect_step returned CT_END, or earlier to stop: live processes are then detached first. A living target runs on
 * untraced.
 */
enum ct_status collect_finish(struct collect *collect, struct ct_error *reterr);

/* collect_close: frees everything except the sink. NULL is allowed. The target is left alone. */
void collect_close(struct collect *collect);

#endif
