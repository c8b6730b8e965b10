/* SPDX-License-Identifier: MIT */
/*
 * The life of a coroutine, event by event, from its creation to its destruction.
 *
 * Impossible transitions are counted, and the later event is believed.
 */
#include <string.h>

#include "event/around.h"
#include "model/parts.h"

/*
 * Decides the conflict of a coroutine that was resumed on a second thread, at its next event: had the first thread
 * gone idle, so that a suspend is missing?
 */
static void give_up_early(struct model *model, struct model_coro *coro, ct_time time)
{
	struct model_conflict *conflict;

	if (!(coro->flags & MODEL_CORO_EARLY_RESUME))
		return;
	coro->flags &= (uint16_t)~MODEL_CORO_EARLY_RESUME;
	conflict = &model->conflicts.at[coro->rare->conflict];
	if ((coro->flags & MODEL_CORO_HAS_DOUBTFUL_ORDER) ||
		(model_is_coarse(model) && model_is_near(model, conflict->time, time))) {
		coro->flags |= MODEL_CORO_HAS_DOUBTFUL_ORDER;
		model_put_in_order(model, time - conflict->time);
		return;
	}
	conflict->is_explained = coro->rare->conflict == 0;
	/* A worker that has gone idle cannot run the coroutine: a suspend is missing. */
	conflict->was_idle |= model->threads[conflict->thread_before].idle_began > conflict->before;
	model->nr_broken++;
}

void model_coro_finish(struct model *model)
{
	size_t i;

	for (i = 1; i < model->coros.count; i++) {
		struct model_coro *coro = coro_at(model, (uint32_t)i);

		if (!model_is_near(model, coro->changed, model->now))
			give_up_early(model, coro, model->now);
		model->nr_broken += !!(coro->flags & MODEL_CORO_EARLY_RESUME);
	}
}

/* ---------------------------------------------------------------- the beginning */

bool model_coro_create(struct model *model, const struct ct_event *event)
{
	size_t nr_before = model->coros.count;
	struct model_coro *coro;
	uint32_t index;

	if (!model_coro_own(model, event, &index))
		return false;
	if (!index)
		return true;
	if (nr_before == model->coros.count && !model_coro_conflict(model, index, event))
		return false;
	coro = coro_at(model, index);
	if (nr_before == model->coros.count)
		model_turns_of(model, coro);
	if (!(coro->flags & MODEL_CORO_WAS_CREATED) && coro->state < CT_STATE_DONE) {
		model_series_move(model, coro->process, MODEL_SERIES_ALIVE, event->time, 1);
		model_times_alive(model, event->site, event->time, 1);
	}
	coro->flags |= MODEL_CORO_WAS_CREATED;
	process_at(model, coro->process)->nr_made++;
	coro->created = event->time;
	if (coro->state == CT_STATE_UNSEEN)
		coro->thread = event->thread;
	coro->creator = event->thread;
	coro->spawn_site = event->site;
	coro->parent = thread_at(model, event->thread)->top;
	model_work_join(model, index,
		coro->parent ? model_work_of(model, coro->parent)->task
			     : thread_at(model, event->thread)->task,
		event->time);
	model_coro_progress(model, coro->parent);
	model_tell(model, MODEL_BEGIN, (struct model_sight){.coro = index, .by = coro->parent});
	coro->last_event = event->sequence & MODEL_SEQUENCES;
	model_coro_hide(model, coro);
	model_times_begin(model, coro);
	model_first_run_made(model, index, event);
	return !event->object || model_wake_learn_address(model, index, event->object);
}

static bool tell_frame(struct model *model, uint32_t index, const struct ct_event *event)
{
	coro_at(model, index)->last_event = event->sequence & MODEL_SEQUENCES;
	model_first_run_told(model, index, event);
	return model_footprint_frame(model, coro_at(model, index), event) &&
	       (!event->object || model_wake_learn_frame(model, index, event->object));
}

/* ---------------------------------------------------------------- hooks around runs */

