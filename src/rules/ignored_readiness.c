/* SPDX-License-Identifier: MIT */
/*
 * Ignored readiness: polls report a descriptor again and again, for which a coroutine waits, and nobody reads, writes
 * or wakes. A poll that is not edge triggered returns at once as long as the readiness is not used up: so its thread
 * spins, and whoever passes reports on has no entry for the waiting coroutine any more.
 *
 * Likely: the reports are many, and none of them led to a transfer or a wake. The wait has to name the descriptor, or
 * to have begun just after nothing had been found there, at a place whose waits end in this way (analyze/tried.h).
 *
 * Suspect: the wait is for something that is not recorded, the coroutine has read from the descriptor after each report
 * before (analyze/read_habits.h), and now ten times longer has passed than any such read took. The same if no poll has
 * reported the descriptor since, as one that is armed for one report, but the process has written to its other end, the
 * last time longer ago than any such read took, and no wait at the place took a tenth as long.
 *
 * Likely: what the process has written to the other end before the wait is not all read, and the descriptor is armed
 * edge triggered: polls report it again only when more is written. The wait has to name the descriptor.
 *
 * The rule is silent if the file has a second descriptor, through which another one may read, if transfers are
 * submitted to the kernel, if the coroutine is marked or was woken, and while the program shuts down.
 */
#include <inttypes.h>
#include <poll.h>

#include "analyze/provenance.h"
#include "analyze/read_habits.h"
#include "analyze/tried.h"
#include "rules/parts.h"

enum variant {
	VARIANT_WAITED, /* it waits for the descriptor */
	VARIANT_HABIT,  /* it has read there after each report before */
	VARIANT_UNTOLD, /* the same, and nobody is told of what has been written since */
	VARIANT_REST,   /* it has left a part unread, of which polls tell once */
};

#define HABIT_REPORTS 10u /* fewer may come while it is at something else */

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

/* Has somebody who was always there to read been told of something to read, again and again, and not come? */
static bool is_left_unread(const struct analysis *analysis, const struct model_coro *coro,
	const struct model_descriptor *descriptor)
{
	unsigned wanted = MODEL_DESCRIPTOR_IS_OPEN | MODEL_DESCRIPTOR_IS_ARMED;
	int64_t unread_ns = analysis->parties[coro->process].end - descriptor->ready_from;

	return (descriptor->flags & (wanted | MODEL_DESCRIPTOR_IS_DOUBLED)) == wanted &&
	       (descriptor->ready_flags & POLLIN) &&
	       !(descriptor->ready_flags & (POLLHUP | POLLERR)) &&
	       descriptor->ready != CT_NO_TIME && descriptor->ready_from >= coro->suspended &&
	       descriptor->nr_ready >= HABIT_REPORTS &&
	       descriptor->ready - descriptor->ready_from >
		       LIMIT(analysis, IGNORED_READINESS_TIME) &&
	       unread_ns / TIMES_LONGER > analyze_read_habits_slowest(analysis, coro);
}

/*
 * Has somebody who was always there to read gone to wait elsewhere, for far longer than any wait there took, with the
 * descriptor no longer in an interest list, or reported just once, while the other end was written to?
 */
static bool is_unheard(
	const struct analysis *analysis, const struct model_coro *coro, uint32_t index)
{
	const struct model_descriptor *descriptor = &analysis->model->descriptors.at[index];
	unsigned wanted = MODEL_DESCRIPTOR_IS_OPEN | MODEL_DESCRIPTOR_IS_DOUBLED;
	ct_time written = analyze_read_habits_written(analysis, index);
	ct_time end = analysis->parties[coro->process].end;
	int64_t waited_ns = end - coro->suspended;

	/* A write just before the end may still be told. */
	return (descriptor->flags & wanted) == MODEL_DESCRIPTOR_IS_OPEN && written != CT_NO_TIME &&
	       written - coro->suspended > LIMIT(analysis, IGNORED_READINESS_TIME) &&
	       end - written > analyze_read_habits_slowest(analysis, coro) &&
	       descriptor->reported != CT_NO_TIME && descriptor->reported < coro->suspended &&
	       waited_ns / TIMES_LONGER > analyze_read_habits_slowest(analysis, coro) &&
	       rules_left_behind_is_longest(analysis, coro);
}

/* How much lies unread of what the process has written to the other end; 0: not known. */
static uint64_t unread_of(
	const struct analysis *analysis, const struct model_descriptor *descriptor)
{
	const struct model_descriptor *at = analysis->model->descriptors.at;
	const struct model_descriptor *file = &at[descriptor->file], *mate = &at[file->mate];

	return file->mate && mate->nr_written > file->nr_read ? mate->nr_written - file->nr_read
							      : 0;
}

/*
 * Has the coroutine left a part unread of what was written before it began to wait, at an edge-triggered descriptor?
 */
