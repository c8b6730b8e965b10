/* SPDX-License-Identifier: MIT */
/*
 * The small phrases of which reports are made: a place, a point in time, a thread, a coroutine, an event.
 *
 * Text and Markdown share them, so that both say the same in the same words. Each function appends to
 * a text, is safe for a terminal (safe.h), and accepts any index (out of range: "not known"). Nothing
 * here wraps, colours or escapes for Markdown.
 */
#ifndef SAY_SAY_H
#define SAY_SAY_H

#include "base/text.h"
#include "corotracer/ct.h"

/* say_time: a point in time, in seconds with six decimals: "1.020412 s"; "not known". */
void say_time(struct text *text, ct_time time);

/* say_wall_clock: the same instant as a date: "2026-03-01 14:02:11 UTC". */
void say_wall_clock(struct text *text, const struct ct_tables *tables, ct_time time);

/* say_span: the time between two points: "2.19 s"; "not known". */
void say_span(struct text *text, ct_time from, ct_time until);

/*
 * say_function: a function without its parameters and its result: "net::Server::on_hangup" for
 * "void net::Server::on_hangup(int)". say_name: a type or another name. Both leave out template arguments
 * where the name would be long (text_short_name); JSON has all.
 */
void say_function(struct text *text, const char *function);
void say_name(struct text *text, const char *name);

/* say_file: the last three parts of a path: "examples/tcp-server/main.cpp". */
void say_file(struct text *text, const char *path);

/* say_short_line: "main.cpp:88", where columns are scarce; else as say_line. */
void say_short_line(struct text *text, const struct ct_tables *tables, uint32_t site);

/*
 * say_line: file and line, "server.cpp:120"; without them the module and offset, or the address.
 * say_place: function and line: "handle_connection, server.cpp:120", and into which functions the compiler inlined
 * that one: ", inlined into serve at server.cpp:70".
 * say_wait: the same with what it awaits in front: "co_await AsyncRead in handle_connection, ...".
 */
void say_line(struct text *text, const struct ct_tables *tables, uint32_t site);
void say_place(struct text *text, const struct ct_tables *tables, uint32_t site);
void say_wait(struct text *text, const struct ct_tables *tables, uint32_t site);

/* say_site_function: the site's function alone, shortened. */
void say_site_function(struct text *text, const struct ct_tables *tables, uint32_t site);

/* say_thread: name and kernel id: "worker-1 (4713)". */
void say_thread(struct text *text, const struct ct_tables *tables, uint32_t thread);

/*
 * say_in_graph: a coroutine of the await graph: "coroutine 7 waits for lock 0x40, at work, queue.c:12", "coroutine 3
 * runs on worker-1 (4713)".
 */
void say_in_graph(struct text *text, const struct ct_tables *tables, const struct ct_await *await);

/* say_program: the last part of the executable's path, and the process id: "server (pid 4711)". */
void say_program(struct text *text, const struct ct_process *process);

/* say_ending: how a process came to its end: "ended by SIGSEGV (segmentation fault)". */
void say_ending(struct text *text, const struct ct_process *process);

/* say_signal: "SIGSEGV". */
void say_signal(struct text *text, int number);

/* say_resource: a resource handle: "descriptor 7 (generation 3)". */
void say_resource(struct text *text, uint64_t handle);

/*
 * say_kind: what happened: "suspend"; "kind 200" for one that is not known. say_event: the rest of
 * it, without time, thread, coroutine and place: "for descriptor 7 (generation 3)"; may be nothing.
 */
void say_kind(struct text *text, unsigned kind);
void say_event(struct text *text, const struct ct_event *event);

/* say_count: a number and its noun: "1 finding", "1,234 events". */
void say_count(struct text *text, uint64_t count, const char *one, const char *many);

/* say_mean: how many in the mean: about three digits that count: "0.061", "2.25", "64", "1,085". */
void say_mean(struct text *text, double mean);

/* say_ending_name: the key that JSON uses. */
const char *say_ending_name(enum ct_ending ending);

/* say_peek_site: the site, or the reserved one where the index is out of range; never NULL. */
const struct ct_site *say_peek_site(const struct ct_tables *tables, uint32_t site);

#endif
