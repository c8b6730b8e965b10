/* SPDX-License-Identifier: MIT */
/*
 * Threads: which are workers, which are idle and since when, which block without time-out; and, from that, when all
 * workers of a process had been idle with nothing ready.
 *
 * A moment is good for a worker if the worker was idle and no coroutine of its process was ready. Idle time with a
 * time-out counts only once that has run out and the worker is idle again: then what the scheduler does by the clock,
 * such as looking after waiters whose descriptor it closed, had its turn.
 */

#include "base/system_calls.h"
#include "event/kind_words.h"
#include "model/parts.h"

#define LEAVING_MOST_NS 1000000 /* how long an awaiter may run on after its coroutine's suspend */

/* ---------------------------------------------------------------- idleness */

/*
 * A coroutine that is still on the stack of an idle thread has ended unseen (a final suspend that nothing records),
 * or polls by itself. In both cases what follows is not known to be its act.
 */
static void clear_stack(struct model *model, struct model_thread *thread, ct_time time)
{
	while (thread->top)
		model_coro_let_go(model, thread->top, time);
	thread->over.below = 0;
}

static bool is_half_told(const struct model *model, uint32_t index)
{
	return index && model->coros.at[index].is_half_told;
}

/* A thread takes a coroutine out of a queue only when it runs none. */
static bool was_queued(const struct model_coro *coro)
{
	return coro->state == CT_STATE_READY && coro->turns->wake.outcome != CTP_OUTCOME_RESUMED;
}

/*
 * Decides whether the coroutine on top of the thread, whose end would not be recorded, has ended. If the thread takes
 * a coroutine from a queue, or runs several coroutines one after the other above it, the thread has left it: what
 * looks like nested resumes comes after its end. If only one other coroutine runs above it, at most MODEL_OVER_MOST
 * times, and no event put that one into a queue, that one may be its generator, or a coroutine that it resumed by a
 * call.
 */
void model_thread_enters(struct model *model, uint32_t index, uint32_t coro)
{
	struct model_thread *thread = thread_at(model, index);
	struct model_over *over = &thread->over;

	thread->leaving = 0;
	while (is_half_told(model, thread->top) && was_queued(coro_at(model, coro)))
		model_coro_let_go(model, thread->top, thread->event_before);
	if (!is_half_told(model, thread->top))
		return;
	if (over->below != thread->top) {
		*over = (struct model_over){
			.below = thread->top, .coro = coro, .time = thread->event_before};
		return;
	}
	if (over->coro == coro && ++over->count < MODEL_OVER_MOST)
		return;
	model_coro_let_go(model, thread->top, over->time);
	over->below = 0;
}

/* The turn is over in which a timer ran out: it has woken nobody. */
static void note_vain(struct model_thread *thread)
{
	if (thread->due == CT_NO_TIME)
		return;
	thread->vain[thread->nr_vain++ % MODEL_VAIN] = thread->due;
	thread->due = CT_NO_TIME;
}

static void idle_begin(struct model *model, struct model_thread *thread, ct_time time)
{
	struct model_process *process = process_at(model, thread->process);

	model_times_thread(model, thread, time);
	clear_stack(model, thread, time);
	thread->leaving = thread->prodder = 0;
	if (thread->idle_from != CT_NO_TIME)
		return;
	note_vain(thread);
	thread->idle_from = time;
	if (process->nr_ready == 0 && thread->timed_end > thread->idle_good)
		thread->idle_good = thread->timed_end;
}

/* The last good moment of the idle time from thread->idle_from to `time`. */
static ct_time good_until(
	const struct model *model, const struct model_thread *thread, ct_time time)
{
	const struct model_process *process = &model->processes[thread->process];
	ct_time good = process->nr_ready == 0 ? time : process->ready_since;

	if (thread->is_idle_timed || good < thread->idle_from || good < thread->idle_good)
		return thread->idle_good;
	return good;
}

static void idle_end(struct model *model, struct model_thread *thread, ct_time time)
{
	if (thread->idle_from == CT_NO_TIME)
		return;
	model_times_thread(model, thread, time);
	thread->idle_good = good_until(model, thread, time);
	if (thread->is_idle_timed)
		thread->timed_end = time;
	thread->is_idle_timed = false;
	thread->idle_from = CT_NO_TIME;
}

