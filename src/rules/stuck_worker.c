/* SPDX-License-Identifier: MIT */
/*
 * Stuck workers: coroutines are ready, and the thread whose queue they are in has been busy with something else for
 * over a second. Proven if no other thread may take them out of the queue, and the thread is blocked without
 * time-out. The same holds for coroutines in a queue that all workers share, if every worker is blocked.
 *
 * The rule is silent if the worker is parked or polls: then a wake for it is on its way, or another rule judges. So
 * it is if the coroutine that the worker runs is marked, and therefore meant to take long.
 */
#include <inttypes.h>

#include "rules/parts.h"

#define WORKERS_TOLD 8 /* of workers that are all blocked */

enum variant {
	VARIANT_SHARED,  /* other workers may take the coroutine, too */
	VARIANT_PRIVATE, /* only this one worker may take the coroutine */
	VARIANT_ALL,     /* all workers are blocked */
};

static bool is_busy(const struct model_thread *thread, ct_time end)
{
	return thread->is_worker && thread->idle_from == CT_NO_TIME && !thread->is_parked &&
	       !thread_is_over(thread, end) && thread->last_event != CT_NO_TIME;
}

/*
 * Is the thread asleep in a call without time-out, as the engine saw, or as its last event says? A look counts only
 * if the limit had passed by then: a thread that was seen asleep sooner may have gone on.
 */
static bool is_blocked(const struct model_thread *thread, ct_time since, int64_t limit_ns)
{
	if (thread_is_seen(thread) && (thread->seen_state == 'R' || !thread->seen_untimed))
		return false;
	if (thread_is_seen(thread) && thread->seen - since > limit_ns)
		return true;
	return thread->is_blocked_last && !thread->is_blocked_timed;
}

/*
 * Was the thread on a processor at each look, and not in a recorded call? Then it is probably at work. A single look
 * may come when a signal has just woken the thread.
 */
static bool is_computing(const struct model_thread *thread)
{
	return thread_is_seen(thread) && thread->nr_looks_running == thread->nr_looks &&
	       !thread->is_blocked_last;
}

/*
 * If no queue is recorded: the only worker that is not idle, if it has been silent for that long.
 */
static uint32_t only_busy_worker(const struct analysis *analysis, uint32_t process, ct_time end)
{
	const struct model *model = analysis->model;
	uint32_t found = 0;
	size_t i;

	for (i = 0; i < model->processes[process].workers.count; i++) {
		uint32_t worker = model->processes[process].workers.at[i];

		if (!is_busy(&model->threads[worker], end) || !model->threads[worker].top)
			continue;
		if (found)
			return 0;
		found = worker;
	}
	return found;
}

static bool has_ended(const struct analysis *analysis, uint32_t worker)
{
	const struct model_thread *thread = &analysis->model->threads[worker];

	return thread_is_over(thread, analysis->parties[thread->process].end);
}

/* Is the worker, with an unmarked coroutine, in a call without time-out, or in one that has lasted for too long? */
static bool is_lost(const struct analysis *analysis, uint32_t worker)
{
	const struct model_thread *thread = &analysis->model->threads[worker];

	return is_busy(thread, analysis->parties[thread->process].end) && thread->top &&
	       !analysis->model->coros.at[thread->top].mark &&
	       is_blocked(thread, thread->last_event, LIMIT(analysis, STUCK_TIME));
}

/* If all workers, at least two, are blocked with what they run: the worker that was blocked last; 0: not all are. */
static uint32_t last_blocked_worker(const struct analysis *analysis, uint32_t process)
{
	const struct model *model = analysis->model;
	uint32_t count = 0, last = 0;
	size_t i;

	for (i = 0; i < model->processes[process].workers.count; i++) {
		uint32_t worker = model->processes[process].workers.at[i];

		if (!model->threads[worker].is_worker || has_ended(analysis, worker))
			continue;
		if (!is_lost(analysis, worker))
			return 0;
		count++;
		if (!last || model->threads[worker].last_event > model->threads[last].last_event)
			last = worker;
	}
	return count > 1 ? last : 0;
}

