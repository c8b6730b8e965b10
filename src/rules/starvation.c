/* SPDX-License-Identifier: MIT */
/*
 * Starvation: at one place, one in a hundred woken coroutines gets to run only after 5 ms or more. By the kernel's
 * accounts the workers had their processors meanwhile: the program itself lets the coroutines wait.
 *
 * The rule is silent if the accounts are missing or say otherwise, if too few coroutines were woken, or fewer than
 * three of them late; and if all runs are short, and the delay is no longer than one of each living coroutine takes:
 * then more is to be done than can be, and nobody is passed over. If no coroutine ran meanwhile, and all runs together
 * are too short for it, the workers did something else: a Suspect. If they had a processor for too short a time in all,
 * the machine was late to wake one, and the rule is silent.
 */
#include "rules/parts.h"

/* The times of one process's workers, in ns. */
struct shares {
	int64_t observed;
	int64_t busy; /* running or scheduling */
	uint64_t waited;
	uint64_t ran;
};

static bool add_worker(const struct model_thread *thread, struct shares *shares)
{
	const struct model_account *last;

	if (thread->counted == CT_NO_TIME)
		return true;
	if (thread->accounts.count == 0)
		return false;
	last = &thread->accounts.at[thread->accounts.count - 1];
	shares->observed += last->time - thread->counted_from;
	shares->busy +=
		thread->spent[MODEL_ACTIVITY_RUNNING] + thread->spent[MODEL_ACTIVITY_SCHEDULING];
	shares->waited += last->waited_ns;
	shares->ran += last->ran_ns;
	return true;
}

/* Adds up the times of all workers of the process. False: one of them has no accounts. */
static bool sum_workers(const struct analysis *analysis, uint32_t process, struct shares *shares)
{
	const struct model_process *of = &analysis->model->processes[process];
	size_t i;

	for (i = 0; i < of->workers.count; i++)
		if (!add_worker(&analysis->model->threads[of->workers.at[i]], shares))
			return false;
	return true;
}

/* Had all workers a processor nearly all of the time? */
static bool had_processors(const struct shares *shares)
{
	return (int64_t)shares->waited < shares->observed / 20 &&
	       (int64_t)shares->ran > shares->busy - shares->busy / 5;
}

/* The place from which coroutines ran for the longest time in total. */
static uint32_t who_ran(const struct analysis *analysis, uint32_t process)
{
	const struct model *model = analysis->model;
	uint64_t most = 0;
	uint32_t found = 0, site;

	for (site = 1; site < analysis->tables->nr_sites; site++) {
		const struct model_place_times *times = model->place_times[site];

		if (!times || analysis->tables->sites[site].process != process ||
			model_histogram(times->runs)->sum <= most)
			continue;
		most = model_histogram(times->runs)->sum;
		found = site;
	}
	return found;
}

#define LEAST_LATE 3.0 /* fewer may all come of one run, as while the program begins */

/* The delay of one in a hundred, and of three at least. */
static int64_t late_delay(const struct model_place_times *times)
{
	double share = LEAST_LATE / (double)times->delays->count;

	return (int64_t)histogram_at(times->delays, share > 0.01 ? 1 - share : 0.99);
}

/* The longest delay that is fair, as if all living coroutines were ready, each for twice the usual time. */
static int64_t fair_delay(const struct model_process *process)
{
	const struct histogram *runs = &process->runs;

	return runs->count ? (int64_t)(2 * process->nr_alive_most * (runs->sum / runs->count)) : 0;
}

/* Does the delay come of many short runs alone, as where more is to be done than can be? */
static bool is_saturated(
	const struct analysis *analysis, uint32_t process, const struct model_place_times *times)
{
	const struct model_process *of = &analysis->model->processes[process];
	int64_t delay = late_delay(times);

	return (int64_t)histogram_at(&of->runs, 0.99) < delay / 4 && delay <= fair_delay(of);
}

/* What the late ones waited in all, at least. */
static uint64_t late_in_all(const struct model_place_times *times)
{
	double nr_late = (double)times->delays->count * 0.01;

	nr_late = nr_late < LEAST_LATE ? LEAST_LATE : nr_late;
	return (uint64_t)(nr_late * (double)late_delay(times));
}

/* Did no coroutine run during the longest delay, and did all runs together take less time than the late ones waited? */
static bool is_beside_runs(
	const struct analysis *analysis, uint32_t process, const struct model_place_times *times)
{
	return !times->delayed_by.coro &&
	       analysis->model->processes[process].runs.sum < late_in_all(times);
}

static void judge(struct analysis *analysis, uint32_t site, const struct model_place_times *times)
{
	uint32_t process = analysis->model->coros.at[times->most_delayed].process;
	struct candidate candidate = {
		.rule = CT_RULE_STARVATION,
		.grade = CT_GRADE_LIKELY,
		.process = process,
		.coro = times->most_delayed,
		.wait_site = site,
		.cause_site = who_ran(analysis, process),
		.subject = site,
		.since = times->most_delayed_until - (int64_t)times->delays->max,
		.until = times->most_delayed_until,
	};
	bool is_beside = is_beside_runs(analysis, process, times);
	struct shares shares = {0};

	if (analysis->model->coros.at[times->most_delayed].mark ||
		!analyze_party_is_at_work(
			analysis, process, candidate.since, times->most_delayed_until) ||
		!sum_workers(analysis, process, &shares) || !had_processors(&shares) ||
		is_saturated(analysis, process, times) ||
		(is_beside && shares.ran < late_in_all(times)))
		return;
	if (is_beside) {
		candidate.cause_site = 0;
		analyze_candidate_limit(&candidate, CT_GRADE_SUSPECT, REASON_BUSY_UNTOLD);
	}
	analyze_candidate_lower_for_gaps(
		analysis, &candidate, FROM_THE_BEGINNING, analysis->parties[process].end);
	analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	uint32_t site;

	for (site = 1; site < analysis->tables->nr_sites; site++) {
		const struct model_place_times *times = model->place_times[site];

		if (times && times->delays &&
			times->delays->count >= (uint64_t)LIMIT(analysis, STARVATION_WAKES) &&
			late_delay(times) > LIMIT(analysis, STARVATION_DELAY))
			judge(analysis, site, times);
	}
}

