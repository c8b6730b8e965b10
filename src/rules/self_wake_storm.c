/* SPDX-License-Identifier: MIT */
/*
 * Storms: a coroutine makes itself ready, looks, and waits again, thousands of times a second, and does
 * nothing else that the trace could tell of, for a tenth of a second at least.
 *
 * Silent for voluntary yields, and where anything comes in between: a lock, a transfer, a child, a wake of
 * another.
 */
#include <inttypes.h>

#include "rules/parts.h"

static int64_t rate_of(const struct model_streak *streak)
{
	int64_t lasted = streak->longest_last - streak->longest_first;

	return (int64_t)((double)streak->longest * 1e9 / (double)(lasted > 0 ? lasted : 1));
}

static bool is_storm(const struct analysis *analysis, const struct model_streak *streak)
{
	const struct model_coro *coro = &analysis->model->coros.at[streak->coro];

	return streak->longest >= (uint64_t)LIMIT(analysis, STORM_WAKES) &&
	       rate_of(streak) >= LIMIT(analysis, STORM_RATE) &&
	       streak->longest_last - streak->longest_first >= LIMIT(analysis, STORM_TIME) &&
	       streak->nr_self_wakes * 2 > coro->nr_wakes &&
	       analyze_party_is_at_work(
		       analysis, coro->process, streak->longest_first, streak->longest_last);
}

static void judge(struct analysis *analysis, uint32_t index)
{
	const struct model_streak *streak = &analysis->model->streaks.at[index];
	struct candidate candidate = {
		.rule = CT_RULE_SELF_WAKE_STORM,
		.grade = CT_GRADE_LIKELY,
		.process = analysis->model->coros.at[streak->coro].process,
		.coro = streak->coro,
		.wait_site = streak->wait_site,
		.cause_site = streak->site,
		.subject = index,
		.since = streak->longest_first,
	};

	analyze_candidate_lower_for_gaps(
		analysis, &candidate, streak->longest_first, streak->longest_last);
	analyze_candidate_add(analysis, &candidate);
}

static bool is_livelock(const struct analysis *analysis, uint32_t coro)
{
	return analyze_candidate_is_there(
		analysis, CT_RULE_LIVELOCK, analysis->model->coros.at[coro].process, coro);
}

static void find(struct analysis *analysis)
{
	size_t i;

	for (i = 1; i < analysis->model->streaks.count; i++)
		if (is_storm(analysis, &analysis->model->streaks.at[i]) &&
			!is_livelock(analysis, analysis->model->streaks.at[i].coro))
			judge(analysis, (uint32_t)i);
}

static void describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_streak *streak = &analysis->model->streaks.at[first->subject];
	const struct model_coro *coro = &analysis->model->coros.at[streak->coro];
	struct story story = {0};
	struct ct_step step = {
		.time = streak->longest_first,
		.site = streak->site,
		.thread = coro->wake_thread,
		.coro = coro->id,
		.sequence = UINT64_MAX,
		.text = analyze_say(analysis,
			"woke itself, %" PRIu64 " times in %s, and did nothing else in between",
			streak->longest,
			analyze_words_duration(
				analysis, streak->longest_last - streak->longest_first)),
	};

	finding->title = analyze_say(analysis,
		"%u %s itself ready at %s, %" PRId64 " times a second", group->count,
		group->count == 1 ? "coroutine makes" : "coroutines each make",
		analyze_words_place(analysis, first->cause_site), rate_of(streak));
	analyze_story_step(analysis, &story, &step);
	analyze_story_evidence(analysis, &story,
		analyze_say(analysis, "of its %u wakes %" PRIu64 " are its own", coro->nr_wakes,
			streak->nr_self_wakes));
	analyze_story_victims(analysis, &story, group);
	analyze_story_end(analysis, &story, finding);
	finding->last_sequence = coro->last_event;
}

const struct rule rules_self_wake_storm = {
	.find = find,
	.describe = describe,
	.is_no_explanation = true,
};