/* By process, computed once. */
static uint32_t *list_only_busy(struct analysis *analysis)
{
	uint32_t count = analysis->model->nr_processes, i;
	uint32_t *only = analyze_scratch(analysis, count, sizeof(*only));

	for (i = 0; only && i < count; i++)
		only[i] = only_busy_worker(analysis, i, analysis->parties[i].end);
	return only;
}

static uint32_t *list_last_blocked(struct analysis *analysis)
{
	uint32_t count = analysis->model->nr_processes, i;
	uint32_t *last = analyze_scratch(analysis, count, sizeof(*last));

	for (i = 0; last && i < count; i++)
		last[i] = last_blocked_worker(analysis, i);
	return last;
}

/*
 * Had the thread no processor for half of its silence? Then nothing is known to keep it: it may have gone on at once.
 */
static bool is_starved(const struct analysis *analysis, uint32_t worker, ct_time end)
{
	ct_time last = thread_last_sign(&analysis->model->threads[worker]);

	return model_account_starved(analysis->model, worker, last, end) > (end - last) / 2;
}

/*
 * Has no thread recorded anything for that long, of a program that exited? The exit may have taken that time, unless
 * the thread is known to have been blocked, or at work: a hung program may well exit when it is asked to.
 */
static bool may_have_exited(
	const struct analysis *analysis, const struct model_thread *thread, int64_t limit_ns)
{
	const struct party *party = &analysis->parties[thread->process];

	return party->has_ended_well && party->acted - thread_last_sign(thread) <= limit_ns &&
	       !is_blocked(thread, thread->last_event, limit_ns) && !is_computing(thread);
}

/* What the thread runs: the function of the coroutine on top of it, or where that coroutine was started. */
static uint32_t place_of(const struct analysis *analysis, const struct model_thread *thread)
{
	const struct model_coro *top = &analysis->model->coros.at[thread->top];

	return top->rare->function_site ? top->rare->function_site : top->spawn_site;
}

/* Why the thread is not known to be blocked for ever. */
static uint64_t doubt_of(const struct model_thread *thread)
{
	if (!thread_is_seen(thread))
		return REASON(THREAD_UNSEEN);
	if (thread->seen_state == 'R')
		return REASON(RAN_MEANWHILE);
	return thread->seen_system_call == MODEL_NO_CALL ? REASON(CALL_UNKNOWN)
							 : REASON(LOOKED_AT_EARLY);
}

static void judge(struct analysis *analysis, uint32_t index, uint32_t worker, enum variant variant)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	const struct model_thread *thread = &analysis->model->threads[worker];
	ct_time end = analyze_party_working_until(analysis, coro->process);
	ct_time since = ready_since(coro);
	int64_t limit_ns = LIMIT(analysis, STUCK_TIME);
	ct_time start =
		analyze_candidate_life_start(analysis, &analysis->model->coros.at[thread->top]);
	struct candidate candidate = {
		.rule = CT_RULE_STUCK_WORKER,
		.grade = CT_GRADE_LIKELY,
		.process = coro->process,
		.coro = index,
		.cause_site = place_of(analysis, thread),
		.variant = variant,
		.subject = worker,
		.since = since,
	};

	if (analysis->model->coros.at[thread->top].mark || end - since <= limit_ns ||
		end - thread_last_sign(thread) <= limit_ns)
		return;
	if (variant == VARIANT_PRIVATE && is_blocked(thread, since, limit_ns))
		candidate.grade = CT_GRADE_PROVEN;
	else if (may_have_exited(analysis, thread, limit_ns))
		return;
	else if (is_computing(thread))
		analyze_candidate_lower(&candidate, REASON_COMPUTING);
	else if (is_starved(analysis, worker, end))
		analyze_candidate_lower(&candidate, REASON_STARVED);
	else if (variant == VARIANT_PRIVATE && !thread->is_blocked_last)
		candidate.reasons |= doubt_of(thread);
	if (variant == VARIANT_ALL)
		start = FROM_THE_BEGINNING;
	analyze_candidate_lower_for_gaps(analysis, &candidate, start < since ? start : since, end);
	analyze_candidate_add(analysis, &candidate);
}