/* ---------------------------------------------------------------- events */

void model_thread_note(struct model *model, const struct ct_event *event)
{
	struct model_thread *thread;

	/* The event at a ring's beginning comes before the thread's first event, and says no more than that one. */
	if (kind_is_observed(event->kind) || event->kind == CTP_KIND_LOST ||
		event->kind == CTP_KIND_THREAD_START)
		return;
	thread = thread_at(model, event->thread);
	/* The way in which a program dies says nothing about its threads' past, except who raised the signal. */
	if (event->kind == CTP_KIND_CRASH) {
		thread->has_failed = !(event->flags & 1); /* else another process sent it */
		return;
	}
	model_times_thread(model, thread, event->time);
	/* The thread has polled again: reports of an earlier poll are over. */
	if (event->kind == CTP_KIND_DESCRIPTOR_READY &&
		thread->last_kind != CTP_KIND_DESCRIPTOR_READY)
		thread->prodder = 0;
	thread->last_kind = event->kind;
	thread->event_before = thread->last_event;
	thread->last_event = event->time;
	/* A thread that writes an event has left the call that it recorded, even if no end was recorded. */
	if (event->kind != CTP_KIND_DETAIL) {
		thread->is_blocked_last = false;
		thread->wanted = 0;
	}
	process_at(model, thread->process)->last_event = event->time;
	/* The thread counted as idle only because the engine saw it asleep: it writes, so it is idle no longer. */
	if (thread->idle_from != CT_NO_TIME && !thread->is_parked && !thread->is_polling)
		idle_end(model, thread, event->time);
}

/*
 * An awaiter runs on for a moment after the recorded suspend of its coroutine; not if the suspend is a return to the
 * caller. A thread that writes later than that has polled, by a call that is not recorded.
 */
static bool is_still_leaving(const struct model *model, const struct model_thread *thread)
{
	const struct model_coro *coro = &model->coros.at[thread->leaving];

	return thread->leaving && thread->last_event - coro->suspended <= LEAVING_MOST_NS &&
	       (coro->wait_site >= model->tables->nr_sites ||
		       !model->suspends_by_return[coro->wait_site]);
}

/* After main has run the first steps of a coroutine, what it does is its own work. */
uint32_t model_thread_doer(const struct model *model, uint32_t index)
{
	const struct model_thread *thread = &model->threads[index];
	const struct model_runtime *runtime = model->processes[thread->process].runtime;

	if (thread->top)
		return thread->top;
	/* A runtime that records its processors also records which coroutine runs on them. */
	if (thread->is_bystander || (runtime && runtime->nr_processors > 0))
		return 0;
	return is_still_leaving(model, thread) ? thread->leaving : 0;
}

static bool list_worker(struct model *model, uint32_t index)
{
	struct model_thread *thread = thread_at(model, index);

	if (thread->is_listed || !index)
		return true;
	thread->is_listed = true;
	return vec_push(&process_at(model, thread->process)->workers, index);
}

bool model_thread_may_be_worker(struct model *model, uint32_t index)
{
	struct model_thread *thread = thread_at(model, index);

	if (thread->is_bystander)
		process_at(model, thread->process)->nr_bystanders--;
	thread->is_bystander = false;
	return list_worker(model, index);
}

bool model_thread_stand_by(struct model *model, uint32_t index, bool has_run)
{
	struct model_thread *thread = thread_at(model, index);

	thread->is_worker |= has_run && index != 0;
	if (thread->is_listed || !index)
		return true;
	thread->is_bystander = true;
	process_at(model, thread->process)->nr_bystanders++;
	return list_worker(model, index);
}

bool model_thread_be_worker(struct model *model, uint32_t index)
{
	thread_at(model, index)->is_worker = index != 0;
	return model_thread_may_be_worker(model, index);
}

void model_thread_park(struct model *model, const struct ct_event *event)
{
	struct model_thread *thread = thread_at(model, event->thread);

	thread->is_parked = true;
	thread->is_untimed = event->flags & CTP_PARK_UNTIMED;
	thread->idle_began = thread->parked = event->time;
	thread->last_suspended = thread->last_doubled = 0;
	idle_begin(model, thread, event->time);
}

void model_thread_unpark(struct model *model, const struct ct_event *event)
{
	struct model_thread *thread = thread_at(model, event->thread);

	thread->is_parked = thread->is_untimed = false;
	if (!thread->is_polling)
		idle_end(model, thread, event->time);
}

