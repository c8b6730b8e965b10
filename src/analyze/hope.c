/* SPDX-License-Identifier: MIT */
/*
 * Proofs that nothing can wake a coroutine, and the threads that could.
 */
#include <inttypes.h>

#include "analyze/hope.h"
#include "analyze/stillness.h"

#define FREE_THREADS_NAMED 4u

/* ---------------------------------------------------------------- proofs */

/* Does a finding of this rule prove that nothing can make its members go on? */
static bool is_for_ever(enum ct_rule rule)
{
	return rule == CT_RULE_CLOSED_DESCRIPTOR || rule == CT_RULE_MUTEX_DEADLOCK ||
	       rule == CT_RULE_AWAIT_CYCLE || rule == CT_RULE_LOST_WAKEUP;
}

static bool is_member(const struct ct_finding *finding, uint32_t process, uint64_t coro)
{
	uint32_t i;

	for (i = 0; i < finding->nr_members && finding->process == process; i++)
		if (finding->members[i].coro.id == coro)
			return true;
	return false;
}

const char *analyze_hope_ended_by(const struct ct_report *report, uint32_t process, uint64_t coro)
{
	uint32_t i;

	for (i = 0; i < report->nr_findings; i++) {
		const struct ct_finding *finding = &report->findings[i];

		if (finding->grade == CT_GRADE_PROVEN && is_for_ever(finding->rule) &&
			is_member(finding, process, coro))
			return ct_rule_name(finding->rule);
	}
	return NULL;
}

/* ---------------------------------------------------------------- threads */

const char *analyze_hope_threads(struct analysis *analysis, uint32_t process)
{
	const struct model *model = analysis->model;
	const char *names = "";
	uint32_t count = 0, i;

	for (i = 1; i < model->nr_threads; i++) {
		const struct model_thread *thread = &model->threads[i];

		if (thread->process != process || thread->seen == CT_NO_TIME ||
			thread->seen_untimed || thread->stopped != CT_NO_TIME)
			continue;
		if (count++ < FREE_THREADS_NAMED)
			names = analyze_say(analysis, "%s%s%s%s%s", names, count == 1 ? ": " : ", ",
				analyze_words_thread(analysis, i),
				thread->seen_system_call == MODEL_NO_CALL ? "" : " in ",
				thread->seen_system_call == MODEL_NO_CALL
					? ""
					: analyze_words_system_call(
						  analysis, thread->seen_system_call));
	}
	if (count > FREE_THREADS_NAMED)
		names = analyze_say(
			analysis, "%s and %" PRIu32 " more", names, count - FREE_THREADS_NAMED);
	return names;
}

static bool tells_of_itself(const struct analysis *analysis, uint32_t process, uint32_t index)
{
	const struct model_thread *thread = &analysis->model->threads[index];

	return thread->process == process &&
	       !thread_is_over(thread, analysis->parties[process].end) &&
	       (thread->is_parked || thread->is_blocked_last);
}

const char *analyze_hope_unseen_threads(struct analysis *analysis, uint32_t process)
{
	const char *words = "";
	uint32_t count = 0, i;

	for (i = 1; i < analysis->model->nr_threads && count < FREE_THREADS_NAMED; i++) {
		if (!tells_of_itself(analysis, process, i))
			continue;
		words = analyze_say(analysis, "%s%s%s is %s", words, count++ ? ", " : "",
			analyze_words_thread(analysis, i),
			analyze_stillness_words_thread(analysis, i));
	}
	if (!count && analysis->live && analysis->live->seen)
		return "it could be woken by a thread of the program: what each does stands below";
	if (!count)
		return "it could be woken by threads, but what they do at the end is not known";
	return analyze_say(analysis,
		"it could be woken by threads: %s, and what any others do at the end is not known",
		words);
}
