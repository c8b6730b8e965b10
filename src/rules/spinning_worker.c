/* SPDX-License-Identifier: MIT */
/*
 * Spinning workers: a coroutine suspended, and its worker has been on a processor ever since without recording
 * anything. The code after the suspension spins: the awaiter's await_suspend, a lock of the scheduler's own, its
 * search for work. Meanwhile others do not go on: some are ready and no coroutine has run since, or the process
 * stands still. That case is judged last, because a scheduler that searches for work without a pause also spins while
 * a wake is lost.
 *
 * A worker that does other work than coroutines looks the same, so the finding is never more than Suspect. The rule
 * is silent about marked coroutines, during a warm-up or the end of a program, and if events are missing since.
 */

#include "analyze/hot.h"
#include "rules/parts.h"

#define WORKERS_TOLD 8u

/*
 * The coroutine that suspended last on this worker, which has computed since. 0: the worker does not compute, that
 * coroutine is marked, or events are missing since.
 */
static uint32_t left_by(const struct analysis *analysis, uint32_t worker)
{
	const struct model_thread *thread = &analysis->model->threads[worker];
	ct_time end = analyze_party_working_until(analysis, thread->process);
	ct_time over = analysis->parties[thread->process].end;
	uint32_t index = analyze_stillness_leaving(analysis, worker);
	const struct model_coro *coro = &analysis->model->coros.at[index];

	if (!index || coro->mark || !thread->is_worker || thread->idle_from != CT_NO_TIME ||
		end - thread->last_event <= LIMIT(analysis, SPINNING_TIME) ||
		thread_is_over(thread, over) ||
		model_lost_between(analysis->model, coro->process, coro->suspended, over))
		return 0;
	return index;
}

static bool is_long_ready(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	return is_ready(coro) && !coro->mark && !analysis->is_told[index] &&
	       analyze_party_working_until(analysis, coro->process) - ready_since(coro) >
		       LIMIT(analysis, SPINNING_TIME);
}

/* Has no coroutine done anything for so long, although some are ready? */
static bool are_held_up(const struct analysis *analysis, uint32_t process)
{
	const struct stillness *still = &analysis->stills[process];
	ct_time end = analyze_party_working_until(analysis, process);

	return !still->nr_running && still->moment != CT_NO_TIME &&
	       end - still->moment > LIMIT(analysis, SPINNING_TIME) &&
	       !analysis->parties[process].has_ended_well &&
	       analyze_party_is_at_work(analysis, process, still->moment, end);
}

/* Returns whether a candidate was added. */
static bool judge(struct analysis *analysis, uint32_t worker, uint32_t nr_ready)
{
	uint32_t index = left_by(analysis, worker);
	const struct model_coro *coro = &analysis->model->coros.at[index];
	enum reason doubt = analyze_stillness_doubt(analysis, worker);
	struct candidate candidate = {
		.rule = CT_RULE_SPINNING_WORKER,
		.grade = CT_GRADE_SUSPECT,
		.process = coro->process,
		.coro = index,
		.wait_site = coro->wait_site,
		.variant = nr_ready,
		.subject = worker,
		.reasons = REASON(BUSY_UNTOLD),
		.since = coro->suspended,
	};

	/* A notify in vain says more than this rule can: lost-wakeup reports it. */
	if (!index || analysis->is_told[index] || rules_lost_wakeup_was_passed_by(analysis, coro))
		return false;
	candidate.reasons |= doubt == NR_REASONS ? 0 : UINT64_C(1) << doubt;
	analyze_candidate_add(analysis, &candidate);
	return true;
}

static bool judge_all(struct analysis *analysis, uint32_t process, uint32_t nr_ready)
{
	const struct model_process *of = &analysis->model->processes[process];
	bool is_told = false;
	size_t i;

	for (i = 0; i < of->workers.count; i++)
		is_told |= judge(analysis, of->workers.at[i], nr_ready);
	return is_told;
}

bool rules_spinning_worker_explains(struct analysis *analysis, uint32_t process)
{
	return judge_all(analysis, process, 0);
}

