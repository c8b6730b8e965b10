/* SPDX-License-Identifier: MIT */
/*
 * Waits on a disarmed descriptor: a poll had been asked to report the descriptor, but after the coroutine began to
 * wait (or before) the descriptor was removed from the interest list, and it has not been added again. The file is
 * open, so that no close is reported, and no poll reports the descriptor any more.
 *
 * The same holds for a wait for room after a write that found none, if the descriptor is in the list for reading
 * only: no poll reports the room. That is a Suspect. The same holds, as Likely, for a descriptor that is armed for one
 * report, which has come before the wait began.
 *
 * Likely if the wait names the descriptor. Suspect if the wait does not name it, and the coroutine had just found
 * nothing at this descriptor (analyze/tried.h): the wait may be for something else. The rule is silent if the file
 * has a second descriptor, a thread polls without an interest list, transfers are submitted to the kernel, a deadline
 * is still to come, the coroutine is marked or was woken, and while the program shuts down.
 */
#include <poll.h>

#include "analyze/provenance.h"
#include "analyze/tried.h"
#include "rules/parts.h"

enum variant {
	VARIANT_MEANWHILE = 0, /* the descriptor was removed while the coroutine waited */
	VARIANT_BEFORE,        /* the descriptor was removed before the coroutine waited */
	/* the descriptor is in the list for reading only, and the coroutine waits for room */
	VARIANT_ROOM,
	VARIANT_SPENT, /* the one report for which the descriptor was armed has come before the wait */
};

/* ---------------------------------------------------------------- guards */

/* Is the file open and in no interest list, and was it in one before? */
static bool is_disarmed(const struct model_descriptor *descriptor)
{
	return (descriptor->flags & MODEL_DESCRIPTOR_IS_OPEN) &&
	       !(descriptor->flags & (MODEL_DESCRIPTOR_IS_ARMED | MODEL_DESCRIPTOR_IS_DOUBLED |
					     MODEL_DESCRIPTOR_IS_TIMER)) &&
	       descriptor->disarmed != CT_NO_TIME &&
	       (descriptor->reported == CT_NO_TIME || descriptor->reported <= descriptor->disarmed);
}

/*
 * Has the one report come for which the descriptor was armed last, before the coroutine began to wait? The kernel takes
 * such a descriptor out of the list itself.
 */
static bool is_spent(const struct model_coro *coro, const struct model_descriptor *descriptor)
{
	unsigned wanted = MODEL_DESCRIPTOR_IS_OPEN | MODEL_DESCRIPTOR_IS_ARMED;
	unsigned others = MODEL_DESCRIPTOR_IS_DOUBLED | MODEL_DESCRIPTOR_IS_TIMER |
			  MODEL_DESCRIPTOR_SHARES_DATA;

	return (descriptor->flags & (wanted | others)) == wanted && descriptor->nr_lists == 1 &&
	       (descriptor->armed_events & MODEL_ARMED_ONCE) &&
	       descriptor->reported != CT_NO_TIME && descriptor->reported > descriptor->armed &&
	       descriptor->reported < coro->suspended;
}

/*
 * Did the last write find no room, and is the descriptor in exactly one list, for reading only, with no report since?
 */
static bool is_armed_for_reading(
	const struct model_coro *coro, const struct model_descriptor *descriptor)
{
	unsigned wanted =
		MODEL_DESCRIPTOR_IS_OPEN | MODEL_DESCRIPTOR_IS_ARMED | MODEL_DESCRIPTOR_WAS_FULL;

	return (descriptor->flags & wanted) == wanted &&
	       !(descriptor->flags & MODEL_DESCRIPTOR_IS_DOUBLED) && descriptor->nr_lists == 1 &&
	       (descriptor->armed_events & (POLLIN | POLLOUT)) == POLLIN &&
	       (descriptor->reported == CT_NO_TIME || descriptor->reported < coro->suspended);
}

