/* SPDX-License-Identifier: MIT */
/*
 * Livelocks: for over a second one or few coroutines of a process did nothing but yield, or wake themselves, tens of
 * thousands of times; nobody else ran but for timers, and others wait.
 *
 * By the kernel's account their threads ran for most of the time, and needed little for each turn: a loop that sleeps
 * in between, and one that computes, are none. Silent where the outside may be what they look for (a listener, an armed
 * descriptor), unless one of them has what somebody waits for; where one is marked; and while the program warms up or
 * ends. Only suspect where nobody saw what it does with descriptors: it may read one that has nothing yet.
 */
#include <inttypes.h>

#include "rules/parts.h"

static const struct model_spin *longest_of(const struct analysis *analysis, uint32_t process)
{
	const struct model_process *of = &analysis->model->processes[process];

	return of->spin.count >= of->longest_spin.count ? &of->spin : &of->longest_spin;
}

/* What its workers spent on it. False: that is not known. */
static bool sum_accounts(const struct analysis *analysis, uint32_t process,
	const struct model_spin *spin, struct model_account *ret_sum)
{
	const struct model_process *of = &analysis->model->processes[process];
	bool is_known = false;
	size_t i;

	*ret_sum = (struct model_account){.time = 0};
	for (i = 0; i < of->workers.count; i++) {
		struct model_account account;
		ct_time from;

		if (!model_account_between(analysis->model, of->workers.at[i], spin->since,
			    spin->last, &account) &&
			!model_account_since(
				analysis->model, of->workers.at[i], spin->since, &account, &from))
			continue;
		is_known = true;
		ret_sum->ran_ns += account.ran_ns;
		ret_sum->waited_ns += account.waited_ns;
	}
	return is_known;
}

static bool is_livelock(const struct analysis *analysis, uint32_t process)
{
	const struct model_spin *spin = longest_of(analysis, process);
	int64_t lasted = spin->last - spin->since;
	struct model_account sum;

	if (spin->count < (uint64_t)LIMIT(analysis, LIVELOCK_TURNS) || !spin->nr_waiting ||
		lasted <= LIMIT(analysis, LIVELOCK_TIME) ||
		!analyze_party_is_at_work(analysis, process, spin->since, spin->last))
		return false;
	if (!sum_accounts(analysis, process, spin, &sum))
		return true;
	return (int64_t)(sum.ran_ns + sum.waited_ns) > lasted / 2 &&
	       sum.ran_ns / spin->count <= (uint64_t)LIMIT(analysis, LIVELOCK_TURN);
}

/* Does somebody wait for what this one has, or for its end? */
static bool is_waited_for(const struct analysis *analysis, uint32_t index)
{
	uint32_t i;

	for (i = 1; i < analysis->model->coros.count; i++)
		if (analysis->model->coros.at[i].state == CT_STATE_WAITING &&
			analyze_ties_next(analysis, i) == index)
			return true;
	return false;
}

static bool may_look_outside(const struct analysis *analysis, uint32_t process)
{
	const struct stillness *still = &analysis->stills[process];

	return still->outside_descriptor || still->outside_thread || still->waits_for_process ||
	       analysis->model->processes[process].has_completions;
}

static void judge(struct analysis *analysis, uint32_t process, uint32_t index)
{
	const struct model_spin *spin = longest_of(analysis, process);
	const struct model_coro *coro = &analysis->model->coros.at[index];
	bool is_waited = is_waited_for(analysis, index);
	struct model_account sum;
	struct candidate candidate = {
		.rule = CT_RULE_LIVELOCK,
		.grade = CT_GRADE_LIKELY,
		.process = process,
		.coro = index,
		.cause_site = spin->site,
		.since = spin->since,
	};

	if (coro->mark || (may_look_outside(analysis, process) && !is_waited))
		return;
	if (!is_waited)
		analyze_candidate_lower(&candidate, REASON_NOT_WAITED_FOR);
	if (!sum_accounts(analysis, process, spin, &sum))
		analyze_candidate_lower(&candidate, REASON_NO_ACCOUNT);
	analyze_candidate_lower_for_gaps(analysis, &candidate, spin->since, spin->last);
	analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	uint32_t i, k;

	for (i = 1; i < analysis->model->nr_processes; i++) {
		const struct model_spin *spin = longest_of(analysis, i);

		for (k = 0; is_livelock(analysis, i) && k < spin->nr_coros; k++) {
			uint32_t coro = model_find(analysis->model, i, spin->coros[k]);

			if (coro)
				judge(analysis, i, coro);
		}
	}
}

/* ---------------------------------------------------------------- telling it */

static void describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	const struct model_spin *spin = longest_of(analysis, first->process);
	struct story story = {0};
	struct ct_step step = {
		.time = spin->since,
		.site = spin->site,
		.coro = coro->id,
		.sequence = UINT64_MAX,
		.text = analyze_say(analysis,
			"ran %" PRIu64 " times from here on, and did nothing else", spin->count),
	};

	finding->title = analyze_say(analysis,
		"%u %s nothing but turn round at %s for %s, and %" PRIu32 " other%s", group->count,
		group->count == 1 ? "coroutine does" : "coroutines do",
		analyze_words_place(analysis, spin->site),
		analyze_words_duration(analysis, spin->last - spin->since), spin->nr_waiting,
		spin->nr_waiting == 1 ? " waits" : "s wait");
	analyze_story_step(analysis, &story, &step);
	analyze_story_evidence(
		analysis, &story, "nobody else of the program has run meanwhile, but for timers");
	analyze_story_victims(analysis, &story, group);
	analyze_story_end(analysis, &story, finding);
	finding->last_sequence = coro->last_event;
}

const struct rule rules_livelock = {
	.find = find,
	.describe = describe,
};
