/* SPDX-License-Identifier: MIT */
/*
 * The contents of a trace, as a reader hands them out: events, and the tables that they refer to.
 *
 * Every source (a trace file, a text trace, a running target) yields the same two things. Tables
 * are arrays; references are 32-bit indexes into them. Index 0 of each table is reserved and means
 * "none", so that a zeroed reference is valid everywhere.
 */
#ifndef COROTRACER_EVENT_H
#define COROTRACER_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/ctp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The names below are the library's; all others are hidden in it. */
#pragma GCC visibility push(default)

/* A point in time: nanoseconds since the trace's epoch (ct_tables.epoch_...). CT_NO_TIME: not
 * known. */
typedef int64_t ct_time;
#define CT_NO_TIME INT64_MIN

/* ct_time_between: nanoseconds from one to the other; 0 where one of them is not known, or the other is earlier. */
int64_t ct_time_between(ct_time from, ct_time until);

/*
 * In events that change a coroutine's state: others of the same coroutine are missing right before this one, so that
 * its state may have changed unseen.
 */
#define CT_FLAG_AFTER_GAP 0x4000u

/* In such events: this one may not follow the event before it, within the reach of time-stamps. */
#define CT_FLAG_ORDER_UNKNOWN 0x2000u

/*
 * Another order of what was done to the same coroutine or lock around this event was chosen than that of the
 * time-stamps, or none could be: nothing rests on its place alone.
 */
#define CT_FLAG_ORDER_CHOSEN 0x1000u

/* How JSON lines number the rows of a coroutine, in their key seq. */
enum ct_row_numbers {
	CT_ROW_NUMBERS_AS_PROBE = 0, /* as a probe of version 1 does it; for others, COUNT */
	CT_ROW_NUMBERS_LOCK, /* as the lock of each of eight slots says: 2 eight times, 4 eight times, ... */
	CT_ROW_NUMBERS_COUNT, /* 1, 2, 3, ... and on behind a gap as if nothing were missing */
	CT_ROW_NUMBERS_OWN,   /* 1, 2, 3, ... counting only the rows that there are */
};

/* One event: a record's four words, named, and its place. 48 bytes. */
struct ct_event {
	ct_time time;
	uint64_t coro;   /* 0: none. Unique in its process, for all time */
	uint64_t object; /* def/kinds.def says what it holds */
	uint32_t site;   /* index into ct_tables.sites */
	uint8_t kind;    /* enum ctp_kind, or a number that this version does not know */
	uint8_t argument;
	uint16_t flags;
	uint32_t process;  /* index into ct_tables.processes */
	uint32_t thread;   /* index into ct_tables.threads */
	uint64_t sequence; /* place in the trace, from 0: names the event in evidence */
};

/* ct_loss_was_asked: events of this reason are missing because the user did not want them. */
static inline bool ct_loss_was_asked(unsigned reason)
{
	return reason >= CTP_LOSS_PAUSED && reason <= CTP_LOSS_BEFORE;
}

/* The tables' macros: who includes this has its own back behind them. */
#pragma push_macro("X")
#undef X

/* How a process came to its end. */
enum ct_ending {
#define X(name, number, text, meaning) CT_ENDING_##name = number,
#include "corotracer/def/endings.def"
#undef X
};

#pragma pop_macro("X")

/* Texts in tables are NUL-terminated, owned by the table's owner, and never NULL ("" where
 * unknown). */
struct ct_process {
	uint64_t pid;
	const char *program;      /* path of the executable */
	const char *command_line; /* arguments, separated by blanks */
	ct_time attached;         /* when the first segment arrived; CT_NO_TIME: never attached */
	ct_time ended;            /* CT_NO_TIME: not known */
	enum ct_ending ending;
	int ending_value;
	bool has_probe;        /* a probe in the program itself attached */
	bool has_ledger;       /* the descriptor ledger attached */
	bool has_bare_resumes; /* a resume may come with no suspend before: the await was ready */
	bool was_killed_by_engine_user; /* the engine forwarded the signal that ended it */
};