/* Is a thread in a poll or select whose descriptors are not known? */
static bool has_other_poll(const struct analysis *analysis, uint32_t process)
{
	uint32_t i;

	for (i = 1; i < analysis->model->nr_threads; i++) {
		const struct model_thread *thread = &analysis->model->threads[i];

		if (thread->process == process && thread->blocked_from != CT_NO_TIME &&
			(thread->blocked_call == CTP_CALL_POLL ||
				thread->blocked_call == CTP_CALL_SELECT) &&
			!(thread->seen_polls && model_is_look_valid(analysis->model, i)))
			return true;
	}
	return false;
}

/* Does a thread ask the kernel in another way than by an interest list? */
static bool is_polled(const struct analysis *analysis, const struct model_coro *coro,
	const struct model_descriptor *descriptor)
{
	return analysis->model->processes[coro->process].has_completions ||
	       has_other_poll(analysis, coro->process) ||
	       (descriptor->polled != CT_NO_TIME && descriptor->polled >= coro->suspended);
}

/* Is the coroutine marked, or can something other than the descriptor end the wait? */
static bool is_meant_to_wait(const struct model_coro *coro, ct_time end)
{
	return (coro->flags & MODEL_CORO_WAITS_FOR_MORE) || coro->mark ||
	       analyze_wait_is_until_later(coro, end);
}

static enum variant variant_of(
	const struct model_coro *coro, const struct model_descriptor *descriptor)
{
	if (is_disarmed(descriptor))
		return descriptor->disarmed < coro->suspended ? VARIANT_BEFORE : VARIANT_MEANWHILE;
	return is_spent(coro, descriptor) ? VARIANT_SPENT : VARIANT_ROOM;
}

static ct_time changed_of(const struct model_coro *coro, const struct model_descriptor *descriptor)
{
	switch (variant_of(coro, descriptor)) {
	case VARIANT_SPENT:
		return descriptor->reported;
	case VARIANT_ROOM:
		return descriptor->armed;
	default:
		return descriptor->disarmed;
	}
}

static ct_time since_of(const struct model_coro *coro, const struct model_descriptor *descriptor)
{
	ct_time changed = changed_of(coro, descriptor);

	return changed > coro->suspended ? changed : coro->suspended;
}

/*
 * The descriptor that the coroutine waits for; 0: not known. A coroutine that has found no room and then arms the
 * same descriptor waits for that room, whatever the wait itself names.
 */
static uint32_t waited_by(const struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t waited = analyze_tried_descriptor(analysis, coro), tried = coro->rare->tried;
	bool is_asked = coro->rare->has_armed_tried &&
			is_armed_for_reading(coro, &analysis->model->descriptors.at[tried]);

	return !waited && is_asked ? tried : waited;
}

/*
 * A program that ends well may have taken its listener out of the list before. The one report is what the kernel did,
 * and not the program.
 */
static bool may_be_left_on_purpose(const struct analysis *analysis, const struct model_coro *coro,
	const struct model_descriptor *descriptor)
{
	if (variant_of(coro, descriptor) != VARIANT_SPENT)
		return analysis->parties[coro->process].has_ended_well;
	return !analyze_party_ended_at_work(analysis, coro->process, since_of(coro, descriptor));
}

static bool stands(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	uint32_t waited = waited_by(analysis, coro);
	const struct model_descriptor *descriptor = &analysis->model->descriptors.at[waited];
	const struct party *party = &analysis->parties[coro->process];

	return waited && model_is_awaiting(coro) && !analysis->is_told[index] &&
	       !may_be_left_on_purpose(analysis, coro, descriptor) &&
	       (is_disarmed(descriptor) || is_spent(coro, descriptor) ||
		       is_armed_for_reading(coro, descriptor)) &&
	       !is_polled(analysis, coro, descriptor) && !is_meant_to_wait(coro, party->end) &&
	       !model_is_woken_since(analysis->model, coro, coro->suspended) &&
	       !analyze_ties_is_shutting_down(
		       analysis, coro->process, changed_of(coro, descriptor)) &&
	       party->end - since_of(coro, descriptor) > LIMIT(analysis, DISARMED_TIME);
}

