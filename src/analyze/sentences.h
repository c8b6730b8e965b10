/* SPDX-License-Identifier: MIT */
/*
 * What findings say: sentences and names in the report's arena. A part of parts.h.
 */
#ifndef ANALYZE_SENTENCES_H
#define ANALYZE_SENTENCES_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "analyze/reason.h"
#include "model/model.h"

struct analysis;
struct group;

/* analyze_say, analyze_say_list: a sentence in the report's arena; "" where memory has run out. */
const char *analyze_say(struct analysis *analysis, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
const char *analyze_say_list(struct analysis *analysis, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/*
 * analyze_words_is_outside: where an event of this thread names no coroutine, is it known that none ran? Not where
 * coroutines begin or end without telling.
 */
bool analyze_words_is_outside(const struct analysis *analysis, uint32_t thread);
const char *analyze_words_reason(enum reason reason);
/*
 * analyze_words_place: as say_place has it. analyze_words_awaited: what is awaited there, as the program has it:
 * "Reply".
 */
const char *analyze_words_place(struct analysis *analysis, uint32_t site);
const char *analyze_words_awaited(struct analysis *analysis, uint32_t site);
/* analyze_words_resource: "descriptor 7 (generation 3)", "lock 0x7f00". */
const char *analyze_words_resource(struct analysis *analysis, uint64_t handle, uint32_t descriptor);
/* analyze_words_named: the same, with what the program calls it: "channel 0x7f00 (replies)". */
const char *analyze_words_named(
	struct analysis *analysis, uint32_t process, uint64_t handle, uint32_t descriptor);
/*
 * analyze_words_wait: what it waits for, or waited for last; a frame by the coroutine that lies there, where that is
 * known.
 */
const char *analyze_words_wait(struct analysis *analysis, const struct model_coro *coro);
/* analyze_words_coro: "coroutine 3 (consumer)". */
const char *analyze_words_coro(struct analysis *analysis, const struct model_coro *coro);
/* analyze_words_system_call: "epoll_wait"; "system call 999" where no name is known. */
const char *analyze_words_system_call(struct analysis *analysis, uint32_t call);
/* analyze_words_thread: "thread worker-1 (1234)". */
const char *analyze_words_thread(struct analysis *analysis, uint32_t thread);
/* analyze_words_thread_of: one that need not be in the tables. */
const char *analyze_words_thread_of(struct analysis *analysis, const char *name, uint64_t tid);
/*
 * analyze_words_count: "1 coroutine waits", "47 of 50 coroutines wait": of peers only where there are more. "waited"
 * of those that are gone; a group has only such, or none.
 */
const char *analyze_words_count(struct analysis *analysis, const struct group *group);
/* analyze_words_number: "100,000"; of what is counted, not of ids. */
const char *analyze_words_number(struct analysis *analysis, uint64_t number);
const char *analyze_words_duration(struct analysis *analysis, int64_t ns);
/* analyze_words_readiness: " readable hung-up", for the flags of poll; each with a blank before it. */
const char *analyze_words_readiness(struct analysis *analysis, unsigned flags);
/* analyze_words_signal: "SIGSEGV". */
const char *analyze_words_signal(struct analysis *analysis, int number);

/* analyze_words_change: what was done to the object last: "notify, which found nobody". */
const char *analyze_words_change(struct analysis *analysis, const struct model_object *object);

/* analyze_words_task: what the coroutine works for: "request 4711"; "": nothing that is known. */
const char *analyze_words_task(struct analysis *analysis, uint32_t coro);

/* analyze_words_site: the name that the program gave at this site; "": none. */
const char *analyze_words_site(const struct analysis *analysis, uint32_t site);

/* analyze_words_annotation: what the program said; `message`: what details of the event tell. "": nothing. */
const char *analyze_words_annotation(
	struct analysis *analysis, const struct ct_event *event, const char *message);

#endif
