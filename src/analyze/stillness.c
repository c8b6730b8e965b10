/* SPDX-License-Identifier: MIT */
/*
 * Since when a process stands still, and what could make it go on, as far as known: a thread at work, the world
 * outside, or the clock. Nothing is judged here; the rules about programs that stand still use it.
 */

#include "analyze/parts.h"
#include "analyze/runtime_words.h"
#include "base/system_calls.h"

/* ---------------------------------------------------------------- threads */

static bool is_over(const struct analysis *analysis, const struct model_thread *thread)
{
	return thread_is_over(thread, analysis->parties[thread->process].end);
}

static bool is_sleep(uint32_t call)
{
	return call == SYSTEM_CALL_nanosleep || call == SYSTEM_CALL_clock_nanosleep;
}

/* Is the thread in a call that ends when a file becomes ready, or a signal comes? */
static bool waits_for_files(const struct analysis *analysis, const struct model_thread *thread)
{
	/* The ledger knows the descriptors of the epoll instance. */
	if (system_call_is_epoll(thread->seen_system_call))
		return !analysis->tables->processes[thread->process].has_ledger &&
		       !(thread->seen_inside && analysis->parties[thread->process].is_alone);
	switch (thread->seen_system_call) {
	case SYSTEM_CALL_futex:
	case MODEL_NO_CALL:
		return false;
	default:
		return !is_sleep(thread->seen_system_call);
	}
}

/* The first thread of a program often waits for a key or a signal, and then wakes no coroutine. */
static bool is_bystander(const struct analysis *analysis, uint32_t index)
{
	const struct model_thread *thread = &analysis->model->threads[index];
	const struct ct_thread *told = &analysis->tables->threads[index];

	return !thread->is_worker && told->tid == analysis->tables->processes[thread->process].pid;
}

/*
 * Does the thread poll descriptors that are all known? Then the descriptors are looked at instead. A poll that began
 * after the last look counts as a poll of the same descriptors.
 */
static bool polls_as_told(const struct model_thread *thread)
{
	return thread->seen_polls &&
	       (thread_is_seen(thread) || thread->blocked_call == CTP_CALL_POLL ||
		       thread->blocked_call == CTP_CALL_SELECT);
}

static bool waits_outside(const struct analysis *analysis, uint32_t index)
{
	const struct model_thread *thread = &analysis->model->threads[index];

	if (is_bystander(analysis, index) ||
		(thread->top && model_is_of_runtime(&analysis->model->coros.at[thread->top])))
		return false;
	if (polls_as_told(thread))
		return false;
	if (thread_is_seen(thread))
		return thread->seen_state == 'S' && waits_for_files(analysis, thread);
	return thread->blocked_from != CT_NO_TIME && thread->blocked_call != CTP_CALL_EPOLL_WAIT &&
	       thread->blocked_call != CTP_CALL_LOCK;
}

/* A thread that looks around every few milliseconds has looked since `moment`. */
bool analyze_stillness_waits_for_clock(
	const struct analysis *analysis, uint32_t index, ct_time moment)
{
	const struct model_thread *thread = &analysis->model->threads[index];
	struct model_account account;
	ct_time from;

	if (thread->is_parked || thread->is_polling)
		return thread->is_idle_timed && thread->timed_end <= moment;
	if (!thread_is_seen(thread) || thread->seen_state != 'S' || thread->seen_untimed ||
		is_sleep(thread->seen_system_call) || thread->seen_system_call == MODEL_NO_CALL)
		return false;
	if (!model_account_since(analysis->model, index, moment, &account, &from))
		return true;
	return account.ran_ns == 0;
}

static void look_at_thread(struct analysis *analysis, uint32_t index)
{
	const struct model_thread *thread = &analysis->model->threads[index];
	struct stillness *still = &analysis->stills[thread->process];

	if (is_over(analysis, thread))
		return;
	if (waits_outside(analysis, index))
		still->outside_thread = index;
	if (analyze_stillness_waits_for_clock(analysis, index, still->moment))
		still->clock_thread = index;
}

/* ---------------------------------------------------------------- coroutines and descriptors */

enum reason analyze_stillness_doubt(const struct analysis *analysis, uint32_t index)
{
	struct model_account account;
	ct_time from;

	if (!model_account_since(analysis->model, index, analysis->model->threads[index].last_event,
		    &account, &from))
		return REASON_NO_ACCOUNT;
	return (int64_t)account.ran_ns < (account.time - from) / 2 ? REASON_STARVED : NR_REASONS;
}

/* Does the coroutine run on a thread that was not seen asleep since? */
static bool is_running(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_thread *thread = &analysis->model->threads[coro->thread];

	return coro->state == CT_STATE_RUNNING && (coro->flags & MODEL_CORO_ON_STACK) &&
	       thread->idle_from == CT_NO_TIME && !is_over(analysis, thread) &&
	       (!thread_is_seen(thread) || thread_is_computing(thread));
}

