/* SPDX-License-Identifier: MIT */
/*
 * The language of findings: sentences and names in the report's arena. A part of parts.h.
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

/* analyze_say, analyze_say_list: format a sentence in the report's arena; return "" if memory has run out. */
const char *analyze_say(struct analysis *analysis, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
const char *analyze_say_list(struct analysis *analysis, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/*
 * analyze_words_is_outside: if an event of this thread names no coroutine, is it certain that none ran on the thread?
 * False if the process does not record the beginnings or ends of coroutines.
 */
bool analyze_words_is_outside(const struct analysis *analysis, uint32_t thread);
const char *analyze_words_reason(enum reason reason);
/*
 * analyze_words_place: names a place as say_place does. analyze_words_awaited: names what is awaited there, as the
 * program does: "Reply".
 */
const char *analyze_words_place(struct analysis *analysis, uint32_t site);
const char *analyze_words_awaited(struct analysis *analysis, uint32_t site);
/* analyze_words_resource: "descriptor 7 (generation 3)", "lock 0x7f00". */
const char *analyze_words_resource(struct analysis *analysis, uint64_t handle, uint32_t descriptor);
/* analyze_words_descriptor: the same of a descriptor of the model: "descriptor 7 (socket, generation 3)". */
const char *analyze_words_descriptor(
	struct analysis *analysis, const struct model_descriptor *descriptor);
/* analyze_words_named: the same, with the program's name for it: "channel 0x7f00 (replies)". */
const char *analyze_words_named(
	struct analysis *analysis, uint32_t process, uint64_t handle, uint32_t descriptor);
/*
 * analyze_words_wait: names what the coroutine waits for, or waited for last. A coroutine frame is named by its
 * coroutine, if known.
 */
const char *analyze_words_wait(struct analysis *analysis, const struct model_coro *coro);
/*
 * analyze_words_coro: "coroutine 3 (consumer)". analyze_words_coros: the same of at least one, by index: "coroutine 3
 * (consumer), coroutine 5 and coroutine 7". analyze_words_since: "coroutine 3 waits since 0.004000 s, at pop,
 * queue.c:9".
 */
const char *analyze_words_coro(struct analysis *analysis, const struct model_coro *coro);
const char *analyze_words_coros(struct analysis *analysis, const uint32_t *at, unsigned count);
const char *analyze_words_since(struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_words_ended: "has ended" of a coroutine that has, "has failed, at consume, app.py:5", or "was cancelled, at"
 * the place. analyze_words_how_ended: "ended", "failed" or "was cancelled"; the coroutine's record may be gone.
 */
const char *analyze_words_ended(struct analysis *analysis, const struct model_coro *coro);
const char *analyze_words_how_ended(const struct analysis *analysis, uint32_t process, uint64_t id);
/* analyze_words_system_call: "epoll_wait"; "system call 999" where no name is known. */
const char *analyze_words_system_call(struct analysis *analysis, uint32_t call);
/* analyze_words_thread: "thread worker-1 (1234)". */
const char *analyze_words_thread(struct analysis *analysis, uint32_t thread);
/* analyze_words_thread_of: the same for a thread that may not be in the tables. */
const char *analyze_words_thread_of(struct analysis *analysis, const char *name, uint64_t tid);
/*
 * analyze_words_count: "1 coroutine waits", "47 of 50 coroutines wait"; the number of peers is given only if it is
 * larger. "waited" if the coroutines of the group are gone; either all of them are, or none.
 */
const char *analyze_words_count(struct analysis *analysis, const struct group *group);
/* analyze_words_behind: "; 2 more wait behind them", for those that wait for members; "" if nobody does. */
const char *analyze_words_behind(struct analysis *analysis, const struct group *group);
/* analyze_words_number: "100,000"; for counts, not for ids. */
const char *analyze_words_number(struct analysis *analysis, uint64_t number);
const char *analyze_words_duration(struct analysis *analysis, int64_t ns);
const char *analyze_words_time(struct analysis *analysis, ct_time time);
/* analyze_words_readiness: " readable hung-up" for the flags of poll, each with a blank before it. */
const char *analyze_words_readiness(struct analysis *analysis, unsigned flags);
/* analyze_words_signal: "SIGSEGV". */
const char *analyze_words_signal(struct analysis *analysis, int number);

/* analyze_words_change: names the last change of the object: "notify, which found nobody". */
const char *analyze_words_change(struct analysis *analysis, const struct model_object *object);

/* analyze_words_task: names the task that the coroutine works for: "request 4711"; "" if none is known. */
const char *analyze_words_task(struct analysis *analysis, uint32_t coro);

/* analyze_words_site: returns the name that the program gave at this site; "": none. */
const char *analyze_words_site(const struct analysis *analysis, uint32_t site);

/* analyze_words_annotation: returns the text of an annotation; `message`: the text from its details. "": none. */
const char *analyze_words_annotation(
	struct analysis *analysis, const struct ct_event *event, const char *message);

#endif
