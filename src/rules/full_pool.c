/* SPDX-License-Identifier: MIT */
/*
 * Full pools: coroutines that are marked as blocking run once, on threads of a pool for such work. Some have waited for
 * over a second for a thread, and each one that runs has been in a futex without time-out for as long, as one that
 * waits for another thread or task: no thread comes free. Likely, if one that has not begun was started by one that
 * runs, directly or by what that one started, because then this one may wait for it; else Suspect, because somebody
 * outside of the pool may still end the wait.
 *
 * The rule is silent if one that runs computes, sleeps or reads, for it will come to its end; if a thread of the
 * process computes, and the two are not tied; and if events have been lost since.
 */
#include "base/system_calls.h"
#include "rules/parts.h"

static bool is_blocking(const struct model_coro *coro)
{
	return coro->mark == CTP_MARK_BLOCKING;
}

static int64_t ago(const struct analysis *analysis, uint32_t process, ct_time time)
{
	return analyze_party_working_until(analysis, process) - time;
}

/* Has it waited for a thread for long? */
static bool is_queued(const struct analysis *analysis, const struct model_coro *coro)
{
	return coro->state == CT_STATE_UNSEEN && is_blocking(coro) && coro->created != CT_NO_TIME &&
	       ago(analysis, coro->process, coro->created) > LIMIT(analysis, FULL_POOL_TIME);
}

static bool is_running(const struct model_coro *coro)
{
	return coro->state == CT_STATE_RUNNING && is_blocking(coro);
}

/* Has its thread waited for another one for long, at each look since? */
static bool is_held(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_thread *thread = &analysis->model->threads[coro->thread];

	return thread_is_seen(thread) && thread->seen_system_call == SYSTEM_CALL_futex &&
	       thread->seen_untimed && thread->seen_state == 'S' && !thread->nr_looks_running &&
	       thread->seen - thread->last_event > LIMIT(analysis, FULL_POOL_TIME);
}

/* ---------------------------------------------------------------- the pool */

struct pool {
	uint32_t first_queued, nr_queued, nr_running;
	bool is_stuck; /* each one that runs is held */
};

static void look_at(const struct analysis *analysis, uint32_t index, struct pool *pool)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	if (is_queued(analysis, coro)) {
		pool->first_queued = pool->first_queued ? pool->first_queued : index;
		pool->nr_queued++;
	}
	if (!is_running(coro))
		return;
	pool->nr_running++;
	pool->is_stuck = pool->is_stuck && is_held(analysis, coro);
}

static struct pool pool_of(const struct analysis *analysis, uint32_t process)
{
	struct pool pool = {.is_stuck = true};
	uint32_t i;

	for (i = 1; i < analysis->model->coros.count; i++)
		if (analysis->model->coros.at[i].process == process)
			look_at(analysis, i, &pool);
	return pool;
}

/* The nearest one that runs, for blocking work, and that started this one, directly or by what it started; 0: none. */
static uint32_t origin_of(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *at = analysis->model->coros.at;
	uint32_t steps;

	for (steps = 0; index && steps < TIES_GENERATIONS; steps++) {
		if (is_running(&at[index]))
			return index;
		index = at[index].parent;
	}
	return 0;
}

static bool is_computing(const struct analysis *analysis, uint32_t process)
{
	uint32_t i;

	for (i = 1; i < analysis->model->nr_threads; i++) {
		const struct model_thread *thread = &analysis->model->threads[i];

		if (thread->process == process && thread_is_seen(thread) &&
			thread_is_computing(thread))
			return true;
	}
	return false;
}

/* ---------------------------------------------------------------- the judgement */

static bool is_excused(const struct analysis *analysis, uint32_t process, ct_time since)
{
	const struct model_process *of = &analysis->model->processes[process];

	return of->halted != CT_NO_TIME || of->is_warming_up ||
	       analysis->parties[process].has_ended_well ||
	       model_lost_between(analysis->model, process, since, analysis->parties[process].end);
}

/* By coroutine that runs: one that has not begun, and that comes from it; 0: none. */
static uint32_t *list_ties(struct analysis *analysis)
{
	uint32_t count = (uint32_t)analysis->model->coros.count, i;
	uint32_t *queued_of = analyze_scratch(analysis, count, sizeof(*queued_of));

	for (i = 1; queued_of && i < count; i++) {
		uint32_t origin = is_queued(analysis, &analysis->model->coros.at[i])
					  ? origin_of(analysis, i)
					  : 0;

		if (origin && !queued_of[origin])
			queued_of[origin] = i;
	}
	return queued_of;
}

static bool is_any_tied(
	const struct analysis *analysis, uint32_t process, const uint32_t *queued_of)
{
	uint32_t i;

	for (i = 1; i < analysis->model->coros.count; i++)
		if (queued_of[i] && analysis->model->coros.at[i].process == process)
			return true;
	return false;
}

