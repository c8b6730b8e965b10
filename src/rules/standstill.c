/* SPDX-License-Identifier: MIT */
/*
 * Standstills: from some moment on no coroutine of the process did anything, none is ready, and some wait. The
 * program need record nothing but the waits, so a standstill is never more than Suspect.
 *
 * The rule is silent, except for a remark, if the outside can make the program go on, by a listener, an armed
 * descriptor or a thread that waits for files: then the program is idle. The same holds while a thread's wait with a
 * time-out has not run out: it may be a timer of the coroutines. The rule is silent if a timer is recorded, if all
 * coroutines are marked, if another rule says which coroutines are stuck, and if the program ended with status 0, is
 * stopped, or announced its end. The rule is silent about coroutines found in memory if a thread ran between the looks.
 *
 * If no waiting coroutine is left, the program may still hang, in code outside coroutines: that is reported if every
 * thread is blocked for ever, or a worker computes and runs no coroutine. If some were made and have not begun, these
 * are reported instead.
 *
 * A coroutine that was made ready, and of which nothing else was seen, may have begun unseen if its first suspension
 * is not recorded. If every thread that runs coroutines sleeps, this coroutine is in a queue, or has blocked one of
 * the threads. Then the standstill is reported for this coroutine, and not for those that wait, which may wait for
 * it.
 */
#include <inttypes.h>

#include "analyze/leads.h"
#include "analyze/provenance.h"
#include "rules/parts.h"

enum variant {
	VARIANT_WAITING = 0,
	VARIANT_NO_COROUTINE, /* no waiting coroutine is left */
	VARIANT_NOT_BEGUN,    /* made ready, and never seen to run */
};

#define PLACES_TOLD 8u
#define STEPS_FOLLOWED 64u

static bool is_excused(const struct model_coro *coro)
{
	return coro->mark || (coro->state == CT_STATE_WAITING && coro->point != CTP_POINT_AWAIT);
}

/* A coroutine that waits for one that is meant to wait is itself meant to wait. */
static bool is_behind_excused(const struct analysis *analysis, uint32_t index)
{
	uint32_t steps;

	for (steps = 0; steps < STEPS_FOLLOWED; steps++) {
		index = analyze_ties_next(analysis, index);
		if (!index)
			return false;
		if (is_excused(&analysis->model->coros.at[index]))
			return true;
	}
	return false;
}

static bool stands(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	return coro->state == CT_STATE_WAITING && !is_excused(coro) &&
	       !analyze_ties_may_be_idle(analysis, coro) && !is_behind_excused(analysis, index);
}

static void note_told(struct analysis *analysis)
{
	size_t i;

	for (i = 0; i < analysis->candidates.count; i++) {
		const struct candidate *candidate = &analysis->candidates.at[i];

		/* Other findings say which coroutines are stuck, or why. */
		if (!candidate->is_end && analyze_candidate_explains(analysis, candidate))
			analysis->stills[candidate->process].is_told = true;
	}
}

static bool is_over(const struct analysis *analysis, uint32_t process)
{
	const struct party *party = &analysis->parties[process];

	return party->has_ended_well ||
	       analyze_ties_is_shutting_down(analysis, process, party->end);
}

/*
 * Is a timer still to come, as the program or the ledger recorded? A periodic timer does not count, because it has
 * fired since.
 */
static bool has_timer(const struct analysis *analysis, uint32_t process)
{
	const struct party *party = &analysis->parties[process];
	const struct stillness *still = &analysis->stills[process];

	return still->has_deadline || party->has_waited_timer || party->timers <= still->moment;
}

static int64_t lasted_ns(const struct analysis *analysis, uint32_t process)
{
	return analysis->parties[process].end - analysis->stills[process].moment;
}

static bool is_idle(const struct analysis *analysis, uint32_t process)
{
	const struct stillness *still = &analysis->stills[process];

	return still->outside_descriptor || still->outside_thread || still->waits_for_process ||
	       still->waits_for_network || still->waits_for_clients ||
	       analysis->model->processes[process].has_completions;
}

/* Does the process stand still, as far as its coroutines are concerned? */
static bool is_still(const struct analysis *analysis, uint32_t process)
{
	const struct stillness *still = &analysis->stills[process];

	/* Coroutines at allowed places count as explained. */
	return still->moment != CT_NO_TIME && !still->nr_running && !still->is_told &&
	       !analysis->nr_allowed && !analysis->model->processes[process].nr_ready &&
	       !is_over(analysis, process) && !has_timer(analysis, process) &&
	       analyze_stillness_lasts(analysis, process, still->moment);
}