/* ---------------------------------------------------------------- the grade */

/* A Suspect does not depend on a mark that may be missing: a standstill would be reported in any case. */
static ct_time gap_start(const struct analysis *analysis, const struct model_coro *coro)
{
	return coro->rare->descriptor ? analyze_candidate_life_start(analysis, coro)
				      : coro->suspended;
}

static bool is_taken_out(enum variant variant)
{
	return variant == VARIANT_BEFORE || variant == VARIANT_MEANWHILE;
}

static void judge(struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	uint32_t waited = waited_by(analysis, coro);
	const struct model_descriptor *descriptor = &analysis->model->descriptors.at[waited];
	enum variant variant = variant_of(coro, descriptor);
	struct candidate candidate = {
		.rule = CT_RULE_DISARMED,
		.grade = CT_GRADE_LIKELY,
		.variant = variant,
		.process = coro->process,
		.coro = index,
		.descriptor = waited,
		.wait_site = coro->wait_site,
		.cause_site =
			is_taken_out(variant) ? descriptor->disarm_site : descriptor->arm_site,
		.since = coro->suspended,
	};

	if (!coro->rare->descriptor || variant == VARIANT_ROOM)
		analyze_candidate_lower(&candidate, REASON_DESCRIPTOR_GUESSED);
	else if (analysis->parties[coro->process].quiet <= since_of(coro, descriptor))
		analyze_candidate_lower(&candidate, REASON_NOT_QUIET);
	if (coro->flags & MODEL_CORO_HAS_DOUBTFUL_WAKE)
		analyze_candidate_lower(&candidate, REASON_DOUBTFUL_WAKE);
	if (analyze_candidate_outlives_gaps(analysis, &candidate, gap_start(analysis, coro),
		    analysis->parties[coro->process].end))
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

/* The coroutine that armed the descriptor is known only if it is the waiting coroutine itself. */
static struct ct_step arming_step(struct analysis *analysis, const struct model_coro *coro,
	const struct model_descriptor *descriptor)
{
	bool is_own = coro->rare->has_armed_tried;
	bool is_spent = variant_of(coro, descriptor) == VARIANT_SPENT;

	return (struct ct_step){
		.time = descriptor->armed,
		.site = descriptor->arm_site,
		.thread = is_own ? coro->thread : 0,
		.coro = is_own ? coro->id : 0,
		.sequence = UINT64_MAX,
		.text = analyze_say(analysis, "put %s into the interest list, for %s",
			analyze_words_descriptor(analysis, descriptor),
			is_spent ? "one report" : "reading alone"),
	};
}

static struct ct_step disarming_step(struct analysis *analysis, const struct model_coro *coro,
	const struct model_descriptor *descriptor)
{
	if (!is_disarmed(descriptor))
		return arming_step(analysis, coro, descriptor);
	return (struct ct_step){
		.time = descriptor->disarmed,
		.site = descriptor->disarm_site,
		.thread = descriptor->disarm_thread,
		.coro = analysis->model->coros.at[descriptor->disarm_coro].id,
		.sequence = descriptor->disarm_event,
		.text = analyze_say(analysis, "took %s out of the interest list",
			analyze_words_descriptor(analysis, descriptor)),
	};
}

static void tell_cause(
	struct analysis *analysis, const struct candidate *candidate, struct ct_step *ret_cause)
{
	*ret_cause = disarming_step(analysis, &analysis->model->coros.at[candidate->coro],
		&analysis->model->descriptors.at[candidate->descriptor]);
}

/* Adds what a poll reported: the one report, or what came between the suspend and the end. */
static void tell_report(struct analysis *analysis, const struct model_coro *coro,
	const struct model_descriptor *descriptor, struct story *story)
{
	struct ct_step step = {
		.time = descriptor->reported,
		.thread = descriptor->ready_thread,
		.sequence = descriptor->ready_event,
	};

	if (descriptor->reported == CT_NO_TIME ||
		(descriptor->reported < coro->suspended &&
			variant_of(coro, descriptor) != VARIANT_SPENT))
		return;
	step.text = analyze_say(analysis, "a poll reported %s:%s",
		analyze_words_descriptor(analysis, descriptor),
		analyze_words_readiness(analysis, descriptor->ready_flags));
	analyze_story_step(analysis, story, &step);
}

static const char *words_suspended(struct analysis *analysis, const struct candidate *candidate,
	const struct model_coro *coro, const struct model_descriptor *descriptor)
{
	if (candidate->variant != VARIANT_ROOM || coro->wait_object)
		return analyze_tried_words(analysis, coro, candidate->descriptor);
	return analyze_say(analysis, "suspended, just after a write had found no room in %s",
		analyze_words_descriptor(analysis, descriptor));
}

static const char *words_title(
	struct analysis *analysis, const struct group *group, const struct candidate *first)
{
	const char *count = analyze_words_count(analysis, group);
	const char *descriptor = analyze_words_descriptor(
		analysis, &analysis->model->descriptors.at[first->descriptor]);
	const char *wait = analyze_words_place(analysis, first->wait_site);
	const char *cause = analyze_words_place(analysis, first->cause_site);

	switch (first->variant) {
	case VARIANT_ROOM:
		return analyze_say(analysis,
			"%s for room in %s, which no poll watches for writing, at %s; put into the "
			"interest list for reading alone at %s",
			count, descriptor, wait, cause);
	case VARIANT_SPENT:
		return analyze_say(analysis,
			"%s for %s, which no poll watches any more, at %s; the one report, for "
			"which it was armed at %s, came before that",
			count, descriptor, wait, cause);
	default:
		return analyze_say(analysis,
			"%s for %s, which no poll watches any more, at %s; taken out of the "
			"interest list at %s",
			count, descriptor, wait, cause);
	}
}

static const char *const rest_words[] = {
	[VARIANT_MEANWHILE] = "not put back since, and no wake for the coroutine",
	[VARIANT_BEFORE] = "not put back since, and no wake for the coroutine",
	[VARIANT_ROOM] = "not armed for writing since, and no wake for the coroutine",
	[VARIANT_SPENT] = "not armed again since, and no wake for the coroutine",
};

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	const struct model_descriptor *descriptor =
		&analysis->model->descriptors.at[first->descriptor];
	struct ct_step step = disarming_step(analysis, coro, descriptor);
	struct ct_step rest = {.time = CT_NO_TIME, .sequence = UINT64_MAX};

	finding->title = words_title(analysis, group, first);
	if (first->variant == VARIANT_ROOM)
		finding->next_step =
			"arm the descriptor for writing, too, where a write has found no room";
	else if (first->variant == VARIANT_SPENT)
		finding->next_step = "arm the descriptor again before each wait, by EPOLL_CTL_MOD: "
				     "a report of EPOLLONESHOT ends the arming";
	if (first->variant == VARIANT_SPENT) {
		analyze_story_step(analysis, story, &step);
		tell_report(analysis, coro, descriptor, story);
	}
	analyze_story_suspended_as(
		analysis, story, coro, words_suspended(analysis, first, coro, descriptor));
	if (first->variant != VARIANT_SPENT) {
		tell_report(analysis, coro, descriptor, story);
		analyze_story_step(analysis, story, &step);
	}
	rest.text = rest_words[first->variant];
	analyze_story_step(analysis, story, &rest);
	if (first->variant != VARIANT_ROOM)
		analyze_tried_tell(analysis, story, coro);
	analyze_provenance_tell(analysis, story, coro);
	analyze_story_victims(analysis, story, group);
}

const struct rule rules_disarmed = {
	.find = find,
	.describe = describe,
	.tell_cause = tell_cause,
	.is_cause = true,
};
