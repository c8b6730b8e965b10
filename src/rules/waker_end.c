/* SPDX-License-Identifier: MIT */
/*
 * How the last waker there ended: an error has stopped it from ending other waits, and is what a reader has to look at.
 * A cancellation is told, but a program may mean it.
 */
#include "analyze/provenance.h"
#include "analyze/resumers.h"
#include "rules/parts.h"

static const struct model_coro *waker_of(
	const struct analysis *analysis, const struct model_coro *coro)
{
	const struct provenance_relay *relay = analyze_provenance_relay(analysis, coro);
	uint32_t index = relay ? relay->last.coro : analyze_resumers_of(analysis, coro);
	const struct model_coro *waker = &analysis->model->coros.at[index];

	return waker != coro ? waker : &analysis->model->coros.at[0];
}

uint32_t rules_waker_end_error(const struct analysis *analysis, const struct model_coro *coro)
{
	return waker_of(analysis, coro)->rare->failed_site;
}

const char *rules_waker_end_words(struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_coro *waker = waker_of(analysis, coro);

	return analyze_say(analysis, "; %s, which ended such a wait last, %s",
		analyze_words_coro(analysis, waker), analyze_words_ended(analysis, waker));
}

void rules_waker_end_tell(
	struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	const struct model_coro *waker = waker_of(analysis, coro);
	uint32_t failed = waker->rare->failed_site;
	struct ct_step step = {
		.time = waker->changed,
		.site = failed ? failed : waker->rare->cancelled_site,
		.thread = waker->thread,
		.coro = waker->id,
		.sequence = UINT64_MAX,
		.text = failed ? "an error ended this coroutine"
			       : "this coroutine was cancelled, and ended",
	};

	if (step.site)
		analyze_story_step(analysis, story, &step);
}
