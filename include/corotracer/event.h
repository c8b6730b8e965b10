/* SPDX-License-Identifier: MIT */
/*
 * The contents of a trace, as a reader hands them out: events, and the tables that they refer to.
 *
 * Every source (a trace file, a text trace, a running target) yields events and tables. Tables are arrays; references
 * are 32-bit indexes into them. Index 0 of each table is reserved and means "none", so that a zeroed reference is
 * always valid.
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

/* The names below are exported by the library, which hides all others. */
#pragma GCC visibility push(default)

/* A point in time: nanoseconds since the trace's epoch (ct_tables.epoch_...). CT_NO_TIME: not
 * known. */
typedef int64_t ct_time;
#define CT_NO_TIME INT64_MIN

/*
 * ct_time_between: returns the nanoseconds from one time to the other; 0 if either is not known, or if `until` is
 * earlier.
 */
int64_t ct_time_between(ct_time from, ct_time until);

/*
 * Flag of events that change a coroutine's state: events of the same coroutine are missing right before this one, so
 * that its state may have changed unseen.
 */
#define CT_FLAG_AFTER_GAP 0x4000u

/* Flag of such events: within the reach of time-stamps, this event may not have followed the event before it. */
#define CT_FLAG_ORDER_UNKNOWN 0x2000u

/*
 * Flag: the events around this one that concern the same coroutine or lock were put into another order than that of the
 * time-stamps, or no order could be chosen: no conclusion may rest on this event's place alone.
 */
#define CT_FLAG_ORDER_CHOSEN 0x1000u

/* How JSON lines number the rows of a coroutine, in their key seq. */
enum ct_row_numbers {
	/* as a probe of version 1 numbers rows; for other probes, COUNT */
	CT_ROW_NUMBERS_AS_PROBE = 0,
	/* as the lock of each of eight slots has it: 2 eight times, 4 eight times, ... */
	CT_ROW_NUMBERS_LOCK,
	/* 1, 2, 3, ...; after a gap the numbers go on as if nothing were missing */
	CT_ROW_NUMBERS_COUNT,
	CT_ROW_NUMBERS_OWN, /* 1, 2, 3, ... counting only the rows that exist */
};

/* One event: the four words of a record, named, and the record's place. 48 bytes. */
struct ct_event {
	ct_time time;
	uint64_t coro;   /* 0: none. Unique in its process, at all times */
	uint64_t object; /* def/kinds.def says what it holds */
	uint32_t site;   /* index into ct_tables.sites */
	uint8_t kind;    /* enum ctp_kind, or a number that this version does not know */
	uint8_t argument;
	uint16_t flags;
	uint32_t process;  /* index into ct_tables.processes */
	uint32_t thread;   /* index into ct_tables.threads */
	uint64_t sequence; /* the event's place in the trace, from 0; names the event in evidence */
};

/* ct_loss_was_asked: returns whether events of this reason are missing because the user did not want them. */
static inline bool ct_loss_was_asked(unsigned reason)
{
	return reason >= CTP_LOSS_PAUSED && reason <= CTP_LOSS_BEFORE;
}

/* The tables use the macro X: a caller's own X is saved here and restored after the tables. */
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
	bool has_bare_resumes; /* a resume may have no suspend before it: the await was ready */
	bool was_killed_by_engine_user; /* the engine forwarded the signal that ended the process */
};

struct ct_thread {
	uint32_t process;
	uint64_t tid;
	const char *name;
	ct_time started; /* CT_NO_TIME: not known */
	ct_time stopped; /* CT_NO_TIME: not known, or still running at the end */
};

/* The call by which a program makes its probe attach (def/attaching.def). */
struct ct_attaching {
	/* of an interpreter: "Python"; "": the program is compiled, or in any language */
	const char *language;
	/* "corotracer.install()"; or one call in each language that the program may be written in */
	const char *calls;
	const char *question; /* a sentence that asks whether the program makes the call */
	bool is_launcher;     /* a shell or the like, which starts the program that is meant */
};

/*
 * ct_attaching: returns the call for a program, by the name of its executable: "/usr/bin/python3.11". NULL: the calls
 * for any program. The result is never NULL, and is never freed.
 */
const struct ct_attaching *ct_attaching(const char *program);

/* A place in a program. A field that is not known is "" or 0. */
struct ct_site {
	uint32_t process;
	uint32_t kind; /* enum ctp_site_kind; 0: none */
	uint32_t form; /* enum ctp_form: how the program stated the site; 0: not known */
	uint32_t line;
	uint32_t column;
	const char *file;
	const char *function;   /* demangled where possible */
	const char *reason;     /* the awaiter's type, or a name that the program gave */
	const char *module;     /* for addresses: the file that holds the code */
	uint64_t address;       /* for addresses: in the process, as recorded; 0 for sources */
	uint64_t module_offset; /* address relative to the module */
	/*
	 * The functions into which the compiler inlined `function`, innermost first, each on a line of its own: name,
	 * file and line of the call, separated by tabs. ct_caller_next takes the text apart. "": none, or not known.
	 */
	const char *callers;
	uint32_t stack; /* index into ct_tables.stacks: the call around this one; 0: not recorded */
	uint32_t
		frame_bytes; /* of the frames of a function that is a C++20 coroutine; 0: not known */
};

/*
 * A call on a stack, and its callers. Stacks that share their outer part share the rows of that part. A row refers only
 * to rows before it, so that going from caller to caller comes to an end.
 *
 * The site of an event names the place that people know (for a wait within a library, the place where the library was
 * called); the site's stack begins with the innermost call of all.
 */