static bool is_rest(const struct analysis *analysis, const struct model_coro *coro,
	const struct model_descriptor *descriptor)
{
	const struct model_descriptor *at = analysis->model->descriptors.at;
	const struct model_descriptor *mate = &at[at[descriptor->file].mate];
	unsigned wanted = MODEL_DESCRIPTOR_IS_OPEN | MODEL_DESCRIPTOR_IS_ARMED;
	unsigned others = MODEL_DESCRIPTOR_IS_DOUBLED | MODEL_DESCRIPTOR_WAS_EMPTY |
			  MODEL_DESCRIPTOR_WAS_FULL;
	ct_time end = analysis->parties[coro->process].end;

	return coro->rare->descriptor && (descriptor->flags & (wanted | others)) == wanted &&
	       (descriptor->armed_events & MODEL_ARMED_EDGE) &&
	       (descriptor->armed_events & POLLIN) && unread_of(analysis, descriptor) &&
	       !(mate->flags & MODEL_DESCRIPTOR_IS_DOUBLED) && mate->written < coro->suspended &&
	       descriptor->armed < coro->suspended && descriptor->reported != CT_NO_TIME &&
	       descriptor->reported < coro->suspended && descriptor->ready == CT_NO_TIME &&
	       end - coro->suspended > LIMIT(analysis, IGNORED_READINESS_TIME) &&
	       coro->rare->deadline == CT_NO_TIME;
}

static uint32_t ignored_by(
	const struct analysis *analysis, const struct model_coro *coro, enum variant variant)
{
	const struct model_descriptor *at = analysis->model->descriptors.at;
	uint32_t habitual = analyze_read_habits_descriptor(analysis, coro);
	uint32_t waited = analyze_tried_descriptor(analysis, coro);

	if (variant == VARIANT_HABIT)
		return habitual && is_left_unread(analysis, coro, &at[habitual]) ? habitual : 0;
	if (variant == VARIANT_UNTOLD)
		return habitual && is_unheard(analysis, coro, habitual) ? habitual : 0;
	if (variant == VARIANT_REST)
		return waited && is_rest(analysis, coro, &at[waited]) ? waited : 0;
	return waited && is_ignored(analysis, coro, &at[waited]) ? waited : 0;
}

static bool stands(const struct analysis *analysis, uint32_t index, uint32_t ignored)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	ct_time reported = analysis->model->descriptors.at[ignored].reported;

	return ignored && model_is_awaiting(coro) && !coro->mark &&
	       !(coro->flags & MODEL_CORO_WAITS_FOR_MORE) && !analysis->is_told[index] &&
	       !analysis->model->processes[coro->process].has_completions &&
	       !model_is_woken_since(analysis->model, coro, coro->suspended) &&
	       !analyze_ties_is_shutting_down(analysis, coro->process,
		       reported > coro->suspended ? reported : coro->suspended);
}

/* ---------------------------------------------------------------- the grade */

/* A rest may be left on purpose, cut as datagrams are, or read by a call of which nothing is recorded, as splice(2). */
static bool is_sure(enum variant variant)
{
	return variant == VARIANT_WAITED;
}

static void judge(struct analysis *analysis, uint32_t index, uint32_t ignored, enum variant variant)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	struct candidate candidate = {
		.rule = CT_RULE_IGNORED_READINESS,
		.grade = is_sure(variant) ? CT_GRADE_LIKELY : CT_GRADE_SUSPECT,
		.variant = variant,
		.process = coro->process,
		.coro = index,
		.descriptor = ignored,
		.wait_site = coro->wait_site,
		.cause_site = variant == VARIANT_WAITED || variant == VARIANT_REST
				      ? analysis->model->descriptors.at[ignored].arm_site
				      : 0,
		.since = coro->suspended,
	};

	if (coro->flags & MODEL_CORO_HAS_DOUBTFUL_WAKE)
		analyze_candidate_lower(&candidate, REASON_DOUBTFUL_WAKE);
	/* Longer waits at the place may be among the missing events. */
	if (analyze_candidate_outlives_gaps(analysis, &candidate,
		    variant >= VARIANT_UNTOLD ? FROM_THE_BEGINNING : coro->suspended,
		    analysis->parties[coro->process].end))
		analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	uint32_t i;

	for (i = 1; i < analysis->model->coros.count; i++) {
		const struct model_coro *coro = &analysis->model->coros.at[i];
		enum variant variant = VARIANT_WAITED;
		uint32_t ignored = 0;

		for (; variant <= VARIANT_REST && !ignored; variant++) {
			ignored = ignored_by(analysis, coro, variant);
			if (stands(analysis, i, ignored))
				judge(analysis, i, ignored, variant);
		}
	}
}

/* ---------------------------------------------------------------- the evidence */

static const char next_step_of_habit[] =
	"look at what this coroutine does between two reads: what it waits for there may come only "
	"of its own reading, as room in a queue that it alone fills and empties";

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

