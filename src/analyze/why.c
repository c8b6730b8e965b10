/* SPDX-License-Identifier: MIT */
/*
 * Why one coroutine does not run: a chain from the coroutine to what it waits for, who has that, what that owner
 * does, and what its thread does; then who could still wake the last one of the chain.
 *
 * Nothing is judged here: findings say what is wrong. If the trace lacks something, a step says so.
 */
#include <inttypes.h>

#include "analyze/hope.h"
#include "analyze/long_runs.h"
#include "analyze/parts.h"
#include "analyze/readiness.h"
#include "analyze/provenance.h"
#include "analyze/why_joins.h"
#include "analyze/why_live.h"
#include "base/failure.h"

#define STEPS_MAX 64u /* a longer chain is cut, and says so */
#define WORKERS_TOLD 4u

struct walk {
	struct analysis *analysis;
	const struct ct_report *report; /* with its findings */
	struct story story;
	bool *is_told; /* by coroutine: already in the chain; a circle ends where it began */
};

static const struct model_coro *coro_of(const struct walk *walk, uint32_t index)
{
	return &walk->analysis->model->coros.at[index];
}

/*
 * Time from `since` to the end of the process. The end is as the engine knows it, and an event may be slightly later.
 */
static int64_t until_end(const struct walk *walk, uint32_t process, ct_time since)
{
	ct_time end = walk->analysis->parties[process].end;

	return end > since ? end - since : 0;
}

static const char *duration_until_end(const struct walk *walk, uint32_t process, ct_time since)
{
	return analyze_words_duration(walk->analysis, until_end(walk, process, since));
}

static const char *words_ago(const struct walk *walk, uint32_t process, ct_time since)
{
	bool is_just_now = until_end(walk, process, since) == 0;
	const char *duration = duration_until_end(walk, process, since);

	if (walk->analysis->live->pid)
		return is_just_now ? "just now"
				   : analyze_say(walk->analysis, "that is %s ago", duration);
	return is_just_now ? "right at the end of the observation"
			   : analyze_say(walk->analysis, "that is %s before the observation ended",
				     duration);
}

static void tell(struct walk *walk, struct ct_step step)
{
	analyze_story_step(walk->analysis, &walk->story, &step);
}

/* ---------------------------------------------------------------- threads */

static const char its_thread[] = "its thread";

/* A thread that runs is in no system call, which the kernel reports as -1. */
static const char *words_look(
	const struct walk *walk, const char *who, const struct model_thread *thread)
{
	if (thread->seen_system_call == MODEL_NO_CALL)
		return analyze_say(walk->analysis, "%s was seen in state %c, in no system call",
			who, thread->seen_state);
	return analyze_say(walk->analysis, "%s was seen in state %c, in %s, %s", who,
		thread->seen_state,
		analyze_words_system_call(walk->analysis, thread->seen_system_call),
		thread->seen_untimed ? "which blocks without a time-out"
				     : "which can end by itself");
}

static void tell_look(struct walk *walk, uint32_t index, const char *who)
{
	const struct model_thread *thread = &walk->analysis->model->threads[index];

	if (analyze_why_live_thread(walk->analysis, &walk->story, index) ||
		thread->seen == CT_NO_TIME)
		return;
	tell(walk, (struct ct_step){
			   .time = thread->seen,
			   .thread = index,
			   .sequence = thread->seen_event,
			   .text = words_look(walk, who, thread),
		   });
}

/* `who`: "its thread", or the thread's name. */
static void tell_thread(struct walk *walk, uint32_t index, const char *who)
{
	const struct model_thread *thread = &walk->analysis->model->threads[index];
	const struct model_coro *top = coro_of(walk, thread->top);
	struct ct_step step = {.thread = index, .sequence = UINT64_MAX};

	if (thread->stopped != CT_NO_TIME) {
		step.time = thread->stopped;
		step.text = analyze_say(walk->analysis, "%s has ended", who);
	} else if (thread->blocked_from != CT_NO_TIME) {
		step.time = thread->blocked_from;
		step.coro = top->id;
		step.text = analyze_say(walk->analysis, "%s went into %s, and has not come back",
			who, ct_call_name(thread->blocked_call));
	} else if (thread->is_parked && thread->idle_from != CT_NO_TIME) {
		step.time = thread->idle_from;
		step.text = analyze_say(walk->analysis, "%s found no work, and sleeps", who);
	} else if (thread->top && !walk->is_told[thread->top]) {
		step.time = top->resumed;
		step.coro = top->id;
		step.sequence = top->resume_event;
		step.text = analyze_say(walk->analysis, "%s runs on %s",
			analyze_words_coro(walk->analysis, top),
			who == its_thread ? "that thread" : who);
	}
	if (step.text)
		tell(walk, step);
	if (thread->top)
		analyze_long_runs_tell(walk->analysis, &walk->story, thread->top);
	tell_look(walk, index, who);
}

