/* SPDX-License-Identifier: MIT */
/*
 * Blocked workers: a coroutine runs, and for over a second its thread has been in one system call: a lock, a
 * condition, a sleep, a read. Other coroutines wait for it. If every worker is blocked like this, these are all
 * coroutines that wait; else they are its ancestors, and those that wait for a lock that it holds. If nobody waits, the
 * rule reports the coroutine itself, as Suspect: if every worker is blocked where only the program itself can end it,
 * and another one was created and has never run, or no thread is left that could end the call; or if runs from that
 * place are over far sooner.
 *
 * A thread for blocking work does the same, and is normal. Workers are recognised by what they run: coroutines that
 * others have woken go on there. A coroutine that has moved itself to its present thread is judged by what that very
 * thread ran; any other coroutine also by the threads of the same name. Calls that wait for several descriptors at
 * once are event loops, and not judged. The rule is silent about marked coroutines, if events have been lost since,
 * and about threads with ready coroutines in their queues: the rule stuck-worker finds those.
 */
#include <stdlib.h>

#include "analyze/hot.h"
#include "analyze/proof.h"
#include "base/system_calls.h"
#include "rules/namesakes.h"
#include "rules/parts.h"

#define PLACES_TOLD 4u

/* ---------------------------------------------------------------- the watcher */

struct memory {
	uint32_t *nr_served; /* by thread: coroutines that others had woken, and that ran there */
	bool *has_resumed; /* by thread: it has resumed a coroutine, beyond the first step of one */
};

static bool begin(struct model_watch *watch, const void *settings)
{
	struct memory *memory = watch->memory;

	(void)settings;
	memory->nr_served = calloc(watch->model->nr_threads, sizeof(*memory->nr_served));
	memory->has_resumed = calloc(watch->model->nr_threads, sizeof(*memory->has_resumed));
	return memory->nr_served && memory->has_resumed;
}

static void end(struct model_watch *watch)
{
	struct memory *memory = watch->memory;

	free(memory->nr_served);
	free(memory->has_resumed);
}

static bool is_by_itself(const struct model_coro *coro, uint32_t index)
{
	return !model_was_woken(coro) || coro->turns->wake.coro == index;
}

static bool look_at_run(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct memory *memory = watch->memory;

	memory->nr_served[sight->event->thread] += coro->state == CT_STATE_READY &&
						   coro->suspended != CT_NO_TIME &&
						   !is_by_itself(coro, sight->coro);
	memory->has_resumed[sight->event->thread] |= coro->suspended != CT_NO_TIME;
	return true;
}

bool rules_blocked_worker_has_served(const struct analysis *analysis, uint32_t thread)
{
	const struct memory *memory = analyze_watch_of(analysis, &rules_blocked_worker)->memory;

	return memory->nr_served[thread] >= (uint64_t)LIMIT(analysis, BLOCKED_SERVED);
}

/* ---------------------------------------------------------------- blocked threads */

/* In these calls a thread waits for many things at once: it runs an event loop of its own. */
static bool is_loop_call(const struct model_thread *thread)
{
	if (!thread_is_seen(thread))
		return thread->blocked_call == CTP_CALL_EPOLL_WAIT ||
		       thread->blocked_call == CTP_CALL_POLL ||
		       thread->blocked_call == CTP_CALL_SELECT;
	if (system_call_is_epoll(thread->seen_system_call))
		return true;
	switch (thread->seen_system_call) {
	case SYSTEM_CALL_poll:
	case SYSTEM_CALL_select:
	case SYSTEM_CALL_ppoll:
	case SYSTEM_CALL_pselect6:
	case SYSTEM_CALL_io_uring_enter:
		return true;
	default:
		return false;
	}
}

/*
 * Was the thread blocked at each look since its last event, and for over a second at the last one? Without a look:
 * does its last event say so?
 */
