/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the model. Each function takes up one kind of event; false is always "out
 * of memory". Nothing here is for other folders.
 */
#ifndef MODEL_PARTS_H
#define MODEL_PARTS_H

#include "model/model.h"

static inline struct model_coro *coro_at(struct model *model, uint32_t coro)
{
	return &model->coros.at[coro];
}

static inline uint32_t coro_index(const struct model *model, const struct model_coro *coro)
{
	return (uint32_t)(coro - model->coros.at);
}

static inline struct model_process *process_at(struct model *model, uint32_t process)
{
	return &model->processes[process];
}

static inline struct model_thread *thread_at(struct model *model, uint32_t thread)
{
	return &model->threads[thread];
}

/* model_note_order: the event is a step of the coroutine, or a wake for it. */
static inline void model_note_order(struct model_coro *coro, const struct ct_event *event)
{
	bool is_doubtful = event->flags & (CT_FLAG_ORDER_CHOSEN | CT_FLAG_ORDER_UNKNOWN);

	coro->order_doubts = (uint8_t)(coro->order_doubts << 1 | is_doubtful);
}

/* time_plus: a sum that stays at the ends of what a time can be. */
static inline ct_time time_plus(ct_time time, int64_t ns)
{
	ct_time sum;

	if (__builtin_add_overflow(time, ns, &sum))
		return ns < 0 ? INT64_MIN + 1 : INT64_MAX;
	return sum;
}

/* time_observed: what was before the observation began is told as of its beginning. */
static inline ct_time time_observed(const struct model *model, ct_time time)
{
	return model->from != CT_NO_TIME && time < model->from ? model->from : time;
}

/* time_of_clock: a reading of CLOCK_MONOTONIC that the program wrote, whatever it says. */
static inline ct_time time_of_clock(const struct model *model, uint64_t ns)
{
	ct_time time;

	if (ns > INT64_MAX ||
		__builtin_sub_overflow((int64_t)ns, model->tables->epoch_monotonic_ns, &time))
		return INT64_MAX;
	return time;
}

/* One event was put before another that lies `ns` before it by the clocks. */
static inline void model_put_in_order(struct model *model, int64_t ns)
{
	model->nr_reordered++;
	if (ns > model->reordered_ns)
		model->reordered_ns = ns;
}

/* ---------------------------------------------------------------- how many there may be: bound.c */

/* model_bound_look: is there room? Whenever something was given back. */
void model_bound_look(struct model *model);
/* model_bound_has_room: for one coroutine more; if not, the event that is being applied is to be left out. */
bool model_bound_has_room(struct model *model);
/* model_bound_leave_out: takes note of that; false: out of memory. */
bool model_bound_leave_out(struct model *model, const struct ct_event *event);

/* ---------------------------------------------------------------- parts of coroutines: coro_parts.c */

struct model_turns *model_turns_make(struct model *model, struct model_coro *coro);
struct model_rare *model_rare_make(struct model *model, struct model_coro *coro);
/* model_parts_give_back: the coroutine has neither any more. */
void model_parts_give_back(struct model *model, struct model_coro *coro);

/*
 * model_turns_of, model_rare_of: the part to be written, made where there is none. Where memory is short that is noted,
 * and what is written belongs to nobody.
 */
static inline struct model_turns *model_turns_of(struct model *model, struct model_coro *coro)
{
	return coro->turns == &model_no_turns ? model_turns_make(model, coro)
					      : (struct model_turns *)(uintptr_t)coro->turns;
}

static inline struct model_rare *model_rare_of(struct model *model, struct model_coro *coro)
{
	return coro->rare == &model_nothing_rare ? model_rare_make(model, coro)
						 : (struct model_rare *)(uintptr_t)coro->rare;
}

/* model_keep_spent: before one of its times changes between which what it spent shows. */
static inline void model_keep_spent(struct model *model, struct model_coro *coro)
{
	if (coro->counts_unseen || coro->counts_run)
		model_turns_of(model, coro);
}

