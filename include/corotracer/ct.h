/* SPDX-License-Identifier: MIT */
/*
 * libcorotracer: record a program, read a trace, judge it, and report what was found.
 *
 * The command line uses only this header; your program can use it, too, with what `pkg-config --cflags --libs
 * corotracer` prints. The library keeps no global state, prints nothing, and never writes to a descriptor that it was
 * not given. One thread at a time may use an object; different objects are independent.
 *
 * Option structs: the first member is `size` (sizeof of the struct as the caller knows it), zero means the default, and
 * new members are added at the end only. NULL options are all defaults.
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
#include "corotracer/sampling.h"
#include "corotracer/serve.h"
#include "corotracer/thresholds.h"
#include "corotracer/traces.h"
#include "corotracer/version.h"
#include "corotracer/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The names below are exported by the library, which hides all others. */
#pragma GCC visibility push(default)

/* ct_version: returns the version of the library in use, such as "0.1.0". */
const char *ct_version(void);

/* ------------------------------------------------------------------ reading a trace */

struct ct_trace;

struct ct_process_look;

struct ct_open_options {
	size_t size;
	bool no_symbols;  /* leave addresses as they are */
	bool is_followed; /* a trace file that grows: see ct_trace_next; implies no_symbols */
	/*
	 * Open only the last part of a compact trace, the one that can be understood alone and fits into this many
	 * bytes, as `cut` would make it; the rest is not even read. CT_ERR_UNSUPPORTED: there is no such part. At least
	 * the last whole generation of a Go trace is opened. 0: all.
	 */
	uint64_t last_bytes;
	/* The kernel's account of the process (ct_record_take_look); lent until the trace is closed. NULL: none */
	const struct ct_process_look *look;
	bool as_stored; /* events come as the file has them, with the rows they were read from */
	/*
	 * Most memory for what a judgement or a view keeps of coroutines, give or take a third. Coroutines that find no
	 * room then are left out, and their events count as lost (CTP_LOSS_NO_ROOM). 0: a quarter of the machine's
	 * memory.
	 */
	uint64_t memory_bytes;
	/*
	 * The caller knows that the trace is still being recorded: what is not written yet is not missing. False: the
	 * file says
	 */
	bool goes_on;
	bool was_damaged; /* a copy of a damaged trace: reports say so, too */
	/* of a core dump: the executable, if it is not where the dump says that it was. NULL: it is there */
	const char *program;
};

/*
 * ct_trace_open: opens a trace file of any kind, recognised by its first bytes; "-" is standard input. An address in
 * place of a name, s3://BUCKET/KEY or https://HOST/PATH, is read first, whole (docs/fleet.md). A core dump
 * gives the coroutines in its memory; CT_ERR_NOT_FOUND: none was found, and the message says why. A file that
 * was cut short, or is still being written, opens up to its last whole block; the notes of its tables say what is
 * missing.
 * CT_ERR_FORMAT: the file is not a trace, or a core dump with coroutines that cannot be read.
 */
enum ct_status ct_trace_open(const char *path, const struct ct_open_options *options,
	struct ct_trace **ret_trace, struct ct_error *reterr);

/*
 * ct_live_open: makes a trace of the last moments of a running process, which is recorded for a short time; if the
 * process keeps its past, that is included. Then the kernel is asked about the threads and descriptors of the process,
 * and the answer goes into the report (ct_analyze). The process is not stopped, and afterwards runs on untraced. A past
 * that is kept in a file, or the file of another engine that records the process, is read instead. If the process ends
 * meanwhile, its trace reaches to its end. Without a probe, the trace is the coroutines in the process's memory, which
 * is looked at twice. Fails as ct_record_open does with `pid`.
 */
struct ct_live_options {
	size_t size;
	int64_t pid;
	int64_t duration_ns;   /* duration of the recording; 0: 1 s */
	int wake_descriptor;   /* when readable, ends the recording early; the caller's; 0: none */
	bool no_symbols;       /* leave addresses as they are */
	uint64_t memory_bytes; /* as in ct_open_options */
};

enum ct_status ct_live_open(const struct ct_live_options *options, struct ct_trace **ret_trace,
	struct ct_error *reterr);

/*
 * ct_is_written: returns whether a process is writing the trace of this name at present. Returns false, too, if the
 * system does not say, as for a file of another user that has no lock.
 */
bool ct_is_written(const char *path);

/* ct_trace_close: frees the trace and everything that was borrowed from it. NULL is allowed. */
void ct_trace_close(struct ct_trace *trace);