void model_thread_deadline(struct model *model, uint32_t index)
{
	struct model_thread *thread = thread_at(model, index);

	if (thread->is_parked)
		thread->is_idle_timed = true;
}

static bool is_poll(uint8_t call)
{
	return call == CTP_CALL_EPOLL_WAIT || call == CTP_CALL_POLL || call == CTP_CALL_SELECT;
}

void model_thread_block_begin(struct model *model, const struct ct_event *event)
{
	struct model_thread *thread = thread_at(model, event->thread);

	thread->blocked_from = event->time;
	thread->blocked_call = event->argument;
	thread->is_blocked_timed = (int64_t)event->object >= 0;
	thread->is_blocked_last = true;
	if (event->argument == CTP_CALL_LOCK) {
		thread->wanted = thread->is_blocked_timed ? 0 : event->coro;
		thread->wanted_event = event->sequence;
		thread->wanted_at = event->site;
		return;
	}
	if (event->argument == CTP_CALL_POLL || event->argument == CTP_CALL_SELECT)
		process_at(model, thread->process)->has_polls = true;
	/* Inside a coroutine a read is that coroutine's work; outside, the worker waits for work. */
	if (event->object == 0 || (!is_poll(event->argument) && thread->top))
		return;
	thread->is_polling = true;
	/* A read counts as idle time only if it is known which coroutine runs here. */
	if (is_poll(event->argument))
		thread->idle_began = event->time;
	idle_begin(model, thread, event->time);
	thread->is_idle_timed |= thread->is_blocked_timed;
}

/* Notes that a poll with a time-out reported nothing. */
static void note_expired(struct model_thread *thread, const struct ct_event *event)
{
	thread->due = thread->expired = thread->ran_out = event->time;
}

void model_thread_block_end(struct model *model, const struct ct_event *event)
{
	struct model_thread *thread = thread_at(model, event->thread);

	if (thread->is_polling && is_poll(thread->blocked_call) && thread->is_blocked_timed &&
		!event->object)
		note_expired(thread, event);
	thread->blocked_from = CT_NO_TIME;
	thread->is_polling = false;
	if (!thread->is_parked)
		idle_end(model, thread, event->time);
}

void model_thread_stop(struct model *model, const struct ct_event *event)
{
	struct model_thread *thread = thread_at(model, event->thread);

	thread->is_parked = thread->is_untimed = thread->is_polling = false;
	thread->blocked_from = CT_NO_TIME;
	idle_end(model, thread, event->time);
	clear_stack(model, thread, event->time);
	thread->leaving = 0;
	thread->stopped = event->time;
}

/* ---------------------------------------------------------------- the engine's looks */

/* Calls in which a thread that runs no coroutine waits for work. */
static bool is_waiting_call(uint64_t number)
{
	switch (number) {
	case SYSTEM_CALL_futex:
	case SYSTEM_CALL_epoll_pwait:
	case SYSTEM_CALL_ppoll:
	case SYSTEM_CALL_pselect6:
	case SYSTEM_CALL_nanosleep:
	case SYSTEM_CALL_clock_nanosleep:
	case SYSTEM_CALL_rt_sigtimedwait:
	case SYSTEM_CALL_io_getevents:
	case SYSTEM_CALL_accept:
	case SYSTEM_CALL_accept4:
	case SYSTEM_CALL_read:
	case SYSTEM_CALL_epoll_wait:
	case SYSTEM_CALL_poll:
	case SYSTEM_CALL_select:
	case SYSTEM_CALL_pause:
	case SYSTEM_CALL_epoll_pwait2:
	case SYSTEM_CALL_io_uring_enter:
		return true;
	default:
		return false;
	}
}

static bool is_completion_call(uint64_t number)
{
	return number == SYSTEM_CALL_io_uring_enter || number == SYSTEM_CALL_io_getevents;
}

bool model_is_look_valid(const struct model *model, uint32_t index)
{
	const struct model_thread *thread = &model->threads[index];

	return thread->seen != CT_NO_TIME &&
	       thread->seen >= model->processes[thread->process].last_event;
}

