/* SPDX-License-Identifier: MIT */
/*
 * Livelocks: for over a second one or a few coroutines of a process did nothing but yield, or wake themselves, tens
 * of thousands of times. Nothing else ran except timers, and other coroutines wait.
 *
 * By the kernel's accounts their threads ran for most of the time, and needed little for each turn: a loop that
 * sleeps in between is no livelock, and a loop that computes is none. The rule is silent if the coroutines may be
 * looking for something outside (a listener, an armed descriptor), unless another coroutine waits for something that
 * one of them has; if one of them is marked; and while the program warms up or ends. Suspect at most if the trace has
 * no descriptor events: the coroutine may read a descriptor that has no data yet.
 */
#include <stdlib.h>

#include "rules/parts.h"

/* ---------------------------------------------------------------- the watcher */

#define SPINNERS 8u
#define LEAST_TURNS 1000u /* fewer turns are not kept */

/* A series of turns of coroutines that only yield or wake themselves, while nothing else runs. */
struct spin {
	uint64_t count; /* number of turns; 0: there is no series */
	ct_time since;
	ct_time last;
	uint64_t coros[SPINNERS]; /* ids */
	uint32_t nr_coros;
	uint32_t site; /* the place of the last turn */
	/* other coroutines of the process that waited after the first LEAST_TURNS turns */
	uint32_t nr_waiting;
};

/* The series of one process. */
struct spins {
	struct spin present;
	struct spin longest; /* the present series, or an earlier one */
};

struct memory {
	struct spins *of_process;
};

static bool begin(struct model_watch *watch, const void *settings)
{
	struct memory *memory = watch->memory;

	(void)settings;
	memory->of_process = calloc(watch->model->nr_processes, sizeof(*memory->of_process));
	return memory->of_process;
}

static void end(struct model_watch *watch)
{
	struct memory *memory = watch->memory;

	free(memory->of_process);
}

static struct spins *spins_of(const struct model_watch *watch, const struct model_coro *coro)
{
	const struct memory *memory = watch->memory;

	return &memory->of_process[coro->process];
}

static void end_spin(struct spins *spins)
{
	if (spins->present.count >= LEAST_TURNS && spins->present.count > spins->longest.count)
		spins->longest = spins->present;
	spins->present.count = 0;
}

/* Anything else that a coroutine of the process does ends the series. */
static bool look_at_progress(struct model_watch *watch, const struct model_sight *sight)
{
	end_spin(spins_of(watch, &watch->model->coros.at[sight->coro]));
	return true;
}

static void count_waiting(const struct model *model, uint32_t process, struct spin *spin)
{
	size_t i;

	spin->nr_waiting = 0;
	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		spin->nr_waiting += coro->process == process && !coro->mark &&
				    model_is_awaiting(coro) && !analyze_wait_is_sleep(coro);
	}
}

static bool has(const struct spin *spin, uint64_t id)
{
	uint32_t i;

	for (i = 0; i < spin->nr_coros; i++)
		if (spin->coros[i] == id)
			return true;
	return false;
}

static bool has_yielded(const struct model_coro *coro)
{
	return coro->suspended != CT_NO_TIME && coro->point == CTP_POINT_YIELD;
}

static bool has_woken_itself(const struct model_coro *coro, uint32_t index)
{
	return coro->turns->wake.coro == index && model_was_woken(coro);
}

static bool has_waited_for_clock(const struct model_coro *coro)
{
	return coro->suspended != CT_NO_TIME && analyze_wait_is_timed(coro);
}

static void begin_spin(struct spin *spin, const struct model_coro *coro, ct_time time)
{
	*spin = (struct spin){.since = time, .nr_coros = 1};
	spin->coros[0] = coro->id;
}

static void turn(
	const struct model *model, struct spins *spins, const struct model_coro *coro, ct_time time)
{
	struct spin *spin = &spins->present;
	bool is_new = spin->count && !has(spin, coro->id);

	if (is_new && spin->nr_coros == SPINNERS)
		end_spin(spins);
	else if (is_new)
		spin->coros[spin->nr_coros++] = coro->id;
	if (spin->count == 0)
		begin_spin(spin, coro, time);
	spin->count++;
	spin->last = time;
	spin->site = coro->wait_site;
	if (spin->count == LEAST_TURNS)
		count_waiting(model, coro->process, spin);
}