static bool is_waiting_for_clock(const struct analysis *analysis, uint32_t process)
{
	return analysis->stills[process].clock_thread &&
	       lasted_ns(analysis, process) <= LIMIT(analysis, WAIT_LIMIT);
}

/* Does the process stand still, so that neither the outside nor the clock can make it go on? */
static bool stands_for_good(const struct analysis *analysis, uint32_t process)
{
	return is_still(analysis, process) && !is_idle(analysis, process) &&
	       !is_waiting_for_clock(analysis, process);
}

/* ---------------------------------------------------------------- remarks */

/* Was the thread on a processor at each look since its last recorded event? */
static bool computes(
	const struct analysis *analysis, const struct model_thread *thread, uint32_t process)
{
	return thread->process == process && thread->nr_looks > 1 && thread_is_computing(thread) &&
	       !thread_is_over(thread, analysis->parties[process].end);
}

/* A thread that computes does run: only the coroutines stand still. */
static bool has_computing_thread(const struct analysis *analysis, uint32_t process)
{
	uint32_t i;

	for (i = 1; i < analysis->model->nr_threads; i++)
		if (computes(analysis, &analysis->model->threads[i], process))
			return true;
	return false;
}

static const char *words_nobody(const struct analysis *analysis, uint32_t process)
{
	if (analyze_stillness_may_have_run(analysis, process))
		return "as far as two looks show, no coroutine";
	return has_computing_thread(analysis, process) ? "no coroutine" : "nothing";
}

static const char *words_outside(struct analysis *analysis, const struct stillness *still)
{
	const struct model_descriptor *descriptor =
		&analysis->model->descriptors.at[still->outside_descriptor];

	if (still->outside_descriptor)
		return analyze_say(analysis, "%s is %s",
			analyze_words_resource(analysis,
				CTP_HANDLE(CTP_RESOURCE_DESCRIPTOR, descriptor->fd),
				still->outside_descriptor),
			descriptor->flags & MODEL_DESCRIPTOR_IS_LISTENER
				? "open, and listens"
				: "waited for, and comes from outside");
	if (still->outside_thread)
		return analyze_say(analysis, "%s is %s",
			analyze_words_thread(analysis, still->outside_thread),
			analyze_stillness_words_thread(analysis, still->outside_thread));
	if (still->waits_for_network || still->waits_for_clients)
		return "a coroutine waits for the network";
	return still->waits_for_process ? "a coroutine waits for another process"
					: "the kernel completes its transfers";
}

static void remark(struct analysis *analysis, uint32_t process, uint64_t nr_waiting)
{
	struct stillness *still = &analysis->stills[process];
	const char *who = nr_waiting == 1 ? "coroutine waits" : "coroutines wait";
	const char *lasted = analyze_words_duration(analysis, lasted_ns(analysis, process));
	uint64_t pid = analysis->tables->processes[process].pid;

	still->is_clock_told = !is_idle(analysis, process);
	if (is_idle(analysis, process))
		analyze_quality_remark(analysis,
			"process %" PRIu64 " is idle: %s has run for %s, %s %s, and "
			"%s, so the outside can wake it",
			pid, words_nobody(analysis, process), lasted,
			analyze_words_number(analysis, nr_waiting), who,
			words_outside(analysis, still));
	else
		analyze_quality_remark(analysis,
			"process %" PRIu64 " stands still: %s has run for %s, and "
			"%s %s; %s is %s, which has not expired: it may be the "
			"timer of a coroutine whose deadline is not recorded",
			pid, words_nobody(analysis, process), lasted,
			analyze_words_number(analysis, nr_waiting), who,
			analyze_words_thread(analysis, still->clock_thread),
			analyze_stillness_words_thread(analysis, still->clock_thread));
}

/* ---------------------------------------------------------------- the judgement */

static void judge(struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	struct candidate candidate = {
		.rule = CT_RULE_STANDSTILL,
		.grade = CT_GRADE_SUSPECT,
		.process = coro->process,
		.coro = index,
		.is_newest_first = true,
		.since = coro->suspended,
	};

	candidate.nr_lost = model_lost_between(analysis->model, coro->process,
		analysis->stills[coro->process].moment, analysis->parties[coro->process].end);
	/* Runs since then may be among the missing events. */
	if (!candidate.nr_lost)
		analyze_candidate_add(analysis, &candidate);
}

