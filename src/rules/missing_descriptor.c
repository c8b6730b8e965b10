/* SPDX-License-Identifier: MIT */
/*
 * Waits on a missing descriptor: a coroutine has waited for a while for a descriptor, and the process, which was looked
 * at while it ran, has no descriptor of that number. Nothing reports anything about the number any more. When it was
 * closed was not seen: where it was, waits-on-closed-descriptor says so.
 *
 * If the program has no probe, the descriptor is what a member of the awaited object is called, which is a guess.
 *
 * The rule is silent about coroutines that are marked, that have a deadline, that wait for something else besides, or
 * that were woken since, and at shutdown. A coroutine that suspended just now may have opened the descriptor after the
 * look.
 */
#include <inttypes.h>

#include "analyze/why_live.h"
#include "rules/parts.h"

static bool is_excused(const struct analysis *analysis, const struct model_coro *coro)
{
	return coro->mark || (coro->flags & MODEL_CORO_WAITS_FOR_MORE) ||
	       coro->rare->deadline != CT_NO_TIME ||
	       (coro->turns->wake.time != CT_NO_TIME &&
		       coro->turns->wake.time >= coro->suspended) ||
	       analyze_ties_is_shutting_down(analysis, coro->process, coro->suspended);
}

static bool stands(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	return !analysis->is_told[index] && model_is_awaiting(coro) &&
	       analysis->model->now - coro->suspended >= LIMIT(analysis, GRACE) &&
	       analyze_why_live_place(analysis, coro) == WHY_PLACE_CLOSED &&
	       !is_excused(analysis, coro);
}

/* A probe tells what is waited for; a transfer that was submitted to the kernel may end all the same. */
static enum ct_grade grade_of(const struct analysis *analysis, const struct model_coro *coro)
{
	bool has_probe = analysis->model->tables->processes[coro->process].has_probe;

	return has_probe && !analysis->model->processes[coro->process].has_completions
		       ? CT_GRADE_LIKELY
		       : CT_GRADE_SUSPECT;
}

static void judge(struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	struct candidate candidate = {
		.rule = CT_RULE_MISSING_DESCRIPTOR,
		.grade = grade_of(analysis, coro),
		.process = coro->process,
		.coro = index,
		.wait_site = coro->wait_site,
		.since = coro->suspended,
	};

	analyze_candidate_lower_for_gaps(analysis, &candidate,
		analyze_candidate_life_start(analysis, coro), analysis->parties[coro->process].end);
	analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	uint32_t i;

	for (i = 1; analysis->live && i < analysis->model->coros.count; i++)
		if (stands(analysis, i))
			judge(analysis, i);
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];

	finding->title = analyze_say(analysis, "%s at %s, for %s that the process does not have",
		analyze_words_count(analysis, group),
		analyze_words_place(analysis, first->wait_site),
		group->count == 1 ? "a descriptor" : "descriptors");
	analyze_story_suspended(analysis, story, coro);
	analyze_story_fact(analysis, story,
		"descriptor %" PRIu64 " was not open when the process was looked at",
		CTP_HANDLE_IDENTITY(coro->wait_object) & UINT32_MAX);
	analyze_story_victims(analysis, story, group);
	finding->first_sequence = coro->wait_event;
	finding->last_sequence = coro->last_event;
}

const struct rule rules_missing_descriptor = {
	.find = find,
	.describe = describe,
};