static bool is_blocked(const struct analysis *analysis, uint32_t index)
{
	const struct model_thread *thread = &analysis->model->threads[index];

	if (is_loop_call(thread))
		return false;
	if (!thread_is_seen(thread))
		return thread->is_blocked_last;
	return (thread->seen_state == 'S' || thread->seen_state == 'D') &&
	       !thread->nr_looks_running &&
	       thread->seen - thread->last_event > LIMIT(analysis, BLOCKED_TIME);
}

/* Can only the program itself end the call? */
static bool is_inside(const struct model_thread *thread)
{
	if (!thread_is_seen(thread))
		return thread->blocked_call == CTP_CALL_LOCK && !thread->is_blocked_timed;
	return thread->seen_system_call == SYSTEM_CALL_futex && thread->seen_untimed;
}

static bool is_long(const struct analysis *analysis, uint32_t thread)
{
	uint32_t top = analysis->model->threads[thread].top;

	return top && is_blocked(analysis, thread) &&
	       rules_endless_run_is(analysis, top, LIMIT(analysis, BLOCKED_TIME));
}

/* Is every living worker of the process blocked like this, or, if `only_resumers`, each that resumed a coroutine? */
static bool are_blocked(const struct analysis *analysis, uint32_t process, bool only_resumers)
{
	const struct memory *memory = analyze_watch_of(analysis, &rules_blocked_worker)->memory;
	const struct model_process *of = &analysis->model->processes[process];
	uint32_t count = 0;
	size_t i;

	for (i = 0; i < of->workers.count; i++) {
		uint32_t worker = of->workers.at[i];
		const struct model_thread *thread = &analysis->model->threads[worker];

		if (!thread->is_worker || thread_is_over(thread, analysis->parties[process].end) ||
			(only_resumers && !memory->has_resumed[worker]))
			continue;
		if (!is_long(analysis, worker))
			return false;
		count++;
	}
	return count > 0;
}

static bool are_all_blocked(const struct analysis *analysis, uint32_t process)
{
	return are_blocked(analysis, process, false);
}

/*
 * Has a coroutine been ready for long, while no thread is left that could resume it? A thread that has only run first
 * steps, as main does, takes nothing from a queue.
 */
static bool leaves_ready(
	const struct analysis *analysis, uint32_t process, const struct rules_waiting *waiting)
{
	return waiting->nr_ready && are_blocked(analysis, process, true);
}

/* ---------------------------------------------------------------- threads for blocking work */

/*
 * Has the lowest coroutine on the thread's stack waited before, and then woken itself, or been woken by an unknown
 * waker?
 */
static bool has_moved_itself(const struct analysis *analysis, uint32_t thread)
{
	uint32_t index = analysis->model->threads[thread].top;
	const struct model_coro *coro;

	while (analysis->model->coros.at[index].rare->below)
		index = analysis->model->coros.at[index].rare->below;
	coro = &analysis->model->coros.at[index];
	if (coro->suspended == CT_NO_TIME)
		return false;
	return coro->turns->wake.time == CT_NO_TIME ||
	       coro->turns->wake.sequence < coro->wait_event || coro->turns->wake.coro == index;
}

static bool has_any_served(const struct analysis *analysis, uint32_t process)
{
	uint32_t i;

	for (i = 1; i < analysis->model->nr_threads; i++)
		if (analysis->model->threads[i].process == process &&
			rules_blocked_worker_has_served(analysis, i))
			return true;
	return false;
}

static bool is_for_all(const struct analysis *analysis, uint32_t thread)
{
	return rules_blocked_worker_has_served(analysis, thread) ||
	       (rules_namesakes_are_named(analysis, thread) &&
		       !has_moved_itself(analysis, thread) &&
		       rules_namesakes_of(analysis, thread, CT_NO_TIME).have_served);
}

/* ---------------------------------------------------------------- the judgement */

/*
 * Is the coroutine itself stuck, although nobody waits? Every worker is blocked in a call that only the program itself
 * can end; and either a coroutine has never begun to run, which may be what is waited for, or no thread is left that
 * could end the call.
 */
