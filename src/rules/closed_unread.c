/* SPDX-License-Identifier: MIT */
/*
 * Closed unread: over half of the connections that are closed at one place had been reported readable, and nobody
 * has read from them since. The kernel tells their peers of that: connection reset, and what was on its way to
 * them is gone.
 *
 * Only suspect: what lies there may be the end that the peer sent. Silent for those that hung up, or failed; where the
 * program reads nothing at all that is told, so that its reads may go another way; while it shuts down; and where
 * events are missing.
 */
#include <inttypes.h>

#include "rules/parts.h"

static bool is_often(const struct analysis *analysis, const struct model_unread *unread)
{
	uint64_t share = (uint64_t)LIMIT(analysis, CLOSED_UNREAD_SHARE);

	return unread->nr_closed >= (uint64_t)LIMIT(analysis, CLOSED_UNREAD_CLOSES) &&
	       unread->nr_unread * 100 > unread->nr_closed * share;
}

static void judge(struct analysis *analysis, uint32_t index)
{
	const struct model_unread *unread = &analysis->model->unreads.at[index];
	struct candidate candidate = {
		.rule = CT_RULE_CLOSED_UNREAD,
		.grade = CT_GRADE_SUSPECT,
		.process = unread->process,
		.cause_site = unread->site,
		.subject = index,
		.since = unread->closed,
	};

	if (analyze_candidate_outlives_gaps(analysis, &candidate, FROM_THE_BEGINNING,
		    analysis->parties[unread->process].end))
		analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	uint32_t i;

	for (i = 0; i < model->unreads.count; i++) {
		const struct model_unread *unread = &model->unreads.at[i];

		if (model->processes[unread->process].has_reads && is_often(analysis, unread) &&
			analyze_party_is_at_work(
				analysis, unread->process, unread->closed, unread->closed))
			judge(analysis, i);
	}
}

/* ---------------------------------------------------------------- telling it */

static void tell_last(
	struct analysis *analysis, const struct model_unread *unread, struct story *story)
{
	const char *what = analyze_words_resource(analysis, unread->handle, 0);
	struct ct_step step = {
		.time = unread->opened,
		.site = unread->open_site,
		.sequence = UINT64_MAX,
		.text = analyze_say(analysis, "opened %s, for example", what),
	};

	analyze_story_step(analysis, story, &step);
	step = (struct ct_step){.time = unread->ready,
		.thread = unread->ready_thread,
		.sequence = unread->ready_event,
		.text = analyze_say(analysis, "found that it can be read from")};
	analyze_story_step(analysis, story, &step);
	step = (struct ct_step){.time = unread->closed,
		.site = unread->site,
		.thread = unread->close_thread,
		.sequence = unread->close_event,
		.text = analyze_say(analysis, "closed it; nobody had read from it since")};
	analyze_story_step(analysis, story, &step);
}

static void describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_unread *unread = &analysis->model->unreads.at[first->subject];
	struct story story = {0};

	finding->title = analyze_say(analysis,
		"%" PRIu64 " of %" PRIu64
		" connections that were closed at %s could be read from, and nobody did",
		unread->nr_unread, unread->nr_closed, analyze_words_place(analysis, unread->site));
	tell_last(analysis, unread, &story);
	analyze_story_end(analysis, &story, finding);
}

const struct rule rules_closed_unread = {
	.find = find,
	.describe = describe,
};