/* A coroutine that has always read there was told of it: the interest list is not to blame. */
static void tell_cause(
	struct analysis *analysis, const struct candidate *candidate, struct ct_step *ret_cause)
{
	if (candidate->variant == VARIANT_WAITED || candidate->variant == VARIANT_REST)
		tell_arming(analysis, &analysis->model->descriptors.at[candidate->descriptor],
			ret_cause);
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

static void tell_written(struct analysis *analysis, uint32_t descriptor, struct story *story)
{
	struct ct_step step = {
		.time = analyze_read_habits_written(analysis, descriptor),
		.sequence = UINT64_MAX,
		.text = "the process wrote to the other end last, and no read followed",
	};

	analyze_story_step(analysis, story, &step);
}

static const char next_step_of_rest[] =
	"read until EAGAIN before each wait for a descriptor that is armed with EPOLLET";

static void tell_rest(
	struct analysis *analysis, const struct model_descriptor *descriptor, struct story *story)
{
	const struct model_descriptor *at = analysis->model->descriptors.at;
	struct ct_step written = {
		.time = at[at[descriptor->file].mate].written,
		.sequence = UINT64_MAX,
		.text = "the process wrote to the other end last",
	};
	struct ct_step reported = {
		.time = descriptor->reported,
		.thread = descriptor->ready_thread,
		.sequence = descriptor->ready_event,
		.text = analyze_say(analysis, "a poll reported %s: readable, the last time",
			analyze_words_descriptor(analysis, descriptor)),
	};

	analyze_story_step(analysis, story, &written);
	analyze_story_step(analysis, story, &reported);
	analyze_story_evidence(analysis, story,
		"%" PRIu64 " bytes were written to the other end, and %" PRIu64 " were read",
		at[at[descriptor->file].mate].nr_written, at[descriptor->file].nr_read);
}

/* Said if nothing else has ever ended a wait of the coroutine. */
static const char own_reading[] = ": only its own reading may bring what it waits for";

static const char *words_title(struct analysis *analysis, const struct group *group)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_descriptor *descriptor =
		&analysis->model->descriptors.at[first->descriptor];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	const char *who = analyze_words_count(analysis, group);
	const char *what = analyze_words_descriptor(analysis, descriptor);
	const char *where = analyze_words_place(analysis, first->wait_site);

	if (first->variant == VARIANT_REST)
		return analyze_say(analysis,
			"%s for %s, at %s; %" PRIu64
			" bytes that the program wrote to its other end before lie there unread, "
			"and an edge-triggered poll does not report them again",
			who, what, where, unread_of(analysis, descriptor));
	if (first->variant == VARIANT_UNTOLD)
		return analyze_say(analysis,
			"%s at %s; the program has written to the other end of %s since, from "
			"which it has read after each report before, and nobody reads%s",
			who, where, what,
			analyze_read_habits_are_alone(analysis, coro) ? own_reading : "");
	if (first->variant == VARIANT_HABIT)
		return analyze_say(analysis,
			"%s at %s; polls have reported %s %" PRIu32
			" times since, from which it has read each time before, and nobody reads%s",
			who, where, what, descriptor->nr_ready,
			analyze_read_habits_are_alone(analysis, coro) ? own_reading : "");
	return analyze_say(analysis,
		"%s for %s, at %s; polls have reported the descriptor %" PRIu32
		" times since, and no transfer followed",
		who, what, where, descriptor->nr_ready);
}

static void tell_wait(struct analysis *analysis, const struct candidate *first, struct story *story,
	struct ct_finding *finding)
{
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	struct ct_step arming;

	if (first->variant == VARIANT_HABIT || first->variant == VARIANT_UNTOLD) {
		analyze_story_suspended(analysis, story, coro);
		finding->next_step = next_step_of_habit;
		return;
	}
	analyze_story_suspended_as(
		analysis, story, coro, analyze_tried_words(analysis, coro, first->descriptor));
	if (first->variant == VARIANT_REST) {
		finding->next_step = next_step_of_rest;
		return;
	}
	tell_arming(analysis, &analysis->model->descriptors.at[first->descriptor], &arming);
	analyze_story_step(analysis, story, &arming);
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	const struct model_descriptor *descriptor =
		&analysis->model->descriptors.at[first->descriptor];

	finding->title = words_title(analysis, group);
	if (first->variant == VARIANT_REST)
		tell_rest(analysis, descriptor, story);
	tell_wait(analysis, first, story, finding);
	if (first->variant == VARIANT_UNTOLD)
		tell_written(analysis, first->descriptor, story);
	else if (first->variant != VARIANT_REST)
		tell_reports(analysis, descriptor, story);
	if (first->variant == VARIANT_HABIT || first->variant == VARIANT_UNTOLD)
		analyze_read_habits_tell(analysis, story, coro);
	else
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
