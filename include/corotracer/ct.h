/* SPDX-License-Identifier: MIT */
/*
 * libcorotracer: record a program, read a trace, understand it, and tell what was found.
 *
 * The command line uses this header and nothing else; a program of yours can as well, with what
 * `pkg-config --cflags --libs corotracer` says. The library keeps no global state, prints
 * nothing, and never writes to a descriptor that it was not given. An object is used by one thread
 * at a time; different objects are independent.
 *
 * Option structs: first member `size` (sizeof of the struct as the caller knows it), zero means the
 * default, new members come at the end only. NULL options are all defaults.
 */
#ifndef COROTRACER_CT_H
#define COROTRACER_CT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/check.h"
#include "corotracer/control.h"
#include "corotracer/diff.h"
#include "corotracer/error.h"
#include "corotracer/event.h"
#include "corotracer/export.h"
#include "corotracer/fetch.h"
#include "corotracer/metrics.h"
#include "corotracer/profile.h"
#include "corotracer/query.h"
#include "corotracer/report.h"
#include "corotracer/serve.h"
#include "corotracer/thresholds.h"
#include "corotracer/version.h"
#include "corotracer/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The names below are the library's; all others are hidden in it. */
#pragma GCC visibility push(default)

/* ct_version: the version of the library in use, such as "0.1.0". */
const char *ct_version(void);

/* ------------------------------------------------------------------ reading a trace */

struct ct_trace;

struct ct_process_look;

struct ct_open_options {
	size_t size;
	bool no_symbols;  /* leave addresses as they are */
	bool is_followed; /* a trace file that grows: see ct_trace_next; implies no_symbols */
	/*
	 * Open only the part of a compact trace that can be understood alone within so many bytes at its end, as `cut`
	 * would make it; the rest is not even read. CT_ERR_UNSUPPORTED: there is no such part. Likewise of a Go
	 * trace, of which the last whole generation is opened at least. 0: all.
	 */
	uint64_t last_bytes;
	/* The kernel's account of its process (ct_record_take_look): lent, until the trace is closed. NULL: none */
	const struct ct_process_look *look;
	bool as_stored; /* events come as the file has them, with the rows that they come from */
	/*
	 * What a judgement or a view keeps of coroutines takes so much memory at most, give or take a third. Those that
	 * find no room then are left out, and their events a loss (CTP_LOSS_NO_ROOM). 0: a quarter of the machine's.
	 */
	uint64_t memory_bytes;
	/* Its recording goes on, as the caller knows: what is not written yet is not missing. False: the file tells */
	bool goes_on;
	bool was_damaged; /* it is a copy of a trace that is: reports tell that of it, too */
};

/*
 * ct_trace_open: opens a trace file of any kind, told apart by its first bytes; "-" is standard input.
 * A file that was cut short, or is still being written, opens up to its last whole block; its tables'
 * notes say what is missing. CT_ERR_FORMAT: the file is no trace.
 */
enum ct_status ct_trace_open(const char *path, const struct ct_open_options *options,
	struct ct_trace **ret_trace, struct ct_error *reterr);

/*
 * ct_live_open: a trace of the last moments of a process that runs. The process is recorded for a short time, with the
 * past where it keeps one; then the kernel is asked about its threads and its descriptors, and the answer goes into the
 * report (ct_analyze). The process is not stopped, and runs on untraced. Where a process keeps its past in a file,
 * nothing is recorded: the file is read. The trace of a process that ends meanwhile reaches to its end.
 *
 * Fails as ct_record_open with `pid` does.
 */
struct ct_live_options {
	size_t size;
	int64_t pid;
	int64_t duration_ns;   /* of the recording; 0: 1 s */
	int wake_descriptor;   /* readable, it ends the recording early; the caller's; 0: none */
	bool no_symbols;       /* leave addresses as they are */
	uint64_t memory_bytes; /* of ct_open_options */
};

enum ct_status ct_live_open(const struct ct_live_options *options, struct ct_trace **ret_trace,
	struct ct_error *reterr);

/*
 * ct_is_written: does somebody write the trace of this name at present? False as well where the system does not tell,
 * as of a file of another user that has no lock.
 */
bool ct_is_written(const char *path);

/* ct_trace_close: frees the trace and all that was borrowed from it. NULL is allowed. */
void ct_trace_close(struct ct_trace *trace);