/* Coroutines go on, so this is no finding; but a user with one worker less wants to know where it is. */
static void remark(struct analysis *analysis, uint32_t worker)
{
	uint32_t index = left_by(analysis, worker);
	const struct model_coro *coro = &analysis->model->coros.at[index];
	ct_time end = analyze_party_working_until(analysis, coro->process);

	if (!index)
		return;
	analyze_quality_remark(analysis,
		"%s has computed without a coroutine for %s, since %s suspended at %s: the code "
		"after that suspension loops, or the thread does other work",
		analyze_words_thread(analysis, worker),
		analyze_words_duration(analysis, end - coro->suspended),
		analyze_words_coro(analysis, coro), analyze_words_place(analysis, coro->wait_site));
}

static void remark_all(struct analysis *analysis, uint32_t process)
{
	const struct model_process *of = &analysis->model->processes[process];
	size_t i;

	for (i = 0; i < of->workers.count; i++)
		remark(analysis, of->workers.at[i]);
}

static bool do_others_run(const struct analysis *analysis, uint32_t process)
{
	const struct stillness *still = &analysis->stills[process];

	return still->moment != CT_NO_TIME && !analysis->parties[process].has_ended_well &&
	       analyze_party_working_until(analysis, process) - still->moment <=
		       LIMIT(analysis, SPINNING_TIME);
}

static void find(struct analysis *analysis)
{
	const uint64_t *nr_ready = analyze_party_count_coros(analysis, is_long_ready);
	uint32_t process;

	for (process = 1; nr_ready && process < analysis->model->nr_processes; process++)
		if (nr_ready[process] && are_held_up(analysis, process))
			judge_all(analysis, process, (uint32_t)nr_ready[process]);
		else if (do_others_run(analysis, process))
			remark_all(analysis, process);
}

/* ---------------------------------------------------------------- the evidence */

static void tell_workers(struct analysis *analysis, const struct group *group, struct story *story)
{
	uint32_t i;

	for (i = 0; i < group->count && i < WORKERS_TOLD; i++) {
		const struct candidate *candidate = &analysis->candidates.at[group->first + i];
		struct ct_step step = {
			.time = analysis->model->threads[candidate->subject].last_event,
			.thread = candidate->subject,
			.sequence = UINT64_MAX,
			.text = "since then the thread has been on a processor, and has "
				"recorded nothing: the code after that suspension loops",
		};

		analyze_story_suspended(
			analysis, story, &analysis->model->coros.at[candidate->coro]);
		analyze_story_step(analysis, story, &step);
	}
}

/* Coroutines that wait elsewhere may wait for the spinning worker. */
static void tell_others(struct analysis *analysis, const struct group *group, struct story *story)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	struct rules_waiting waiting = rules_behind_count(analysis, first->coro);
	uint32_t nr_waiting = waiting.nr_behind + waiting.nr_others;

	if (nr_waiting >= group->count)
		analyze_story_evidence(analysis, story, "%s more %s meanwhile",
			analyze_words_number(analysis, nr_waiting - (group->count - 1)),
			nr_waiting == group->count ? "waits" : "wait");
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	ct_time end = analyze_party_working_until(analysis, first->process);
	const char *ready =
		!first->variant ? ""
				: analyze_say(analysis, ", while %s %s ready",
					  analyze_words_number(analysis, first->variant),
					  first->variant == 1 ? "coroutine is" : "coroutines are");

	finding->title = analyze_say(analysis,
		"%s %s computed without a coroutine for %s, since %s suspended at %s%s",
		analyze_words_number(analysis, group->count),
		group->count == 1 ? "worker has" : "workers have",
		analyze_words_duration(analysis, end - coro->suspended),
		group->count == 1 ? analyze_words_coro(analysis, coro) : "their last ones",
		analyze_words_place(analysis, first->wait_site), ready);
	tell_workers(analysis, group, story);
	tell_others(analysis, group, story);
	analyze_stillness_tell_threads(analysis, first->process, story);
	analyze_story_victims(analysis, story, group);
	finding->first_sequence = coro->wait_event;
	finding->last_sequence = coro->last_event;
}

static void find_run(const struct analysis *analysis, const struct candidate *candidate,
	struct analyze_run *ret_run)
{
	analyze_hot_own_run(analysis, candidate, ret_run);
	ret_run->thread = candidate->subject;
}

const struct rule rules_spinning_worker = {
	.find = find,
	.describe = describe,
	.find_run = find_run,
	.is_cause = true,
};