/* Is this a hook's event of an end that the beginning of another run, or the coroutine's own end, has shown already? */
static bool is_late(const struct model_coro *coro, const struct ct_event *event)
{
	if (!event_is_told_around(event))
		return false;
	if (coro->state == CT_STATE_RUNNING || coro->state == CT_STATE_SYSCALL)
		return coro->thread != event->thread;
	return coro->state != CT_STATE_UNSEEN;
}

/* The previous run ended at some time before this event: now at the latest. */
static void end_run_before(struct model *model, uint32_t index, ct_time time)
{
	struct model_coro *coro = coro_at(model, index);

	if (!coro->is_told_around || coro->state != CT_STATE_RUNNING)
		return;
	model_coro_leave_stack(model, index);
	model_coro_set_state(model, coro, CT_STATE_WAITING, time);
	model->nr_late_ends++;
}

/* ---------------------------------------------------------------- running */

/*
 * A thread that resumes a coroutine after a wait is a worker, and so is a thread that starts a coroutine that another
 * thread created. A thread that only starts coroutines of its own is mostly main.
 */
static bool note_worker(struct model *model, const struct model_coro *coro, bool is_first_step,
	const struct ct_event *event)
{
	return is_first_step && coro->creator == event->thread
		       ? model_thread_stand_by(model, event->thread, true)
		       : model_thread_be_worker(model, event->thread);
}

/* Was the awaited result ready? Some probes record a resume even then. */
static bool goes_on(
	const struct model *model, const struct model_coro *coro, const struct ct_event *event)
{
	return coro->state == CT_STATE_RUNNING && coro->thread == event->thread &&
	       coro->process < model->tables->nr_processes &&
	       model->tables->processes[coro->process].has_bare_resumes;
}

static void tell_run(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_coro *coro = coro_at(model, index);
	struct model_sight sight = {.coro = index, .event = event};

	model_tell_often(model, MODEL_RUN, sight);
	if (model_is_unwoken(coro)) {
		model_tell(model, MODEL_RUN_UNWOKEN, sight);
		model_times_unwoken(model, coro);
	}
	coro->has_spare_wake = coro->flags & MODEL_CORO_WAS_WOKEN_AGAIN;
}

static bool run(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_coro *coro = coro_at(model, index);
	bool is_first_step = coro->suspended == CT_NO_TIME || (coro->flags & MODEL_CORO_IS_INITIAL);

	model_coro_revive(model, coro, event->time);
	give_up_early(model, coro, event->time);
	if (event_is_told_around(event) && coro->state >= CT_STATE_DONE)
		return true;
	end_run_before(model, index, event->time);
	if (coro->state == CT_STATE_DESTROYED) {
		coro->last_event = event->sequence & MODEL_SEQUENCES;
		return model_coro_ghost(model, index, event);
	}
	if ((coro->state == CT_STATE_DONE || coro->state == CT_STATE_RUNNING ||
		    coro->state == CT_STATE_SYSCALL) &&
		!goes_on(model, coro, event) && !model_coro_conflict(model, index, event))
		return false;
	tell_run(model, index, event);
	model_first_run_forget(model, event->thread);
	model_run_queue_leave(model, coro, event->time);
	coro->last_event = event->sequence & MODEL_SEQUENCES;
	if (coro->nr_resumes && coro->thread != event->thread)
		model_turns_of(model, coro)->nr_migrations++;
	coro->nr_resumes++;
	process_at(model, coro->process)->nr_runs++;
	thread_at(model, event->thread)->nr_resumes++;
	if (!model_is_of_runtime(coro))
		process_at(model, coro->process)->last_run = event->time;
	coro->flags &= (uint16_t) ~(
		MODEL_CORO_HAS_DOUBTFUL_WAKE | MODEL_CORO_IS_INITIAL | MODEL_CORO_WAS_WOKEN_AGAIN);
	model_thread_enters(model, event->thread, index);
	model_keep_spent(model, coro);
	if (coro->state == CT_STATE_UNSEEN)
		model_times_show(coro);
	model_coro_set_state(model, coro, CT_STATE_RUNNING, event->time);
	coro->resumed = event->time;
	coro->resume_event = event->sequence & MODEL_SEQUENCES;
	model_set_rare(model, coro, resumer, model_resumer(model, event));
	coro->is_told_around = event_is_told_around(event);
	coro->blocked_before = thread_at(model, event->thread)->spent[MODEL_ACTIVITY_BLOCKED];
	model_coro_enter_stack(model, index, event->thread);
	/* From now on the coroutine uses this thread's processor. */
	if (coro->is_assisting || coro->is_collector)
		model_runtime_changed(model, coro, event->time);
	return note_worker(model, coro_at(model, index), is_first_step, event);
}