/* model_set_turns, model_set_rare: one field of them; nothing is made for what is so already. */
#define model_set_turns(model, coro, field, value) \
	((coro)->turns->field == (value) ? (void)0 \
					 : (void)(model_turns_of(model, coro)->field = (value)))
#define model_set_rare(model, coro, field, value) \
	((coro)->rare->field == (value) ? (void)0 \
					: (void)(model_rare_of(model, coro)->field = (value)))

/* Was anything given back: coroutines, or descriptors alone? */
static inline bool has_given_back(const struct model *model)
{
	return model->epoch > 1;
}

/* ---------------------------------------------------------------- what was observed: observation.c */

/* model_observation_begin: sets the window of times that can be true, by the tables. */
void model_observation_begin(struct model *model);
/* model_observation_admit: can this event be true? Events left out are counted. */
bool model_observation_admit(struct model *model, const struct ct_event *event);

/* ---------------------------------------------------------------- whiles without a step: stillness.c */

void model_stillness_init(struct model_process *process);
/* model_stillness_note: of each event, before anything changes by it. */
void model_stillness_note(struct model *model, const struct ct_event *event);

/* ---------------------------------------------------------------- by name: find.c */

/*
 * model_coro_get: the coroutine with this id, made if it was not known; 0: out of memory. One that was given back is
 * asked for, as by model_coro_find.
 */
uint32_t model_coro_get(struct model *model, uint32_t process, uint64_t id, ct_time time);
/* model_find_page: the page in which the id of a known coroutine stands. */
uint32_t model_find_page(struct model *model, uint32_t process, uint64_t id);

/* ---------------------------------------------------------------- where they are: state.c */

/* model_coro_own: the coroutine that this event is of; *ret_index 0: it is of none. False: out of memory. */
bool model_coro_own(struct model *model, const struct ct_event *event, uint32_t *ret_index);
/* model_coro_set_state: the one place where states change and the ready ones are counted. */
void model_coro_set_state(
	struct model *model, struct model_coro *coro, enum ct_state state, ct_time time);
/* model_coro_hide: its beginning may not be recorded: it may run up to its first wait without anybody knowing. */
void model_coro_hide(struct model *model, struct model_coro *coro);
/* model_coro_enter_stack: it runs on this thread now, on top of whoever did before. */
void model_coro_enter_stack(struct model *model, uint32_t index, uint32_t thread);
/* model_coro_leave_stack: takes the coroutine off its thread's stack, wherever in it it is. */
void model_coro_leave_stack(struct model *model, uint32_t index);
/* model_coro_alive: one more of the process is alive. */
static inline void model_coro_alive(struct model *model, uint32_t index, ct_time time)
{
	struct model_process *process = process_at(model, index);

	if (++process->nr_alive <= process->nr_alive_most)
		return;
	process->nr_alive_most = process->nr_alive;
	process->alive_most_time = time_observed(model, time);
}

/*
 * model_coro_let_go: its thread has gone on to something else. Where its probe does not see ends it is presumed to have
 * come to its own. model_coro_revive: it shows that it has not.
 */
void model_coro_let_go(struct model *model, uint32_t index, ct_time time);
void model_coro_revive(struct model *model, struct model_coro *coro, ct_time time);

/* ---------------------------------------------------------------- what was given back: gone.c, release.c */

/* model_gone_ids: bit n: id n of the page is gone. */
uint64_t model_gone_ids(const struct model_process *process, uint64_t page);
/* model_gone_merge: so are these pages, in order, with a count of 1 each. False: out of memory. */
bool model_gone_merge(
	struct model_process *process, const struct model_gone *pages, size_t nr_pages);
/* model_gone_ask: notes that something of this name was named, unless it is kept, or was asked for before. */
void model_gone_ask(struct model *model, uint32_t process, enum model_kept kind, uint64_t name);
bool model_gone_is_kept(
	const struct model *model, uint32_t process, enum model_kept kind, uint64_t name);