/* ---------------------------------------------------------------- the awaited object */

static void tell_close(struct walk *walk, const struct model_descriptor *descriptor)
{
	const struct model_coro *by = coro_of(walk, descriptor->close_coro);

	tell(walk, (struct ct_step){
			   .time = descriptor->closed,
			   .site = descriptor->close_site,
			   .thread = descriptor->close_thread,
			   .coro = by->id,
			   .sequence = descriptor->close_event,
			   .text = "the descriptor was closed: it can never become ready",
		   });
}

static void tell_descriptor(struct walk *walk, const struct model_coro *coro)
{
	const struct model_descriptor *descriptor =
		&walk->analysis->model->descriptors.at[coro->rare->descriptor];

	if (!coro->rare->descriptor)
		return;
	if (descriptor->closed != CT_NO_TIME && descriptor->closed >= coro->suspended)
		tell_close(walk, descriptor);
	else if (analyze_readiness_end(walk->analysis, coro))
		analyze_readiness_tell_end(walk->analysis, &walk->story, coro);
	else if (descriptor->ready != CT_NO_TIME)
		tell(walk,
			(struct ct_step){
				.time = descriptor->ready,
				.thread = descriptor->ready_thread,
				.sequence = descriptor->ready_event,
				.text = analyze_say(walk->analysis,
					"a poll reported it%s, and nothing was transferred since",
					analyze_words_readiness(
						walk->analysis, descriptor->ready_flags)),
			});
	else if (descriptor->flags & MODEL_DESCRIPTOR_IS_ARMED)
		analyze_story_fact(walk->analysis, &walk->story,
			"it is armed%s, and was not reported since",
			analyze_words_readiness(walk->analysis, descriptor->armed_events));
	else if (analyze_why_live_place(walk->analysis, coro) == WHY_PLACE_UNSEEN)
		analyze_story_fact(walk->analysis, &walk->story,
			"no poll waits for it, as far as the trace shows");
}

static void tell_owner(struct walk *walk, const struct model_object *object)
{
	tell(walk, (struct ct_step){
			   .time = object->owned,
			   .site = object->owner_site,
			   .thread = object->owner_thread,
			   .coro = coro_of(walk, object->owner)->id,
			   .sequence = object->owner_event,
			   .text = analyze_say(walk->analysis, "%s %s %s",
				   analyze_words_coro(walk->analysis, coro_of(walk, object->owner)),
				   object->is_handed ? "was given" : "took",
				   analyze_words_named(
					   walk->analysis, object->process, object->handle, 0)),
		   });
}

static void tell_change(struct walk *walk, const struct model_object *object)
{
	tell(walk, (struct ct_step){
			   .time = object->changed,
			   .site = object->changed_at,
			   .thread = object->changed_by_thread,
			   .coro = coro_of(walk, object->changed_by_coro)->id,
			   .sequence = object->change_event,
			   .text = analyze_say(walk->analysis, "the last change to it: %s",
				   analyze_words_change(walk->analysis, object)),
		   });
}

/* The last notify that woke a coroutine, if something else was done to the object since. */
static void tell_found(struct walk *walk, const struct model_object *object)
{
	if (object->found.time == CT_NO_TIME || object->found.time == object->changed)
		return;
	tell(walk, (struct ct_step){
			   .time = object->found.time,
			   .site = object->found.site,
			   .thread = object->found.thread,
			   .coro = coro_of(walk, object->found.coro)->id,
			   .sequence = object->found.sequence,
			   .text = "the last notify of it that woke somebody",
		   });
}

static void tell_object(struct walk *walk, const struct model_coro *coro)
{
	const struct model_object *object = analyze_ties_object(walk->analysis, coro);

	if (!object->handle)
		return;
	if (object->owner && object->owner != MODEL_OWNER_UNKNOWN)
		tell_owner(walk, object);
	else if (object->changed_how)
		tell_change(walk, object);
	tell_found(walk, object);
	if (object->owner == MODEL_OWNER_UNKNOWN)
		analyze_story_fact(
			walk->analysis, &walk->story, "the trace does not record who holds it");
}