/* ---------------------------------------------------------------- waiting */

/* For a timer or a queue, 0 is a number like any other. */
bool model_is_unnamed(uint64_t handle)
{
	switch (CTP_HANDLE_RESOURCE(handle)) {
	case CTP_RESOURCE_LOCK:
	case CTP_RESOURCE_CONDITION:
	case CTP_RESOURCE_CHANNEL:
	case CTP_RESOURCE_SEMAPHORE:
	case CTP_RESOURCE_EVENT:
		return !CTP_HANDLE_IDENTITY(handle);
	default:
		return false;
	}
}

static bool note_wait(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_coro *coro = coro_at(model, index);
	uint32_t descriptor = 0;

	if (CTP_HANDLE_RESOURCE(event->object) == CTP_RESOURCE_DESCRIPTOR &&
		event->kind == CTP_KIND_SUSPEND &&
		!model_descriptor_bind(model, event, &descriptor))
		return false;
	coro->wait_object = event->kind == CTP_KIND_SUSPEND ? event->object : 0;
	process_at(model, coro->process)->has_unnamed_waits |= model_is_unnamed(coro->wait_object);
	model_coro_join(model, coro);
	coro->wait_site = event->site;
	model_set_rare(model, coro, wait_call,
		CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_LOCK &&
				model_is_unnamed(coro->wait_object) &&
				model->own_site != event->site
			? model->own_site
			: 0);
	coro->point = event->argument;
	model_set_rare(model, coro, descriptor, descriptor);
	model_set_rare(model, coro, tried,
		event->object ? 0 : thread_at(model, event->thread)->last_tried);
	model_set_rare(model, coro, has_armed_tried,
		coro->rare->tried && thread_at(model, event->thread)->has_armed_tried);
	coro->suspended = event->time;
	coro->wait_event = event->sequence & MODEL_SEQUENCES;
	model_set_rare(model, coro, deadline, CT_NO_TIME);
	model_set_rare(model, coro, held, CT_NO_TIME);
	coro->flags &= (uint16_t) ~(
		MODEL_CORO_WAITS_FOR_MORE | MODEL_CORO_LEFT_BY_SWITCH | MODEL_CORO_IS_UNREACHED);
	if (event->kind == CTP_KIND_SWITCH)
		coro->flags |= MODEL_CORO_LEFT_BY_SWITCH;
	else
		model_coro_waits(model, index);
	thread_at(model, event->thread)->last_suspended = index;
	thread_at(model, event->thread)->last_doubled = 0;
	thread_at(model, event->thread)->last_tried = 0;
	return true;
}

/*
 * Did the wake come before the suspend? Its own wake, by which a coroutine puts itself into the queue again, does. If
 * the suspend is recorded late, any wake does.
 */
static bool is_woken_already(
	const struct model *model, uint32_t index, const struct ct_event *event)
{
	const struct model_coro *coro = &model->coros.at[index];

	return model_was_woken(coro) && coro->turns->wake.time <= event->time &&
	       (coro->turns->wake.coro == index || event_is_told_around(event)) &&
	       (coro->changed == CT_NO_TIME || coro->turns->wake.time >= coro->changed) &&
	       event_makes_ready(coro->turns->wake.outcome);
}

/* Has the coroutine ended already, so that the thread only leaves it for the last time? */
static bool is_end(const struct model_coro *coro, const struct ct_event *event)
{
	return coro->state == CT_STATE_DONE &&
	       (event->kind == CTP_KIND_SWITCH || event->argument == CTP_POINT_FINAL);
}