static void note_outside(
	const struct analysis *analysis, struct stillness *still, uint32_t descriptor)
{
	if (!still->outside_descriptor)
		still->outside_descriptor = descriptor;
	still->is_open_to_others |= !analyze_party_has_own_clients(analysis, descriptor);
	still->hears_datagrams |=
		analysis->model->descriptors.at[descriptor].type == CTP_DESCRIPTOR_TYPE_DATAGRAM;
}

static void look_at_wait(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct party *party = &analysis->parties[coro->process];
	struct stillness *still = &analysis->stills[coro->process];
	unsigned kind = CTP_HANDLE_RESOURCE(coro->wait_object);

	still->has_deadline |= analyze_wait_may_expire(coro, party->end);
	if (coro->rare->deadline > still->moment && coro->rare->deadline <= party->end)
		still->moment = coro->rare->deadline;
	still->waits_for_process |= kind == CTP_RESOURCE_PROCESS;
	if (kind == CTP_RESOURCE_NETWORK &&
		analyze_runtime_words_is(analysis, coro, GO_WORD_ACCEPT))
		still->waits_for_clients = true;
	else if (kind == CTP_RESOURCE_NETWORK)
		still->waits_for_network = true;
	if (coro->rare->descriptor && !analyze_party_is_own(analysis, coro->rare->descriptor))
		note_outside(analysis, still, coro->rare->descriptor);
}

static void look_at_coro(struct analysis *analysis, const struct model_coro *coro)
{
	struct stillness *still = &analysis->stills[coro->process];

	if (model_is_of_runtime(coro))
		return;
	if (coro->changed != CT_NO_TIME && coro->changed > still->moment)
		still->moment = coro->changed;
	still->nr_running += is_running(analysis, coro);
	still->nr_computing += is_running(analysis, coro) &&
			       thread_is_seen(&analysis->model->threads[coro->thread]);
	if (coro->state == CT_STATE_WAITING)
		look_at_wait(analysis, coro);
}

static bool is_polled(const struct model *model, const struct model_descriptor *descriptor)
{
	const struct model_thread *thread = &model->threads[descriptor->polled_by];

	return descriptor->polled != CT_NO_TIME && descriptor->polled == thread->seen &&
	       polls_as_told(thread);
}

static void look_at_descriptor(struct analysis *analysis, uint32_t index)
{
	const struct model_descriptor *descriptor = &analysis->model->descriptors.at[index];
	struct stillness *still = &analysis->stills[descriptor->process];

	if (!(descriptor->flags & MODEL_DESCRIPTOR_IS_OPEN))
		return;
	if (descriptor->flags & MODEL_DESCRIPTOR_IS_LISTENER) {
		still->outside_descriptor = index;
		note_outside(analysis, still, index);
	} else if ((analyze_party_may_be_armed(analysis, index) ||
			   is_polled(analysis->model, descriptor)) &&
		   !analyze_party_is_own(analysis, index)) {
		note_outside(analysis, still, index);
	}
}

/* The last run or destruction of any coroutine; the record of that coroutine may have been given back. */
static ct_time begin_moment(const struct model *model, const struct model_process *process)
{
	ct_time moment = model->from;

	if (process->last_run > moment)
		moment = process->last_run;
	return process->last_destroyed > moment ? process->last_destroyed : moment;
}

void analyze_stillness_survey(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	uint32_t i;

	analysis->stills =
		analyze_scratch(analysis, model->nr_processes, sizeof(*analysis->stills));
	if (!analysis->stills)
		return;
	for (i = 0; i < model->nr_processes; i++)
		analysis->stills[i].moment = begin_moment(model, &model->processes[i]);
	for (i = 1; i < model->coros.count; i++)
		look_at_coro(analysis, &model->coros.at[i]);
	for (i = 1; i < model->descriptors.count; i++)
		look_at_descriptor(analysis, i);
	for (i = 1; i < model->nr_threads; i++)
		look_at_thread(analysis, i);
}

bool analyze_stillness_may_have_run(const struct analysis *analysis, uint32_t process)
{
	const struct model *model = analysis->model;
	uint32_t i;

	for (i = 1; analysis->tables->is_from_memory && i < model->nr_threads; i++)
		if (model->threads[i].process == process &&
			(thread_is_computing(&model->threads[i]) ||
				model_account_whole(model, i).ran_ns > 0))
			return true;
	return false;
}

bool analyze_stillness_has_closed_polls(const struct analysis *analysis, uint32_t process)
{
	const struct model *model = analysis->model;
	uint32_t nr_closed = 0, i;

	for (i = 1; i < model->descriptors.count; i++) {
		const struct model_descriptor *descriptor = &model->descriptors.at[i];

		if (descriptor->process != process || descriptor->type != CTP_DESCRIPTOR_TYPE_POLL)
			continue;
		if (descriptor->flags & MODEL_DESCRIPTOR_IS_OPEN)
			return false;
		nr_closed++;
	}
	return nr_closed > 0;
}