/* ct_trace_tables: returns the tables that events refer to; borrowed, valid until ct_trace_close. */
const struct ct_tables *ct_trace_tables(const struct ct_trace *trace);

/*
 * The memory that a judgement or a view keeps of a trace's coroutines. Known before the events are read, from what the
 * writer counted, which cannot be trusted.
 */
struct ct_memory {
	/* Most coroutines alive at the same time; above about five million this is a lower bound. 0: not known */
	uint64_t most_live;
	uint64_t least_bytes; /* if each coroutine did next to nothing */
	/* if each ran more than once, with a frame and a descriptor of its own */
	uint64_t most_bytes;
	uint64_t bound; /* memory_bytes of ct_open_options, or its default; 0: none */
};

/* ct_trace_memory: returns the memory that judging the trace takes: see struct ct_memory. */
struct ct_memory ct_trace_memory(const struct ct_trace *trace);

/*
 * ct_trace_next: hands out the next event in order of time. Returns CT_OK and *ret_event, which is valid until the next
 * call; CT_END after the last event. If the events of two threads are closer than the reach of time-stamps, they come
 * in a possible order, with times raised where needed (reach_ns of the tables; CT_FLAG_ORDER_UNKNOWN).
 *
 * A trace that is followed (opened by the name that it will have, or has) hands out events in the order of their
 * stamps, up to the last moment before which no further event can come. CT_AGAIN: there are no more events at present.
 * CT_END: the trace is complete (is_complete of the tables), or no process writes it any more. The tables of a followed
 * trace grow with each call, and the times of processes and losses in them are not final; a followed trace cannot be
 * rewound.
 */
enum ct_status ct_trace_next(
	struct ct_trace *trace, const struct ct_event **ret_event, struct ct_error *reterr);

/*
 * ct_trace_is_carried: returns whether the event handed out last is a carried one: whether it states what was true when
 * this part of a recording began. The time of such an event lies before the part, and no count of events includes it.
 */
bool ct_trace_is_carried(const struct ct_trace *trace);

/* ct_trace_rewind: goes back: the next event is the first one again. */
enum ct_status ct_trace_rewind(struct ct_trace *trace, struct ct_error *reterr);

/* The forms in which a trace can be written. */
enum ct_format {
	CT_FORMAT_CTRACE = 0, /* the compact binary trace */
	CT_FORMAT_JSONL = 1,  /* one object a line, for each suspend and resume */
	CT_FORMAT_TEXT = 2,   /* the text form: one definition or event a line */
};

struct ct_write_options {
	size_t size;
	enum ct_format format;
	int pack_level; /* level of zstd, 1 to 19, for a compact trace; 0: not packed */
	bool all_kinds; /* JSON lines: a row for every event, not only for suspends and resumes */
};

/*
 * ct_trace_copy: writes the whole trace, from its first event on, in another form; whole or not at all; "-" is standard
 * output. Converting the text form to a trace file and back loses nothing. ct_trace_write: does the same with more
 * options; CT_ERR_UNSUPPORTED if this build cannot pack.
 */
enum ct_status ct_trace_copy(
	struct ct_trace *trace, enum ct_format format, const char *path, struct ct_error *reterr);
enum ct_status ct_trace_write(struct ct_trace *trace, const struct ct_write_options *options,
	const char *path, struct ct_error *reterr);

/* ------------------------------------------------------------------- parts of a recording */

/*
 * A trace file is a row of generations. Each generation can be understood alone, because it begins with the state at
 * its beginning. A part, a joined file or a recovered file consists of whole generations, whose blocks are copied
 * unchanged.
 */
struct ct_part {
	uint32_t first_generation; /* 0: the file has no generations */
	uint32_t last_generation;
	uint64_t nr_generations;
	ct_time from;
	ct_time until;
	uint64_t nr_events;
	uint64_t nr_before; /* events of the recording before this part */
	uint64_t nr_bytes;
	bool is_cut;      /* the recording goes on after this part */
	uint64_t nr_gaps; /* places where generations are missing */
	/* events in those gaps, or in damaged bytes; an estimate for the latter */
	uint64_t nr_missing;
	uint64_t nr_twice; /* generations that more than one part contained */
	uint64_t nr_damaged_bytes;
	uint64_t nr_cut_bytes; /* bytes after the last whole block */
	bool had_end;          /* the file that was recovered had its end */
	/* the first of the inputs, counted from 1, that was cut short or is damaged; 0: none */
	uint32_t first_damaged;
};