static bool waits(const struct analysis *analysis, uint32_t index)
{
	return analysis->model->coros.at[index].state == CT_STATE_WAITING;
}

/*
 * Has the process a worker that was on a processor at each look since its last recorded event, or, if all threads are
 * blocked, is its first thread one that waits for ever? Workers that wait are only idle; after its loop, one computes.
 */
static bool has_hanging_thread(const struct analysis *analysis, uint32_t process, bool is_blocked)
{
	bool is_loop_over = analyze_stillness_has_closed_polls(analysis, process);
	uint32_t i;

	for (i = 1; i < analysis->model->nr_threads; i++) {
		const struct model_thread *thread = &analysis->model->threads[i];
		bool is_first = analysis->tables->threads[i].tid ==
				analysis->tables->processes[process].pid;

		if (thread->process != process)
			continue;
		if (is_first && is_blocked && model_is_look_valid(analysis->model, i))
			return true;
		if (thread->is_worker && !is_loop_over && computes(analysis, thread, process))
			return true;
	}
	return false;
}

/*
 * Does the process, without a coroutine that waits, compute without end, or do nothing at all? A watchdog that ended it
 * slept by the clock.
 */
static bool hangs(const struct analysis *analysis, uint32_t process)
{
	const struct party *party = &analysis->parties[process];
	bool is_blocked = party->are_threads_known && !party->has_timer && !party->has_outside &&
			  !model_process_is_reachable(&analysis->model->processes[process]);
	bool has_failed = analyze_party_has_failed_in_sleep(party);

	return is_still(analysis, process) && !is_idle(analysis, process) &&
	       (!is_waiting_for_clock(analysis, process) || has_failed) &&
	       has_hanging_thread(analysis, process, is_blocked || has_failed);
}

static bool is_doubtful(const struct analysis *analysis, uint32_t index)
{
	return analysis->model->coros.at[index].flags & MODEL_CORO_HAS_DOUBTFUL_WAKE;
}

/* Adds those that were made, and have not begun, if no wake is in doubt. Returns whether there are any. */
static bool judge_none_begun(struct analysis *analysis, struct candidate candidate)
{
	const uint64_t *nr_doubtful = analyze_party_count_coros(analysis, is_doubtful);
	size_t nr_before = analysis->candidates.count;
	uint32_t i;

	if (!nr_doubtful || nr_doubtful[candidate.process])
		return false;
	for (i = 1; i < analysis->model->coros.count; i++)
		if (analysis->model->coros.at[i].process == candidate.process &&
			rules_behind_is_not_begun(analysis, i)) {
			candidate.coro = i;
			candidate.since = analysis->model->coros.at[i].created;
			analyze_candidate_add(analysis, &candidate);
		}
	return analysis->candidates.count > nr_before;
}

static void judge_hanging(struct analysis *analysis, uint32_t process)
{
	struct candidate candidate = {
		.rule = CT_RULE_STANDSTILL,
		.grade = CT_GRADE_SUSPECT,
		.variant = VARIANT_NO_COROUTINE,
		.process = process,
		.since = analysis->stills[process].moment,
	};

	if (hangs(analysis, process) &&
		!model_lost_between(analysis->model, process, candidate.since,
			analysis->parties[process].end) &&
		!judge_none_begun(analysis, candidate))
		analyze_candidate_add(analysis, &candidate);
}

/* ---------------------------------------------------------------- made ready, and never seen to run */

static bool has_not_begun(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	const struct model_waking *wake = &coro->turns->wake;

	/* The coroutine's first steps may be among the missing events. */
	return coro->state == CT_STATE_UNSEEN && coro->flags & MODEL_CORO_WAS_CREATED &&
	       !coro->mark && !(coro->flags & MODEL_CORO_HAS_DOUBTFUL_WAKE) &&
	       wake->time != CT_NO_TIME && event_makes_ready(wake->outcome) &&
	       !model_lost_between(analysis->model, coro->process, coro->created,
		       analysis->parties[coro->process].end);
}

static bool was_seen_asleep(const struct analysis *analysis, uint32_t worker, ct_time after)
{
	const struct model_thread *thread = &analysis->model->threads[worker];

	return thread_is_seen(thread) && thread->seen > after && thread->seen_untimed;
}

