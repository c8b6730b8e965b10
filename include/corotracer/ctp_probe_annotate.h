/* SPDX-License-Identifier: MIT */
/*
 * Annotations, by which a program describes itself: tasks, regions, messages, counters, names, marks. A part of
 * ctp_probe.h: include that.
 *
 * `coro` is the coroutine that an annotation belongs to. 0: the coroutine that runs on this thread, as far as the
 * thread's events show, or else the thread itself. `site` is the annotation's name and place, and comes from CTP_SITE
 * or ctp_intern; texts are interned once, and never copied with an event. Annotations are events like any other:
 * async-signal-safe, and errno is left alone; while the program is not traced the functions do nothing. An annotation
 * of a category that the engine has switched off (def/categories.def) costs one more load and branch.
 */
#ifndef COROTRACER_CTP_PROBE_ANNOTATE_H
#define COROTRACER_CTP_PROBE_ANNOTATE_H

#include "corotracer/ctp_probe.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * ctp_intern: returns a text as a site without a place, for names that are made at run time. The text is cut after
 * 1,024 bytes; `bytes` 0: the text ends with NUL. Each call takes one of the 65,536 site numbers of a process, so keep
 * the result. Returns 0 if not attached, or if there is no room.
 */
CTP_INLINE uint32_t ctp_intern(const char *text, uint32_t bytes)
{
	struct ctp_site_source source = {CTP_SITE_NAME, 0, 0, bytes, NULL, NULL, text, 0};

	return ctp_is_attached() ? ctp_site_remember(NULL, 0, NULL, &source) : 0;
}

/*
 * Tasks: what a program works for, such as a request, across coroutines and threads. A task is identified by a number
 * other than 0, which no other task of the process has during the task's life: a number of the program's own, or one
 * that ctp_task_new returned. A coroutine keeps its task when it changes threads, and passes the task on to the
 * coroutines that it creates.
 */
/* ctp_task_new: returns a number that no other task of this process has had or will have; 0 if there is no segment. */
CTP_INLINE uint64_t ctp_task_new(void)
{
	return ctp_coro_new();
}

/* ctp_task_begin: the task begins, and `coro` works for it from here on. */
CTP_INLINE void ctp_task_begin(uint64_t coro, uint64_t task, uint32_t site)
{
	ctp_emit_of(CTP_CATEGORY_TASKS, coro, task, CTP_TAIL(site, CTP_KIND_TASK_BEGIN, 0, 0));
}

/*
 * ctp_task_end: the task has ended; may be called on any thread. Coroutines that worked for the task work for none from
 * here on.
 */
CTP_INLINE void ctp_task_end(uint64_t coro, uint64_t task)
{
	ctp_emit_of(CTP_CATEGORY_TASKS, coro, task, CTP_TAIL(0, CTP_KIND_TASK_END, 0, 0));
}

/* ctp_task_set: `coro` works for this task from here on; 0: for no task. The call neither begins nor ends the task. */
CTP_INLINE void ctp_task_set(uint64_t coro, uint64_t task)
{
	ctp_emit_of(CTP_CATEGORY_TASKS, coro, task, CTP_TAIL(0, CTP_KIND_TASK_SET, 0, 0));
}

/*
 * Regions: named pieces of work, from begin to end, of a coroutine on whatever threads it runs, or of a thread. Regions
 * nest.
 */
/*
 * ctp_region_begin: a region with the site's name begins; `task` 0: the region belongs to the present task.
 * ctp_region_end: closes the innermost region with the site's name, and the regions that are open inside it.
 */
CTP_INLINE void ctp_region_begin(uint64_t coro, uint64_t task, uint32_t site)
{
	ctp_emit_of(CTP_CATEGORY_REGIONS, coro, task, CTP_TAIL(site, CTP_KIND_REGION_BEGIN, 0, 0));
}

CTP_INLINE void ctp_region_end(uint64_t coro, uint32_t site)
{
	ctp_emit_of(CTP_CATEGORY_REGIONS, coro, 0, CTP_TAIL(site, CTP_KIND_REGION_END, 0, 0));
}

/* ctp_log: writes a message; its text is the site's. */
CTP_INLINE void ctp_log(uint64_t coro, uint32_t site)
{
	ctp_emit_of(CTP_CATEGORY_LOGS, coro, 0, CTP_TAIL(site, CTP_KIND_LOG, 0, 0));
}

/* ctp_log_number: writes a message with a number, which replaces {} in the text, or else is shown after the text. */
CTP_INLINE void ctp_log_number(uint64_t coro, int64_t number, uint32_t site)
{
	ctp_emit_of(CTP_CATEGORY_LOGS, coro, (uint64_t)number,
		CTP_TAIL(site, CTP_KIND_LOG, 0, CTP_LOG_HAS_NUMBER));
}

