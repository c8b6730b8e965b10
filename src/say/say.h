/* SPDX-License-Identifier: MIT */
/*
 * Names of things: places, coroutines, threads, processes, resources, points in time, events.
 *
 * Each thing has one spelling: the title of a finding, a step of its chain and the cell of a table take it from here.
 * Each function appends to a text, is safe for a terminal (safe.h), and accepts any index (out of range: "not known").
 * All words come from the tables in the arguments; this layer does not know the model, rules or reports. Nothing here
 * wraps lines, adds colour or escapes for Markdown.
 */
#ifndef SAY_SAY_H
#define SAY_SAY_H

#include <stdbool.h>

#include "base/text.h"
#include "corotracer/event.h"
#include "corotracer/standing.h"

#define SAY_NOT_KNOWN "not known"

/* ---------------------------------------------------------------- times */

/* say_time: a point in time, in seconds with six decimals: "1.020412 s"; "not known". */
void say_time(struct text *text, ct_time time);

/* say_wall_clock: the same instant as a date: "2026-03-01 14:02:11 UTC". */
void say_wall_clock(struct text *text, const struct ct_tables *tables, ct_time time);

/* say_span: the time between two points: "2.19 s"; "not known". */
void say_span(struct text *text, ct_time from, ct_time until);

/*
 * say_end: whether the trace is complete: "recorded to the end", "goes on", "cut short: its end is missing". The text
 * is constant. say_lacks_its_end: should the trace have an end, but has none?
 */
const char *say_end(const struct ct_tables *tables);
bool say_lacks_its_end(const struct ct_tables *tables);

/* ---------------------------------------------------------------- places */

/*
 * say_function: a function without its parameters and result: "net::Server::on_hangup" for "void
 * net::Server::on_hangup(int)". say_name: a type or another name. Both leave out unnamed namespaces; if the name would
 * take more than 72 bytes, they also leave out the outermost template arguments. JSON has the full names.
 */
void say_function(struct text *text, const char *function);
void say_name(struct text *text, const char *name);

/* say_file: the last three parts of a path, "examples/tcp-server/main.cpp"; of exactly three, "/usr/bin/lua5.4". */
void say_file(struct text *text, const char *path);

/* say_line: file and line, "src/server.cpp:120"; if they are unknown, the module and offset, or the address. */
void say_line(struct text *text, const struct ct_tables *tables, uint32_t site);

/*
 * say_place: what happens at a place, with function and line: "co_await AsyncRead in handle_connection,
 * src/server.cpp:120"; and the functions into which the compiler inlined that function: ", inlined into serve at
 * src/server.cpp:70".
 */
void say_place(struct text *text, const struct ct_tables *tables, uint32_t site);

/*
 * say_finding: the name that identifies a finding in other judgements and other runs: its rule, and the lines of the
 * wait and of the cause: "closed-descriptor@src/server.cpp:205@src/reactor.cpp:200"; if a line is unknown, the part
 * behind its "@" is empty.
 */
void say_finding(struct text *text, const struct ct_tables *tables, const char *rule,
	uint32_t wait_site, uint32_t cause_site);

/* say_site_function: only the site's function. */
void say_site_function(struct text *text, const struct ct_tables *tables, uint32_t site);

enum say_language {
#define X(name, ending, word) SAY_LANGUAGE_##name,
#include "say/languages.def"
#undef X
	SAY_LANGUAGES,
};

/*
 * say_language: the language in which the place is written. If the trace does not record it, the file's name decides.
 */
enum say_language say_language(const struct ct_tables *tables, uint32_t site);

/*
 * say_is_installed: does this file belong to an installed package, or to what comes with the language, and not to the
 * program? As far as the path tells it: packages of Python, Rust and Go have folders of their own, and so has the
 * probe for Python in a tree of sources.
 */
bool say_is_installed(const char *file);

/* say_is_call_of_cpp: does the place stand for a call of C++, and not for a co_await? */
bool say_is_call_of_cpp(const struct ct_tables *tables, uint32_t site);

/* say_peek_site: the site; the reserved site if the index is out of range; never NULL. */
const struct ct_site *say_peek_site(const struct ct_tables *tables, uint32_t site);

/* ---------------------------------------------------------------- coroutines, threads, processes */

/*
 * say_coroutine: "coroutine 3 (consumer)": with the name that the program gave it, or else (NULL, "") with the name of
 * its function, if known.
 */
void say_coroutine(struct text *text, const struct ct_tables *tables, uint64_t id, const char *name,
	uint32_t function_site);

/*
 * say_thread: name and kernel id: "thread worker-1 (4713)". say_thread_name: without the word "thread", for use under a
 * heading. say_thread_of: a thread that need not be in the tables.
 */
void say_thread(struct text *text, const struct ct_tables *tables, uint32_t thread);
void say_thread_name(struct text *text, const struct ct_tables *tables, uint32_t thread);
void say_thread_of(struct text *text, const char *name, uint64_t tid);

/* say_program: the last part of the executable's path, and the process id: "server (pid 4711)". */
void say_program(struct text *text, const struct ct_process *process);

/* say_ending: how a process ended: "ended by SIGSEGV". */
void say_ending(struct text *text, const struct ct_process *process);

/* say_signal: "SIGSEGV". */
void say_signal(struct text *text, int number);

/* ---------------------------------------------------------------- resources and events */

/*
 * say_resource: a resource handle: "lock 0x7f00". say_descriptor: "descriptor 7 (socket, generation 3)"; parts that are
 * 0 are left out.
 */
void say_resource(struct text *text, uint64_t handle);
void say_descriptor(struct text *text, uint32_t fd, unsigned type, uint64_t generation);

/*
 * say_readiness: the flags of poll as words, each after a blank: " readable hung-up". Flags without a word follow as a
 * number.
 */
#define SAY_READINESS 0x3fffu /* the bits above say how the entry is armed */
void say_readiness(struct text *text, unsigned flags);

/*
 * say_kind: what happened: "suspend"; "kind 200" if the kind is unknown. say_event: the rest of the event, without
 * time, thread, coroutine and place: "for descriptor 7 (generation 3)"; may be empty.
 */
void say_kind(struct text *text, unsigned kind);
void say_event(struct text *text, const struct ct_event *event);

/* say_count: a number and its noun: "1 finding", "1,234 events". */
void say_count(struct text *text, uint64_t count, const char *one, const char *many);

/*
 * say_standing_count: the number of events, of lost events (LOST) or of events left out (LEFT_OUT), in the words of
 * every status strip.
 */
void say_standing_count(struct text *text, enum ct_standing_kind kind, uint64_t count);

/* say_mean: an average with about three significant digits: "0.061", "2.25", "64", "1,085". */
void say_mean(struct text *text, double mean);

#endif
