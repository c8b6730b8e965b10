/* SPDX-License-Identifier: MIT */
/*
 * Timers that did not go off: the time at which a coroutine's wait was to end by itself has long passed, and every
 * worker has been idle since then and left it where it is. A sleep that a busy worker makes late is the business of
 * worker-hog.
 */
#include <inttypes.h>

#include "analyze/leads.h"
#include "analyze/watched_places.h"
#include "rules/parts.h"

#define TIMES_LATER 10 /* than any sleep that ended at the place */

/* A record of a place: how late the latest sleep there was. */
bool rules_overdue_look(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	int64_t *latest, late_ns;

	if (coro->rare->deadline == CT_NO_TIME)
		return true;
	latest = model_watch_place(watch, coro->wait_site);
	if (!latest)
		return true;
	late_ns = sight->event->time - coro->rare->deadline;
	if (late_ns > *latest)
		*latest = late_ns;
	return true;
}

/* From then on the sleep is later than a coarse timer, or a busy machine, would make it. */
static ct_time too_late(const struct analysis *analysis, const struct model_coro *coro)
{
	const int64_t *latest = analyze_watch_wait(analysis, &rules_lost_wakeup.watcher, coro);
	int64_t limit = LIMIT(analysis, NOTIFIED_TIME);

	if (latest && *latest > limit / TIMES_LATER)
		limit = *latest < INT64_MAX / 4 / TIMES_LATER ? *latest * TIMES_LATER
							      : INT64_MAX / 4;
	return coro->rare->deadline > INT64_MAX - limit ? INT64_MAX : coro->rare->deadline + limit;
}

/* The worker that came back from idle time last, after `since`; 0: none has. */
static uint32_t find_turned(
	const struct analysis *analysis, const struct model_coro *coro, ct_time since)
{
	const struct model *model = analysis->model;
	uint32_t i, last = 0;

	for (i = 1; i < model->nr_threads; i++) {
		const struct model_thread *thread = &model->threads[i];

		if (thread->process == coro->process && thread->is_worker && thread->nr_turns &&
			thread->turned > since &&
			(!last || thread->turned > model->threads[last].turned))
			last = i;
	}
	return last;
}

/* Did the engine find the thread on which it slept in idle time, asleep and not stopped, after `since`? */
static bool was_seen_asleep(const struct model_thread *thread, ct_time since)
{
	return thread->seen != CT_NO_TIME && thread->seen > since && thread->seen_state == 'S';
}

static enum ct_grade grade(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct party *party = &analysis->parties[coro->process];
	const struct model_thread *thread = &analysis->model->threads[coro->thread];
	ct_time since, end = analyze_party_working_until(analysis, coro->process);
	bool has_turned, is_asleep;

	if (coro->point != CTP_POINT_AWAIT || coro->rare->deadline == CT_NO_TIME)
		return CT_GRADE_NONE;
	since = too_late(analysis, coro);
	if (since >= end || party->workers_quiet <= since || thread->idle_from == CT_NO_TIME ||
		thread_is_over(thread, end) ||
		analyze_ties_is_shutting_down(analysis, coro->process, since) ||
		model_lost_between(analysis->model, coro->process, coro->suspended, party->end))
		return CT_GRADE_NONE;
	has_turned = find_turned(analysis, coro, since);
	is_asleep = was_seen_asleep(thread, since);
	if (!has_turned && !is_asleep)
		return CT_GRADE_NONE;
	return has_turned && is_asleep && analyze_wait_is_sleep(coro) &&
			       !analysis->parties[coro->process].has_ended_well &&
			       !analyze_party_has_starved_worker(analysis, coro->process, since)
		       ? CT_GRADE_LIKELY
		       : CT_GRADE_SUSPECT;
}

/* ---------------------------------------------------------------- the candidates */

static bool is_overdue(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	return coro->state == CT_STATE_WAITING && !analysis->is_told[index] && !coro->mark &&
	       grade(analysis, coro) != CT_GRADE_NONE &&
	       analyze_party_ended_at_work(analysis, coro->process, coro->rare->deadline) &&
	       !rules_blocked_worker_is_behind(analysis, index);
}

static void judge(struct analysis *analysis, uint32_t index, uint8_t variant)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	struct candidate candidate = {
		.rule = CT_RULE_LOST_WAKEUP,
		.variant = variant,
		.grade = grade(analysis, coro),
		.process = coro->process,
		.coro = index,
		.wait_site = coro->wait_site,
		.descriptor = coro->rare->descriptor,
		.since = coro->suspended,
		.is_bare = true,
	};

	if (coro->flags & MODEL_CORO_HAS_DOUBTFUL_WAKE)
		analyze_candidate_lower(&candidate, REASON_DOUBTFUL_WAKE);
	analyze_candidate_limit_for_lost_steps(analysis, &candidate);
	analyze_candidate_add(analysis, &candidate);
}

/* The one in each process that is overdue for the longest time; false: there is none in any. */
static bool find_first(const struct analysis *analysis, uint32_t *first)
{
	const struct model_coro *at = analysis->model->coros.at;
	bool has_any = false;
	uint32_t i;

	for (i = 1; i < analysis->model->coros.count; i++) {
		uint32_t *best = &first[at[i].process];

		if (!is_overdue(analysis, i))
			continue;
		has_any = true;
		if (!*best || at[i].rare->deadline < at[*best].rare->deadline)
			*best = i;
	}
	return has_any;
}