bool model_sleeps(const struct model *model, uint32_t index)
{
	const struct model_thread *thread = &model->threads[index];

	return model_is_look_valid(model, index) && !thread->seen_untimed &&
	       (thread->seen_system_call == SYSTEM_CALL_nanosleep ||
		       thread->seen_system_call == SYSTEM_CALL_clock_nanosleep);
}

/*
 * Does the thread wait for the world outside: for a signal, a child process, or a descriptor that it reads by itself?
 * The program itself wakes a futex, the ledger knows what is in interest lists, the engine looks at what is polled,
 * and the clock ends a sleep.
 */
bool model_waits_outside(const struct model *model, uint32_t index)
{
	const struct model_thread *thread = &model->threads[index];
	bool has_ledger = thread->process < model->tables->nr_processes &&
			  model->tables->processes[thread->process].has_ledger;

	if (model_is_look_valid(model, index) && thread->seen_system_call == SYSTEM_CALL_futex)
		return false;
	if (model_sleeps(model, index))
		return false;
	/* A thread that runs waits for nothing. */
	if (model_is_look_valid(model, index) && thread->seen_state == 'R')
		return false;
	if (model_is_look_valid(model, index))
		return !thread->seen_polls && !thread->seen_inside &&
		       (!system_call_is_epoll(thread->seen_system_call) || !has_ledger);
	if (thread->is_polling || thread->blocked_from != CT_NO_TIME)
		return thread->blocked_call != CTP_CALL_EPOLL_WAIT &&
		       thread->blocked_call != CTP_CALL_LOCK;
	return !thread->is_parked;
}

bool model_thread_list(struct model *model, uint32_t index)
{
	struct model_thread *thread = thread_at(model, index);
	struct map *tids = &process_at(model, thread->process)->tids;
	uint64_t tid;

	if (!index || index >= model->tables->nr_threads)
		return true;
	tid = model->tables->threads[index].tid;
	map_get(tids, tid, &thread->same_tid);
	return map_put(tids, tid, index);
}

/*
 * The thread that a look is about. The engine writes the look under the thread's own index, or names it by kernel id
 * only. Kernel ids are reused: then the last thread is meant that had written an event by then.
 */
static uint32_t seen_thread(const struct model *model, const struct ct_event *event)
{
	const struct ct_thread *threads = model->tables->threads;
	uint32_t index = 0;

	if (event->thread && threads[event->thread].tid == event->coro)
		return event->thread;
	map_get(&model->processes[event->process].tids, event->coro, &index);
	while (model->threads[index].same_tid && model->threads[index].last_event == CT_NO_TIME)
		index = model->threads[index].same_tid;
	return index;
}

static void see_halt(struct model_process *process, char letter, ct_time time)
{
	bool is_halted = letter == 'T' || letter == 't';

	if (!is_halted)
		process->halted = CT_NO_TIME;
	else if (process->halted == CT_NO_TIME)
		process->halted = time;
}

bool model_thread_told(struct model *model, const struct ct_event *event)
{
	struct model_thread *thread;
	uint32_t index = 0;

	map_get(&process_at(model, event->process)->tids, event->object, &index);
	if (!index)
		return true;
	thread = thread_at(model, index);
	if (event->argument == CTP_MARK_THREAD_NAME) {
		thread->told_name = event->site;
		return true;
	}
	thread->told_at = event->site;
	thread->told = event->time;
	return true;
}