struct ct_part_options {
	size_t size;
	int pack_level; /* level of zstd, 1 to 19, for unpacked blocks; 0: they stay unpacked */
};

/*
 * ct_trace_cut: writes the generations of a trace file that touch an interval of time into a trace file of their own.
 * ct_trace_merge: joins parts of one recording, given in any order; a generation that several parts contain is taken
 * once.
 * ct_trace_recover: keeps every whole block; what is missing becomes a loss and notes, and an end is written.
 *
 * Outputs appear whole or not at all; "-" is standard output. CT_ERR_USAGE: nothing lies in the interval, or the parts
 * are not of one recording; CT_ERR_FORMAT: not a trace file. The text of a failure names the file. A part of a Go trace
 * is a Go trace, too, whose times begin at 0 again; Go traces are neither merged nor recovered (CT_ERR_USAGE).
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
 * ct_time_read: reads a number and a unit (ns, us, ms, s, min or m, h), as in "12.5s", "300ms", "2min".
 * ct_duration_read: reads the same, and refuses 0. Both return false if the text is not of this form, or means more
 * than 292 years.
 */
bool ct_time_read(const char *text, ct_time *ret_time);
bool ct_duration_read(const char *text, int64_t *ret_ns);

/* ----------------------------------------------------------------------- recording */

/*
 * The flight recorder: only the past is kept, in memory, and written when a condition or a request asks for it. Zero
 * means the default.
 */
struct ct_flight_options {
	size_t size;
	int64_t window_ns;     /* least past that is kept, if window_bytes suffices; 0: 10 s */
	uint64_t window_bytes; /* most bytes kept between two heartbeats; 0: 64 MiB */
	const char *const *conditions; /* NULL-terminated, see `corotracer run --on`; NULL: none */
	uint32_t max_dumps;            /* 0: 16 */
	/* thresholds for conditions about findings; NULL: all defaults */
	const struct ct_thresholds *thresholds;
};

/* One dump. The texts belong to the recording. */
struct ct_dump {
	const char *path;
	const char *reason;
	const char *trouble; /* why the dump could not be written, one sentence; NULL: it was */
	int64_t held_ns;     /* length of the past in the dump, and its size */
	uint64_t held_bytes;
	bool is_short_of_bytes; /* more of the past had been given up because of window_bytes */
};

/*
 * Which events are recorded, and when; zero means all. Events that are left out are counted, and the trace says so.
 * Patterns are those of fnmatch(3), in lists that end with NULL; NULL: no patterns. A pattern matches a place by its
 * function, its file's name, "file:line" or its name.
 */
struct ct_wanted {
	size_t size;
	uint32_t categories_off; /* bits: 1 << enum ctp_category; SCHEDULING stays on */
	uint32_t sample;         /* one coroutine of this many, with its whole life; 0, 1: all */
	/* leaves out coroutines from the moment when they are seen at such a place */
	const char *const *leave_out_sites;
	const char *const *leave_out_names; /* coroutines and annotations of such names */
	const char *const *leave_out_tasks; /* coroutines, from when they work for such tasks */
	int64_t start_after_ns;             /* earlier events are not kept; 0: from the beginning */
	/* also leave out events before the start mark (ctp_start) */
	bool wait_for_start;
	int64_t duration_ns; /* recording ends this long after it began; the program runs on */
};

/* Orders to probes. All zero: the default. */
#define CT_RING_BYTES_LEAST (UINT64_C(128) << 10)
#define CT_RING_BYTES_MOST (UINT64_C(16) << 20)

struct ct_orders {
	size_t size;
	int64_t coarse_step_ns; /* step of a clock that the engine advances; 0: the processor's */
	uint64_t ring_bytes; /* most bytes in which a thread's events wait; 0: CT_RING_BYTES_MOST */
	bool overwrites;     /* when those are full, the oldest events are lost, not the newest */
};

#define CT_SAMPLE_HZ_MOST 1000u
struct ct_record_options {
	size_t size;
	const char *output; /* path; "-" is standard output; NULL: no trace is kept */
	enum ct_format format;
	char *const *command;    /* argv of the target, NULL-terminated; copied */
	bool no_ledger;          /* record without the descriptor ledger */
	const char *ledger_path; /* NULL: the ledger lies beside the library or the executable */