/* Did the engine see each living worker asleep for ever, later than any run? */
static bool do_workers_sleep(const struct analysis *analysis, uint32_t process)
{
	const struct model_process *at = &analysis->model->processes[process];
	ct_time moment = analysis->stills[process].moment;
	uint32_t nr_asleep = 0;
	size_t i;

	for (i = 0; i < at->workers.count; i++) {
		uint32_t worker = at->workers.at[i];

		if (!model_is_sure_worker(analysis->model, worker) ||
			thread_is_over(
				&analysis->model->threads[worker], analysis->parties[process].end))
			continue;
		if (!was_seen_asleep(analysis, worker, moment))
			return false;
		nr_asleep++;
	}
	return nr_asleep > 0;
}

static void judge_not_begun(struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	struct candidate candidate = {
		.rule = CT_RULE_STANDSTILL,
		.grade = CT_GRADE_SUSPECT,
		.variant = VARIANT_NOT_BEGUN,
		.process = coro->process,
		.coro = index,
		.cause_site = coro->turns->wake.site,
		.since = coro->turns->wake.time,
	};

	analyze_candidate_add(analysis, &candidate);
}

/* If a process has such coroutines, its other coroutines are not reported: they may wait for one of these. */
static void find_not_begun(struct analysis *analysis, uint64_t *nr_not_begun)
{
	uint32_t i;

	for (i = 1; i < analysis->model->nr_processes; i++)
		if (!stands_for_good(analysis, i) || !do_workers_sleep(analysis, i))
			nr_not_begun[i] = 0;
	for (i = 1; i < analysis->model->coros.count; i++)
		if (nr_not_begun[analysis->model->coros.at[i].process] &&
			has_not_begun(analysis, i))
			judge_not_begun(analysis, i);
}

static void find(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	uint64_t *nr_not_begun = analyze_party_count_coros(analysis, has_not_begun);
	uint64_t *nr_standing = analyze_party_count_coros(analysis, stands);
	uint64_t *nr_waiting = analyze_party_count_coros(analysis, waits);
	uint32_t i;

	if (!nr_not_begun || !nr_standing || !nr_waiting)
		return;
	note_told(analysis);
	find_not_begun(analysis, nr_not_begun);
	for (i = 1; i < model->nr_processes; i++)
		if (!nr_waiting[i] && !nr_not_begun[i])
			judge_hanging(analysis, i);
	for (i = 1; i < model->nr_processes; i++) {
		if (nr_standing[i] && !nr_not_begun[i] && is_still(analysis, i) &&
			!stands_for_good(analysis, i))
			remark(analysis, i, nr_standing[i]);
		if (nr_not_begun[i] || !stands_for_good(analysis, i) ||
			analyze_stillness_may_have_run(analysis, i) ||
			rules_spinning_worker_explains(analysis, i))
			nr_standing[i] = 0;
	}
	for (i = 1; i < model->coros.count; i++)
		if (nr_standing[model->coros.at[i].process] && stands(analysis, i))
			judge(analysis, i);
}

/* ---------------------------------------------------------------- the evidence */

struct place {
	uint32_t site;
	uint32_t count;
	uint32_t coro; /* the first coroutine that waits there */
};

/* Those with the most coroutines come first. */
static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return (a->site > b->site) - (a->site < b->site);
}

static void tell_places(struct analysis *analysis, const struct group *group, struct story *story)
{
	struct place places[PLACES_TOLD] = {{0}};
	uint32_t nr_places = 0, nr_elsewhere = 0, i, k;

	for (i = 0; i < group->count; i++) {
		uint32_t coro = analysis->candidates.at[group->first + i].coro;
		uint32_t site = analysis->model->coros.at[coro].wait_site;

		for (k = 0; k < nr_places && places[k].site != site; k++)
			;
		if (k < nr_places || nr_places < PLACES_TOLD) {
			nr_places += k == nr_places;
			places[k].site = site;
			places[k].coro = places[k].count++ ? places[k].coro : coro;
		} else {
			nr_elsewhere++;
		}
	}
	qsort(places, nr_places, sizeof(*places), compare_places);
	for (k = 0; k < nr_places; k++) {
		analyze_story_evidence(analysis, story, "%s wait%s at %s",
			analyze_words_number(analysis, places[k].count),
			places[k].count == 1 ? "s" : "",
			analyze_words_place(analysis, places[k].site));
		analyze_provenance_tell(
			analysis, story, &analysis->model->coros.at[places[k].coro]);
	}
	if (nr_elsewhere)
		analyze_story_evidence(analysis, story, "%s more wait elsewhere",
			analyze_words_number(analysis, nr_elsewhere));
}