/*
 * Judges by who may take the coroutine: only its own worker, or any. A thread that puts coroutines into a common
 * queue may be no worker.
 */
static void judge_ready(
	struct analysis *analysis, uint32_t index, uint32_t only_busy, uint32_t last_blocked)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	uint32_t worker = coro->turns->queue_thread;
	bool is_own_busy = worker && is_busy(&analysis->model->threads[worker],
					     analysis->parties[coro->process].end);

	if (coro->is_queue_private && is_own_busy)
		judge(analysis, index, worker, VARIANT_PRIVATE);
	else if (coro->is_queue_private)
		return;
	else if (last_blocked)
		judge(analysis, index, last_blocked, VARIANT_ALL);
	else if (is_own_busy || only_busy)
		judge(analysis, index, is_own_busy ? worker : only_busy, VARIANT_SHARED);
}

static void find(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	uint32_t *only = list_only_busy(analysis), *last = list_last_blocked(analysis), i;

	for (i = 1; only && last && i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		if (is_ready(coro) && !analysis->is_told[i])
			judge_ready(analysis, i, only[coro->process], last[coro->process]);
	}
}

/* ---------------------------------------------------------------- the proof */

/* Claims that the coroutine is in a queue from which only its worker can take it, and that the worker does not come. */
static void certify(
	struct analysis *analysis, const struct candidate *candidate, struct claims *claims)
{
	const struct model_coro *coro = &analysis->model->coros.at[candidate->coro];
	struct claim stays = {
		.kind = CLAIM_NOTHING,
		.process = coro->process,
		.subject = claim_coro(coro->id),
		.kinds = CLAIM_RUNS | CLAIM_KIND(DEQUEUE),
		.after = coro->turns->queue_event,
		.before = CLAIM_NO_EVENT,
	};

	claim_told(claims, coro->turns->queue_event, CLAIM_KIND(ENQUEUE), claim_coro(coro->id));
	claim_add(claims, &stays);
	claim_whole(claims, coro->process, 0, coro->turns->queued,
		analysis->parties[coro->process].end);
}

/* ---------------------------------------------------------------- the evidence */

static const char *words_told(struct analysis *analysis, const struct model_thread *thread)
{
	if (thread->is_blocked_last)
		return analyze_say(analysis, "it is in %s", ct_call_name(thread->blocked_call));
	return "what it does was not seen";
}

/* Asleep at some looks and running at others: the thread works on and off, or was woken by what ended the recording. */
static const char *words_looks(struct analysis *analysis, const struct model_thread *thread)
{
	uint32_t nr_asleep = thread->nr_looks - thread->nr_looks_running;

	if (nr_asleep == 0)
		return analyze_say(analysis, "%s, and the engine saw it on a processor",
			words_told(analysis, thread));
	return analyze_say(analysis,
		"the engine saw it on a processor, and before that asleep at %s of %s looks",
		analyze_words_number(analysis, nr_asleep),
		analyze_words_number(analysis, thread->nr_looks));
}

static const char *words_state(struct analysis *analysis, const struct model_thread *thread)
{
	if (!thread_is_seen(thread))
		return words_told(analysis, thread);
	if (is_computing(thread))
		return analyze_say(analysis, "the engine saw it compute%s",
			analyze_stillness_words_told(analysis, thread));
	if (thread->seen_state == 'R')
		return words_looks(analysis, thread);
	if (thread->seen_system_call == MODEL_NO_CALL)
		return analyze_say(analysis,
			"the engine saw it in state %c; in which system call, if any, is not known",
			thread->seen_state);
	return analyze_say(analysis, "the engine saw it in state %c, in %s%s", thread->seen_state,
		analyze_words_system_call(analysis, thread->seen_system_call),
		thread->seen_untimed ? ", without time-out" : "");
}