static bool stop_running(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_coro *coro = coro_at(model, index);
	bool was_running = coro->state == CT_STATE_RUNNING;
	bool is_woken = was_running && is_woken_already(model, index, event);
	bool is_over = is_end(coro, event);
	bool is_preempted =
		event->argument == CTP_POINT_PREEMPTED && event->kind == CTP_KIND_SUSPEND;

	if (!was_running && coro->state != CT_STATE_UNSEEN && !is_over &&
		!model_coro_conflict(model, index, event))
		return false;
	is_woken |= was_running && coro->turns->queue_thread;
	if (!is_woken)
		model_run_queue_leave(model, coro, event->time);
	model_coro_leave_stack(model, index);
	coro->thread = event->thread;
	if (coro->counts_run || coro->resumed == CT_NO_TIME)
		model_keep_spent(model, coro);
	if (event->argument != CTP_POINT_INITIAL || was_running)
		model_times_show(coro);
	process_at(model, coro->process)->tells_ends |=
		event->argument == CTP_POINT_FINAL || event->argument == CTP_POINT_INITIAL;
	if (is_over || event->argument == CTP_POINT_FINAL) {
		model_coro_set_state(model, coro, CT_STATE_DONE, event->time);
	} else if (event->argument == CTP_POINT_INITIAL) {
		coro->flags |= MODEL_CORO_IS_INITIAL;
		model_coro_set_state(model, coro, CT_STATE_UNSEEN, event->time);
	} else if (is_woken || is_preempted) {
		model_coro_set_state(model, coro, CT_STATE_READY, event->time);
	} else {
		model_coro_set_state(model, coro, CT_STATE_WAITING, event->time);
	}
	return true;
}

/*
 * Is this a coroutine that waits but was never resumed? Then its probe sees neither the beginnings nor the ends of
 * bodies.
 */
static bool is_half_told(const struct model_coro *coro, const struct ct_event *event)
{
	return coro->state == CT_STATE_UNSEEN && (coro->flags & MODEL_CORO_WAS_CREATED) &&
	       coro->nr_resumes == 0 && event->kind == CTP_KIND_SUSPEND &&
	       event->argument != CTP_POINT_INITIAL;
}

static bool leave(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_coro *coro = coro_at(model, index);
	bool is_first_step = coro->nr_resumes <= 1;

	/* A detail behind it is of a wait that is over. */
	if (is_late(coro, event)) {
		thread_at(model, event->thread)->last_suspended = 0;
		return true;
	}
	if (coro->state == CT_STATE_DESTROYED) {
		coro->last_event = event->sequence & MODEL_SEQUENCES;
		return model_coro_ghost(model, index, event);
	}
	give_up_early(model, coro, event->time);
	coro->is_half_told |= is_half_told(coro, event);
	process_at(model, coro->process)->has_half_told |= coro->is_half_told;
	if (!stop_running(model, index, event))
		return false;
	coro->last_event = event->sequence & MODEL_SEQUENCES;
	if (!note_wait(model, index, event))
		return false;
	thread_at(model, event->thread)->leaving = index;
	/*
	 * A thread that creates a coroutine with an initial suspend has run nothing of it, and may never run any
	 * coroutine.
	 */
	return event->argument == CTP_POINT_INITIAL
		       ? model_thread_stand_by(model, event->thread, false)
		       : note_worker(model, coro_at(model, index), is_first_step, event);
}

static bool cancel(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_coro *coro = coro_at(model, index);

	if (coro->state != CT_STATE_WAITING && coro->state != CT_STATE_READY &&
		coro->state != CT_STATE_UNSEEN)
		return model_coro_conflict(model, index, event);
	model_tell(model, MODEL_GO_ON, (struct model_sight){.coro = index, .event = event});
	coro->last_event = event->sequence & MODEL_SEQUENCES;
	model_run_queue_leave(model, coro, event->time);
	model_coro_set_state(model, coro, CT_STATE_RUNNING, event->time);
	model_coro_enter_stack(model, index, event->thread);
	return true;
}

bool model_coro_switch(struct model *model, const struct ct_event *event)
{
	uint32_t left, entered = 0;

	if (event->object)
		entered = model_coro_get(model, event->process, event->object, event->time);
	if (!model_coro_own(model, event, &left) || (event->object && !entered))
		return false;
	model_note_order(coro_at(model, left), event);
	model_note_order(coro_at(model, entered), event);
	return (!left || leave(model, left, event)) && (!entered || run(model, entered, event));
}