static void tell_suspend(struct walk *walk, const struct model_coro *coro, const char *words)
{
	tell(walk, (struct ct_step){
			   .time = coro->suspended,
			   .site = coro->wait_site,
			   .thread = coro->thread,
			   .coro = coro->id,
			   .sequence = coro->wait_event,
			   .text = analyze_say(walk->analysis, "%s %s; %s",
				   analyze_words_coro(walk->analysis, coro), words,
				   words_ago(walk, coro->process, coro->suspended)),
		   });
}

static void tell_waiting(struct walk *walk, const struct model_coro *coro)
{
	tell_suspend(walk, coro,
		analyze_say(walk->analysis, "suspended, to wait for %s",
			analyze_words_wait(walk->analysis, coro)));
	if (coro->rare->deadline != CT_NO_TIME)
		tell(walk, (struct ct_step){.time = coro->rare->deadline,
				   .sequence = UINT64_MAX,
				   .text = "the wait ends by itself then"});
	tell_descriptor(walk, coro);
	analyze_why_live_descriptor(walk->analysis, &walk->story, coro);
	tell_object(walk, coro);
	analyze_provenance_why(walk->analysis, &walk->story, coro);
}

/* ---------------------------------------------------------------- the other states */

/* The threads that may take the coroutine out of the queue, and what they do instead. */
static void tell_workers(struct walk *walk, uint32_t process)
{
	const struct model *model = walk->analysis->model;
	uint32_t count = 0, i;

	for (i = 1; i < model->nr_threads; i++) {
		const struct model_thread *thread = &model->threads[i];

		if (thread->process != process || !thread->is_worker ||
			thread->stopped != CT_NO_TIME)
			continue;
		if (count++ < WORKERS_TOLD)
			tell_thread(walk, i, analyze_words_thread(walk->analysis, i));
	}
	if (count > WORKERS_TOLD)
		analyze_story_fact(walk->analysis, &walk->story,
			"%" PRIu32 " more threads run coroutines", count - WORKERS_TOLD);
}

/* The thread that queued the coroutine need not be the one that takes it out. */
static void tell_queue(struct walk *walk, const struct model_coro *coro)
{
	const struct model_run_queue *queue =
		&walk->analysis->model->run_queues.at[coro->turns->queue];

	if (coro->is_queue_private) {
		tell_thread(walk, coro->turns->queue_thread,
			analyze_words_thread(walk->analysis, coro->turns->queue_thread));
		return;
	}
	if (queue->handle)
		analyze_story_fact(walk->analysis, &walk->story,
			"it is queued in %s, from which any worker may take it; "
			"coroutines queued there: %" PRIu64,
			analyze_words_named(walk->analysis, coro->process, queue->handle, 0),
			queue->length);
	tell_workers(walk, coro->process);
}

/* The threads that could take the coroutine out of its queue. */
static void tell_takers(struct walk *walk, const struct model_coro *coro)
{
	if (coro->turns->queue_thread)
		tell_queue(walk, coro);
	else
		tell_workers(walk, coro->process);
}

static void tell_ready(struct walk *walk, const struct model_coro *coro)
{
	analyze_story_made_ready(walk->analysis, &walk->story, coro);
	analyze_story_fact(walk->analysis, &walk->story,
		"it has been ready to run since then, for %s",
		duration_until_end(walk, coro->process, ready_since(coro)));
	tell_takers(walk, coro);
}

/* Nobody needs to wake a coroutine that yielded: the worker that takes it out of the queue runs it. */
static void tell_yielded(struct walk *walk, const struct model_coro *coro)
{
	tell_suspend(walk, coro, "yielded, and waits for nothing but its turn");
	tell_takers(walk, coro);
}

static void tell_running(struct walk *walk, const struct model_coro *coro)
{
	tell(walk, (struct ct_step){
			   .time = coro->resumed,
			   .thread = coro->thread,
			   .coro = coro->id,
			   .sequence = coro->resume_event,
			   .text = analyze_say(walk->analysis,
				   "%s was resumed, and has run since then, for %s",
				   analyze_words_coro(walk->analysis, coro),
				   duration_until_end(walk, coro->process, coro->resumed)),
		   });
	tell_thread(walk, coro->thread, its_thread);
}