/* ct_trace_tables: the tables that events refer to; borrowed, valid until ct_trace_close. */
const struct ct_tables *ct_trace_tables(const struct ct_trace *trace);

/*
 * What a judgement or a view keeps of a trace's coroutines. Known before the events are read, from what the writer
 * counted, which is not to be trusted.
 */
struct ct_memory {
	/* Coroutines that were alive at once; beyond some five million at least so many. 0: not known */
	uint64_t most_live;
	uint64_t least_bytes; /* if each did next to nothing */
	uint64_t
		most_bytes; /* if each ran more than once, with a frame and a descriptor of its own */
	uint64_t bound;     /* memory_bytes of ct_open_options, or its default; 0: none */
};

/* ct_trace_memory: see struct ct_memory. */
struct ct_memory ct_trace_memory(const struct ct_trace *trace);

/*
 * ct_trace_next: the next event in order of time. CT_OK and *ret_event, valid until the next call; CT_END after the
 * last one. Events of two threads within the reach of time-stamps come in a possible order, with times raised where
 * needed (tables' reach_ns; CT_FLAG_ORDER_UNKNOWN).
 *
 * A trace that is followed (opened by the name that it will have, or has) hands events out as they are stamped, up to
 * the last moment before which nothing can come any more. CT_AGAIN: none more at present. CT_END: the trace is complete
 * (tables' is_complete), or nobody writes it any more. Its tables grow with each call, and times of processes and
 * losses in them do not hold; a followed trace cannot be rewound.
 */
enum ct_status ct_trace_next(
	struct ct_trace *trace, const struct ct_event **ret_event, struct ct_error *reterr);

/*
 * ct_trace_is_carried: does the event handed out last tell how things stood when this part of a recording began? The
 * time of such an event lies before the part, and no count of events includes it.
 */
bool ct_trace_is_carried(const struct ct_trace *trace);

/* ct_trace_rewind: the next event is the first one again. */
enum ct_status ct_trace_rewind(struct ct_trace *trace, struct ct_error *reterr);

/* The forms in which a trace can be written. */
enum ct_format {
	CT_FORMAT_CTRACE = 0, /* the compact binary trace */
	CT_FORMAT_JSONL = 1,  /* one object a line: suspend and resume */
	CT_FORMAT_TEXT = 2,   /* the text form: a definition or an event a line */
};

struct ct_write_options {
	size_t size;
	enum ct_format format;
	int pack_level; /* of zstd, 1 to 19, for a compact trace; 0: not packed */
	bool all_kinds; /* JSON lines: a row for every event, not for suspends and resumes only */
};

/*
 * ct_trace_copy: writes the whole trace, from its first event on, in another form; whole or not at all,
 * "-" is standard output. From the text form to a trace file and back nothing is lost. ct_trace_write: the
 * same with more to choose; CT_ERR_UNSUPPORTED where this build cannot pack.
 */
enum ct_status ct_trace_copy(
	struct ct_trace *trace, enum ct_format format, const char *path, struct ct_error *reterr);
enum ct_status ct_trace_write(struct ct_trace *trace, const struct ct_write_options *options,
	const char *path, struct ct_error *reterr);

/* ------------------------------------------------------------------- parts of a recording */

/*
 * A trace file is a row of generations, each of which can be understood alone: it begins with how things stood. A part,
 * a joined or a recovered file consists of whole generations; their blocks are copied as they lie.
 */
struct ct_part {
	uint32_t first_generation; /* 0: it has none */
	uint32_t last_generation;
	uint64_t nr_generations;
	ct_time from;
	ct_time until;
	uint64_t nr_events;
	uint64_t nr_before; /* events of the recording before it */
	uint64_t nr_bytes;
	bool is_cut;      /* the recording goes on behind it */
	uint64_t nr_gaps; /* places where generations are missing */
	/* events in there, or in what was damaged; an estimate for the latter */
	uint64_t nr_missing;
	uint64_t nr_twice; /* generations that more than one part had */
	uint64_t nr_damaged_bytes;
	uint64_t nr_cut_bytes; /* behind the last whole block */
	bool had_end;          /* of a file that was recovered */
	/* of the inputs, counted from 1, the first that was cut short or is damaged; 0: none */
	uint32_t first_damaged;
};