static bool is_stuck_itself(
	const struct analysis *analysis, uint32_t thread, const struct rules_waiting *waiting)
{
	const struct model_thread *at = &analysis->model->threads[thread];

	return is_inside(at) && are_all_blocked(analysis, at->process) &&
	       (waiting->nr_not_begun ||
		       analyze_party_has_nobody_left(&analysis->parties[at->process]));
}

static bool is_timed(const struct model_thread *thread)
{
	return thread_is_seen(thread) ? !thread->seen_untimed : thread->is_blocked_timed;
}

/* Does nothing in the process go on, and can no time-out end the call? */
static bool is_alone(const struct analysis *analysis, const struct model_thread *thread)
{
	const struct stillness *still = &analysis->stills[thread->process];
	int64_t still_ns = analyze_party_working_until(analysis, thread->process) - still->moment;

	return !is_timed(thread) && !still->nr_computing &&
	       still_ns > LIMIT(analysis, BLOCKED_TIME);
}

/*
 * Nobody waits for the coroutine, as far as that is recorded. But it lies in a lock of threads for far longer than runs
 * from its place take, and its thread has run what others had woken.
 */
static bool is_lying_there(const struct analysis *analysis, uint32_t thread)
{
	const struct model_thread *at = &analysis->model->threads[thread];

	return is_inside(at) && rules_blocked_worker_has_served(analysis, thread) &&
	       rules_endless_run_is_unusual(analysis, &analysis->model->coros.at[at->top]);
}

/*
 * Other coroutines run on other threads, and only those that wait for this one are affected. On a thread for blocking
 * work, nothing is harmed.
 */
static enum ct_grade grade_beside_others(
	const struct analysis *analysis, uint32_t thread, const struct rules_waiting *waiting)
{
	const struct model_thread *at = &analysis->model->threads[thread];

	if (!waiting->nr_behind)
		return is_lying_there(analysis, thread) ? CT_GRADE_SUSPECT : CT_GRADE_NONE;
	if (is_for_all(analysis, thread))
		return CT_GRADE_LIKELY;
	return is_inside(at) || !has_any_served(analysis, at->process) ? CT_GRADE_SUSPECT
								       : CT_GRADE_NONE;
}

static enum ct_grade grade_of(
	const struct analysis *analysis, uint32_t thread, const struct rules_waiting *waiting)
{
	const struct model_thread *at = &analysis->model->threads[thread];
	bool is_everywhere = are_all_blocked(analysis, at->process);

	if (is_inside(at) && (waiting->nr_behind || (is_everywhere && waiting->nr_others)) &&
		analyze_party_has_nobody_left(&analysis->parties[at->process]))
		return CT_GRADE_PROVEN;
	if (is_everywhere && waiting->nr_others)
		return CT_GRADE_LIKELY;
	if (is_alone(analysis, at) && waiting->nr_behind + waiting->nr_others)
		return is_inside(at) ? CT_GRADE_LIKELY : CT_GRADE_SUSPECT;
	if (!waiting->nr_behind && is_stuck_itself(analysis, thread, waiting))
		return CT_GRADE_SUSPECT;
	if (!waiting->nr_behind && is_inside(at) && leaves_ready(analysis, at->process, waiting))
		return CT_GRADE_SUSPECT;
	return grade_beside_others(analysis, thread, waiting);
}

/* Does a finding about coroutines behind this thread cover it already? */
static bool is_told(const struct analysis *analysis, uint32_t thread)
{
	size_t i;

	if (analysis->is_told[analysis->model->threads[thread].top])
		return true;
	for (i = 0; i < analysis->candidates.count; i++)
		if (analysis->candidates.at[i].rule == CT_RULE_STUCK_WORKER &&
			analysis->candidates.at[i].subject == thread)
			return true;
	return false;
}