/* ---------------------------------------------------------------- the end */

static bool finish(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_coro *coro = coro_at(model, index);

	model_coro_note_outcome(model, coro, event);
	give_up_early(model, coro, event->time);
	if (!coro->nr_resumes)
		model_first_run_forget(model, event->thread);
	process_at(model, coro->process)->tells_ends = true;
	if (coro->state != CT_STATE_RUNNING && coro->state != CT_STATE_UNSEEN &&
		!model_coro_conflict(model, index, event))
		return false;
	coro->last_event = event->sequence & MODEL_SEQUENCES;
	model_permit_end(model, coro, event);
	if (coro->state != CT_STATE_DESTROYED)
		model_coro_set_state(model, coro, CT_STATE_DONE, event->time);
	return true;
}

/* The probe says that the coroutine was suspended, but a thread runs it. */
static bool is_taken_away(const struct model_coro *coro, const struct ct_event *event)
{
	return coro->state == CT_STATE_RUNNING && (coro->flags & MODEL_CORO_ON_STACK) &&
	       event->argument == CTP_LIFE_SUSPENDED;
}

/*
 * Records that the destruction came while the coroutine waited, or before it ran after a wake. If the probe says that
 * the coroutine was not suspended, it ran, and the events of that are missing.
 */
static void cut(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_coro *coro = coro_at(model, index);

	if (event->argument == CTP_LIFE_DONE)
		return;
	if (coro->state == CT_STATE_READY || coro->state == CT_STATE_WAITING) {
		process_at(model, coro->process)->last_cut = index;
		model_times_cut(model, coro);
	}
	if (coro->state == CT_STATE_READY) {
		coro->flags |= MODEL_CORO_WAS_DESTROYED_READY;
		model_object_cut(model, index);
	}
	if (coro->state == CT_STATE_WAITING) {
		model_tell(model, MODEL_CUT, (struct model_sight){.coro = index, .event = event});
		coro->flags |= MODEL_CORO_WAS_DESTROYED_WAITING;
	}
}

static bool destroy(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_coro *coro = coro_at(model, index);
	struct model_rare *rare;

	give_up_early(model, coro, event->time);
	if (coro->state == CT_STATE_DESTROYED)
		return model_coro_conflict(model, index, event);
	if (is_taken_away(coro, event) && !model_coro_conflict(model, index, event))
		return false;
	coro->last_event = event->sequence & MODEL_SEQUENCES;
	model_permit_end(model, coro, event);
	model_annotation_forget(model, index, event->time);
	if (!coro->nr_resumes)
		model_first_run_forget(model, event->thread);
	/* If the order of its steps was chosen, its state at the destruction is not certain. */
	if (!model_is_order_doubtful(coro))
		cut(model, index, event);
	model_coro_leave_stack(model, index);
	model_coro_set_state(model, coro, CT_STATE_DESTROYED, event->time);
	rare = model_rare_of(model, coro);
	rare->destroyed = event->time;
	rare->destroy_thread = event->thread;
	rare->destroy_site = event->site;
	rare->destroy_event = event->sequence;
	rare->destroy_coro = thread_at(model, event->thread)->top;
	if (thread_at(model, event->thread)->leaving == index)
		thread_at(model, event->thread)->leaving = 0;
	return true;
}

bool model_coro_step(struct model *model, const struct ct_event *event)
{
	uint32_t index;

	if (!model_coro_own(model, event, &index))
		return false;
	if (!index)
		return true;
	if (event->kind == CTP_KIND_FRAME)
		return tell_frame(model, index, event);
	model_note_order(coro_at(model, index), event);
	switch (event->kind) {
	case CTP_KIND_RESUME:
		return run(model, index, event);
	case CTP_KIND_SUSPEND:
		return leave(model, index, event);
	case CTP_KIND_CANCEL:
		return cancel(model, index, event);
	case CTP_KIND_RETURN:
		return finish(model, index, event);
	default: /* destroy */
		return destroy(model, index, event);
	}
}

