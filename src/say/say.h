/* SPDX-License-Identifier: MIT */
/*
 * How things are named: places, coroutines, threads, processes, resources, points in time, events.
 *
 * Each thing has one spelling, which the title of a finding, a step of its chain and the cell of a table take from
 * here. Each function appends to a text, is safe for a terminal (safe.h), and accepts any index (out of range: "not
 * known"). All words come from the tables that are handed in; no model, rule or report is known. Nothing here
 * wraps, colours or escapes for Markdown.
 */
#ifndef SAY_SAY_H
#define SAY_SAY_H

#include <stdbool.h>

#include "base/text.h"
#include "corotracer/event.h"
#include "corotracer/standing.h"

#define SAY_NOT_KNOWN "not known"

/* ---------------------------------------------------------------- when */

/* say_time: a point in time, in seconds with six decimals: "1.020412 s"; "not known". */
void say_time(struct text *text, ct_time time);

/* say_wall_clock: the same instant as a date: "2026-03-01 14:02:11 UTC". */
void say_wall_clock(struct text *text, const struct ct_tables *tables, ct_time time);

/* say_span: the time between two points: "2.19 s"; "not known". */
void say_span(struct text *text, ct_time from, ct_time until);

/*
 * say_end: whether the trace has its end: "with its end", "goes on", "cut short: its end is missing". The text is
 * constant. say_lacks_its_end: should it have one, and has none?
 */
const char *say_end(const struct ct_tables *tables);
bool say_lacks_its_end(const struct ct_tables *tables);

/* ---------------------------------------------------------------- where */

/*
 * say_function: a function without its parameters and its result: "net::Server::on_hangup" for
 * "void net::Server::on_hangup(int)". say_name: a type or another name. Both leave out unnamed namespaces, and the
 * outermost template arguments where the name would take more than 72 bytes; JSON has all.
 */
void say_function(struct text *text, const char *function);
void say_name(struct text *text, const char *name);

/* say_file: the last three parts of a path: "examples/tcp-server/main.cpp". */
void say_file(struct text *text, const char *path);

/* say_line: file and line, "src/server.cpp:120"; without them the module and offset, or the address. */
void say_line(struct text *text, const struct ct_tables *tables, uint32_t site);

/*
 * say_place: what happens there, function and line: "co_await AsyncRead in handle_connection, src/server.cpp:120"; and
 * into which functions the compiler inlined that one: ", inlined into serve at src/server.cpp:70".
 */
void say_place(struct text *text, const struct ct_tables *tables, uint32_t site);

/*
 * say_finding: what a finding is known by in other judgements, and other runs: its rule, and the lines of the wait and
 * of the cause: "closed-descriptor@src/server.cpp:205@src/reactor.cpp:200"; nothing is behind an "@" where there is
 * none.
 */
void say_finding(struct text *text, const struct ct_tables *tables, const char *rule,
	uint32_t wait_site, uint32_t cause_site);

/* say_site_function: the site's function alone. */
void say_site_function(struct text *text, const struct ct_tables *tables, uint32_t site);

enum say_language {
#define X(name, ending, word) SAY_LANGUAGE_##name,
#include "say/languages.def"
#undef X
	SAY_LANGUAGES,
};

/* say_language: that in which the place is written. Where the trace does not know, the file's name decides. */
enum say_language say_language(const struct ct_tables *tables, uint32_t site);

/* say_peek_site: the site, or the reserved one where the index is out of range; never NULL. */
const struct ct_site *say_peek_site(const struct ct_tables *tables, uint32_t site);

/* ---------------------------------------------------------------- who */

/*
 * say_coroutine: with the name that the program gave it, or else (NULL, "") its function's, where that is known:
 * "coroutine 3 (consumer)".
 */
void say_coroutine(struct text *text, const struct ct_tables *tables, uint64_t id, const char *name,
	uint32_t function_site);

/*
 * say_thread: name and kernel id: "thread worker-1 (4713)". say_thread_name: the same where a heading says already
 * that it is a thread. say_thread_of: one that need not be in the tables.
 */
void say_thread(struct text *text, const struct ct_tables *tables, uint32_t thread);
void say_thread_name(struct text *text, const struct ct_tables *tables, uint32_t thread);
void say_thread_of(struct text *text, const char *name, uint64_t tid);

/* say_program: the last part of the executable's path, and the process id: "server (pid 4711)". */
void say_program(struct text *text, const struct ct_process *process);

/* say_ending: how a process came to its end: "ended by SIGSEGV". */
void say_ending(struct text *text, const struct ct_process *process);

/* say_signal: "SIGSEGV". */
void say_signal(struct text *text, int number);

/* ---------------------------------------------------------------- what */

/*
 * say_resource: a resource handle: "lock 0x7f00". say_descriptor: "descriptor 7 (socket, generation 3)", without what
 * is 0.
 */
void say_resource(struct text *text, uint64_t handle);
void say_descriptor(struct text *text, uint32_t fd, unsigned type, uint64_t generation);

/*
 * say_readiness: " readable hung-up", for the flags of poll; each word with a blank before it. Flags that have no word
 * are told as a number behind the others.
 */
#define SAY_READINESS 0x3fffu /* above these stands how it is armed */
void say_readiness(struct text *text, unsigned flags);

/*
 * say_kind: what happened: "suspend"; "kind 200" for one that is not known. say_event: the rest of
 * it, without time, thread, coroutine and place: "for descriptor 7 (generation 3)"; may be nothing.
 */
void say_kind(struct text *text, unsigned kind);
void say_event(struct text *text, const struct ct_event *event);

/* say_count: a number and its noun: "1 finding", "1,234 events". */
void say_count(struct text *text, uint64_t count, const char *one, const char *many);

/* say_standing_count: the events, the lost ones (LOST) or those left out (LEFT_OUT), as every strip has them. */
void say_standing_count(struct text *text, enum ct_standing_kind kind, uint64_t count);

/* say_mean: how many in the mean: about three digits that count: "0.061", "2.25", "64", "1,085". */
void say_mean(struct text *text, double mean);

#endif