	bool no_version1;      /* do not serve probes that speak version 1 of the protocol */
	uint32_t max_stations; /* coroutines that version 1 may trace; 0: 1,000,000, if they fit */
	/* version 1: path of the shared memory; NULL, or taken already: a private folder */
	const char *shm_path;
	/* version 1: path of the socket; NULL, or taken already: a private folder */
	const char *socket_path;

	/*
	 * NULL: the whole run is recorded. Else a flight recorder: `output` names the dumps: run.ctrace gives
	 * run.1.ctrace, ...
	 */
	const struct ct_flight_options *flight;

	const struct ct_wanted *wanted; /* NULL: everything */

	int pack_level; /* level of zstd, 1 to 19, for a compact trace; 0: not packed */
	bool all_kinds; /* JSON lines: a row for every event, not only for suspends and resumes */

	int wake_descriptor; /* when readable, ends the wait of ct_record_step; 0: none */

	const struct ct_orders *orders; /* NULL: the default */
	int64_t pid; /* a process that runs already, instead of a command; 0: none */

	/* How JSON lines number their rows. */
	enum ct_row_numbers row_numbers;
	bool tells_all;  /* rows hold all that was recorded, in further keys */
	bool shows_rows; /* the file gets its name with its first row, and each row within 50 ms */

	/*
	 * If the superuser records: admit probes of all users. By default a probe of another user is admitted only if
	 * its process descends from the target, because otherwise anybody could fill the trace.
	 */
	bool admits_all;

	/* With `pid`: ask the kernel about the process before the recording ends (ct_record_take_look). */
	bool looks_at_end;

	/* Programs of the same user, and of the superuser, may give orders during the recording (ct_control_send). */
	bool takes_orders;

	/* Samples of where threads run, by the kernel, in each second of processor time; at most CT_SAMPLE_HZ_MOST. */
	uint32_t sample_hz;

	bool looks_into_memory; /* keep what is in variables, as sights, if coroutines stand still until the end */
};

struct ct_record;

/* The present state of a recording; times in nanoseconds. */
struct ct_record_stats {
	uint64_t nr_events;
	uint64_t nr_lost;
	uint64_t nr_segments;      /* segments that attached */
	uint64_t nr_refused;       /* peers that were turned away */
	uint64_t nr_sites_refused; /* events without a place, for want of room for the site */
	uint64_t nr_unmapped;  /* processes whose addresses have no names: they ended too soon */
	uint64_t nr_forgotten; /* sites and mappings beyond the number that can be remembered */
	bool has_probe;        /* the program's own probe attached */
	bool has_ledger;
	bool is_go; /* the program was linked by Go, whose runtime writes a trace itself */
	int64_t target_pid;
	bool has_ended; /* the target has ended */
	enum ct_ending ending;
	int ending_value;
	const char *ledger_absence; /* why there is no ledger, one sentence; NULL: there is one */
	const char *
		output_trouble; /* what failed at the output, one sentence; NULL: it did not fail */
	const char *refusal;    /* why the last peer was turned away; NULL: no peer was */
	/* what the recording lacks besides events; valid until the next call */
	const struct ct_note *notes;
	uint32_t nr_notes;
	uint64_t nr_left_out; /* events that were not wanted, as the trace records */
	bool has_begun;       /* recording: start_after_ns and wait_for_start can delay it */
	bool was_cut_off;     /* duration_ns ended the recording: the program ran on, unobserved */
	/* rows of JSON lines that are written: all rows once the target has ended; else 0 */
	uint64_t nr_rows;
	bool keeps_former; /* nothing was recorded: the old trace of that name is kept */
	/* what the program calls so that its probe attaches */
	const struct ct_attaching *attaching;
	bool is_from_memory; /* without a probe: coroutines were found in the program's memory */
};

/*
 * ct_record_open: prepares the output and starts the target. If the command does not exist or the output cannot be
 * created, the call fails, nothing is started, and nothing is written. With `pid` instead of a command nothing is
 * started; the call fails with CT_ERR_NOT_FOUND, CT_ERR_REFUSED (the process may not be looked into), CT_ERR_BUSY
 * (another recording has the process), or CT_ERR_NO_PROBE (the process has no probe that waits).
 */
enum ct_status ct_record_open(const struct ct_record_options *options,
	struct ct_record **ret_record, struct ct_error *reterr);

/*
 * ct_record_step: harvests the events that there are, and waits at most `wait_ms` for more. CT_OK: call again. CT_END:
 * the target has ended, and all that it published has been harvested. A failing output does not end the recording: the
 * target runs on, lost events are counted, and the stats say why.
 */