/* A probe that records the beginnings of coroutine bodies, by a resume, also records their ends. */
static bool is_end_untold(const struct analysis *analysis, const struct model_coro *coro)
{
	bool is_beginning_told = (coro->flags & MODEL_CORO_WAS_CREATED) && coro->nr_resumes;

	return coro->is_half_told ||
	       !(is_beginning_told || analysis->model->processes[coro->process].tells_ends);
}

/* Has an ancestor run on the thread since, above it? A yield and an end that are not recorded hand the thread back. */
static bool has_gone_back(const struct analysis *analysis, uint32_t thread)
{
	const struct model_thread *at = &analysis->model->threads[thread];

	return at->over.below == at->top &&
	       analyze_ties_comes_from(analysis->model, at->top, at->over.coro);
}

static void judge(struct analysis *analysis, uint32_t thread)
{
	uint32_t top = analysis->model->threads[thread].top;
	const struct model_coro *coro = &analysis->model->coros.at[top];
	struct rules_waiting waiting = rules_behind_count(analysis, top);
	struct candidate candidate = {
		.rule = CT_RULE_BLOCKED_WORKER,
		.grade = grade_of(analysis, thread, &waiting),
		.process = coro->process,
		.coro = top,
		.subject = thread,
		.since = coro->changed,
	};

	/*
	 * The coroutine may have ended, and its thread may be idle: what speaks against that is its parent's wait, or a
	 * coroutine that no idle thread takes.
	 */
	if (is_end_untold(analysis, coro)) {
		bool is_taken =
			!waiting.nr_behind && !leaves_ready(analysis, coro->process, &waiting);

		if (is_taken || has_gone_back(analysis, thread))
			return;
		analyze_candidate_limit(&candidate, CT_GRADE_SUSPECT, REASON_ENDS_UNTOLD);
	}
	/* The coroutine's suspend may be among the lost events. */
	if (candidate.grade == CT_GRADE_NONE ||
		model_lost_between(analysis->model, coro->process, coro->changed,
			analysis->parties[coro->process].end))
		return;
	if (is_timed(&analysis->model->threads[thread]) &&
		analyze_ties_may_drive(analysis->model, top, thread))
		analyze_candidate_limit(&candidate, CT_GRADE_SUSPECT, REASON_DRIVES);
	if (rules_namesakes_may_have_replaced(analysis, thread, coro->changed))
		analyze_candidate_limit(&candidate, CT_GRADE_SUSPECT, REASON_REPLACED);
	analyze_candidate_lower_for_gaps(analysis, &candidate,
		analyze_candidate_life_start(analysis, coro), analysis->parties[coro->process].end);
	analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	uint32_t i;

	for (i = 1; i < analysis->model->nr_threads; i++)
		if (is_long(analysis, i) && !is_told(analysis, i) &&
			!rules_namesakes_have_replaced(analysis, i))
			judge(analysis, i);
}

/* Has this rule, or stuck-worker, blamed the thread, with at least this grade? */
static bool is_blamed(
	const struct analysis *analysis, const struct candidate *candidate, enum ct_grade least)
{
	if (candidate->grade < least)
		return false;
	return candidate->rule == CT_RULE_BLOCKED_WORKER ||
	       (candidate->rule == CT_RULE_STUCK_WORKER && is_long(analysis, candidate->subject));
}

static bool is_in_its_way(const struct analysis *analysis, uint32_t index, uint32_t thread)
{
	if (is_ready(&analysis->model->coros.at[index]) &&
		are_blocked(analysis, analysis->model->threads[thread].process, true))
		return true;
	return are_all_blocked(analysis, analysis->model->threads[thread].process) ||
	       rules_behind_is(analysis, index, analysis->model->threads[thread].top);
}