/* ---------------------------------------------------------------- other events */

static void take_phase(struct model *model, const struct ct_event *event)
{
	struct model_process *process = process_at(model, event->process);
	const char *name = "";

	if (event->site < model->tables->nr_sites)
		name = model->tables->sites[event->site].reason;
	if (process->is_warming_up) {
		process->is_warming_up = false;
		process->warm_up_until = event->time;
	}
	if (strncmp(name, "warm", 4) == 0)
		process->is_warming_up = true;
	if (strncmp(name, "shut", 4) == 0 && process->shutdown_from == CT_NO_TIME)
		process->shutdown_from = event->time;
}

/* Takes a coroutine of the runtime out of the counts of living coroutines. */
static void withdraw(struct model *model, struct model_coro *coro, ct_time time)
{
	struct model_process *process = process_at(model, coro->process);

	if (coro->state < CT_STATE_DONE) {
		process->nr_alive--;
		/* The maximum was reached with this coroutine. */
		if (coro->created == CT_NO_TIME || process->alive_most_time >= coro->created)
			process->nr_alive_most--;
	}
	if (coro->state < CT_STATE_DONE && (coro->flags & MODEL_CORO_WAS_CREATED)) {
		model_series_move(model, coro->process, MODEL_SERIES_ALIVE, time, -1);
		model_times_alive(model, coro->spawn_site, time, -1);
	}
	model_times_withdraw(model, coro);
	coro->mark = CTP_MARK_RUNTIME;
}

bool model_coro_mark(struct model *model, const struct ct_event *event)
{
	uint32_t index;

	if (event->argument == CTP_MARK_PHASE)
		take_phase(model, event);
	if (event->argument == CTP_MARK_SIGNALS_END)
		process_at(model, event->process)->is_ended_by_signals = event->object == 1;
	if (event->argument == CTP_MARK_THREAD_AT || event->argument == CTP_MARK_THREAD_NAME)
		return model_thread_told(model, event);
	if (!model_coro_own(model, event, &index))
		return false;
	if (!index)
		return true;
	coro_at(model, index)->last_event = event->sequence & MODEL_SEQUENCES;
	if (event->argument == CTP_MARK_LEFT_OUT) {
		model_gap_of_coro(model, event);
		coro_at(model, index)->mark = CTP_MARK_EXPECT_IDLE; /* silence is no evidence */
	}
	if (event->argument == CTP_MARK_RUNTIME && !model_is_of_runtime(coro_at(model, index)))
		withdraw(model, coro_at(model, index), event->time);
	if (event->argument == CTP_MARK_HELD)
		model_coro_held(model, coro_at(model, index), event);
	if (event->argument == CTP_MARK_DAEMON || event->argument == CTP_MARK_EXPECT_IDLE ||
		event->argument == CTP_MARK_BLOCKING)
		coro_at(model, index)->mark = event->argument;
	return true;
}

void model_export(const struct model *model, uint32_t index, struct ct_coro *ret_coro)
{
	const struct model_coro *coro = &model->coros.at[index];

	*ret_coro = (struct ct_coro){
		.id = coro->id,
		.process = coro->process,
		.state = (enum ct_state)coro->state,
		.created = coro->created,
		.changed = coro->changed,
		.destroyed = coro->rare->destroyed,
		.parent = model->coros.at[coro->parent].id,
		.spawn_site = coro->spawn_site,
		.function_site = coro->rare->function_site,
		.wait_site = coro->wait_site,
		.wait_object = coro->wait_object,
		.frame = coro->rare->frame,
		.frame_bytes = coro->rare->frame_bytes,
		.thread = coro->thread,
		.mark = coro->mark,
		.was_seen_from_start = coro->flags & MODEL_CORO_WAS_CREATED,
		.is_yielding = coro->state == CT_STATE_WAITING && coro->point == CTP_POINT_YIELD,
		.nr_resumes = coro->nr_resumes,
		.nr_wakes = coro->turns->nr_wakes,
		.last_event = coro->last_event,
		.waker_time = coro->turns->wake.time,
		.waker_outcome = coro->turns->wake.outcome,
	};
}