struct ct_part_options {
	size_t size;
	int pack_level; /* of zstd, 1 to 19, for blocks that are not packed; 0: they stay as they are */
};

/*
 * ct_trace_cut: writes the generations of a trace file that touch an interval of time, as a trace file of their own.
 * ct_trace_merge: joins parts of one recording, in any order; a generation that several of them have is taken once.
 * ct_trace_recover: keeps every whole block; what is missing becomes a loss and notes, and an end is written.
 *
 * Outputs appear whole or not at all; "-" is standard output. CT_ERR_USAGE: nothing lies in the interval, or the
 * parts are not of one recording; CT_ERR_FORMAT: no trace file. A failure's text names the file. A part
 * of a Go trace is one, too, whose times begin anew; it is neither merged nor recovered (CT_ERR_USAGE).
 */
enum ct_status ct_trace_cut(const char *path, ct_time from, ct_time to,
	const struct ct_part_options *options, const char *output, struct ct_part *ret_part,
	struct ct_error *reterr);
enum ct_status ct_trace_merge(const char *const *paths, size_t nr_paths,
	const struct ct_part_options *options, const char *output, struct ct_part *ret_part,
	struct ct_error *reterr);
enum ct_status ct_trace_recover(const char *path, const struct ct_part_options *options,
	const char *output, struct ct_part *ret_part, struct ct_error *reterr);

/*
 * ct_time_read: a number and a unit (ns, us, ms, s, min or h), as in "12.5s", "300ms", "2min". ct_duration_read: the
 * same, and longer than nothing. False: the text is no such thing, or beyond 292 years.
 */
bool ct_time_read(const char *text, ct_time *ret_time);
bool ct_duration_read(const char *text, int64_t *ret_ns);

/* ----------------------------------------------------------------------- recording */

/*
 * The flight recorder: only the past is kept, in memory, and written when something asks for it. Zero means the
 * default.
 */
struct ct_flight_options {
	size_t size;
	int64_t window_ns;             /* so much past at least, where the bytes suffice; 0: 10 s */
	uint64_t window_bytes;         /* bound of what is kept between two heartbeats; 0: 64 MiB */
	const char *const *conditions; /* NULL-terminated, see `corotracer run --on`; NULL: none */
	uint32_t max_dumps;            /* 0: 16 */
	/* of conditions about findings; NULL: all defaults */
	const struct ct_thresholds *thresholds;
};

/* One dump. Texts are the recording's. */
struct ct_dump {
	const char *path;
	const char *reason;
	const char *trouble; /* why it could not be written, one sentence; NULL: it was */
	int64_t held_ns;     /* the past that it holds, and its size */
	uint64_t held_bytes;
	bool is_short_of_bytes; /* more past had to go for the bytes' sake */
};

/*
 * Which events are recorded, and when; zero means all. Events left out are counted, and the trace says so. Patterns are
 * those of fnmatch(3), in lists that end with NULL, or NULL: a place matches by its function, its file's name,
 * "file:line" or its name.
 */
struct ct_wanted {
	size_t size;
	uint32_t categories_off; /* bits: 1 << enum ctp_category; SCHEDULING stays on */
	uint32_t sample;         /* one coroutine in so many, whole lives; 0, 1: all */
	/* coroutines, from when they are seen at such a place */
	const char *const *leave_out_sites;
	const char *const *leave_out_names; /* coroutines and annotations of such names */
	const char *const *leave_out_tasks; /* coroutines, from when they work for such tasks */
	int64_t start_after_ns;             /* nothing is kept before; 0: from the beginning */
	bool wait_for_start;                /* nor before the program's start mark (ctp_start) */
	int64_t duration_ns; /* recording ends so long after it began; the program runs on */
};

/* Orders to probes. All zero: the default. */
#define CT_RING_BYTES_LEAST (UINT64_C(128) << 10)
#define CT_RING_BYTES_MOST (UINT64_C(16) << 20)

struct ct_orders {
	size_t size;
	int64_t coarse_step_ns; /* times are of a clock that the engine advances once in so long; 0: the processor's */
	uint64_t ring_bytes; /* in which a thread's events wait, at most; 0: CT_RING_BYTES_MOST */
	bool overwrites;     /* where that is full the oldest events are lost, not the newest */
};