/* Was this thread not reported only because events have been lost since? */
static bool is_untold(const struct analysis *analysis, uint32_t thread)
{
	const struct model_coro *top =
		&analysis->model->coros.at[analysis->model->threads[thread].top];

	return is_long(analysis, thread) && !is_end_untold(analysis, top) &&
	       model_lost_between(analysis->model, top->process, top->changed,
		       analysis->parties[top->process].end);
}

/* Is a thread in the way of this one, and blamed with at least `least`, or not reported only because of a loss? */
static bool is_behind_some(const struct analysis *analysis, uint32_t index, enum ct_grade least)
{
	uint32_t process = analysis->model->coros.at[index].process, i;

	for (i = 0; i < analysis->nr_earlier; i++) {
		const struct candidate *candidate = &analysis->candidates.at[i];

		if (candidate->process == process && is_blamed(analysis, candidate, least) &&
			is_in_its_way(analysis, index, candidate->subject))
			return true;
	}
	for (i = 1; i < analysis->model->nr_threads; i++)
		if (analysis->model->threads[i].process == process && is_untold(analysis, i) &&
			is_in_its_way(analysis, index, i))
			return true;
	return false;
}

bool rules_blocked_worker_is_behind(const struct analysis *analysis, uint32_t index)
{
	return is_behind_some(analysis, index, CT_GRADE_LIKELY);
}

bool rules_blocked_worker_is_named(const struct analysis *analysis, uint32_t index)
{
	return is_behind_some(analysis, index, CT_GRADE_SUSPECT);
}

/* ---------------------------------------------------------------- the proof */

/* Claims that the coroutine was resumed and has not left its thread since, and that all threads sleep for good. */
static void certify(
	struct analysis *analysis, const struct candidate *candidate, struct claims *claims)
{
	const struct model_coro *coro = &analysis->model->coros.at[candidate->coro];
	struct claim runs = {
		.kind = CLAIM_NOTHING,
		.process = coro->process,
		.subject = claim_coro(coro->id),
		.kinds = CLAIM_LEAVES,
		.after = coro->resume_event,
		.before = CLAIM_NO_EVENT,
	};

	claim_told(claims, coro->resume_event, CLAIM_KIND(RESUME) | CLAIM_KIND(SWITCH),
		claim_coro(coro->id));
	claim_add(claims, &runs);
	claim_asleep(claims, coro->process);
	claim_whole(
		claims, coro->process, 0, FROM_THE_BEGINNING, analysis->parties[coro->process].end);
}

/* ---------------------------------------------------------------- the evidence */

static void tell_run(
	struct analysis *analysis, const struct candidate *candidate, struct story *story)
{
	const struct model_coro *coro = &analysis->model->coros.at[candidate->coro];
	struct ct_step step = {
		.time = coro->changed,
		.site = rules_endless_run_place(coro),
		.thread = candidate->subject,
		.coro = coro->id,
		.sequence = coro->resume_event,
		.text = analyze_say(analysis,
			"resumed from here, and has blocked the thread since: it is %s",
			analyze_stillness_words_thread(analysis, candidate->subject)),
	};

	analyze_story_step(analysis, story, &step);
	rules_mutex_owner_tell(analysis, candidate->subject, story);
}

static bool is_behind_any(
	const struct analysis *analysis, const struct group *group, uint32_t index)
{
	uint32_t i;

	for (i = 0; i < group->count; i++)
		if (rules_behind_is(
			    analysis, index, analysis->candidates.at[group->first + i].coro))
			return true;
	return false;
}

/* Did this one start a member whose thread is in a futex, as one that waits for a lock, which this one may hold? */
static const char *words_tie(
	const struct analysis *analysis, const struct group *group, uint32_t index)
{
	const struct candidate *at = &analysis->candidates.at[group->first];
	uint32_t i;

	for (i = 0; i < group->count; i++)
		if (analysis->model->coros.at[at[i].coro].parent == index &&
			is_inside(&analysis->model->threads[at[i].subject]))
			return "started this one, or waits for it: it may hold the lock that the "
			       "thread waits for";
	return "started this one, or waits for it";
}

