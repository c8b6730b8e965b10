/* SPDX-License-Identifier: MIT */
/*
 * Closed while armed, for programs that record no coroutines: at one place the program closes descriptors that are
 * still in an interest list and that no poll has reported since they were added. After that nothing happens any more,
 * except that a thread polls. Waiters for these descriptors wait for ever, because the kernel removes a closed
 * descriptor from the list without a report.
 *
 * At most Suspect, because the waiters are not known. The rule is silent if the program records coroutines, which are
 * judged one by one; about a program that ended well, or announced its end; and if events are missing.
 */

#include "rules/parts.h"

/* ---------------------------------------------------------------- the watcher */

/* Descriptors that are closed at one place, of those that were in an interest list. */
struct closes {
	uint32_t process; /* of the first close; at an unknown place, only its closes count */
	uint64_t nr_closed;
	/* of these: not reported since they were added; the next fields are of the last one: */
	uint64_t nr_unreported;
	uint64_t handle;
	uint32_t arm_site;
	ct_time armed;
	uint32_t open_site;
	ct_time opened;
	ct_time closed;
	uint64_t close_event;
	uint32_t close_thread;
};

static const struct closes *closes_at(const struct analysis *analysis, uint32_t site)
{
	return model_watch_place(analyze_watch_of(analysis, &rules_closed_armed), site);
}

static bool look_at_close(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_descriptor *descriptor =
		&watch->model->descriptors.at[sight->descriptor];
	const struct ct_event *event = sight->event;
	struct closes *closes = model_watch_place(watch, event->site);

	if (!closes || !(descriptor->flags & MODEL_DESCRIPTOR_IS_ARMED) ||
		(descriptor->flags & MODEL_DESCRIPTOR_IS_DOUBLED) ||
		(closes->nr_closed && closes->process != event->process))
		return true;
	closes->process = event->process;
	closes->nr_closed++;
	if (descriptor->reported != CT_NO_TIME && descriptor->reported >= descriptor->armed)
		return true;
	closes->nr_unreported++;
	closes->handle = event->object;
	closes->arm_site = descriptor->arm_site;
	closes->armed = descriptor->armed;
	closes->open_site = descriptor->open_site;
	closes->opened = descriptor->opened;
	closes->closed = event->time;
	closes->close_event = event->sequence;
	closes->close_thread = event->thread;
	return true;
}

/* ---------------------------------------------------------------- the candidates */

static uint32_t polling_thread(const struct analysis *analysis, uint32_t process)
{
	uint32_t i;

	for (i = 1; i < analysis->model->nr_threads; i++)
		if (analysis->model->threads[i].process == process &&
			analysis->model->threads[i].is_polling &&
			!thread_is_over(
				&analysis->model->threads[i], analysis->parties[process].end))
			return i;
	return 0;
}

static bool is_silent_since(const struct analysis *analysis, const struct closes *closes)
{
	ct_time last = analysis->model->processes[closes->process].last_event;

	return analyze_party_working_until(analysis, closes->process) - last >
		       LIMIT(analysis, CLOSED_ARMED_TIME) &&
	       !analysis->parties[closes->process].has_ended_well;
}

static bool is_often(const struct analysis *analysis, const struct closes *closes)
{
	return closes->nr_unreported >= (uint64_t)LIMIT(analysis, CLOSED_ARMED_CLOSES) &&
	       closes->nr_unreported > closes->nr_closed / 2;
}

static void judge(struct analysis *analysis, uint32_t site)
{
	const struct closes *closes = closes_at(analysis, site);
	struct candidate candidate = {
		.rule = CT_RULE_CLOSED_ARMED,
		.grade = CT_GRADE_SUSPECT,
		.process = closes->process,
		.cause_site = site,
		.subject = site,
		.since = closes->closed,
	};

	if (analyze_candidate_outlives_gaps(analysis, &candidate, FROM_THE_BEGINNING,
		    analysis->parties[closes->process].end))
		analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	uint32_t site;

	for (site = 0; site < analysis->tables->nr_sites; site++) {
		const struct closes *closes = closes_at(analysis, site);

		if (is_often(analysis, closes) && is_silent_since(analysis, closes) &&
			polling_thread(analysis, closes->process) &&
			!rules_crash_has_coros(analysis, closes->process))
			judge(analysis, site);
	}
}

/* ---------------------------------------------------------------- the evidence */

static void tell_last(struct analysis *analysis, uint32_t site, struct story *story)
{
	const struct closes *closes = closes_at(analysis, site);
	struct ct_step step = {
		.time = closes->opened,
		.site = closes->open_site,
		.sequence = UINT64_MAX,
		.text = analyze_say(analysis, "opened %s, for example",
			analyze_words_resource(analysis, closes->handle, 0)),
	};

	if (closes->opened != CT_NO_TIME)
		analyze_story_step(analysis, story, &step);
	analyze_story_resource(analysis, story, closes->handle);
	step = (struct ct_step){.time = closes->armed,
		.site = closes->arm_site,
		.sequence = UINT64_MAX,
		.text = "put it into an interest list; no poll has reported it since"};
	analyze_story_step(analysis, story, &step);
	step = (struct ct_step){.time = closes->closed,
		.site = site,
		.thread = closes->close_thread,
		.sequence = closes->close_event,
		.text = "closed it: the kernel takes it out of the list, and reports that to "
			"nobody"};
	analyze_story_step(analysis, story, &step);
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct closes *closes = closes_at(analysis, first->subject);
	uint32_t thread = polling_thread(analysis, first->process);

	finding->title =
		analyze_say(analysis, "%s descriptors were closed at %s while armed in a poll",
			analyze_words_number(analysis, closes->nr_unreported),
			analyze_words_place(analysis, first->subject));
	tell_last(analysis, first->subject, story);
	analyze_story_evidence(analysis, story, "%s is %s, and nothing has happened since",
		analyze_words_thread(analysis, thread),
		analyze_stillness_words_thread(analysis, thread));
}

const struct rule rules_closed_armed = {
	.watcher = {.nr_place_bytes = sizeof(struct closes),
		.looks = {[MODEL_CLOSE] = look_at_close}},
	.find = find,
	.describe = describe,
};
