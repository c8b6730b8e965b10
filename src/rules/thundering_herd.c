/* SPDX-License-Identifier: MIT */
/*
 * Thundering herds: again and again one event wakes everybody who waits for one thing, one of them gets it, and the
 * rest wait for it again right away.
 *
 * Silent for broadcasts and barriers: there all go on, or, where what they do is not told, none seems to; most times
 * somebody must have been served. Silent, too, while the program warms up or ends, and where the coroutine is marked.
 */
#include <inttypes.h>

#include "rules/parts.h"

static bool is_herd(const struct analysis *analysis, const struct model_herd *herd)
{
	return herd->nr_thundered >= (uint64_t)LIMIT(analysis, HERD_TIMES) &&
	       herd->nr_served * 2 > herd->nr_thundered && herd->nr_thundered * 2 > herd->nr_bursts;
}

static void judge(struct analysis *analysis, uint32_t index)
{
	const struct model_herd *herd = &analysis->model->herds.at[index];
	const struct model_coro *coro = &analysis->model->coros.at[herd->coro];
	struct candidate candidate = {
		.rule = CT_RULE_THUNDERING_HERD,
		.grade = CT_GRADE_LIKELY,
		.process = coro->process,
		.coro = herd->coro,
		.wait_site = herd->site,
		.cause_site = herd->waker.site,
		.descriptor = coro->descriptor,
		.subject = index,
		.since = herd->since,
	};

	if (coro->mark ||
		!analyze_party_is_at_work(analysis, coro->process, herd->since, herd->until))
		return;
	analyze_candidate_lower_for_gaps(
		analysis, &candidate, herd->since, analysis->parties[coro->process].end);
	analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	uint32_t i;

	for (i = 1; i < model->herds.count; i++)
		if (is_herd(analysis, &model->herds.at[i]))
			judge(analysis, i);
}

static void describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_herd *herd = &analysis->model->herds.at[first->subject];
	struct story story = {0};
	struct ct_step step = {
		.time = herd->waker.time,
		.site = herd->waker.site,
		.thread = herd->waker.thread,
		.coro = analysis->model->coros.at[herd->waker.coro].id,
		.sequence = herd->waker.sequence,
		.text = "woke the first of them, for the last time",
	};

	finding->title = analyze_say(analysis,
		"%" PRIu64 " times all who wait at %s were woken at once, and hardly any had "
		"something to do",
		herd->nr_thundered, analyze_words_place(analysis, herd->site));
	analyze_story_step(analysis, &story, &step);
	analyze_story_evidence(analysis, &story,
		analyze_say(analysis,
			"%" PRIu64 " wakes were in vain, %" PRIu64
			" each time, and they took %s of a worker's time",
			herd->nr_vain_wakes, herd->nr_vain_wakes / herd->nr_thundered,
			analyze_words_duration(analysis, herd->wasted_ns)));
	analyze_story_evidence(analysis, &story,
		analyze_say(analysis,
			"%" PRIu64 " of %" PRIu64
			" wakes of so many at once at this place were such",
			herd->nr_thundered, herd->nr_bursts));
	analyze_story_end(analysis, &story, finding);
}

const struct rule rules_thundering_herd = {
	.find = find,
	.describe = describe,
	.is_no_explanation = true,
};
