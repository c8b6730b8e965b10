/* SPDX-License-Identifier: MIT */
/*
 * Stopped clocks, by the times of waits at each place, and the threads that ended them.
 */

#include "analyze/parts.h"
#include "analyze/stopped_clock.h"
#include "analyze/waking_threads.h"
#include "base/system_calls.h"

#define LEAST_WAITS 20u
#define TIMES_THE_LATEST 4

/* Does it sleep as one does that waits until the next timer is due? */
static bool sleeps_for_a_time(const struct model_thread *thread, ct_time since)
{
	return thread->seen != CT_NO_TIME && thread->seen > since && thread->seen_state == 'S' &&
	       !thread->seen_untimed &&
	       (thread->seen_system_call == SYSTEM_CALL_futex ||
		       thread->seen_system_call == SYSTEM_CALL_nanosleep ||
		       thread->seen_system_call == SYSTEM_CALL_clock_nanosleep);
}

/* How long four of ten waits at the place took: a tenth took less, and half took more, as some do that are late. */
struct usual {
	int64_t least_ns, most_ns;
};

static bool has_usual(
	const struct analysis *analysis, const struct model_coro *coro, struct usual *ret_usual)
{
	const struct histogram *waits = model_waits_at(analysis->model, coro->wait_site);
	int64_t waited_ns = analyze_waited_ns(analysis, coro);

	if (waits->count < LEAST_WAITS || (uint64_t)waited_ns / TIMES_THE_LATEST <= waits->max)
		return false;
	ret_usual->least_ns = (int64_t)histogram_at(waits, 0.1);
	ret_usual->most_ns = (int64_t)histogram_at(waits, 0.5);
	return ret_usual->most_ns < waited_ns / TIMES_LONGER &&
	       ret_usual->most_ns <= ret_usual->least_ns + ret_usual->least_ns / 2;
}

bool analyze_stopped_clock_is(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_thread *thread;
	struct usual usual;
	uint32_t index;
	ct_time due;

	if (coro->point != CTP_POINT_AWAIT || coro->wait_object || coro->rare->descriptor ||
		coro->rare->deadline != CT_NO_TIME || !has_usual(analysis, coro, &usual))
		return false;
	due = coro->suspended + usual.most_ns * TIMES_LONGER;
	index = analyze_waking_threads_clock(analysis, coro);
	thread = &analysis->model->threads[index];
	return index && sleeps_for_a_time(thread, due);
}

void analyze_stopped_clock_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	uint32_t thread = analyze_waking_threads_clock(analysis, coro);
	bool goes_on = analysis->model->threads[thread].last_event > coro->suspended;
	struct usual usual;

	if (!thread || !has_usual(analysis, coro, &usual))
		return;
	analyze_story_evidence(analysis, story,
		"waits there usually took %s; %s, which ended all of them, as it did at another "
		"place, %s",
		analyze_words_duration(analysis, usual.most_ns),
		analyze_words_thread(analysis, thread),
		goes_on ? "has woken others since"
			: analyze_say(analysis, "is %s",
				  analyze_stillness_words_thread(analysis, thread)));
}
