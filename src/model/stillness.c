/* SPDX-License-Identifier: MIT */
/*
 * Times in which no coroutine of a process took a step, and whether a signal ended them. After a signal, what the
 * program does shows nothing about what it waited for before: the judgement may look at the process as it was until
 * then.
 */
#include <errno.h>

#include "event/kind_words.h"
#include "model/parts.h"

/* A pause in everything that a process writes; the engine looks at its threads then (src/collect/silence.c). */
#define PAUSE_NS INT64_C(20000000)

void model_stillness_init(struct model_process *process)
{
	uint32_t i;

	process->stepped = process->stirred = process->interrupted = CT_NO_TIME;
	process->stillness.until = process->pause.until = CT_NO_TIME;
	for (i = 0; i < MODEL_INTERRUPTIONS; i++)
		process->interruptions[i].until = process->interrupted_busy[i].until = CT_NO_TIME;
}

static bool is_step(unsigned kind)
{
	return kind >= CTP_KIND_CREATE && kind < CTP_KIND_DETAIL;
}

/*
 * When the thread that returns from a call was woken. The signal that interrupts a call may be on its way when the
 * engine looks, because it reaches the program and the engine at the same time: then the thread already runs, but has
 * not recorded it.
 */
static ct_time came_back(
	const struct model_thread *thread, const struct ct_event *event, ct_time since)
{
	bool is_interrupted = event->kind == CTP_KIND_BLOCK_END && (int64_t)event->object == -EINTR;

	return is_interrupted && thread->roused != CT_NO_TIME && thread->roused > since
		       ? thread->roused
		       : event->time;
}

/* Notes the first event of a thread after it was idle, or in a call. */
static void note_return(struct model_thread *thread, const struct ct_event *event)
{
	ct_time since =
		thread->idle_from > thread->blocked_from ? thread->idle_from : thread->blocked_from;

	if (event->kind != CTP_KIND_BLOCK_END && event->kind != CTP_KIND_UNPARK &&
		event->kind != CTP_KIND_DESCRIPTOR_READY)
		return;
	if (since != CT_NO_TIME && thread->left <= since)
		thread->left = came_back(thread, event, since);
}

/* The end of the stillness: the first act that led to this step of the thread. */
static ct_time rest_until(const struct model_process *process, const struct model_thread *thread,
	const struct ct_event *event)
{
	ct_time until = event->time;

	if (thread->left > process->stepped && thread->left < until)
		until = thread->left;
	if (process->stirred > process->stepped && process->stirred < until)
		until = process->stirred;
	/* A call that was restarted had returned, too. */
	if (process->interrupted > process->stepped && process->interrupted < until)
		until = process->interrupted;
	return until;
}

/* Notes the first step after a signal that came while others took steps. */
static void note_busy(struct model_process *process, struct model_stillness stillness)
{
	if (process->interrupted == CT_NO_TIME || process->interrupted < stillness.from)
		return;
	stillness.is_busy = true;
	process->interrupted_busy[process->nr_interrupted_busy++ % MODEL_INTERRUPTIONS] = stillness;
}

/*
 * Has a coroutine run all the time, and now waits for something? The run kept its thread for long: nothing stood still,
 * and no signal set the program going.
 */
static bool is_end_of_run(const struct model_process *process, const struct model_thread *thread,
	const struct ct_event *event, ct_time from)
{
	return event->kind == CTP_KIND_SUSPEND && event->argument != CTP_POINT_FINAL &&
	       thread->top && (process->interrupted == CT_NO_TIME || process->interrupted < from);
}

/* Does the step follow the one before it at once, with no signal between? Nearly all do. */
static bool follows_at_once(const struct model_process *process, const struct ct_event *event)
{
	return process->stepped != CT_NO_TIME && event->time - process->stepped < PAUSE_NS &&
	       process->interrupted < process->stepped;
}

/* Notes a step that ends a pause, or comes after a signal. */
static void note_late_step(struct model *model, struct model_process *process,
	const struct model_thread *thread, const struct ct_event *event)
{
	struct model_stillness stillness = {
		.from = process->stepped,
		.until = rest_until(process, thread, event),
		.nr_alive = process->nr_alive,
		.nr_runs = process->nr_runs,
	};

	if (stillness.from == CT_NO_TIME)
		return;
	if (stillness.until - stillness.from < PAUSE_NS) {
		note_busy(process, stillness);
		return;
	}
	if (is_end_of_run(process, thread, event, stillness.from))
		return;
	process->pause = stillness;
	if (stillness.until - stillness.from >= model->standstill_ns)
		process->stillness = stillness;
	if (process->interrupted >= stillness.until)
		process->interruptions[process->nr_interruptions++ % MODEL_INTERRUPTIONS] =
			stillness;
}

/* Notes the first resume on the thread since it returned. */
static void note_turn(struct model_thread *thread, const struct ct_event *event)
{
	if (event->kind != CTP_KIND_RESUME || thread->left == CT_NO_TIME ||
		(thread->nr_turns && thread->left <= thread->turned))
		return;
	thread->turned = event->time;
	thread->nr_turns++;
}

/* Has a signal come to the thread? A handler says so; and a call that was interrupted shows it. */
static bool tells_signal(const struct ct_event *event)
{
	if (event->kind == CTP_KIND_MARK)
		return event->argument == CTP_MARK_SIGNAL;
	return event->kind == CTP_KIND_BLOCK_END && (int64_t)event->object == -EINTR;
}

void model_stillness_note(struct model *model, const struct ct_event *event)
{
	struct model_process *process = process_at(model, event->process);
	struct model_thread *thread = thread_at(model, event->thread);

	if (kind_is_observed(event->kind) || event->kind == CTP_KIND_LOST ||
		event->kind == CTP_KIND_THREAD_START)
		return;
	if (process->last_event != CT_NO_TIME && event->time - process->last_event >= PAUSE_NS)
		process->stirred = event->time;
	if (is_step(event->kind)) {
		note_turn(thread, event);
		if (!follows_at_once(process, event))
			note_late_step(model, process, thread, event);
		process->stepped = event->time;
		return;
	}
	note_return(thread, event);
	if (tells_signal(event))
		process->interrupted = event->time;
}