bool analyze_stillness_lasts(const struct analysis *analysis, uint32_t process, ct_time since)
{
	ct_time end = analysis->parties[process].end;
	int64_t ns = end - since;

	return ns > LIMIT(analysis, STANDSTILL_TIME) ||
	       (ns > LIMIT(analysis, STANDSTILL_TIME) / 2 &&
		       ns / LIMIT(analysis, STANDSTILL_SHARE) >=
			       (end - analysis->model->from) / 100);
}

bool analyze_stillness_has_ended_stuck(const struct analysis *analysis, uint32_t process)
{
	const struct party *party = &analysis->parties[process];

	return party->has_given_up && !party->has_timer &&
	       !analysis->model->processes[process].nr_ready &&
	       !analysis->stills[process].nr_running;
}

/* ---------------------------------------------------------------- words */

static const char *words_of_mutex(struct analysis *analysis, uint32_t index)
{
	const struct model_thread *thread = &analysis->model->threads[index];

	if (thread->mutex_owner == index)
		return " for a mutex that it has itself";
	if (thread->mutex_owner)
		return analyze_say(analysis, " for a mutex that %s has",
			analyze_words_thread(analysis, thread->mutex_owner));
	return thread->seen_in_mutex ? " as for a mutex" : "";
}

static const char *words_of_thread(struct analysis *analysis, uint32_t index)
{
	const struct model_thread *thread = &analysis->model->threads[index];

	if (thread->is_parked)
		return thread->is_idle_timed ? "parked, with a time-out" : "parked";
	if (thread->is_blocked_last && !(thread_is_seen(thread) && thread->seen_state == 'R'))
		return analyze_say(analysis, "in %s%s", ct_call_name(thread->blocked_call),
			thread->is_blocked_timed ? ", with a time-out" : "");
	if (!thread_is_seen(thread))
		return "not looked at since";
	if (thread->seen_state == 'R')
		return thread->seen_system_call == SYSTEM_CALL_sched_yield
			       ? "on a processor, yielding it again and again"
			       : "on a processor, in user space";
	if (thread->seen_system_call == MODEL_NO_CALL)
		return analyze_say(analysis, "in state %c", thread->seen_state);
	return analyze_say(analysis, "in %s%s%s",
		analyze_words_system_call(analysis, thread->seen_system_call),
		words_of_mutex(analysis, index),
		thread->seen_untimed ? ", without time-out" : ", with a time-out");
}

/* Has the worker left the run in which the program saw it? */
static bool has_gone_on(const struct analysis *analysis, const struct model_thread *thread)
{
	const struct model_coro *top = &analysis->model->coros.at[thread->top];

	return thread->is_worker &&
	       (thread->top ? top->changed : thread->last_event) > thread->told;
}

const char *analyze_stillness_words_told(
	struct analysis *analysis, const struct model_thread *thread)
{
	const char *name = analysis->tables->sites[thread->told_name].reason;

	if (!thread->told_at || has_gone_on(analysis, thread))
		return "";
	if (thread->is_worker && thread->top)
		return analyze_say(analysis, "; the program has seen it at %s",
			analyze_words_place(analysis, thread->told_at));
	return analyze_say(analysis, "; since %s the program has seen it at %s%s%s",
		analyze_words_time(analysis, thread->told),
		analyze_words_place(analysis, thread->told_at), *name ? ", as " : "", name);
}

const char *analyze_stillness_words_thread(struct analysis *analysis, uint32_t index)
{
	return analyze_say(analysis, "%s%s", words_of_thread(analysis, index),
		analyze_stillness_words_told(analysis, &analysis->model->threads[index]));
}

uint32_t analyze_stillness_leaving(const struct analysis *analysis, uint32_t index)
{
	const struct model_thread *thread = &analysis->model->threads[index];
	const struct model_coro *coro = &analysis->model->coros.at[thread->leaving];

	return thread->leaving && !thread->top && thread_is_computing(thread) &&
			       coro->state == CT_STATE_WAITING && coro->thread == index
		       ? thread->leaving
		       : 0;
}

static const char *words_since(struct analysis *analysis, uint32_t index)
{
	uint32_t leaving = analyze_stillness_leaving(analysis, index);
	const struct model_coro *coro = &analysis->model->coros.at[leaving];

	if (!leaving)
		return "";
	return analyze_say(analysis, ", since %s suspended at %s",
		analyze_words_coro(analysis, coro), analyze_words_place(analysis, coro->wait_site));
}

void analyze_stillness_tell_threads(
	struct analysis *analysis, uint32_t process, struct story *story)
{
	uint32_t i, nr_told = 0;

	for (i = 1; i < analysis->model->nr_threads && nr_told < STILLNESS_THREADS; i++) {
		const struct model_thread *thread = &analysis->model->threads[i];

		if (thread->process != process || is_over(analysis, thread) ||
			(thread->last_event == CT_NO_TIME && thread->seen == CT_NO_TIME))
			continue;
		nr_told++;
		analyze_story_evidence(analysis, story, "%s is %s%s",
			analyze_words_thread(analysis, i),
			analyze_stillness_words_thread(analysis, i), words_since(analysis, i));
	}
}