/* ---------------------------------------------------------------- the evidence */

/* The runs from the place from which coroutines ran for the longest time in total. */
static const char *say_all_of(
	struct analysis *analysis, const char *where, const struct model_place_times *ran)
{
	return analyze_say(analysis,
		"%s %s that began %s took %s in all, more than those from any other place",
		analyze_words_number(analysis, ran->runs->count),
		ran->runs->count == 1 ? "run" : "runs", where,
		analyze_words_duration(analysis, (int64_t)ran->runs->sum));
}

/* Adds the run that kept the most delayed one waiting, and its thread. */
static void tell_who_ran(struct analysis *analysis, const struct model_past_run *run,
	uint32_t cause_site, struct story *story)
{
	const struct model_place_times *ran = analysis->model->place_times[cause_site];
	struct ct_step step = {
		.time = run->until - run->ns,
		.site = run->site,
		.thread = run->thread,
		.coro = analysis->model->coros.at[run->coro].id,
		.sequence = UINT64_MAX,
		.text = analyze_say(
			analysis, "ran for %s", analyze_words_duration(analysis, run->ns)),
	};

	if (!run->coro)
		return;
	if (run->site == cause_site)
		step.text = analyze_say(
			analysis, "%s; %s", step.text, say_all_of(analysis, "here", ran));
	analyze_story_step(analysis, story, &step);
	analyze_story_party(analysis, story, 0, run->thread);
}

/* The runs that kept the workers, for the title: "" if they are not known. */
static const char *say_meanwhile(
	struct analysis *analysis, const struct model_place_times *ran, uint32_t site)
{
	if (!ran || !ran->runs)
		return "";
	return analyze_say(analysis, ", while %s %s that began at %s kept workers for %s",
		analyze_words_number(analysis, ran->runs->count),
		ran->runs->count == 1 ? "run" : "runs", analyze_words_place(analysis, site),
		analyze_words_duration(analysis, (int64_t)ran->runs->sum));
}

/* The median, where that is late; else the latest hundredth. */
static const char *say_late(struct analysis *analysis, const struct histogram *delays)
{
	int64_t half = (int64_t)histogram_at(delays, 0.5);

	if (half > LIMIT(analysis, STARVATION_DELAY))
		return analyze_say(analysis, "typically by %s (median)",
			analyze_words_duration(analysis, half));
	return analyze_say(analysis, "once in a hundred times by %s or more",
		analyze_words_duration(analysis, (int64_t)histogram_at(delays, 0.99)));
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_place_times *times = analysis->model->place_times[first->subject];
	const struct model_place_times *ran =
		first->cause_site ? analysis->model->place_times[first->cause_site] : NULL;
	struct ct_step late = {
		.time = first->since,
		.coro = analysis->model->coros.at[times->most_delayed].id,
		.sequence = UINT64_MAX,
		.text = "was ready from here on, and did not run",
	};

	/* How many wait there is not counted: "a coroutine" is true of one and of many. */
	finding->title = analyze_say(analysis, "a coroutine that waits at %s runs late, %s%s",
		analyze_words_place(analysis, first->subject), say_late(analysis, times->delays),
		say_meanwhile(analysis, ran, first->cause_site));
	if (ran && ran->runs)
		tell_who_ran(analysis, &times->delayed_by, first->cause_site, story);
	analyze_story_step(analysis, story, &late);
	late.time = times->most_delayed_until;
	late.text =
		analyze_say(analysis, "ran after it had been ready for %s, the longest time of all",
			analyze_words_duration(analysis, (int64_t)times->delays->max));
	analyze_story_step(analysis, story, &late);
	analyze_story_evidence(analysis, story,
		"the time from ready to running was %s in the median of %s times, and %s at most",
		analyze_words_duration(analysis, (int64_t)histogram_at(times->delays, 0.5)),
		analyze_words_number(analysis, times->delays->count),
		analyze_words_duration(analysis, (int64_t)times->delays->max));
	if (ran && ran->runs && times->delayed_by.site != first->cause_site)
		analyze_story_evidence(analysis, story, "%s",
			say_all_of(analysis,
				analyze_say(analysis, "at %s",
					analyze_words_place(analysis, first->cause_site)),
				ran));
	analyze_story_evidence(analysis, story,
		"by the kernel's account the workers had their processors nearly all of the time");
}

/* All that ran while the coroutine that waited longest was ready. */
static void find_run(const struct analysis *analysis, const struct candidate *candidate,
	struct analyze_run *ret_run)
{
	(void)analysis;
	*ret_run = (struct analyze_run){
		.process = candidate->process,
		.since = candidate->since,
		.until = candidate->until,
	};
}

const struct rule rules_starvation = {
	.find = find,
	.describe = describe,
	.find_run = find_run,
	.is_no_explanation = true,
};