struct ct_record_options {
	size_t size;
	const char *output; /* path; "-" is standard output; NULL: no trace is kept */
	enum ct_format format;
	char *const *command;    /* argv of the target, NULL-terminated; copied */
	bool no_ledger;          /* leave the descriptor ledger out */
	const char *ledger_path; /* NULL: beside the library or the executable */

	/* Probes that speak version 1 of the protocol are served beside those of version 2. */
	bool no_version1;
	uint32_t max_stations; /* coroutines that version 1 may trace; 0: 1,000,000, if they fit */
	const char *shm_path;  /* of its file; NULL, or taken already: in a private folder */
	const char *socket_path; /* of its socket; likewise */

	/* NULL: all of the time is recorded. Else `output` names the dumps: run.ctrace gives run.1.ctrace, ... */
	const struct ct_flight_options *flight;

	const struct ct_wanted *wanted; /* NULL: everything */

	int pack_level; /* of zstd, 1 to 19, for a compact trace; 0: not packed */
	bool all_kinds; /* JSON lines: a row for every event, not for suspends and resumes only */

	int wake_descriptor; /* readable, it ends the wait of ct_record_step; the caller's; 0: none */

	const struct ct_orders *orders; /* NULL: the default */
	int64_t pid; /* of a process that runs already, instead of a command; 0: none */

	/* For JSON lines. */
	enum ct_row_numbers row_numbers;
	bool tells_all; /* in the end rows hold all that was recorded, in further keys (docs/spec/jsonl.md, R-13) */
	bool shows_rows; /* the file gets its name with its first row, and has each row within 50 ms */

	/*
	 * Where the superuser records: take in probes of all users. Else other users' probes are taken in only where
	 * they descend from the target, since anybody could fill the trace.
	 */
	bool admits_all;

	/* With `pid`: before the recording ends the kernel is asked about the process: ct_record_take_look. */
	bool looks_at_end;

	/* Programs of the same user, and of the superuser, may give orders meanwhile: ct_control_send. */
	bool takes_orders;
};

struct ct_record;

/* The present account of a recording; times in nanoseconds. */
struct ct_record_stats {
	uint64_t nr_events;
	uint64_t nr_lost;
	uint64_t nr_segments;      /* that attached */
	uint64_t nr_refused;       /* peers that were turned away */
	uint64_t nr_sites_refused; /* events that name no place, since there was no room for it */
	uint64_t nr_unmapped; /* processes whose addresses have no names: they were gone too soon */
	uint64_t nr_forgotten; /* sites and mappings that were too many to remember */
	bool has_probe;        /* the program's own probe attached */
	bool has_ledger;
	bool is_go; /* the program was linked by Go, whose runtime writes a trace of its own */
	int64_t target_pid;
	bool has_ended; /* the target */
	enum ct_ending ending;
	int ending_value;
	const char *ledger_absence; /* why there is no ledger, one sentence; NULL: there is one */
	const char *
		output_trouble; /* the output failed at some time: one sentence; NULL: it did not */
	const char *refusal;    /* why the last peer was turned away; NULL: none was */
	/* what the recording lacks besides events; valid until the next call */
	const struct ct_note *notes;
	uint32_t nr_notes;
	uint64_t nr_left_out; /* events that were not wanted, as the trace tells */
	bool has_begun;       /* recording, as start_after_ns and wait_for_start have it */
	bool was_cut_off;     /* by duration_ns: the program runs on, or ran on, unobserved */
	/* of JSON lines: written, all of them once the target has ended; else 0 */
	uint64_t nr_rows;
	bool keeps_former; /* nothing was recorded, and the trace that had the output's name keeps it */
	const struct ct_attaching
		*attaching; /* what the program calls so that its probe attaches */
};

/*
 * ct_record_open: prepares the output and starts the target. Fails, with nothing started and nothing written, where the
 * command does not exist or the output cannot be created. With `pid` instead of a command nothing is started:
 * CT_ERR_NOT_FOUND, CT_ERR_REFUSED (it may not be looked into), CT_ERR_BUSY (another recording has it), CT_ERR_NO_PROBE
 * (it has none that waits).
 */
enum ct_status ct_record_open(const struct ct_record_options *options,
	struct ct_record **ret_record, struct ct_error *reterr);