void model_thread_seen(struct model *model, const struct ct_event *event)
{
	struct model_thread *thread = thread_at(model, seen_thread(model, event));
	bool has_call = (int64_t)event->object >= 0;
	uint64_t system_call = has_call ? event->object >> 8 & 0xffffff : MODEL_NO_CALL;
	char letter = (char)(event->object & 0x7f);

	see_halt(process_at(model, event->process), letter, event->time);
	process_at(model, event->process)->has_unseen_threads |= event->flags & 1;
	process_at(model, event->process)->is_reachable |= (event->flags & 6) == 2;
	process_at(model, event->process)->has_handlers |= !!(event->flags & 4);
	if (letter == 'S' && is_completion_call(system_call))
		process_at(model, event->process)->has_completions = true;
	if (thread == thread_at(model, 0))
		return;
	if (thread->seen == CT_NO_TIME || thread->seen < thread->last_event)
		thread->nr_looks = thread->nr_looks_running = 0;
	if (letter != 'R')
		thread->roused = CT_NO_TIME;
	else if (thread->roused == CT_NO_TIME || thread->roused < thread->last_event)
		thread->roused = event->time;
	if (letter != 'S' && thread->seen_from != CT_NO_TIME) {
		thread->slept_from = thread->seen_from;
		thread->slept_until = thread->seen;
		thread->slept_call = thread->seen_system_call;
	}
	if (letter != 'S')
		thread->seen_from = CT_NO_TIME;
	else if (thread->seen_from == CT_NO_TIME || thread->seen_from < thread->last_event ||
		 thread->seen_system_call != (uint32_t)system_call)
		thread->seen_from = event->time;
	thread->nr_looks++;
	thread->nr_looks_running += letter == 'R';
	thread->seen = event->time;
	thread->seen_event = event->sequence;
	thread->seen_state = letter;
	thread->seen_system_call = (uint32_t)system_call;
	thread->seen_untimed = event->argument == 1;
	thread->seen_polls = event->flags & 8;
	thread->seen_inside = event->flags & 16;
	thread->seen_in_mutex = event->flags & 32;
	thread->mutex_owner = 0;
	if (has_call && event->object >> 32)
		map_get(&process_at(model, event->process)->tids, event->object >> 32,
			&thread->mutex_owner);
	if (letter == 'S' && !thread->top && is_waiting_call(system_call) &&
		thread->idle_from == CT_NO_TIME) {
		idle_begin(model, thread, event->time);
		thread->is_idle_timed = !thread->seen_untimed;
	}
}

/* ---------------------------------------------------------------- quiescence */

ct_time model_thread_quiet_time(const struct model *model, uint32_t index, ct_time now)
{
	const struct model_thread *thread = &model->threads[index];

	if (thread->stopped != CT_NO_TIME && thread->stopped <= now)
		return INT64_MAX;
	if (thread->idle_from == CT_NO_TIME)
		return thread->idle_good;
	return good_until(model, thread, now);
}

ct_time model_quiet_time(const struct model *model, uint32_t index, ct_time now)
{
	const struct model_process *process = &model->processes[index];
	/* Without a known worker, no worker is known to be idle. */
	ct_time quiet = process->workers.count ? INT64_MAX : INT64_MIN;
	size_t i;

	for (i = 0; i < process->workers.count; i++) {
		ct_time own = model_thread_quiet_time(model, process->workers.at[i], now);

		if (own < quiet)
			quiet = own;
	}
	return quiet;
}

bool model_is_sure_worker(const struct model *model, uint32_t index)
{
	const struct model_thread *thread = &model->threads[index];
	const struct model_process *process = &model->processes[thread->process];

	return !thread->is_bystander || process->nr_bystanders == process->workers.count;
}

/* Is the worker at the end in a call in which workers wait, without time-out, whatever it was seen to run before? */
static ct_time seen_quiet(const struct model *model, uint32_t index)
{
	const struct model_thread *thread = &model->threads[index];

	if (!model_is_look_valid(model, index) || !thread->seen_untimed ||
		!is_waiting_call(thread->seen_system_call) ||
		model->processes[thread->process].nr_ready > 0)
		return INT64_MIN;
	return thread->seen;
}

ct_time model_workers_quiet_time(const struct model *model, uint32_t index, ct_time now)
{
	const struct model_process *process = &model->processes[index];
	ct_time quiet = process->workers.count ? INT64_MAX : INT64_MIN;
	size_t i;

	for (i = 0; i < process->workers.count; i++) {
		uint32_t worker = process->workers.at[i];
		ct_time own = model_thread_quiet_time(model, worker, now);
		ct_time seen = seen_quiet(model, worker);

		if (!model_is_sure_worker(model, worker))
			continue;
		own = seen > own ? seen : own;
		quiet = own < quiet ? own : quiet;
	}
	return quiet;
}

bool model_quiet_since(const struct model *model, uint32_t process, ct_time time, ct_time now)
{
	return model_quiet_time(model, process, now) > time;
}

void model_thread_finish(struct model *model)
{
	uint32_t i;

	for (i = 1; i < model->nr_threads; i++) {
		struct model_thread *thread = thread_at(model, i);

		if (thread->idle_from != CT_NO_TIME)
			thread->idle_good =
				good_until(model, thread, model_end_of(model, thread->process));
	}
}
