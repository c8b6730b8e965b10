/* SPDX-License-Identifier: MIT */
/*
 * Ignored readiness: polls report a descriptor again and again, for which a coroutine waits, and nobody reads, writes
 * or wakes. A poll that is not edge triggered returns at once as long as the readiness is not used up: so its thread
 * spins, and whoever passes reports on has no entry for the waiting coroutine any more.
 *
 * Likely: the reports are many, and none of them led to a transfer or a wake. The wait has to name the descriptor, or
 * to have begun just after nothing had been found there, at a place whose waits end in this way (analyze/tried.h).
 *
 * The rule is silent if the file has a second descriptor, through which another one may read, if transfers are
 * submitted to the kernel, if the coroutine is marked or was woken, and while the program shuts down.
 */
#include <inttypes.h>
#include <poll.h>

#include "analyze/provenance.h"
#include "analyze/tried.h"
#include "rules/parts.h"

/* ---------------------------------------------------------------- guards */

/* A poll for reading and writing reports room all the time, which says nothing to a coroutine that reads. */
static bool is_wanted(const struct model_descriptor *descriptor)
{
	unsigned wanted = POLLIN | POLLOUT;

	if (descriptor->flags & MODEL_DESCRIPTOR_WAS_EMPTY)
		wanted = POLLIN;
	else if (descriptor->flags & MODEL_DESCRIPTOR_WAS_FULL)
		wanted = POLLOUT;
	return descriptor->ready_flags & (wanted | POLLHUP | POLLERR);
}

static bool is_ignored(const struct analysis *analysis, const struct model_coro *coro,
	const struct model_descriptor *descriptor)
{
	unsigned wanted = MODEL_DESCRIPTOR_IS_OPEN | MODEL_DESCRIPTOR_IS_ARMED;

	return (descriptor->flags & (wanted | MODEL_DESCRIPTOR_IS_DOUBLED)) == wanted &&
	       is_wanted(descriptor) && descriptor->ready != CT_NO_TIME &&
	       descriptor->ready_from >= coro->suspended &&
	       descriptor->nr_ready >= (uint64_t)LIMIT(analysis, IGNORED_READINESS_REPORTS) &&
	       descriptor->ready - descriptor->ready_from > LIMIT(analysis, IGNORED_READINESS_TIME);
}

static bool stands(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	uint32_t waited = analyze_tried_descriptor(analysis, coro);
	const struct model_descriptor *descriptor = &analysis->model->descriptors.at[waited];

	return waited && coro->state == CT_STATE_WAITING && coro->point == CTP_POINT_AWAIT &&
	       !coro->mark && !(coro->flags & MODEL_CORO_WAITS_FOR_MORE) &&
	       !analysis->is_told[index] && is_ignored(analysis, coro, descriptor) &&
	       !analysis->model->processes[coro->process].has_completions &&
	       !model_is_woken_since(analysis->model, coro, coro->suspended) &&
	       !analyze_ties_is_shutting_down(analysis, coro->process, descriptor->ready_from);
}

/* ---------------------------------------------------------------- the grade */

static void judge(struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	uint32_t waited = analyze_tried_descriptor(analysis, coro);
	struct candidate candidate = {
		.rule = CT_RULE_IGNORED_READINESS,
		.grade = CT_GRADE_LIKELY,
		.process = coro->process,
		.coro = index,
		.descriptor = waited,
		.wait_site = coro->wait_site,
		.cause_site = analysis->model->descriptors.at[waited].arm_site,
		.since = coro->suspended,
	};

	if (coro->flags & MODEL_CORO_HAS_DOUBTFUL_WAKE)
		analyze_candidate_lower(&candidate, REASON_DOUBTFUL_WAKE);
	if (analyze_candidate_outlives_gaps(
		    analysis, &candidate, coro->suspended, analysis->parties[coro->process].end))
		analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	uint32_t i;

	for (i = 1; i < analysis->model->coros.count; i++)
		if (stands(analysis, i))
			judge(analysis, i);
}

/* ---------------------------------------------------------------- the evidence */

static void tell_arming(struct analysis *analysis, const struct model_descriptor *descriptor,
	struct ct_step *ret_step)
{
	*ret_step = (struct ct_step){
		.time = descriptor->armed,
		.site = descriptor->arm_site,
		.sequence = UINT64_MAX,
		.text = analyze_say(analysis, "put %s into the interest list",
			analyze_words_descriptor(analysis, descriptor)),
	};
}

static void tell_cause(
	struct analysis *analysis, const struct candidate *candidate, struct ct_step *ret_cause)
{
	tell_arming(analysis, &analysis->model->descriptors.at[candidate->descriptor], ret_cause);
}

static void tell_reports(
	struct analysis *analysis, const struct model_descriptor *descriptor, struct story *story)
{
	struct ct_step step = {
		.time = descriptor->ready,
		.thread = descriptor->ready_thread,
		.sequence = descriptor->ready_event,
		.text = analyze_say(analysis,
			"a poll reported %s:%s, the last of %" PRIu32 " times",
			analyze_words_descriptor(analysis, descriptor),
			analyze_words_readiness(analysis, descriptor->ready_flags),
			descriptor->nr_ready),
	};
	struct ct_step rest = {.time = CT_NO_TIME, .sequence = UINT64_MAX};

	analyze_story_step(analysis, story, &step);
	rest.text = "no transfer since the first of these reports, and no wake for the coroutine";
	analyze_story_step(analysis, story, &rest);
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	const struct model_descriptor *descriptor =
		&analysis->model->descriptors.at[first->descriptor];
	struct ct_step arming;

	finding->title = analyze_say(analysis,
		"%s for %s, at %s; polls have reported the descriptor %" PRIu32
		" times since, and no transfer followed",
		analyze_words_count(analysis, group),
		analyze_words_descriptor(analysis, descriptor),
		analyze_words_place(analysis, first->wait_site), descriptor->nr_ready);
	analyze_story_suspended_as(
		analysis, story, coro, analyze_tried_words(analysis, coro, first->descriptor));
	tell_arming(analysis, descriptor, &arming);
	analyze_story_step(analysis, story, &arming);
	tell_reports(analysis, descriptor, story);
	analyze_tried_tell(analysis, story, coro);
	analyze_provenance_tell(analysis, story, coro);
	analyze_story_victims(analysis, story, group);
}

const struct rule rules_ignored_readiness = {
	.find = find,
	.describe = describe,
	.tell_cause = tell_cause,
	.is_cause = true,
};