struct ct_stack {
	uint32_t site;   /* the place of this call, not 0; the site's own stack is ignored */
	uint32_t caller; /* index into ct_tables.stacks: the caller; 0: no caller, or not known */
};

/*
 * A function into which the function before it was inlined, and the place of the call. The texts do not end in a zero
 * byte.
 */
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
	const char *build_id; /* lower-case hexadecimal, "" if the file has none */
};

/* Events that are missing: their number, and the interval in which they would have been. */
struct ct_loss {
	uint32_t process;
	uint32_t thread; /* 0: not known */
	/* the coroutine that the events belong to; 0: not known, or several coroutines */
	uint64_t coro;
	enum ctp_loss reason;
	uint64_t count;
	ct_time first;
	ct_time last;
};

/* A fault of the input itself; one note per kind, with a count. Shown before any finding. */
struct ct_note {
	const char *text; /* one sentence */
	uint64_t count;
	uint64_t offset;  /* byte offset of the first fault; CT_NO_OFFSET: none */
	bool is_left_out; /* something in the input is missing among the events, or not whole */
};

/* What was seen beside the events, and proves nothing: a lead, or what a thread was in at a look into memory. */
struct ct_sight {
	const char *text; /* one sentence */
	uint64_t coro;    /* the coroutine whose it is; 0: it is about several, or none */
	ct_time begun;    /* when the look began; CT_NO_TIME: not known */
	ct_time ended;    /* when it ended, likewise */
};

/*
 * The tables of one trace. The counts nr_x include the reserved entry 0, so they are at least 1 once a trace is open
 * (losses, notes and sights have no reserved entry).
 */
struct ct_tables {
	uint8_t run_id[16];
	const char *host;
	const char *clock; /* source of the time-stamps: "counter", "coarse" or "CLOCK_MONOTONIC" */
	double clock_hz;   /* rate of the counter; 0: not known */
	int64_t clock_skew_ns; /* largest disagreement between clock readings; 0: none */
	int64_t reach_ns;      /* how far a time-stamp may lie before its event; 0: not measured */
	int64_t epoch_realtime_ns;  /* CLOCK_REALTIME at time 0 */
	int64_t epoch_monotonic_ns; /* CLOCK_MONOTONIC at time 0 */
	ct_time observed_from;      /* the engine observed from here */
	ct_time observed_until;     /* to here: silence in between is evidence */
	bool is_complete;           /* the trace has its end record */
	/* the form of the trace cannot state an end: silence is no evidence */
	bool has_no_end;
	bool is_cut; /* the recording goes on after this part of it */
	/* its coroutines were found in memory at one moment, or at two: nothing before is known of them */
	bool is_from_memory;
	bool goes_on;    /* of a report: the trace is being written at present */
	bool is_damaged; /* the file has bytes that belong to it and cannot be read */
	/* numbers of the generations in it, from 1; 0: it has none */
	uint32_t first_generation;
	uint32_t last_generation;
	uint64_t nr_before; /* events of the recording before this part */
	/* Most coroutines alive at the same time, as the writer counted; cannot be trusted. 0: not known */
	uint64_t most_live;
	/* carried events: they state what was true when this part began */
	uint64_t nr_carried;
	uint64_t nr_not_carried; /* facts for which no room was left among the carried events */
	ct_time carried_from;    /* time of the earliest carried event; CT_NO_TIME: none */
	bool is_packed;          /* the file has packed blocks */
	/* why the trace was written at that moment; "": no reason was recorded */
	const char *reason;
	ct_time reason_time;
	/* events that the source left out because their times cannot be true */
	uint64_t nr_impossible;

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
	const struct ct_sight *sights;
	uint32_t nr_sights;
	/* events that the source holds; 0: not known before the source was read */
	uint64_t nr_events;
};

/*
 * ct_caller_next: takes the next function from a site's `callers`. *at is `callers` at first, and is moved on by each
 * call. Returns false if there is no further function. Lines that name no function are skipped. No byte after the
 * text's end is read, whatever the text is.
 */
bool ct_caller_next(const char **at, struct ct_caller *ret_caller);

/*
 * ct_site_language: returns the language in which the place is written: "C", "C++", "Rust", "Zig", "Python", "Lua",
 * "Go"; "": its file is not known. The text is never freed. ct_site_words: writes the place as reports show it,
 * "co_await AsyncRead in handle_connection, src/server.cpp:120", cut off if it does not fit into `nr_bytes`, and
 * NUL-terminated; returns the length of the whole text. Both accept any index ("not known"), and may be called on any
 * thread.
 */
const char *ct_site_language(const struct ct_tables *tables, uint32_t site);
size_t ct_site_words(const struct ct_tables *tables, uint32_t site, char *into, size_t nr_bytes);

/*
 * ct_kind_name, ct_resource_name, ct_outcome_name, ct_point_name, ct_life_name, ct_mark_name, ct_loss_name,
 * ct_call_name, ct_range_name, ct_processor_name, ct_descriptor_type_name, ct_form_name, ct_ending_name: return the
 * word for a number in an event or a table; never NULL; "unknown" for a number that is not listed. ct_kind_meaning:
 * returns a phrase that says what an event of the kind means.
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

/*
 * ct_category_find: finds the number of the category of events that the word names. Returns false if there is no
 * category of this name.
 */
bool ct_category_find(const char *word, size_t length, unsigned *ret_category);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