/* Returns the first eight bytes of a text as one word, the first byte lowest; bytes after the text's end are 0. */
CTP_INLINE uint64_t ctp_text_word(const char *text, uint32_t bytes)
{
	uint64_t word = 0;
	uint32_t i;

	for (i = 0; i < bytes && i < CTP_TEXT_DETAIL_BYTES; i++)
		word |= (uint64_t)(unsigned char)text[i] << (8 * i);
	return word;
}

/*
 * ctp_log_text: writes a message with a text that is made at run time, which replaces {} in the site's text, or else is
 * shown after that text. The text is cut after CTP_LOG_TEXT_MAX bytes, and costs one record for each eight bytes.
 */
CTP_INLINE void ctp_log_text(uint64_t coro, const char *text, size_t bytes, uint32_t site)
{
	uint32_t pass = ctp_present_pass();
	uint32_t length = bytes < CTP_LOG_TEXT_MAX ? (uint32_t)bytes : CTP_LOG_TEXT_MAX;
	uint32_t begin = 0;
	struct ctp_thread *thread;
	uint64_t time;

	if (pass == 0 || ctp_is_unwanted(CTP_CATEGORY_LOGS))
		return;
	thread = ctp_thread_self();
	if (CTP_UNLIKELY(!ctp_enter(thread)))
		return;
	time = ctp_time(CTP_PASS_CLOCK(pass));
	if (ctp_has_room(thread, pass, time)) {
		ctp_publish(thread, time, coro, 0,
			CTP_TAIL(site, CTP_KIND_LOG, 0, CTP_LOG_TEXT(length)));
		for (; begin < length && ctp_has_room(thread, pass, time);
			begin += CTP_TEXT_DETAIL_BYTES)
			ctp_publish(thread, time, coro, ctp_text_word(text + begin, length - begin),
				CTP_TAIL(0, CTP_KIND_DETAIL, CTP_DETAIL_TEXT, 0));
	}
	ctp_finish(thread);
}

/* ctp_counter: a quantity of the program, named by the site, has this value from here on. */
CTP_INLINE void ctp_counter(int64_t value, uint32_t site)
{
	ctp_emit_of(
		CTP_CATEGORY_COUNTERS, 0, (uint64_t)value, CTP_TAIL(site, CTP_KIND_COUNTER, 0, 0));
}

/*
 * ctp_name_coro, ctp_name_thread, ctp_name_resource: give a coroutine, the calling thread, or a resource the name of
 * the site. The last name that was given counts.
 */
CTP_INLINE void ctp_name_coro(uint64_t coro, uint32_t site)
{
	ctp_emit(0, CTP_HANDLE(CTP_RESOURCE_COROUTINE, coro), CTP_TAIL(site, CTP_KIND_NAME, 0, 0));
}

CTP_INLINE void ctp_name_thread(uint32_t site)
{
	ctp_emit(0, 0, CTP_TAIL(site, CTP_KIND_NAME, 0, 0));
}

CTP_INLINE void ctp_name_resource(uint64_t resource, uint32_t site)
{
	ctp_emit(0, resource, CTP_TAIL(site, CTP_KIND_NAME, 0, 0));
}

/* ctp_mark: marks a coroutine, or the program itself (def/marks.def). */
CTP_INLINE void ctp_mark(uint64_t coro, enum ctp_mark mark, uint64_t value, uint32_t site)
{
	ctp_emit(coro, value, CTP_TAIL(site, CTP_KIND_MARK, mark, 0));
}

/* ctp_daemon: `coro` is meant to live as long as the process. ctp_expect_idle: `coro` may wait without end. */
CTP_INLINE void ctp_daemon(uint64_t coro)
{
	ctp_mark(coro, CTP_MARK_DAEMON, 0, 0);
}

CTP_INLINE void ctp_expect_idle(uint64_t coro)
{
	ctp_mark(coro, CTP_MARK_EXPECT_IDLE, 0, 0);
}

/* ctp_start, ctp_stop: the program wants recording from here on, or no longer wants it. */
CTP_INLINE void ctp_start(void)
{
	ctp_mark(0, CTP_MARK_START, 0, 0);
}

CTP_INLINE void ctp_stop(void)
{
	ctp_mark(0, CTP_MARK_STOP, 0, 0);
}

/* ctp_phase("name"): a phase of the program begins. ctp_dump("why"): the program asks for a dump of the past. */
#define ctp_phase(name) ctp_mark(0, CTP_MARK_PHASE, 0, CTP_SITE(name))
#define ctp_dump(why) ctp_mark(0, CTP_MARK_DUMP, 0, CTP_SITE(why))

#ifdef __cplusplus
}
#endif

#endif