/* model_release_now: gives back what can go; between two events. False: out of memory. */
bool model_release_now(struct model *model);
/* model_release_finish: asks for what those that wait at the end wait for. */
void model_release_finish(struct model *model);

/* ---------------------------------------------------------------- who looks on: watcher.c */

/* model_tell: to those who look at this moment. */
static inline void model_tell(
	struct model *model, enum model_moment moment, struct model_sight sight)
{
	size_t i;

	for (i = 0; i < model->lookers[moment].count; i++) {
		const struct model_looker *looker = &model->lookers[moment].at[i];

		model->has_no_memory |= !looker->look(looker->watch, &sight);
	}
}

/* model_coro_try: it did something else than to wait and to wake. model_coro_progress: and got something done by it. */
static inline void model_coro_try(struct model *model, uint32_t coro)
{
	if (coro)
		model_tell(model, MODEL_TRY, (struct model_sight){.coro = coro});
}

static inline void model_coro_progress(struct model *model, uint32_t coro)
{
	if (coro)
		model_tell(model, MODEL_PROGRESS, (struct model_sight){.coro = coro});
}

/* model_watch_add_coro: there is room for what watchers keep of the last one. False: out of memory. */
bool model_watch_add_coro(struct model *model);
void model_watch_fini(struct model *model);

/* ---------------------------------------------------------------- coroutines: coro.c */

bool model_coro_create(struct model *model, const struct ct_event *event);
/* model_coro_step: frame, resume, suspend, cancel, return, destroy. */
bool model_coro_step(struct model *model, const struct ct_event *event);
bool model_coro_switch(struct model *model, const struct ct_event *event);
bool model_coro_enqueue(struct model *model, const struct ct_event *event);
/* model_coro_waits: it waits, and what for is known now. model_coro_waits_for: the detail after a suspend or switch. */
void model_coro_waits(struct model *model, uint32_t coro);
bool model_coro_waits_for(struct model *model, uint32_t coro, const struct ct_event *event);
bool model_coro_dequeue(struct model *model, const struct ct_event *event);
bool model_coro_await(struct model *model, const struct ct_event *event);
bool model_coro_mark(struct model *model, const struct ct_event *event);

/* model_coro_touch: an event of a coroutine that does not change its state; *ret_index as by model_coro_own. */
bool model_coro_touch(struct model *model, const struct ct_event *event, uint32_t *ret_index);
/* model_coro_join: it waits: if for another's end, that one is awaited. */
void model_coro_join(struct model *model, const struct model_coro *coro);
/* model_coro_ghost: something was done to a coroutine that is gone. */
bool model_coro_ghost(struct model *model, uint32_t coro, const struct ct_event *event);
/* model_coro_conflict: the event does not lead on from the state that the coroutine is in. */
bool model_coro_conflict(struct model *model, uint32_t coro, const struct ct_event *event);
/* model_coro_finish: nothing comes any more that could explain a resume on a second thread. */
void model_coro_finish(struct model *model);

/* ---------------------------------------------------------------- wakes, frames: wake.c */

bool model_wake_apply(struct model *model, const struct ct_event *event);
/* model_wake_finish: whom no wake has found by now, it did not mean. */
void model_wake_finish(struct model *model);
/* model_wake_learn_frame: this coroutine's frame lies at `frame` from now on. */
bool model_wake_learn_frame(struct model *model, uint32_t coro, uint64_t frame);
/* model_wake_learn_address: this coroutine's tracing state lies at `address` from now on. */
bool model_wake_learn_address(struct model *model, uint32_t coro, uint64_t address);

/* ---------------------------------------------------------------- threads: thread.c */

/* model_thread_note: every event passes here first. */
void model_thread_note(struct model *model, const struct ct_event *event);
/* model_thread_list: finds a thread by its kernel id from now on. */
bool model_thread_list(struct model *model, uint32_t thread);
bool model_thread_be_worker(struct model *model, uint32_t thread);
/* model_thread_enters: the thread is about to run this coroutine. */
void model_thread_enters(struct model *model, uint32_t thread, uint32_t coro);
/*
 * model_thread_doer: whose doing an event is that names no coroutine: who runs there, or leaves the thread; 0: not
 * known.
 */
