/* SPDX-License-Identifier: MIT */
/*
 * Early wakes: another thread has woken the coroutine while it still ran, just before it suspended, and this wake has
 * had no run since. A coroutine that enters a queue before it suspends must find such a wake then.
 */
#include "rules/parts.h"

/* A wake and a suspension that race lie close together. */
#define RACE_NS INT64_C(10000000)

static bool is_early(const struct model_coro *coro)
{
	struct model_waking wake = model_wake_last(coro);

	return model_is_awaiting(coro) && wake.time != CT_NO_TIME &&
	       wake.outcome == CTP_OUTCOME_QUEUED && coro->resumed != CT_NO_TIME &&
	       wake.time > coro->resumed && wake.time < coro->suspended &&
	       coro->suspended - wake.time < RACE_NS && wake.thread != coro->thread;
}

/* "; so were 2 of 3 others that wait there"; "" if none was. */
static const char *words_others(struct analysis *analysis, uint32_t nr_early, uint32_t nr_others)
{
	if (!nr_early)
		return "";
	if (nr_others == 1)
		return "; so was the other one that waits there";
	return analyze_say(analysis, "; so %s %s %s others that wait there",
		nr_early == 1 ? "was" : "were",
		nr_early == nr_others
			? "all"
			: analyze_say(analysis, "%s of", analyze_words_number(analysis, nr_early)),
		analyze_words_number(analysis, nr_others));
}

void rules_early_wake_tell(struct analysis *analysis, const struct model_coro *coro,
	struct story *story, struct ct_finding *finding)
{
	const struct model *model = analysis->model;
	struct model_waking wake = model_wake_last(coro);
	uint32_t nr_early = 0, nr_others = 0, i;

	if (!is_early(coro))
		return;
	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *other = &model->coros.at[i];

		if (other == coro || other->process != coro->process ||
			other->wait_site != coro->wait_site || other->state != CT_STATE_WAITING)
			continue;
		nr_others++;
		nr_early += is_early(other);
	}
	analyze_story_evidence(analysis, story,
		"%s was woken %s before it suspended, while it still ran, by another thread, at "
		"%s, and has not run since%s",
		analyze_words_coro(analysis, coro),
		analyze_words_duration(analysis, coro->suspended - wake.time),
		analyze_words_place(analysis, wake.site),
		words_others(analysis, nr_early, nr_others));
	finding->next_step = "look at what a coroutine, or its worker, stores between its entry "
			     "into the queue of those that wait and its suspension: if that "
			     "overwrites what a wake has just stored, the wake is lost";
}
