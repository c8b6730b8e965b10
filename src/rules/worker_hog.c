/* SPDX-License-Identifier: MIT */
/*
 * Hogs: one run of a coroutine lasted far longer than runs from that place do, and others were ready for at least
 * half of it and still not run at its end. The kernel's account of the thread has to agree: it computed, or was in a
 * blocking call, for that long.
 *
 * Silent where the account is missing, or the thread waited for a processor; where nobody was kept waiting; where
 * the coroutine is marked; while the program warms up or ends; under a debugger.
 */
#include <inttypes.h>

#include "rules/parts.h"

/* What a run takes at most, usually: from this place, or where there were too few, from any. 0: not known. */
static int64_t usual_time(const struct analysis *analysis, const struct model_place_times *times)
{
	uint32_t process = analysis->model->coros.at[times->hog.coro].process;
	int64_t usual = model_usual_time(times->runs, LIMIT(analysis, HOG_RUNS));

	return usual ? usual
		     : model_usual_time(&analysis->model->processes[process].runs,
			       LIMIT(analysis, HOG_RUNS));
}

static int64_t limit_of(const struct analysis *analysis, const struct model_place_times *times)
{
	int64_t least = LIMIT(analysis, HOG_TIME);
	int64_t usual;

	if (__builtin_mul_overflow(
		    LIMIT(analysis, HOG_FACTOR), usual_time(analysis, times), &usual))
		return INT64_MAX;
	return usual > least ? usual : least;
}

static bool is_excused(const struct analysis *analysis, const struct model_run *run)
{
	const struct model_coro *coro = &analysis->model->coros.at[run->coro];
	const struct model_process *process = &analysis->model->processes[coro->process];

	return coro->mark || process->halted != CT_NO_TIME ||
	       run->until > analyze_party_working_until(analysis, coro->process) ||
	       (process->warm_up_until != CT_NO_TIME &&
		       run->until - run->ns < process->warm_up_until);
}

static bool is_blocked(const struct model_run *run)
{
	return run->blocked_ns >= run->ns / 2;
}

/* For how much of the run the thread did what is held against it. */
static int64_t own_time(const struct analysis *analysis, const struct model_run *run)
{
	struct model_account account;
	int64_t ns;

	if (!model_account_between(
		    analysis->model, run->thread, run->until - run->ns, run->until, &account))
		return 0;
	ns = run->ns - (int64_t)account.waited_ns;
	return is_blocked(run) || ns < (int64_t)account.ran_ns ? ns : (int64_t)account.ran_ns;
}

static void judge(struct analysis *analysis, uint32_t site, const struct model_place_times *times)
{
	const struct model_run *run = &times->hog;
	struct candidate candidate = {
		.rule = CT_RULE_WORKER_HOG,
		.grade = CT_GRADE_LIKELY,
		.process = analysis->model->coros.at[run->coro].process,
		.coro = run->coro,
		.cause_site = site,
		.subject = site,
		.since = run->until - run->ns,
	};

	if (run->nr_behind == 0 || is_excused(analysis, run) ||
		own_time(analysis, run) <= limit_of(analysis, times))
		return;
	analyze_candidate_lower_for_gaps(analysis, &candidate, run->until - run->ns, run->until);
	analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	uint32_t site;

	for (site = 0; site < analysis->tables->nr_sites; site++)
		if (model->place_times[site] && model->place_times[site]->hog.coro)
			judge(analysis, site, model->place_times[site]);
}

/* ---------------------------------------------------------------- telling it */

static void tell_run(
	struct analysis *analysis, const struct model_run *run, uint32_t site, struct story *story)
{
	const struct model_coro *behind = &analysis->model->coros.at[run->behind];
	struct ct_step step = {
		.time = run->until - run->ns,
		.site = site,
		.thread = run->thread,
		.coro = analysis->model->coros.at[run->coro].id,
		.sequence = UINT64_MAX,
		.text = "went on from here",
	};

	analyze_story_step(analysis, story, &step);
	step.time = run->until;
	step.site = 0;
	step.sequence = run->event;
	step.text = analyze_say(analysis,
		"let the thread go after %s; %u other%s had been ready for at least half of that, "
		"coroutine %" PRIu64 " for the longest time",
		analyze_words_duration(analysis, run->ns), run->nr_behind,
		run->nr_behind == 1 ? "" : "s", behind->id);
	analyze_story_step(analysis, story, &step);
}

static const char *words_doing(struct analysis *analysis, const struct model_run *run)
{
	if (!is_blocked(run))
		return "by the kernel's account the thread computed meanwhile";
	return analyze_say(analysis,
		"%s of it the thread was in system calls, in %s for the last time",
		analyze_words_duration(analysis, run->blocked_ns), ct_call_name(run->call));
}

static void describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_place_times *times = analysis->model->place_times[first->subject];
	const struct model_run *run = &times->hog;
	struct story story = {0};

	finding->title = analyze_say(analysis,
		"coroutine %" PRIu64 " kept %s for %s from %s on, and %u ready one%s waiting",
		analysis->model->coros.at[run->coro].id,
		analyze_words_thread(analysis, run->thread),
		analyze_words_duration(analysis, run->ns),
		analyze_words_place(analysis, first->subject), run->nr_behind,
		run->nr_behind == 1 ? "" : "s");
	tell_run(analysis, run, first->subject, &story);
	analyze_story_evidence(analysis, &story, "%s", words_doing(analysis, run));
	if (usual_time(analysis, times))
		analyze_story_evidence(analysis, &story, "99 of 100 runs%s take at most %s",
			times->runs->count < (uint64_t)LIMIT(analysis, HOG_RUNS) ? ""
										 : " from there",
			analyze_words_duration(analysis, usual_time(analysis, times)));
	analyze_story_end(analysis, &story, finding);
}

const struct rule rules_worker_hog = {
	.find = find,
	.describe = describe,
	.is_no_explanation = true,
};