uint32_t model_thread_doer(const struct model *model, uint32_t thread);
/* model_thread_may_be_worker: no run of it was seen, but may be missing: it counts where all must have been idle. */
bool model_thread_may_be_worker(struct model *model, uint32_t thread);
/* model_thread_stand_by: it started a coroutine, and has perhaps run the first step of it. */
bool model_thread_stand_by(struct model *model, uint32_t thread, bool has_run);
void model_thread_park(struct model *model, const struct ct_event *event);
void model_thread_unpark(struct model *model, const struct ct_event *event);
void model_thread_block_begin(struct model *model, const struct ct_event *event);
void model_thread_block_end(struct model *model, const struct ct_event *event);
void model_thread_stop(struct model *model, const struct ct_event *event);
void model_thread_seen(struct model *model, const struct ct_event *event);
void model_thread_finish(struct model *model);
/* model_thread_deadline: the wait that this thread has just begun ends by itself. */
void model_thread_deadline(struct model *model, uint32_t thread);

/* ---------------------------------------------------------------- descriptors: descriptor.c */

bool model_descriptor_open(struct model *model, const struct ct_event *event);
bool model_descriptor_close(struct model *model, const struct ct_event *event);
bool model_descriptor_arm(struct model *model, const struct ct_event *event);
bool model_descriptor_ready(struct model *model, const struct ct_event *event);
bool model_descriptor_transfer(struct model *model, const struct ct_event *event);
bool model_descriptor_shutdown(struct model *model, const struct ct_event *event);
bool model_descriptor_dup(struct model *model, const struct ct_event *event);
bool model_descriptor_timer(struct model *model, const struct ct_event *event);
bool model_descriptor_polled(struct model *model, const struct ct_event *event);
/* model_descriptor_is_copy_of: the detail after a dup. */
bool model_descriptor_is_copy_of(
	struct model *model, uint32_t copy, uint64_t original, const struct ct_event *event);
/* model_descriptor_bind: the generation that a suspend on this handle waits for; false: out of memory. */
bool model_descriptor_bind(
	struct model *model, const struct ct_event *event, uint32_t *ret_descriptor);

/* ---------------------------------------------------------------- objects: object.c */

/* model_object_change: acquire, release, hand-over and notify, by this coroutine; 0: it names none. */
bool model_object_change(struct model *model, uint32_t coro, const struct ct_event *event);
/* model_object_cut: this coroutine is destroyed, woken for what it waited for, before it ran. */
void model_object_cut(struct model *model, uint32_t coro);
/* model_object_wait: this coroutine waits: for a channel's other end, if for a channel. */
void model_object_wait(struct model *model, uint32_t coro);
/* model_object_receiver: the detail after a hand-over. False: out of memory. */
bool model_object_receiver(struct model *model, const struct ct_event *event);

/* ---------------------------------------------------------------- locks that two hold: holding.c */

bool model_holding_reserve(struct model *model);
void model_holding_fini(struct model *model);
/* model_holding_take: before this lock changes its owner: does another one hold it? False: out of memory. */
bool model_holding_take(struct model *model, uint32_t object, const struct ct_event *event);
/* model_holding_wait: the first one of two that hold a lock waits, and what for is known. */
void model_holding_wait(struct model *model, uint32_t coro);
/* model_holding_release: before it is given back, or handed over: does the second one keep it? */
bool model_holding_release(struct model *model, uint32_t object, const struct ct_event *event);

/* ---------------------------------------------------------------- numbers over time: series.c */

/*
 * model_series_move: a number of a process changes by so much. model_series_count: a counter of the program has this
 * value from now on; false: out of memory. Those that find no room are counted.
 */
void model_series_move(struct model *model, uint32_t process, enum model_series_kind kind,
	ct_time time, int64_t by);