static void judge(struct analysis *analysis, uint32_t process, const uint32_t *queued_of)
{
	bool is_tied = is_any_tied(analysis, process, queued_of);
	uint32_t i;

	if (!is_tied && is_computing(analysis, process))
		return;
	for (i = 1; i < analysis->model->coros.count; i++) {
		const struct model_coro *coro = &analysis->model->coros.at[i];
		struct candidate candidate = {
			.rule = CT_RULE_FULL_POOL,
			.grade = is_tied ? CT_GRADE_LIKELY : CT_GRADE_SUSPECT,
			.process = process,
			.coro = i,
			.subject = coro->thread,
			.opposite = queued_of[i],
			.wait_site = coro->spawn_site,
			.since = coro->changed,
		};

		if (coro->process == process && is_running(coro) && !analysis->is_told[i])
			analyze_candidate_add(analysis, &candidate);
	}
}

/* Is each thread of the pool kept, as far as is known, while others wait for one? */
static bool is_full(const struct analysis *analysis, uint32_t process)
{
	struct pool pool = pool_of(analysis, process);

	return pool.nr_queued && pool.nr_running && pool.is_stuck &&
	       !is_excused(analysis, process, analysis->model->coros.at[pool.first_queued].created);
}

static void find(struct analysis *analysis)
{
	bool *is_judged =
		analyze_scratch(analysis, analysis->model->nr_processes, sizeof(*is_judged));
	uint32_t *queued_of = NULL;
	uint32_t i;

	for (i = 1; is_judged && i < analysis->model->coros.count; i++) {
		const struct model_coro *coro = &analysis->model->coros.at[i];

		if (!is_queued(analysis, coro) || is_judged[coro->process])
			continue;
		is_judged[coro->process] = true;
		if (!is_full(analysis, coro->process))
			continue;
		queued_of = queued_of ? queued_of : list_ties(analysis);
		if (queued_of)
			judge(analysis, coro->process, queued_of);
	}
}

/* ---------------------------------------------------------------- the evidence */

static void tell_run(
	struct analysis *analysis, const struct candidate *candidate, struct story *story)
{
	const struct model_coro *coro = &analysis->model->coros.at[candidate->coro];
	struct ct_step step = {
		.time = coro->changed,
		.site = coro->spawn_site,
		.thread = candidate->subject,
		.coro = coro->id,
		.sequence = coro->resume_event,
		.text = analyze_say(analysis, "began, and has kept the thread since: it is %s",
			analyze_stillness_words_thread(analysis, candidate->subject)),
	};

	analyze_story_step(analysis, story, &step);
}

/* Names the one that has waited longest. */
static void tell_queued(
	struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	analyze_story_evidence(analysis, story,
		"%s was created at %s, and no thread has begun to run it for %s",
		analyze_words_coro(analysis, coro), analyze_words_place(analysis, coro->spawn_site),
		analyze_words_duration(analysis, ago(analysis, coro->process, coro->created)));
}

/* Names the first one that runs and has started one that has not begun. */
static void tell_tie(struct analysis *analysis, const struct group *group, struct story *story)
{
	uint32_t i;

	for (i = 0; i < group->count; i++) {
		const struct candidate *at = &analysis->candidates.at[group->first + i];

		if (!at->opposite)
			continue;
		analyze_story_evidence(analysis, story, "%s comes from %s, which may wait for it",
			analyze_words_coro(analysis, &analysis->model->coros.at[at->opposite]),
			analyze_words_coro(analysis, &analysis->model->coros.at[at->coro]));
		return;
	}
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	struct pool pool = pool_of(analysis, first->process);
	const struct model_coro *queued = &analysis->model->coros.at[pool.first_queued];
	uint32_t i;

	finding->title = analyze_say(analysis,
		"%s started at %s %s a thread of the pool, %s; %s more, started at %s, %s not "
		"begun for up to %s",
		group->count == 1 ? "1 coroutine"
				  : analyze_say(analysis, "%s coroutines",
					    analyze_words_number(analysis, group->count)),
		analyze_words_place(analysis, first->wait_site),
		group->count == 1 ? "keeps" : "each keep",
		analyze_stillness_words_thread(analysis, first->subject),
		analyze_words_number(analysis, pool.nr_queued),
		analyze_words_place(analysis, queued->spawn_site),
		pool.nr_queued == 1 ? "has" : "have",
		analyze_words_duration(analysis, ago(analysis, first->process, queued->created)));
	for (i = 0; i < group->count && i < GROUP_EXAMPLES; i++)
		tell_run(analysis, first + i, story);
	tell_queued(analysis, queued, story);
	tell_tie(analysis, group, story);
	analyze_story_victims(analysis, story, group);
}

const struct rule rules_full_pool = {
	.find = find,
	.describe = describe,
	.is_cause = true,
};
