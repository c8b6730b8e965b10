/* SPDX-License-Identifier: MIT */
/*
 * Whiles in which no coroutine of a process took a step, and whether a signal ended them. Once a signal has set a
 * program going, what it does tells nothing of what it waited for before: the judgement may look at it as it was
 * until then.
 */
#include <errno.h>

#include "event/kind_words.h"
#include "model/parts.h"

/* A pause in all that a process writes; the engine looks at its threads then (src/collect/silence.c). */
#define PAUSE_NS INT64_C(20000000)

void model_stillness_init(struct model_process *process)
{
	uint32_t i;

	process->stepped = process->stirred = process->interrupted = CT_NO_TIME;
	process->stillness.until = CT_NO_TIME;
	for (i = 0; i < MODEL_INTERRUPTIONS; i++)
		process->interruptions[i].until = process->interrupted_busy[i].until = CT_NO_TIME;
}

static bool is_step(unsigned kind)
{
	return kind >= CTP_KIND_CREATE && kind < CTP_KIND_DETAIL;
}

/*
 * When a thread that came out of a call had been set going: the signal that interrupts it may be on its way when the
 * engine looks, as it reaches both of them at once, and the thread runs by then though it has told nothing of it.
 */
static ct_time came_back(
	const struct model_thread *thread, const struct ct_event *event, ct_time since)
{
	bool is_interrupted = event->kind == CTP_KIND_BLOCK_END && (int64_t)event->object == -EINTR;

	return is_interrupted && thread->roused != CT_NO_TIME && thread->roused > since
		       ? thread->roused
		       : event->time;
}

/* A thread comes back from its idleness, or from a call: what it does first. */
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

/* Before anybody did anything that led to this step of the thread's. */
static ct_time rest_until(const struct model_process *process, const struct model_thread *thread,
	const struct ct_event *event)
{
	ct_time until = event->time;

	if (thread->left > process->stepped && thread->left < until)
		until = thread->left;
	if (process->stirred > process->stepped && process->stirred < until)
		until = process->stirred;
	/* A call that is begun again came back all the same. */
	if (process->interrupted > process->stepped && process->interrupted < until)
		until = process->interrupted;
	return until;
}

/* The first step since a signal came, amid others. */
static void note_busy(struct model_process *process, struct model_stillness stillness)
{
	if (process->interrupted == CT_NO_TIME || process->interrupted < stillness.from)
		return;
	stillness.is_busy = true;
	process->interrupted_busy[process->nr_interrupted_busy++ % MODEL_INTERRUPTIONS] = stillness;
}

static void note_step(struct model *model, struct model_process *process,
	const struct model_thread *thread, const struct ct_event *event)
{
	struct model_stillness stillness = {
		.from = process->stepped,
		.until = rest_until(process, thread, event),
		.nr_alive = process->nr_alive,
		.nr_runs = process->nr_runs,
	};

	process->stepped = event->time;
	if (stillness.from == CT_NO_TIME)
		return;
	if (stillness.until - stillness.from < PAUSE_NS) {
		note_busy(process, stillness);
		return;
	}
	if (stillness.until - stillness.from >= model->standstill_ns)
		process->stillness = stillness;
	if (process->interrupted >= stillness.until)
		process->interruptions[process->nr_interruptions++ % MODEL_INTERRUPTIONS] =
			stillness;
}

/* A coroutine goes on there, for the first time since the thread came back. */
static void note_turn(struct model_thread *thread, const struct ct_event *event)
{
	if (event->kind != CTP_KIND_RESUME || thread->left == CT_NO_TIME ||
		(thread->nr_turns && thread->left <= thread->turned))
		return;
	thread->turned = event->time;
	thread->nr_turns++;
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
	note_return(thread, event);
	note_turn(thread, event);
	if (event->kind == CTP_KIND_BLOCK_END && (int64_t)event->object == -EINTR)
		process->interrupted = event->time;
	if (is_step(event->kind))
		note_step(model, process, thread, event);
}