static void tell_worker(struct analysis *analysis, uint32_t worker, struct story *story)
{
	const struct model_thread *thread = &analysis->model->threads[worker];
	const struct model_coro *top = &analysis->model->coros.at[thread->top];
	struct ct_step step = {
		.time = thread->last_event,
		.site = place_of(analysis, thread),
		.thread = worker,
		.coro = top->id,
		.sequence = top->last_event,
		.text = analyze_say(analysis, "the last sign of this worker; %s",
			words_state(analysis, thread)),
	};

	analyze_story_step(analysis, story, &step);
}

static void tell_workers(struct analysis *analysis, uint32_t process, struct story *story)
{
	const struct model_process *of = &analysis->model->processes[process];
	uint32_t nr_told = 0;
	size_t i;

	for (i = 0; i < of->workers.count && nr_told < WORKERS_TOLD; i++) {
		uint32_t worker = of->workers.at[i];

		if (!analysis->model->threads[worker].is_worker || has_ended(analysis, worker))
			continue;
		tell_worker(analysis, worker, story);
		nr_told++;
	}
}

/* The call in which the worker is at the end, with what it runs. */
static const char *words_call(struct analysis *analysis, uint32_t worker)
{
	struct model_call call;

	return model_find_call(analysis->model, worker, &call)
		       ? analyze_say(analysis, ", and is in %s", call.name)
		       : "";
}

static const char *words_title(
	struct analysis *analysis, const struct group *group, const struct candidate *first)
{
	const struct model_thread *thread = &analysis->model->threads[first->subject];
	const char *ran =
		analyze_say(analysis, "%s, which has run coroutine %" PRIu64 " (%s) for %s%s",
			analyze_words_thread(analysis, first->subject),
			analysis->model->coros.at[thread->top].id,
			analyze_words_place(analysis, first->cause_site),
			analyze_words_duration(
				analysis, analyze_party_working_until(analysis, first->process) -
						  thread_last_sign(thread)),
			words_call(analysis, first->subject));

	if (first->variant == VARIANT_ALL)
		return analyze_say(analysis,
			"%s ready %s, and all workers are blocked, the last one %s",
			analyze_words_number(analysis, group->count),
			group->count == 1 ? "coroutine waits" : "coroutines wait", ran);
	return analyze_say(analysis, "%s ready %s%s", analyze_words_number(analysis, group->count),
		group->count == 1 ? "coroutine lies with " : "coroutines lie with ", ran);
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_thread *thread = &analysis->model->threads[first->subject];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];

	finding->title = words_title(analysis, group, first);
	analyze_story_made_ready(analysis, story, coro);
	if (first->variant == VARIANT_ALL)
		tell_workers(analysis, first->process, story);
	else
		tell_worker(analysis, first->subject, story);
	analyze_story_victims(analysis, story, group);
	finding->first_sequence = coro->last_event;
	finding->last_sequence = thread->seen != CT_NO_TIME ? thread->seen_event : coro->last_event;
}

/* The run that the ready coroutines lie behind. */
static void find_run(const struct analysis *analysis, const struct candidate *candidate,
	struct analyze_run *ret_run)
{
	uint32_t top = analysis->model->threads[candidate->subject].top;

	*ret_run = (struct analyze_run){
		.coro = top,
		.process = candidate->process,
		.thread = candidate->subject,
		.since = analysis->model->coros.at[top].changed,
	};
}

const struct rule rules_stuck_worker = {
	.find = find,
	.certify = certify,
	.describe = describe,
	.find_run = find_run,
	.is_cause = true,
};
