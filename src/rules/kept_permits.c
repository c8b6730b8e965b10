/* SPDX-License-Identifier: MIT */
/*
 * Permits of a semaphore that coroutines kept beyond their end, where all others gave theirs back, and no living
 * coroutine has one: nobody is left who would give one back.
 */
#include <inttypes.h>

#include "rules/parts.h"

static const struct model_permits *permits_of(
	const struct analysis *analysis, const struct model_coro *coro)
{
	return &analyze_ties_object(analysis, coro)->permits;
}

static bool are_kept(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_permits *permits = permits_of(analysis, coro);

	return permits->nr_kept && permits->nr_returned && !permits->is_signal &&
	       CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_SEMAPHORE;
}

bool rules_kept_permits_are_all(const struct analysis *analysis, const struct model_coro *coro)
{
	return are_kept(analysis, coro) && !permits_of(analysis, coro)->nr_out &&
	       analyze_waited_ns(analysis, coro) > LIMIT(analysis, NOTIFIED_TIME);
}

uint32_t rules_kept_permits_site(const struct analysis *analysis, const struct model_coro *coro)
{
	return permits_of(analysis, coro)->kept.site;
}

const char *rules_kept_permits_words(struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_say(analysis, "; the last of these took it at %s",
		analyze_words_place(analysis, permits_of(analysis, coro)->kept.site));
}

void rules_kept_permits_tell(
	struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	const struct model_permits *permits = permits_of(analysis, coro);
	struct ct_step step = {
		.time = permits->kept.time,
		.site = permits->kept.site,
		.thread = permits->kept.thread,
		.coro = permits->kept_by,
		.sequence = permits->kept.sequence,
	};

	if (!are_kept(analysis, coro))
		return;
	step.text = analyze_say(analysis,
		"this coroutine ended with what it had taken here, and has not given it back; "
		"%" PRIu32 " %s kept so, %" PRIu32 " %s given back by %s",
		permits->nr_kept, permits->nr_kept == 1 ? "permit is" : "permits are",
		permits->nr_returned, permits->nr_returned == 1 ? "was" : "were",
		permits->nr_returned == 1 ? "its taker" : "their takers");
	analyze_story_step(analysis, story, &step);
}