bool model_series_count(struct model *model, uint32_t span, ct_time time, int64_t value);
/* model_series_content: the same of a channel's content, which may become a series by that. */
bool model_series_content(struct model *model, uint32_t object, ct_time time);
/*
 * model_series_init: of one that is all zero but for what it is about. model_series_change: its value changes by so
 * much.
 */
void model_series_init(struct model_series *series);
void model_series_change(struct model_series *series, ct_time time, int64_t by);
/* model_series_join: takes in what came after it, which is empty then. */
void model_series_join(struct model_series *series, struct model_series *later);
bool model_series_reserve(struct model *model);
void model_series_fini(struct model *model);

/* ---------------------------------------------------------------- what is missing: gap.c */

bool model_gap_lost(struct model *model, const struct ct_event *event);
/* model_gap_of_coro: events of this coroutine are missing: what it did before says nothing of what follows. */
void model_gap_of_coro(struct model *model, const struct ct_event *event);
/* model_gap_tables: takes up the losses of the tables that came since the last call. False: out of memory. */
bool model_gap_tables(struct model *model);

/* model_place_tables: finds the sites that say the same; false: out of memory. */
bool model_place_tables(struct model *model);
/* model_gap_finish: sorts what is missing, for model_lost_between. */
bool model_gap_finish(struct model *model);
void model_gap_fini(struct model *model);

/* ---------------------------------------------------------------- system calls of coroutines: syscall.c */

bool model_syscall_apply(struct model *model, const struct ct_event *event);

/* ---------------------------------------------------------------- processors: runtime.c */

/* model_runtime_of: made where the process has none. NULL: out of memory. */
struct model_runtime *model_runtime_of(struct model *model, uint32_t process);
void model_runtime_free(struct model_runtime *runtime);
/* model_runtime_count: before the number of ready coroutines, or of processors in a state, changes. */
void model_runtime_count(struct model *model, uint32_t process, ct_time time);
/* model_runtime_look: whether this processor (0: none of them) collects may have changed. */
void model_runtime_look(struct model *model, uint32_t process, uint32_t processor, ct_time time);
/* model_runtime_changed: so may that of the processor on which this coroutine runs, or ran. */
void model_runtime_changed(struct model *model, const struct model_coro *coro, ct_time time);
/* model_runtime_assist: before a coroutine that helps the collection enters a state. */
void model_runtime_assist(
	struct model *model, const struct model_coro *coro, enum ct_state state, ct_time time);
bool model_runtime_sample(struct model *model, const struct ct_event *event);
bool model_processor_apply(struct model *model, const struct ct_event *event);
/* model_processor_syscall: the coroutine on the event's thread goes into a system call, or is back and runs on. */
void model_processor_syscall(struct model *model, const struct ct_event *event, bool is_in);
void model_runtime_finish(struct model *model);

/* ---------------------------------------------------------------- ranges of a runtime: range.c */

bool model_range_apply(struct model *model, const struct ct_event *event);
/* model_range_detail: how much the sweep that has just ended did. */
bool model_range_detail(struct model *model, const struct ct_event *event);
void model_range_finish(struct model *model);

/* ---------------------------------------------------------------- how long: times.c */

bool model_times_reserve(struct model *model);
void model_times_fini(struct model *model);
/* model_times_change: before a coroutine enters a state. */
void model_times_change(
	struct model *model, struct model_coro *coro, enum ct_state state, ct_time time);
/*
 * model_times_show: before it leaves its state by a resume or a suspend, whose times follow: what it spent in that will
 * show between its times, as long as none of them changes.
 */
void model_times_show(struct model_coro *coro);
/*
 * model_times_level: what there was so many of since *counted, and is up to `time`, goes into the histogram: ns by
 * number.
 * *counted is CT_NO_TIME at first.
 */
void model_times_level(struct model *model, struct histogram *histogram, ct_time *counted,
	uint64_t level, ct_time time);