void rules_overdue_find(struct analysis *analysis, uint8_t variant)
{
	const struct model_coro *at = analysis->model->coros.at;
	uint32_t *first = analyze_scratch(analysis, analysis->model->nr_processes, sizeof(*first));
	uint32_t i;

	if (!first || !find_first(analysis, first))
		return;
	for (i = 1; i < analysis->model->coros.count; i++) {
		uint32_t best = first[at[i].process];

		if (best && at[i].wait_site == at[best].wait_site && is_overdue(analysis, i))
			judge(analysis, i, variant);
	}
}

/* ---------------------------------------------------------------- the words */

static int64_t overdue_ns(const struct analysis *analysis, const struct model_coro *coro)
{
	return ct_time_between(coro->rare->deadline, analysis->parties[coro->process].end);
}

const char *rules_overdue_words(
	struct analysis *analysis, const struct group *group, const struct model_coro *coro)
{
	return analyze_say(analysis, "though %s was up %s ago",
		group->count == 1 ? "its time" : "the first one's time",
		analyze_words_duration(analysis, overdue_ns(analysis, coro)));
}

void rules_overdue_tell_time(
	struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	struct ct_step step = {
		.time = coro->rare->deadline,
		.sequence = UINT64_MAX,
		.text = "its time was up, and no wake followed",
	};

	analyze_story_step(analysis, story, &step);
}

static void tell_rounds(
	struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	const struct model *model = analysis->model;
	const struct model_thread *own = &model->threads[coro->thread];
	uint32_t nr_rounds = (uint32_t)own->nr_turns - coro->rare->turns_before;
	uint32_t last = find_turned(analysis, coro, coro->rare->deadline);

	if (nr_rounds && last == coro->thread)
		analyze_story_evidence(analysis, story,
			"%s, on which it had run, came back from its idle time %" PRIu32
			" %s since this wait began, and ran others, last %s after that time, and "
			"is idle again",
			analyze_words_thread(analysis, coro->thread), nr_rounds,
			nr_rounds == 1 ? "time" : "times",
			analyze_words_duration(analysis, own->turned - coro->rare->deadline));
	else if (last)
		analyze_story_evidence(analysis, story,
			"%s came back from its idle time and ran others %s after that time, and %s "
			"is idle",
			analyze_words_thread(analysis, last),
			analyze_words_duration(
				analysis, model->threads[last].turned - coro->rare->deadline),
			analyze_words_thread(analysis, coro->thread));
	else
		analyze_story_evidence(analysis, story,
			"%s, on which it had run, has been idle since, and was found asleep",
			analyze_words_thread(analysis, coro->thread));
	if ((own->is_parked || own->is_polling) && !own->is_idle_timed)
		analyze_story_evidence(analysis, story, "%s sleeps without a time-out",
			analyze_words_thread(analysis, coro->thread));
}

/* The timer of the process, a descriptor, that was set for the latest time; 0: none. */
static uint32_t find_timer(const struct analysis *analysis, uint32_t process)
{
	const struct model *model = analysis->model;
	uint32_t i, last = 0;

	for (i = 1; i < model->descriptors.count; i++) {
		const struct model_descriptor *timer = &model->descriptors.at[i];

		if (timer->process == process && (timer->flags & MODEL_DESCRIPTOR_IS_TIMER) &&
			(timer->flags & MODEL_DESCRIPTOR_IS_OPEN) && timer->expiry != CT_NO_TIME &&
			(!last || timer->expiry > model->descriptors.at[last].expiry))
			last = i;
	}
	return last;
}

static void tell_timer(
	struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	const struct model *model = analysis->model;
	uint32_t index = find_timer(analysis, coro->process);
	const struct model_descriptor *timer = &model->descriptors.at[index];

	if (!index || model_is_pending_timer(timer, analysis->parties[coro->process].end))
		return;
	analyze_story_evidence(analysis, story,
		"no timer of the process is set any more: the last one, %s, was set for %s, %s %s "
		"that time",
		analyze_words_descriptor(analysis, timer),
		analyze_words_time(analysis, timer->expiry),
		analyze_words_duration(analysis, timer->expiry < coro->rare->deadline
							 ? coro->rare->deadline - timer->expiry
							 : timer->expiry - coro->rare->deadline),
		timer->expiry < coro->rare->deadline ? "before" : "after");
}

/* Others at other places; those of this place are members of the finding. */
static void tell_others(
	struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	const struct model *model = analysis->model;
	uint32_t i, count = 0, first = 0;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *other = &model->coros.at[i];

		if (other->process != coro->process || other->state != CT_STATE_WAITING ||
			other->wait_site == coro->wait_site ||
			grade(analysis, other) == CT_GRADE_NONE)
			continue;
		first = first ? first : i;
		count++;
	}
	if (count)
		analyze_story_evidence(analysis, story,
			"the time of %" PRIu32
			" %s was up as well, at other places; the first is %s, at %s",
			count, count == 1 ? "other" : "others",
			analyze_words_coro(analysis, &model->coros.at[first]),
			analyze_words_place(analysis, model->coros.at[first].wait_site));
}

const char *const rules_overdue_next_step =
	"look at where the program sets its timer again once a sleep has ended, or has been cut "
	"short: is it set then for "
	"whoever sleeps still?";

void rules_overdue_tell(
	struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	tell_rounds(analysis, coro, story);
	tell_timer(analysis, coro, story);
	tell_others(analysis, coro, story);
	analyze_leads_tell_process(analysis, story, coro);
}