static void tell_unseen(struct walk *walk, const struct model_coro *coro)
{
	tell(walk, (struct ct_step){
			   .time = coro->created,
			   .site = coro->spawn_site,
			   .thread = coro->thread,
			   .coro = coro_of(walk, coro->parent)->id,
			   .sequence = UINT64_MAX,
			   .text = analyze_say(walk->analysis,
				   "%s was created, and was not seen running",
				   analyze_words_coro(walk->analysis, coro)),
		   });
}

static void tell_state(struct walk *walk, const struct model_coro *coro)
{
	if (is_ready(coro)) {
		tell_ready(walk, coro);
		return;
	}
	switch (coro->state) {
	case CT_STATE_RUNNING:
		tell_running(walk, coro);
		break;
	case CT_STATE_WAITING:
		if (coro->point == CTP_POINT_YIELD)
			tell_yielded(walk, coro);
		else
			tell_waiting(walk, coro);
		break;
	case CT_STATE_UNSEEN:
		tell_unseen(walk, coro);
		break;
	case CT_STATE_DESTROYED:
		if (coro->flags & MODEL_CORO_WAS_DESTROYED_WAITING)
			analyze_story_suspended(walk->analysis, &walk->story, coro);
		analyze_story_destroyed(walk->analysis, &walk->story, coro);
		break;
	default:
		tell(walk, (struct ct_step){.time = coro->changed,
				   .coro = coro->id,
				   .sequence = coro->last_event,
				   .text = "it ran to its end"});
		break;
	}
}

/* ---------------------------------------------------------------- what could still wake it */

static void tell_hope(struct walk *walk, bool is_there, const char *sentence)
{
	if (is_there)
		analyze_story_fact(walk->analysis, &walk->story, "%s", sentence);
}

/* The end of a process that we attached to is not recorded; but then the process was not there to be looked at. */
static bool is_over(const struct walk *walk, uint32_t process)
{
	const struct party *party = &walk->analysis->parties[process];
	const struct analyze_live *live = walk->analysis->live;

	return party->has_ended_itself || party->has_crashed ||
	       (live->pid && (!live->seen || live->seen->has_ended));
}

/* The rest of the obligation set (DETECTORS.md): everything that could still make the coroutine go on. */
static void tell_obligations(struct walk *walk, const struct model_coro *coro)
{
	uint32_t process = coro->process;
	const struct party *party = &walk->analysis->parties[process];
	const struct model_process *of = &walk->analysis->model->processes[process];
	const char *proof = analyze_hope_ended_by(walk->report, process, coro->id);
	bool is_closed = analyze_why_live_place(walk->analysis, coro) == WHY_PLACE_CLOSED;
	bool is_left = party->has_free_thread || !party->are_threads_known || party->has_timer ||
		       party->has_outside || of->nr_ready;

	if (proof) {
		analyze_story_fact(walk->analysis, &walk->story,
			"nothing can wake it: that is proven, see %s", proof);
		return;
	}
	if (is_over(walk, process)) {
		analyze_story_fact(walk->analysis, &walk->story,
			"the program ended while it waited: the trace does not show whether "
			"anybody was still going to wake it");
		return;
	}
	if (analyze_ties_is_for_untold_lock(coro)) {
		tell_hope(walk, true,
			"only the holder of the lock can wake it; who holds the lock is not "
			"recorded");
		return;
	}
	if (!is_left) {
		analyze_story_fact(walk->analysis, &walk->story,
			"nothing is left that could wake it: every thread blocks without a "
			"time-out, "
			"nothing is ready, no timer is set, and nobody outside can reach a "
			"descriptor that is armed");
		return;
	}
	if (is_closed)
		analyze_story_fact(walk->analysis, &walk->story,
			"it waits for a descriptor that is closed, and will not become ready: "
			"only the program itself could wake it");
	if (of->nr_ready)
		analyze_story_fact(walk->analysis, &walk->story,
			"it could be woken by one of %" PRIu32 " coroutines that are ready to run",
			of->nr_ready);
	if (party->was_looked_at && party->has_free_thread)
		analyze_story_fact(walk->analysis, &walk->story,
			"it could be woken by a thread that runs, or sleeps with a "
			"time-out%s",
			analyze_hope_threads(walk->analysis, process));
	tell_hope(
		walk, !party->was_looked_at, analyze_hope_unseen_threads(walk->analysis, process));
	tell_hope(walk, party->has_timer, "it could be woken by a timer that is still to come");
	tell_hope(walk, party->has_outside && !is_closed,
		"it could be woken from outside, by a descriptor or another process");
}