/* `tie`: what its wait has to do with the blocked one; NULL: nothing. */
static void tell_one(
	struct analysis *analysis, uint32_t index, const char *tie, struct story *story)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	const char *who = analyze_words_coro(analysis, coro);

	if (coro->state == CT_STATE_UNSEEN)
		analyze_story_evidence(analysis, story,
			"%s was created at %s, and no thread has begun to run it for %s", who,
			analyze_words_place(analysis, coro->spawn_site),
			analyze_words_duration(
				analysis, analysis->parties[coro->process].end - coro->created));
	else if (is_ready(coro))
		analyze_story_evidence(analysis, story,
			"%s was made ready%s, and has not run for %s", who, tie ? " by it" : "",
			analyze_words_duration(analysis,
				analysis->parties[coro->process].end - ready_since(coro)));
	else
		analyze_story_evidence(analysis, story, "%s waits at %s, and %s", who,
			analyze_words_place(analysis, coro->wait_site),
			tie ? tie : "every worker is blocked");
}

/* Can this coroutine go on, or begin, only on a worker? */
static bool is_held_up(const struct analysis *analysis, uint32_t index)
{
	return rules_behind_is_waiting(analysis, index) ||
	       is_ready(&analysis->model->coros.at[index]) ||
	       rules_behind_is_not_begun(analysis, index);
}

/* Names coroutines that wait for the blocked one, or that no thread is left to run. */
static void tell_waiting(struct analysis *analysis, const struct group *group, struct story *story)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	bool is_everywhere = are_all_blocked(analysis, first->process);
	bool is_nobody_left = are_blocked(analysis, first->process, true);
	uint32_t nr_told = 0, nr_more = 0, i;

	for (i = 1; i < analysis->model->coros.count; i++) {
		bool is_linked;

		if (analysis->model->coros.at[i].process != first->process)
			continue;
		is_linked = is_behind_any(analysis, group, i);
		if (!is_linked && !(is_everywhere && is_held_up(analysis, i)) &&
			!(is_nobody_left && is_ready(&analysis->model->coros.at[i])))
			continue;
		if (nr_told < PLACES_TOLD)
			tell_one(analysis, i, is_linked ? words_tie(analysis, group, i) : NULL,
				story);
		nr_more += nr_told == PLACES_TOLD;
		nr_told += nr_told < PLACES_TOLD;
	}
	if (nr_more)
		analyze_story_evidence(analysis, story, "%s more wait likewise",
			analyze_words_number(analysis, nr_more));
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	const struct model_thread *thread = &analysis->model->threads[first->subject];
	const char *lasted = analyze_words_duration(
		analysis, analyze_party_working_until(analysis, coro->process) - coro->changed);
	uint32_t i;

	if (group->count == 1)
		finding->title = analyze_say(analysis, "%s has blocked %s for %s, %s",
			analyze_words_coro(analysis, coro),
			analyze_words_thread(analysis, first->subject), lasted,
			analyze_stillness_words_thread(analysis, first->subject));
	else
		finding->title = analyze_say(analysis,
			"%s coroutines block a thread each, the first one for %s, %s",
			analyze_words_number(analysis, group->count), lasted,
			analyze_stillness_words_thread(analysis, first->subject));
	for (i = 0; i < group->count && i < GROUP_EXAMPLES; i++)
		tell_run(analysis, first + i, story);
	tell_waiting(analysis, group, story);
	finding->cause_site = rules_endless_run_place(coro);
	finding->last_sequence = thread->seen != CT_NO_TIME ? thread->seen_event : coro->last_event;
}

const struct rule rules_blocked_worker = {
	.watcher = {.nr_bytes = sizeof(struct memory),
		.looks = {[MODEL_RUN] = look_at_run},
		.begin = begin,
		.end = end},
	.find = find,
	.certify = certify,
	.describe = describe,
	.find_run = analyze_hot_own_run,
	.is_cause = true,
};