/* The run of another coroutine ends the series, unless that coroutine had waited for the clock. */
static bool look_at_run(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct spins *spins = spins_of(watch, coro);
	const struct spin *spin = &spins->present;

	if (has_yielded(coro) || has_woken_itself(coro, sight->coro)) {
		turn(watch->model, spins, coro, sight->event->time);
		return true;
	}
	/* The event that made the coroutine ready may be missing. */
	if ((watch->model->nr_lost || watch->model->is_unfinished) && spin->count &&
		has(spin, coro->id))
		return true;
	if (spin->count && !has_waited_for_clock(coro))
		end_spin(spins);
	return true;
}

static const struct spin *longest_of(const struct analysis *analysis, uint32_t process)
{
	const struct memory *memory = analyze_watch_of(analysis, &rules_livelock)->memory;
	const struct spins *spins = &memory->of_process[process];

	return spins->present.count >= spins->longest.count ? &spins->present : &spins->longest;
}

/* ---------------------------------------------------------------- the candidates */

static bool is_livelock(const struct analysis *analysis, uint32_t process)
{
	const struct spin *spin = longest_of(analysis, process);
	int64_t lasted = spin->last - spin->since;
	struct model_account sum;

	if (spin->count < (uint64_t)LIMIT(analysis, LIVELOCK_TURNS) || !spin->nr_waiting ||
		lasted <= LIMIT(analysis, LIVELOCK_TIME) ||
		!analyze_party_is_at_work(analysis, process, spin->since, spin->last))
		return false;
	if (!analyze_party_account(analysis, process, spin->since, spin->last, &sum))
		return true;
	return (int64_t)(sum.ran_ns + sum.waited_ns) > lasted / 2 &&
	       sum.ran_ns / spin->count <= (uint64_t)LIMIT(analysis, LIVELOCK_TURN);
}

/* Does a coroutine wait for what this one has, or for its end? */
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
	const struct spin *spin = longest_of(analysis, process);
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
	if (!analyze_party_account(analysis, process, spin->since, spin->last, &sum))
		analyze_candidate_lower(&candidate, REASON_NO_ACCOUNT);
	analyze_candidate_lower_for_gaps(analysis, &candidate, spin->since, spin->last);
	analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	uint32_t i, k;

	for (i = 1; i < analysis->model->nr_processes; i++) {
		const struct spin *spin = longest_of(analysis, i);

		for (k = 0; is_livelock(analysis, i) && k < spin->nr_coros; k++) {
			uint32_t coro = model_find(analysis->model, i, spin->coros[k]);

			if (coro)
				judge(analysis, i, coro);
		}
	}
}

/* ---------------------------------------------------------------- the evidence */

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	const struct spin *spin = longest_of(analysis, first->process);
	struct ct_step step = {
		.time = spin->since,
		.site = spin->site,
		.coro = coro->id,
		.sequence = UINT64_MAX,
		.text = analyze_say(analysis, "ran %s times from here on, and did nothing else",
			analyze_words_number(analysis, spin->count)),
	};

	finding->title =
		analyze_say(analysis, "%s %s nothing but poll at %s for %s, and %s other%s",
			analyze_words_number(analysis, group->count),
			group->count == 1 ? "coroutine does" : "coroutines do",
			analyze_words_place(analysis, spin->site),
			analyze_words_duration(analysis, spin->last - spin->since),
			analyze_words_number(analysis, spin->nr_waiting),
			spin->nr_waiting == 1 ? " waits" : "s wait");
	analyze_story_step(analysis, story, &step);
	analyze_story_evidence(
		analysis, story, "nothing else of the program has run meanwhile, except timers");
	analyze_story_victims(analysis, story, group);
	finding->last_sequence = coro->last_event;
}

const struct rule rules_livelock = {
	.watcher = {.nr_bytes = sizeof(struct memory),
		.looks = {[MODEL_RUN] = look_at_run, [MODEL_PROGRESS] = look_at_progress},
		.begin = begin,
		.end = end},
	.find = find,
	.describe = describe,
};