struct ct_thread {
	uint32_t process;
	uint64_t tid;
	const char *name;
	ct_time started; /* CT_NO_TIME: not known */
	ct_time stopped; /* CT_NO_TIME: not known, or still running at the end */
};

/* What a program calls so that its probe attaches (def/attaching.def). */
struct ct_attaching {
	const char *language; /* of an interpreter: "Python"; "": the program is compiled, or any */
	const char *calls; /* "corotracer.install()"; or one in each language that it may be in */
	const char *question; /* whether the program does so, a sentence */
	bool is_launcher;     /* a shell and its like: it starts the program that is meant */
};

/*
 * ct_attaching: what this program calls, by the name of its executable: "/usr/bin/python3.11". NULL: what any may
 * call. Never NULL; it stays.
 */
const struct ct_attaching *ct_attaching(const char *program);

/* A place in a program. A field that is not known is "" or 0. */
struct ct_site {
	uint32_t process;
	uint32_t kind; /* enum ctp_site_kind; 0: none */
	uint32_t form; /* enum ctp_form: how the program told it; 0: not known */
	uint32_t line;
	uint32_t column;
	const char *file;
	const char *function;   /* demangled where possible */
	const char *reason;     /* the awaiter's type, or a name the program gave */
	const char *module;     /* file that holds the code; for addresses */
	uint64_t address;       /* in the process, as recorded; 0 for sources */
	uint64_t module_offset; /* address relative to the module */
	/*
	 * The functions into which the compiler inlined `function`, innermost first, each in a line of its own: name,
	 * file and line of the call, with tabs in between. ct_caller_next takes the text apart. "": none, or not known.
	 */
	const char *callers;
	uint32_t stack; /* index into ct_tables.stacks: who called; 0: not told */
};

/*
 * A call on a stack: where the innermost one stands, and those that it was called by. Stacks that share their outer
 * part share its rows. A row names rows before it only, so that going from caller to caller comes to an end.
 *
 * The site of an event names the place that people know (of a wait within a library, where it was called), its stack
 * begins with the innermost call of all.
 */
struct ct_stack {
	uint32_t site;   /* where this call stands, not 0; its own stack is not looked at */
	uint32_t caller; /* index into ct_tables.stacks: who called; 0: nobody, or not known */
};

/* A function that the one before it was inlined into, and where it called it. Texts are not ended by a zero byte. */
struct ct_caller {
	const char *function;
	size_t function_bytes;
	const char *file;
	size_t file_bytes;
	uint32_t line;
};

/* A mapped piece of executable code. */
struct ct_mapping {
	uint32_t process;
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	const char *path;
	const char *build_id; /* lower-case hexadecimal, "" where the file has none */
};

/* Events that are missing: counted, with the interval in which they would have been. */
struct ct_loss {
	uint32_t process;
	uint32_t thread; /* 0: not known */
	uint64_t coro;   /* whose events they are; 0: not known, or of several */
	enum ctp_loss reason;
	uint64_t count;
	ct_time first;
	ct_time last;
};

/* A fault of the input itself; one per kind, counted. Shown before any finding. */
struct ct_note {
	const char *text; /* one sentence */
	uint64_t count;
	uint64_t offset; /* byte offset of the first; CT_NO_OFFSET: none */
	bool is_left_out; /* what it tells of was in the input, and is not, or not whole, among the events */
};

/*
 * The tables of one trace. `nr_x` counts include the reserved entry 0, so they are at least 1 once
 * a trace is open (losses and notes have no reserved entry).
 */