/* model_times_ready: before the number of those that are ready changes. */
void model_times_ready(struct model *model, struct model_process *process, ct_time time);
/* model_times_begin: its creation is known now. model_times_withdraw: and turns out to be none of the program's. */
void model_times_begin(struct model *model, const struct model_coro *coro);
void model_times_withdraw(struct model *model, const struct model_coro *coro);
/* model_times_alive: one more or less of those that were started there is alive. model_times_end: it is given back. */
void model_times_alive(struct model *model, uint32_t site, ct_time time, int64_t by);
void model_times_end(struct model *model, const struct model_coro *coro);
/* model_times_thread: before anything changes in what a thread does. */
void model_times_thread(struct model *model, struct model_thread *thread, ct_time time);
/* model_times_unwoken: before it is resumed out of a wait that no wake has ended. */
void model_times_unwoken(struct model *model, const struct model_coro *coro);
/* model_times_cut: before it is destroyed, waiting or ready. */
void model_times_cut(struct model *model, const struct model_coro *coro);
/* model_times_account: the kernel's account of a thread. */
bool model_times_account(struct model *model, const struct ct_event *event);
/* model_times_so_far: the time up to the end of one that goes on, and is counted already. */
void model_times_so_far(struct ct_going_on *going_on, int64_t ns);
void model_times_finish(struct model *model);

/* ---------------------------------------------------------------- queues of ready ones: run_queue.c */

bool model_run_queue_reserve(struct model *model);
/*
 * model_run_queue_enter, model_run_queue_leave: the coroutine lies in the queue that this enqueue names; in none any
 * more.
 */
void model_run_queue_enter(
	struct model *model, struct model_coro *coro, const struct ct_event *event);
void model_run_queue_leave(struct model *model, struct model_coro *coro, ct_time time);
void model_run_queue_finish(struct model *model);
void model_run_queue_fini(struct model *model);

/* ---------------------------------------------------------------- times by group: breakdown.c */

/*
 * model_breakdown_leave: before a coroutine that was in its state for so long enters another one. model_breakdown_end:
 * it is in it still when observation ends. Only where there is a breakdown.
 */
void model_breakdown_leave(
	struct model *model, const struct model_coro *coro, enum ct_state state, int64_t ns);
void model_breakdown_end(struct model *model, const struct model_coro *coro, int64_t ns);

/* ---------------------------------------------------------------- annotation.c */

/* Each is false where memory is short. */
bool model_annotation_reserve(struct model *model);
bool model_annotation_apply(struct model *model, const struct ct_event *event);
void model_annotation_finish(struct model *model);
void model_annotation_fini(struct model *model);

/* model_annotation_forget: the coroutine is gone, and with it the regions that it had open. */
void model_annotation_forget(struct model *model, uint32_t coro, ct_time time);

/* model_history_note: before a coroutine enters a state, where there is a history. */
void model_history_note(
	struct model *model, const struct model_coro *coro, enum ct_state next, ct_time time);

/* ---------------------------------------------------------------- for what they worked: work.c */

/*
 * model_work_count: gives what has passed of the coroutine's present state to the task that it works for, and to the
 * regions that it has open. Before its state, its task or its regions change.
 */
void model_work_count(struct model *model, struct model_coro *coro, ct_time time);
/*
 * model_work_join: it works for this task from here on; 0: for none. The task's beginning may not have been seen yet.
 */
void model_work_join(struct model *model, uint32_t coro, uint64_t task, ct_time time);
/* model_work_leave: it works for none any more; `task` stays, for who asks later. */
void model_work_leave(struct model *model, uint32_t coro);
/* model_work_make: what is kept of its work, made if there was nothing. NULL: out of memory, which is noted. */
struct model_work *model_work_make(struct model *model, uint32_t coro);
/* model_work_end: the task has ended: nobody works for it from here on. */
void model_work_end(struct model *model, struct model_task *task, ct_time time);

static inline bool work_has(const struct model *model, const struct model_coro *coro)
{
	const struct model_work *work = model_work_of(model, coro_index(model, coro));

	return work->task || work->region;
}

#endif