enum ct_status ct_record_step(struct ct_record *record, int wait_ms, struct ct_error *reterr);

/*
 * ct_record_signal: passes a signal on to the target, and notes that it came from the user. `was_delivered`: the target
 * has the signal already, so it is only noted (a key in the terminal reaches the whole foreground group, with si_code
 * SI_KERNEL; kill(2) of a group reaches all processes in it). Returns CT_OK also if the target has ended. A process
 * that was not started by this recording gets no signal: its recording ends instead, and the process runs on. A flight
 * recorder writes a dump before it passes INT and TERM on, with what each thread does, but, as for conditions, not
 * again within 10 s.
 */
enum ct_status ct_record_signal(
	struct ct_record *record, int signal_number, bool was_delivered, struct ct_error *reterr);

/*
 * ct_record_dump: writes a dump of the past now, with the reason. CT_ERR_USAGE if the recording is not a flight
 * recorder; a failed dump is among the dumps, too. ct_record_dumps: returns all dumps so far; ret_suppressed (may be
 * NULL): how many more dumps conditions asked for, too soon after another dump or beyond max_dumps.
 */
enum ct_status ct_record_dump(
	struct ct_record *record, const char *reason, struct ct_error *reterr);
const struct ct_dump *ct_record_dumps(
	const struct ct_record *record, uint32_t *ret_count, uint64_t *ret_suppressed);

/*
 * ct_record_stats: returns the present state, after waiting until the output has everything that was harvested; texts
 * are valid until ct_record_close.
 */
void ct_record_stats(const struct ct_record *record, struct ct_record_stats *ret_stats);

/*
 * ct_record_take_look: returns the kernel's account of the process's threads and descriptors at the end of its
 * recording, for ct_open_options. NULL: the kernel was not asked, or the process had ended. The caller frees the
 * account.
 * ct_process_look_free: frees the account. NULL is allowed.
 */
struct ct_process_look *ct_record_take_look(struct ct_record *record);
void ct_process_look_free(struct ct_process_look *look);

/*
 * ct_record_close: completes the output and frees the recording. Returns the output's status. If nothing was recorded,
 * or if the program failed, had no probe, and no coroutine was found in its memory, an old file of the output's name
 * keeps that name.
 */
enum ct_status ct_record_close(struct ct_record *record, struct ct_error *reterr);

/* The contents of the flight recorder inside a program (corotracer/ctp_flight.h); times in nanoseconds. */
struct ct_flight_recovered {
	uint64_t pid;
	bool is_alive;        /* the process lives, and its recorder goes on */
	bool are_times_rough; /* the counter's rate is not known: one count is taken for 1 ns */
	uint64_t nr_events;   /* events in the trace */
	uint64_t nr_lost;     /* all events that are missing, including the overwritten ones */
	uint64_t nr_overwritten;
	uint64_t held_ns; /* from the earliest event kept to the end */
	/* the time before the end in which no event of any thread was overwritten */
	uint64_t complete_ns;
};

/* ct_is_flight, ct_is_core: return whether the file begins as a flight recorder's file, or as a core dump, does. */
bool ct_is_flight(const char *path);
bool ct_is_core(const char *path);

/*
 * ct_flight_recover: makes a trace of a flight recorder's file, or of the one in a core dump (CT_ERR_NOT_FOUND: it has
 * none), with what the frames in it add; whole or not at all; "-" is standard output. `options` may be NULL. The file
 * is only read. CT_ERR_FORMAT: it is not a flight recorder's; CT_ERR_CORRUPT: it states something that cannot be true.
 */
enum ct_status ct_flight_recover(const char *path, const struct ct_part_options *options,
	const char *output, struct ct_flight_recovered *ret_stats, struct ct_error *reterr);

/* --------------------------------------------------------------------- the judgement */

struct ct_analyze_options {
	size_t size;
	uint64_t why_coro; /* explain this coroutine, too; 0: none */
	uint64_t why_pid;  /* process of why_coro; 0: the first that has this id */
	/* NULL: all defaults */
	const struct ct_thresholds *thresholds;
	/*
	 * Find the critical path of this task, too: its id, or a name, which means the longest task of the name. NULL:
	 * none
	 */
	const char *path_task;
	/* Make a breakdown, too, by coroutine, function or site; NONE and other values: no breakdown. */
	enum ct_by by;
	enum ct_sort sort;
	uint32_t max_rows; /* rows of the breakdown, at most 10,000; 0: 20 */
};