/*
 * ct_record_step: harvests what there is, and waits at most `wait_ms` for more. CT_OK: call again;
 * CT_END: the target has ended and everything it published is in. A failing output does not end the
 * recording: the target runs on, what is lost is counted, and stats say why.
 */
enum ct_status ct_record_step(struct ct_record *record, int wait_ms, struct ct_error *reterr);

/*
 * ct_record_signal: passes a signal on to the target, and notes that it came from the user. `was_delivered`: the
 * target has the signal already (a key in the terminal reaches the whole foreground group, with si_code SI_KERNEL;
 * kill(2) of a group all in it), which is then only noted. CT_OK also where the target has ended. A process that
 * was not started here gets no signal: its recording ends instead, and it runs on. A flight recorder writes the past
 * before INT and TERM are passed on, with what each thread does, but not again within 10 s, as for conditions.
 */
enum ct_status ct_record_signal(
	struct ct_record *record, int signal_number, bool was_delivered, struct ct_error *reterr);

/*
 * ct_record_dump: writes the past now, and why. CT_ERR_USAGE where only a flight recorder could; a failure
 * is among the dumps, too. ct_record_dumps: all so far; ret_suppressed: how many more conditions asked for, too
 * soon after another or beyond max_dumps (NULL: not asked).
 */
enum ct_status ct_record_dump(
	struct ct_record *record, const char *reason, struct ct_error *reterr);
const struct ct_dump *ct_record_dumps(
	const struct ct_record *record, uint32_t *ret_count, uint64_t *ret_suppressed);

/*
 * ct_record_stats: the present state, after waiting until all that was taken in is with the output; texts are valid
 * until ct_record_close.
 */
void ct_record_stats(const struct ct_record *record, struct ct_record_stats *ret_stats);

/*
 * ct_record_take_look: the kernel's account of the process's threads and descriptors at the end of its recording, for
 * ct_open_options. NULL: the kernel was not asked, or the process had ended. The caller frees it.
 * ct_process_look_free: NULL is allowed.
 */
struct ct_process_look *ct_record_take_look(struct ct_record *record);
void ct_process_look_free(struct ct_process_look *look);

/*
 * ct_record_close: completes the output and frees the recording. The status is the output's. A file that had the
 * output's name keeps it where nothing was recorded, or where the program failed and had no probe.
 */
enum ct_status ct_record_close(struct ct_record *record, struct ct_error *reterr);

/* The contents of the flight recorder inside a program (corotracer/ctp_flight.h); times in nanoseconds. */
struct ct_flight_recovered {
	uint64_t pid;
	bool is_alive;        /* the process lives, and its recorder goes on */
	bool are_times_rough; /* nothing tells how fast the counter ran: a count is taken for 1 ns */
	uint64_t nr_events;   /* in the trace */
	uint64_t nr_lost;     /* all that is missing, the overwritten ones among it */
	uint64_t nr_overwritten;
	uint64_t held_ns; /* from the earliest event kept to the end */
	/* before the end; of that time nothing of any thread was overwritten */
	uint64_t complete_ns;
};

/* ct_is_flight: does the file begin as a flight recorder's? */
bool ct_is_flight(const char *path);

/*
 * ct_flight_recover: makes a trace of a flight recorder's file, of a process that has ended or still runs; whole or
 * not at all, "-" is standard output. `options` may be NULL. The file is only read. CT_ERR_FORMAT: the file is no
 * flight recorder's; CT_ERR_CORRUPT: it says something that cannot be true.
 */
enum ct_status ct_flight_recover(const char *path, const struct ct_part_options *options,
	const char *output, struct ct_flight_recovered *ret_stats, struct ct_error *reterr);

/* --------------------------------------------------------------------- the judgement */

struct ct_analyze_options {
	size_t size;
	uint64_t why_coro; /* explain this coroutine, too; 0: none */
	uint64_t why_pid;  /* of its process; 0: the first that has one with this id */
	/* NULL: all defaults */
	const struct ct_thresholds *thresholds;
	/* Find the critical path of this task, too: its id, or a name, of which the longest is meant. NULL: none */
	const char *path_task;
	/* Make a breakdown, too, by coroutine, function or site; for others, and NONE, none is made. */
	enum ct_by by;
	enum ct_sort sort;
	uint32_t max_rows; /* of the breakdown, at most 10,000; 0: 20 */
};