/* The member that moved last: what was to happen after that did not. */
static const struct model_coro *last_to_stop(
	const struct analysis *analysis, const struct group *group)
{
	const struct model_coro *last = NULL;
	uint32_t i;

	for (i = 0; i < group->count; i++) {
		const struct model_coro *coro =
			&analysis->model->coros.at[analysis->candidates.at[group->first + i].coro];

		if (!last || coro->suspended > last->suspended)
			last = coro;
	}
	return last;
}

static void describe_hanging(struct analysis *analysis, const struct group *group,
	struct story *story, struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	const char *lasted = analyze_words_duration(analysis, lasted_ns(analysis, first->process));
	struct ct_step step = {
		.time = first->since,
		.site = first->coro ? coro->spawn_site : 0,
		.coro = first->coro ? coro->id : 0,
		.sequence = UINT64_MAX,
		.text = first->coro
				? "made here, and has not begun: no thread looks into its queue, "
				  "or it was never put into one"
				: "since then no coroutine has done anything, and none waits",
	};

	finding->title = analyze_say(analysis,
		"%s has run for %s, and no coroutine waits: the program hangs in code outside "
		"coroutines",
		words_nobody(analysis, first->process), lasted);
	if (first->coro)
		finding->title =
			analyze_say(analysis, "%s has run for %s, and %s %s made and %s not begun",
				words_nobody(analysis, first->process), lasted,
				analyze_words_number(analysis, group->count),
				group->count == 1 ? "coroutine was" : "coroutines were",
				group->count == 1 ? "has" : "have");
	analyze_story_step(analysis, story, &step);
	analyze_stillness_tell_threads(analysis, first->process, story);
}

static void describe_not_begun(struct analysis *analysis, const struct group *group,
	struct story *story, struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];

	finding->title = analyze_say(analysis,
		"%s has run for %s, and %s was made ready, and has not been seen to run",
		words_nobody(analysis, first->process),
		analyze_words_duration(analysis, lasted_ns(analysis, first->process)),
		analyze_words_coro(analysis, coro));
	analyze_story_woken(analysis, story, coro, coro->turns->wake);
	if (group->count > 1)
		analyze_story_evidence(analysis, story, "%s more were made ready there likewise",
			analyze_words_number(analysis, group->count - 1));
	analyze_story_evidence(analysis, story,
		"the threads that run coroutines sleep: it lies in a queue that none of them "
		"looks at, or it has begun unseen, and blocks one of them");
	analyze_stillness_tell_threads(analysis, first->process, story);
	finding->last_sequence = coro->last_event;
}

static const char *say_standing(
	struct analysis *analysis, const struct group *group, const struct model_coro *last)
{
	uint32_t process = analysis->candidates.at[group->first].process;
	bool is_alone = group->count == 1;
	const char *words =
		analyze_say(analysis, "%s has run for %s: %s %s, and nothing recorded will wake %s",
			words_nobody(analysis, process),
			analyze_words_duration(analysis, lasted_ns(analysis, process)),
			analyze_words_number(analysis, group->count),
			is_alone ? "coroutine waits" : "coroutines wait", is_alone ? "it" : "them");

	if (!last->wait_site)
		return words;
	return analyze_say(analysis, "%s; %s at %s", words,
		is_alone ? "it stopped" : "the last one stopped",
		analyze_words_place(analysis, last->wait_site));
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *last;
	struct ct_step step = {
		.time = analysis->stills[first->process].moment,
		.sequence = UINT64_MAX,
		.text = "since then no coroutine has done anything, none is ready, and no timer is "
			"recorded",
	};

	if (first->variant == VARIANT_NO_COROUTINE) {
		describe_hanging(analysis, group, story, finding);
		return;
	}
	if (first->variant == VARIANT_NOT_BEGUN) {
		describe_not_begun(analysis, group, story, finding);
		return;
	}
	last = last_to_stop(analysis, group);
	finding->title = say_standing(analysis, group, last);
	/* The next step says so, too. */
	finding->look_site = last->wait_site;
	analyze_story_suspended(analysis, story, last);
	analyze_story_step(analysis, story, &step);
	tell_places(analysis, group, story);
	analyze_leads_tell_process(analysis, story, last);
	analyze_stillness_tell_threads(analysis, first->process, story);
	finding->first_sequence = last->wait_event;
	finding->last_sequence = last->last_event;
}

const struct rule rules_standstill = {
	.find = find,
	.describe = describe,
};
