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
 * (collect_stats.output_trouble), the sink is not called again, and every event from then on is
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

#include "corotracer/error.h"
#include "stream/stream.h"

struct collect;

/* All-zero means the default. Texts and arrays are needed during collect_open only. */
struct collect_options {
	size_t size; /* sizeof(struct collect_options) */
	/* argv of the target, NULL-terminated; the first is looked up in PATH */
	char *const *command;
	int64_t pid;             /* of a process that runs already, instead of a command; 0: none */
	bool no_ledger;          /* leave the descriptor ledger out */
	const char *ledger_path; /* the preload library; NULL: there is none */

	bool no_version1;      /* leave probes of version 1 out */
	uint32_t max_stations; /* coroutines that version 1 may trace; 0: 1,000,000, if they fit */
	const char *shm_path;  /* of its file; NULL, or taken already: in a private folder */
	const char *socket_path; /* of its socket; likewise */

	uint32_t categories_off; /* of events that probes need not write, as ctp_header has them */

	int wake_descriptor; /* collect_step returns where it is readable; the caller's; 0: none */
	uint64_t coarse_step_ns; /* of the coarse clock, which probes are to use; 0: they choose */
	uint64_t ring_bytes; /* of memory for a ring's records, at most; 0: all that it can have */
	bool overwrites;     /* a full ring overwrites its oldest records */
	bool admits_all; /* probes of all users, where the engine is the superuser's; see listener.h */
};

/* The present account of a recording. Texts live until collect_close. */
struct collect_stats {
	uint64_t nr_events;   /* records taken by the sink; those of kind LOST are not among them */
	uint64_t nr_lost;     /* events that were written and are not in the trace, all reasons */
	uint64_t nr_segments; /* that attached */
	uint64_t nr_refused;  /* peers that were turned away */
	uint64_t nr_sites_refused; /* events that name no site, since there was no room for it */
	/* processes with addresses that were gone before their mappings were read */
	uint64_t nr_unmapped;
	uint64_t nr_forgotten; /* sites and mappings that the bounds left out of resolution */
	bool has_probe;        /* a program's own probe attached */
	bool has_ledger;
	bool has_ended; /* the target itself */
	enum ct_ending ending;
	int ending_value;
	bool was_forwarded; /* by a signal that the user sent through the engine */
	int64_t target_pid;
	/* why there is no ledger, one sentence; NULL: it was asked for */
	const char *ledger_absence;
	const char *refusal;        /* why the last peer was turned away; NULL: none was */
	const char *output_trouble; /* why the sink failed; NULL: it did not */
};

/*
 * collect_open: opens the listener, and starts the target. The caller keeps `sink` until after
 * collect_close. CT_ERR_NOT_FOUND where the command cannot be started: reterr->system_errno is
 * ENOENT (no such command) or EACCES (there is one that may not be executed); nothing was started and
 * nothing was put into the sink then. With a process id instead of a command nothing is started: CT_ERR_NOT_FOUND
 * where there is no such process, CT_ERR_REFUSED where it may not be looked into, CT_ERR_BUSY where another
 * recording has it, CT_ERR_NO_PROBE where it has no segment that waits.
 */
enum ct_status collect_open(const struct collect_options *options, struct ct_sink *sink,
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

/* collect_stats: the present state. */
void collect_stats(const struct collect *collect, struct collect_stats *ret_stats);

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