/* ---------------------------------------------------------------- the chain */

static uint32_t next_of(const struct walk *walk, uint32_t index)
{
	return coro_of(walk, index)->state == CT_STATE_WAITING
		       ? analyze_ties_next(walk->analysis, index)
		       : 0;
}

/* The chain from this coroutine on. If it awaits several, the chain goes on with one of them. */
static void follow(struct walk *walk, uint32_t index)
{
	uint32_t first = index, last = index;
	const struct model_coro *coro;

	for (; index && !walk->is_told[index]; index = next_of(walk, index)) {
		if (walk->story.steps.count >= STEPS_MAX) {
			analyze_story_fact(walk->analysis, &walk->story, "the chain goes on");
			return;
		}
		walk->is_told[index] = true;
		tell_state(walk, coro_of(walk, index));
		last = index;
	}
	coro = coro_of(walk, last);
	if (index)
		analyze_story_fact(walk->analysis, &walk->story,
			"that is a circle: coroutine %" PRIu64 " is waited for",
			coro_of(walk, index)->id);
	else if ((index = analyze_why_joins(walk->analysis, &walk->story, last)) != 0)
		follow(walk, index);
	else if (coro->state == CT_STATE_WAITING && coro->point != CTP_POINT_YIELD)
		tell_obligations(walk, coro);
	else if (last != first &&
		 (coro->state == CT_STATE_DONE || coro->state == CT_STATE_DESTROYED))
		analyze_story_fact(walk->analysis, &walk->story,
			"coroutine %" PRIu64 " was to act next, and has ended", coro->id);
	else if (last != first && !is_over(walk, coro->process))
		analyze_story_fact(walk->analysis, &walk->story,
			"coroutine %" PRIu64 " can wake it, and must be resumed first itself",
			coro->id);
}

/* Missing events may matter to the chain. */
static void tell_what_is_missing(struct walk *walk, uint32_t process)
{
	const struct model *model = walk->analysis->model;
	size_t i;

	for (i = 0; i < model->gaps.count; i++)
		if (model->gaps.at[i].process == process &&
			model->gaps.at[i].reason == CTP_LOSS_BEFORE) {
			analyze_story_fact(walk->analysis, &walk->story,
				"what happened before the recording began is not known: locks "
				"taken, descriptors armed and wakes sent before that do not show");
			return;
		}
}

static bool is_asked_about(const struct analysis *analysis, uint32_t process)
{
	return !analysis->why_pid || analysis->tables->processes[process].pid == analysis->why_pid;
}

enum ct_status analyze_why_check(const struct analysis *analysis, struct ct_error *reterr)
{
	uint32_t i;

	if (!analysis->why_pid)
		return CT_OK;
	for (i = 1; i < analysis->tables->nr_processes; i++)
		if (is_asked_about(analysis, i))
			return CT_OK;
	return ct_fail(reterr, CT_ERR_NOT_FOUND, "no process %" PRIu64 " is in the trace",
		analysis->why_pid);
}

uint32_t analyze_why_find(const struct analysis *analysis)
{
	struct model *model = analysis->model;
	uint32_t coro = 0, i;

	for (i = 1; !coro && i < model->nr_processes; i++)
		if (is_asked_about(analysis, i))
			coro = model_find(model, i, analysis->why_coro);
	return coro;
}

void analyze_why_tell(struct analysis *analysis, struct ct_report *report)
{
	struct walk walk = {.analysis = analysis, .report = report};
	struct ct_finding chain = {0};
	uint32_t coro = analyze_why_find(analysis);

	if (!coro)
		return;
	walk.is_told =
		analyze_scratch(analysis, analysis->model->coros.count, sizeof(*walk.is_told));
	if (!walk.is_told)
		return;
	model_export(analysis->model, coro, &report->why_coro);
	/* A coroutine in a queue was ready before its first run, too. */
	if (is_ready(coro_of(&walk, coro)))
		report->why_coro.state = CT_STATE_READY;
	analyze_why_joins_back(analysis, &walk.story, coro);
	follow(&walk, coro);
	analyze_long_runs_tell(analysis, &walk.story, coro);
	analyze_long_runs_export(analysis, report);
	tell_what_is_missing(&walk, analysis->model->coros.at[coro].process);
	analyze_await_graph_tell(analysis, coro, report);
	analyze_story_end(analysis, &walk.story, &chain);
	report->why = chain.steps;
	report->nr_why = chain.nr_steps;
}