struct ct_tables {
	uint8_t run_id[16];
	const char *host;
	const char *clock; /* the time-stamps' source: "counter", "coarse" or "CLOCK_MONOTONIC" */
	double clock_hz;   /* of the counter; 0: not known */
	int64_t clock_skew_ns; /* largest disagreement of clock readings seen; 0: none */
	int64_t reach_ns;      /* how far a time-stamp may lie before its event; 0: not measured */
	int64_t epoch_realtime_ns;  /* CLOCK_REALTIME at time 0 */
	int64_t epoch_monotonic_ns; /* CLOCK_MONOTONIC at time 0 */
	ct_time observed_from;      /* the engine looked from here */
	ct_time observed_until;     /* to here: silence in between is evidence */
	bool is_complete;           /* the trace has its end record */
	bool has_no_end;            /* its form tells no end: silence is no evidence of anything */
	bool is_cut;                /* the recording goes on behind this part of it */
	bool goes_on;               /* of a report's: it is written at present */
	bool is_damaged;            /* the file has bytes that were of it and cannot be read */
	/* of the parts that can be understood alone, from 1; 0: it has none */
	uint32_t first_generation;
	uint32_t last_generation;
	uint64_t nr_before; /* events of the recording that lie before this part */
	/* Coroutines that were alive at once, at most, as the writer counted them; not to be trusted. 0: not known */
	uint64_t most_live;
	/* events handed out that tell how things stood when this part begins */
	uint64_t nr_carried;
	uint64_t nr_not_carried; /* facts that found no room among them */
	ct_time carried_from;    /* time of the earliest one; CT_NO_TIME: there is none */
	bool is_packed;          /* the file has packed blocks */
	const char *reason; /* why the trace was written at that moment; "": nobody asked for it */
	ct_time reason_time;
	uint64_t nr_impossible; /* events that the source left out: their times cannot be true */

	const struct ct_process *processes;
	uint32_t nr_processes;
	const struct ct_thread *threads;
	uint32_t nr_threads;
	const struct ct_site *sites;
	uint32_t nr_sites;
	const struct ct_stack *stacks;
	uint32_t nr_stacks;
	const struct ct_mapping *mappings;
	uint32_t nr_mappings;
	const struct ct_loss *losses;
	uint32_t nr_losses;
	const struct ct_note *notes;
	uint32_t nr_notes;
	uint64_t nr_events; /* that the source holds; 0: not known before it was read */
};

/*
 * ct_caller_next: the next one of a site's callers. *at is `callers` first, and moves on. False: there is no further
 * one. Lines that name no function are stepped over. No byte behind the text's end is read, whatever the text is.
 */
bool ct_caller_next(const char **at, struct ct_caller *ret_caller);

/*
 * ct_site_language: the language in which the place is written: "C", "C++", "Rust", "Zig", "Python", "Lua", "Go"; "":
 * its file is not known. The text stays. ct_site_words: the place as reports say it, "co_await AsyncRead in
 * handle_connection, src/server.cpp:120", cut off where it does not fit into `nr_bytes`, and with a zero byte behind;
 * returns the length of the whole. Both take any index ("not known"), and may be called on any thread.
 */
const char *ct_site_language(const struct ct_tables *tables, uint32_t site);
size_t ct_site_words(const struct ct_tables *tables, uint32_t site, char *into, size_t nr_bytes);

/*
 * ct_kind_name, ct_resource_name, ct_outcome_name, ct_point_name, ct_life_name, ct_mark_name, ct_loss_name,
 * ct_call_name, ct_range_name, ct_processor_name, ct_descriptor_type_name, ct_form_name, ct_ending_name: a number in an
 * event, or in a table, in a word; never NULL, "unknown" for a number not listed. ct_kind_meaning: what an event of
 * the kind says, in a phrase.
 */
const char *ct_kind_name(unsigned kind);
const char *ct_kind_meaning(unsigned kind);
const char *ct_resource_name(unsigned resource);
const char *ct_outcome_name(unsigned outcome);
const char *ct_point_name(unsigned point);
const char *ct_life_name(unsigned life);
const char *ct_mark_name(unsigned mark);
const char *ct_loss_name(unsigned loss);
const char *ct_call_name(unsigned call);
const char *ct_range_name(unsigned range);
const char *ct_processor_name(unsigned processor);
const char *ct_descriptor_type_name(unsigned type);
const char *ct_form_name(unsigned form);
const char *ct_ending_name(unsigned ending);

/* ct_category_find: the number of the category of events that the word names. False: there is none of this name. */
bool ct_category_find(const char *word, size_t length, unsigned *ret_category);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