/*
 * ct_analyze: reads the whole trace, and judges. The report borrows from the trace: free it first.
 * CT_ERR_NOT_FOUND: no process has the id why_pid, or there is no task path_task.
 */
enum ct_status ct_analyze(struct ct_trace *trace, const struct ct_analyze_options *options,
	const struct ct_report **ret_report, struct ct_error *reterr);

/* ct_report_free: NULL is allowed. */
void ct_report_free(const struct ct_report *report);

/*
 * ct_report_without_room: events of coroutines that the report leaves out, since there was no memory for them
 * (memory_bytes of ct_open_options).
 */
uint64_t ct_report_without_room(const struct ct_report *report);

/*
 * ct_report_unseen: "no coroutine was seen, because no probe attached", a text that is never freed: why a report can
 * judge none, and why a lack of findings says nothing. NULL: coroutines were seen.
 */
const char *ct_report_unseen(const struct ct_report *report);

/*
 * ct_report_headline: the verdict in one sentence without its full stop, as a terminated text in `nr_bytes`: "nothing
 * found, but 62 of 148 events are missing"; returns its length, which may be greater. ct_report_has_doubt: may it be
 * untrue, since the trace is not whole?
 */
size_t ct_report_headline(const struct ct_report *report, char *buffer, size_t nr_bytes);
bool ct_report_has_doubt(const struct ct_report *report);

enum ct_report_format {
	CT_REPORT_TEXT = 0,
	CT_REPORT_MARKDOWN,
	CT_REPORT_JSON,
	CT_REPORT_HTML,  /* one page that refers to nothing outside itself */
	CT_REPORT_DOT,   /* the await graph alone, for Graphviz; with is_why only */
	CT_REPORT_SARIF, /* 2.1.0, for code review tools and continuous integration */
	CT_REPORT_SVG,   /* the picture of one finding, as a file of its own */
};

struct ct_report_options {
	size_t size;
	enum ct_report_format format;
	bool use_colour;       /* text only */
	bool is_brief;         /* findings' headlines only */
	uint32_t max_members;  /* examples printed of each finding; 0: 10 */
	uint32_t width;        /* columns of a line, text only; 0: 100 */
	uint32_t max_findings; /* printed, the gravest first; 0: 20; JSON has them all */
	bool is_why;           /* only the explanation of one coroutine, in the form text */
	bool is_statistics;    /* only where the time went, in the forms text and Markdown */
	uint32_t max_rows;     /* printed of each table of statistics; 0: 20; JSON has them all */
	enum ct_by by;         /* of statistics, only what is told apart by this; NONE: all */
	/* SARIF: files below this folder are named from there; NULL: none */
	const char *source_root;
	/* SVG: whose picture, from 1; CT_ERR_NOT_FOUND where there is none. 0: the gravest that has one */
	uint32_t finding;
	/* the trace's name in commands that a text, Markdown or HTML proposes; NULL: "FILE" */
	const char *trace;
};

/* ct_report_write: writes the report to a file, whole or not at all; "-" is standard output. */
enum ct_status ct_report_write(const struct ct_report *report,
	const struct ct_report_options *options, const char *path, struct ct_error *reterr);

/* ------------------------------------------------------------------- events as text */

/*
 * ct_event_format: one event as one line of the text form, without a newline, into the caller's buffer.
 * Returns the length it would have had; cut off at nr_bytes, always NUL-terminated.
 */
size_t ct_event_format(
	const struct ct_trace *trace, const struct ct_event *event, char *buffer, size_t nr_bytes);

/* ct_event_has_coro: is `coro` a coroutine's id? In some kinds `coro` is something else: a result, a time, a thread. */
bool ct_event_has_coro(const struct ct_event *event);

/* One coroutine, whose events are picked out of all. Set `coroutine`, and `frame` to 0, before the first event. */
struct ct_followed {
	uint64_t coroutine;
	/* Where its frame lies while it lives, as far as the events so far tell; 0: not known. */
	uint64_t frame;
};

/*
 * ct_event_is_about: is the event the coroutine's own, or does it wake, await, create it or switch to it? Wakes may
 * name only its frame, whose address serves another coroutine later: ask of each event of the trace, in order.
 */
bool ct_event_is_about(const struct ct_event *event, struct ct_followed *followed);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