/*
 * ct_analyze: reads the whole trace, and judges it. The report borrows from the trace: free the report first.
 * CT_ERR_NOT_FOUND: no process has the id why_pid, or there is no task path_task.
 */
enum ct_status ct_analyze(struct ct_trace *trace, const struct ct_analyze_options *options,
	const struct ct_report **ret_report, struct ct_error *reterr);

/* ct_report_free: frees the report. NULL is allowed. */
void ct_report_free(const struct ct_report *report);

/*
 * ct_report_without_room: returns the number of events of coroutines that the report leaves out because there was no
 * memory for them (memory_bytes of ct_open_options).
 */
uint64_t ct_report_without_room(const struct ct_report *report);

/*
 * ct_report_unseen: returns why the report cannot judge any coroutine, and why a lack of findings means nothing: "no
 * coroutine was seen, because no probe attached". The text is never freed. NULL: coroutines were seen.
 */
const char *ct_report_unseen(const struct ct_report *report);

/*
 * ct_report_headline: writes the verdict in one sentence without its full stop, as a NUL-terminated text, into
 * `nr_bytes` at `buffer`: "nothing found, but 62 of 148 events are missing". Returns the length of the sentence, which
 * may be greater. ct_report_has_doubt: returns whether the verdict may be untrue because the trace is not whole.
 */
size_t ct_report_headline(const struct ct_report *report, char *buffer, size_t nr_bytes);
bool ct_report_has_doubt(const struct ct_report *report);

enum ct_report_format {
	CT_REPORT_TEXT = 0,
	CT_REPORT_MARKDOWN,
	CT_REPORT_JSON,
	CT_REPORT_HTML,  /* one page that refers to nothing outside of itself */
	CT_REPORT_DOT,   /* only the await graph, for Graphviz; only with is_why */
	CT_REPORT_SARIF, /* 2.1.0, for code review tools and continuous integration */
	CT_REPORT_SVG,   /* the picture of one finding, as a file of its own */
};

struct ct_report_options {
	size_t size;
	enum ct_report_format format;
	bool use_colour;       /* text only */
	bool is_brief;         /* findings' headlines only */
	uint32_t max_members;  /* examples printed for each finding; 0: 10 */
	uint32_t width;        /* columns of a line, text only; 0: 100 */
	uint32_t max_findings; /* findings printed, the gravest first; 0: 20; JSON has them all */
	bool is_why;           /* only the explanation of one coroutine, in the form text */
	bool is_statistics;    /* only where the time went, in the forms text and Markdown */
	uint32_t max_rows;     /* rows printed of each statistics table; 0: 20; JSON: all */
	enum ct_by by;         /* of the statistics, only those by this; NONE: all */
	/* SARIF: files below this folder are named relative to it; NULL: none */
	const char *source_root;
	/* SVG: the finding to draw, from 1; CT_ERR_NOT_FOUND if it has no picture. 0: the gravest that has one */
	uint32_t finding;
	/* the trace's name in commands that a text, Markdown or HTML proposes; NULL: "FILE" */
	const char *trace;
};

/* ct_report_write: writes the report to a file, whole or not at all; "-" is standard output. */
enum ct_status ct_report_write(const struct ct_report *report,
	const struct ct_report_options *options, const char *path, struct ct_error *reterr);

/* ------------------------------------------------------------------- events as text */

/*
 * ct_event_format: writes one event as one line of the text form, without a newline, into the caller's buffer. Returns
 * the length that the line would have had; the line is cut off at nr_bytes, and always NUL-terminated.
 */
size_t ct_event_format(
	const struct ct_trace *trace, const struct ct_event *event, char *buffer, size_t nr_bytes);

/*
 * ct_event_has_coro: returns whether the event's `coro` is the id of a coroutine. In some kinds `coro` is something
 * else: a result, a time, a thread.
 */
bool ct_event_has_coro(const struct ct_event *event);

/*
 * One coroutine whose events are picked out of all events. Set `coroutine`, and set `frame` to 0, before the first
 * event.
 */
struct ct_followed {
	uint64_t coroutine;
	/* The address of the coroutine's frame while it lives, as far as the events so far show; 0: not known. */
	uint64_t frame;
};

/*
 * ct_event_is_about: returns whether the event is the coroutine's own, or wakes, awaits or creates the coroutine, or
 * switches to it. A wake may name only the coroutine's frame, whose address serves another coroutine later: call this
 * for each event of the trace, in order.
 */
bool ct_event_is_about(const struct ct_event *event, struct ct_followed *followed);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
