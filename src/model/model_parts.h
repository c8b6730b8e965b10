/* SPDX-License-Identifier: MIT */
/*
 * What the files of the model share. Each function takes up one kind of event; false is always "out
 * of memory". Nothing here is for other folders.
 */
#ifndef MODEL_MODEL_PARTS_H
#define MODEL_MODEL_PARTS_H

#include "model.h"

static inline struct model_coro *coro_at(struct model *model, uint32_t coro)
{
	return &model->coros.at[coro];
}

static inline struct model_process *process_at(struct model *model, uint32_t process)
{
	return &model->processes[process];
}

static inline struct model_thread *thread_at(struct model *model, uint32_t thread)
{
	return &model->threads[thread];
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

/* Are two times so near that the clocks of two threads may have changed their order? */
static inline bool is_near(const struct model *model, ct_time a, ct_time b)
{
	return a != CT_NO_TIME && b != CT_NO_TIME &&
	       (a < b ? b - a : a - b) <= model->uncertainty_ns;
}

/* One event was put before another that lies `ns` before it by the clocks. */
static inline void model_put_in_order(struct model *model, int64_t ns)
{
	model->nr_reordered++;
	if (ns > model->reordered_ns)
		model->reordered_ns = ns;
}

/* Does a wake with this outcome make its target ready? */
static inline bool makes_ready(uint8_t outcome)
{
	return outcome == CTP_OUTCOME_QUEUED || outcome == CTP_OUTCOME_ALREADY_QUEUED ||
	       outcome == CTP_OUTCOME_RESUMED;
}

/* Was anything given back: coroutines, or descriptors alone? */
static inline bool has_given_back(const struct model *model)
{
	return model->epoch > 1;
}

/* ---------------------------------------------------------------- where they are: state.c */

/*
 * coro_get: the coroutine with this id, made if it was not known; 0: out of memory. coro_find: 0 where it is not known.
 * Both ask for one that was given back.
 */
uint32_t coro_find(struct model *model, uint32_t process, uint64_t id);
/* state_page: the page in which the id of a known coroutine stands. */
uint32_t state_page(struct model *model, uint32_t process, uint64_t id);
uint32_t coro_get(struct model *model, uint32_t process, uint64_t id, ct_time time);
/* coro_own: the coroutine that this event is of; *ret_index 0: it is of none. False: out of memory. */
bool coro_own(struct model *model, const struct ct_event *event, uint32_t *ret_index);
/* spin_run: the coroutine is about to run. spin_break: something has been done in the process. */
void spin_run(struct model *model, uint32_t coro, ct_time time);
void spin_break(struct model *model, uint32_t process);
/* coro_becomes_ready: notes what had run by then. */
void coro_becomes_ready(struct model *model, struct model_coro *coro);
/* coro_set_state: the one place where states change and the ready ones are counted. */
void coro_set_state(
	struct model *model, struct model_coro *coro, enum ct_state state, ct_time time);
/* coro_hide: its beginning may not be recorded: it may run up to its first wait without anybody knowing. */
void coro_hide(struct model *model, struct model_coro *coro);
/* coro_enter_stack: it runs on this thread now, on top of whoever did before. */
void coro_enter_stack(struct model *model, uint32_t index, uint32_t thread);
/* coro_leave_stack: takes the coroutine off its thread's stack, wherever in it it is. */
void coro_leave_stack(struct model *model, uint32_t index);
/*
 * coro_let_go: its thread has gone on to something else. Where its probe does not see ends it is presumed to have come
 * to its own. coro_revive: it shows that it has not.
 */
void coro_let_go(struct model *model, uint32_t index, ct_time time);
void coro_revive(struct model *model, struct model_coro *coro, ct_time time);

/* ---------------------------------------------------------------- what was given back: gone.c, release.c */

/* gone_ids: bit n: id n of the page is gone. */
uint64_t gone_ids(const struct model_process *process, uint64_t page);
/* gone_merge: so are these pages, in order, with a count of 1 each. False: out of memory. */
bool gone_merge(struct model_process *process, const struct model_gone *pages, size_t nr_pages);
/* gone_ask: notes that something of this name was named, unless it is kept, or was asked for before. */
void gone_ask(struct model *model, uint32_t process, enum model_kept kind, uint64_t name);
bool gone_is_kept(const struct model *model, uint32_t process, enum model_kept kind, uint64_t name);
/* gone_finish: asks for what those that wait at the end wait for. */
void gone_finish(struct model *model);

/* release_now: gives back what can go; between two events. False: out of memory. */
bool release_now(struct model *model);

/* ---------------------------------------------------------------- coroutines: coro.c */

bool coro_create(struct model *model, const struct ct_event *event);
/* coro_step: frame, resume, suspend, cancel, return, destroy. */
bool coro_step(struct model *model, const struct ct_event *event);
bool coro_switch(struct model *model, const struct ct_event *event);
bool coro_enqueue(struct model *model, const struct ct_event *event);
/* coro_waits: it waits, and what for is known now. coro_waits_for: the detail after a suspend or switch. */
void coro_waits(struct model *model, uint32_t coro);
bool coro_waits_for(struct model *model, uint32_t coro, const struct ct_event *event);
bool coro_dequeue(struct model *model, const struct ct_event *event);
bool coro_await(struct model *model, const struct ct_event *event);
bool coro_mark(struct model *model, const struct ct_event *event);
/* coro_touch: an event of a coroutine that does not change its state. */
bool coro_touch(struct model *model, const struct ct_event *event);

/* coro_join: it waits: if for another's end, that one is awaited. */
void coro_join(struct model *model, const struct model_coro *coro);
/* coro_leave_queue: it is in none any more. */
void coro_leave_queue(struct model *model, struct model_coro *coro, ct_time time);
/* coro_try: it did something else than to wait and to wake. coro_progress: and got something done by it. */
void coro_try(struct model *model, uint32_t coro);
void coro_progress(struct model *model, uint32_t coro);
/* coro_woke_itself: the wake is its own. */
bool coro_woke_itself(struct model *model, uint32_t coro, const struct ct_event *event);
/* coro_conflict: the event does not lead on from the state that the coroutine is in. */
bool coro_conflict(struct model *model, uint32_t coro, const struct ct_event *event);
/* coro_finish: nothing comes any more that could explain a resume on a second thread. */
void coro_finish(struct model *model);
/* coro_ghost: something was done to a coroutine that is gone. */
bool coro_ghost(struct model *model, uint32_t coro, const struct ct_event *event);

/* ---------------------------------------------------------------- wakes, frames: wake.c */

bool wake_apply(struct model *model, const struct ct_event *event);
/* wake_finish: whom no wake has found by now, it did not mean. */
void wake_finish(struct model *model);
/* wake_last: the last wake of this coroutine. */
struct model_waking wake_last(const struct model_coro *coro);
/* herd_wake: before it is woken. herd_wait: it waits, and what for is known. herd_progress: it got something done. */
bool herd_wake(struct model *model, uint32_t coro, const struct ct_event *event);
void herd_wait(struct model *model, uint32_t coro);
void herd_progress(struct model *model, uint32_t coro);
bool herd_reserve(struct model *model);
/* herd_finish: nobody comes back any more. */
void herd_finish(struct model *model);
void herd_fini(struct model *model);
/* repeat_wake: before it is woken: had it been already? False: out of memory. */
bool repeat_wake(struct model *model, uint32_t coro, const struct ct_event *event);
/*
 * repeat_run: before it runs: had one of two wakes run it already, and does it wait since then, and nobody ended that?
 * repeat_explain: this wake came in time for the run that it is at. False: out of memory.
 */
bool repeat_run(struct model *model, uint32_t coro, const struct ct_event *event);
void repeat_explain(struct model *model, uint32_t coro);
void repeat_fini(struct model *model);
/* wake_learn_frame: this coroutine's frame lies at `frame` from now on. */
bool wake_learn_frame(struct model *model, uint32_t coro, uint64_t frame);
/* wake_learn_address: this coroutine's tracing state lies at `address` from now on. */
bool wake_learn_address(struct model *model, uint32_t coro, uint64_t address);

/* ---------------------------------------------------------------- threads: thread.c */

/* thread_note: every event passes here first. */
void thread_note(struct model *model, const struct ct_event *event);
/* thread_list: finds a thread by its kernel id from now on. */
bool thread_list(struct model *model, uint32_t thread);
bool thread_be_worker(struct model *model, uint32_t thread);
/* thread_enters: the thread is about to run this coroutine. */
void thread_enters(struct model *model, uint32_t thread, uint32_t coro);
/* thread_doer: whose doing an event is that names no coroutine: who runs there, or leaves the thread; 0: not known. */
uint32_t thread_doer(const struct model *model, uint32_t thread);
/* thread_may_be_worker: no run of it was seen, but may be missing: it counts where all must have been idle. */
bool thread_may_be_worker(struct model *model, uint32_t thread);
/* thread_stand_by: it started a coroutine, and has perhaps run the first step of it. */
bool thread_stand_by(struct model *model, uint32_t thread, bool has_run);
void thread_park(struct model *model, const struct ct_event *event);
void thread_unpark(struct model *model, const struct ct_event *event);
void thread_block_begin(struct model *model, const struct ct_event *event);
void thread_block_end(struct model *model, const struct ct_event *event);
void thread_stop(struct model *model, const struct ct_event *event);
void thread_seen(struct model *model, const struct ct_event *event);
void thread_finish(struct model *model);
/* thread_deadline: the wait that this thread has just begun ends by itself. */
void thread_deadline(struct model *model, uint32_t thread);

/* ---------------------------------------------------------------- descriptors: descriptor.c */

bool descriptor_open(struct model *model, const struct ct_event *event);
bool descriptor_close(struct model *model, const struct ct_event *event);
bool descriptor_arm(struct model *model, const struct ct_event *event);
bool descriptor_ready(struct model *model, const struct ct_event *event);
bool descriptor_transfer(struct model *model, const struct ct_event *event);
bool descriptor_shutdown(struct model *model, const struct ct_event *event);
bool descriptor_dup(struct model *model, const struct ct_event *event);
bool descriptor_timer(struct model *model, const struct ct_event *event);
/* descriptor_is_copy_of: the detail after a dup. */
bool descriptor_is_copy_of(
	struct model *model, uint32_t copy, uint64_t original, const struct ct_event *event);
/* descriptor_bind: the generation that a suspend on this handle waits for; false: out of memory. */
bool descriptor_bind(struct model *model, const struct ct_event *event, uint32_t *ret_descriptor);

/* unread_close: before this descriptor is closed: has nobody read what a poll reported? False: out of memory. */
bool unread_close(struct model *model, uint32_t descriptor, const struct ct_event *event);
void unread_fini(struct model *model);

/* ---------------------------------------------------------------- objects: object.c */

/* object_change: acquire, release, hand-over and notify. */
bool object_change(struct model *model, const struct ct_event *event);
/* object_cut: this coroutine is destroyed, woken for what it waited for, before it ran. */
void object_cut(struct model *model, uint32_t coro);
/* object_wait: this coroutine waits: for a channel's other end, if for a channel. */
void object_wait(struct model *model, uint32_t coro);
/* object_receiver: the detail after a hand-over. False: out of memory. */
bool object_receiver(struct model *model, const struct ct_event *event);

/* ---------------------------------------------------------------- the order of locks: nesting.c */

/* nesting_take: the coroutine holds this lock from now on. False: out of memory. nesting_drop: nobody does any more. */
bool nesting_take(
	struct model *model, uint32_t object, uint32_t coro, const struct ct_event *event);
void nesting_drop(struct model *model, uint32_t object, ct_time time);
bool nesting_reserve(struct model *model);
void nesting_fini(struct model *model);

/* ---------------------------------------------------------------- locks that two hold: holding.c */

bool holding_reserve(struct model *model);
void holding_fini(struct model *model);
/* holding_take: before this lock changes its owner: does another one hold it? False: out of memory. */
bool holding_take(struct model *model, uint32_t object, const struct ct_event *event);
/* holding_wait: the first one of two that hold a lock waits, and what for is known. */
void holding_wait(struct model *model, uint32_t coro);
/* holding_release: before it is given back, or handed over: does the second one keep it? */
bool holding_release(struct model *model, uint32_t object, const struct ct_event *event);

/* ---------------------------------------------------------------- numbers over time: series.c */

/*
 * series_move: a number of a process changes by so much. series_count: a counter of the program has this value from now
 * on; false: out of memory. What there is no room for is counted.
 */
void series_move(struct model *model, uint32_t process, enum model_series_kind kind, ct_time time,
	int64_t by);
bool series_count(struct model *model, uint32_t span, ct_time time, int64_t value);
/* series_content: the same of a channel's content, which may become a series by that. */
bool series_content(struct model *model, uint32_t object, ct_time time);
/* series_init: of one that is all zero but for what it is about. series_change: its value changes by so much. */
void series_init(struct model_series *series);
void series_change(struct model_series *series, ct_time time, int64_t by);
/* series_join: takes in what came after it, which is empty then. */
void series_join(struct model_series *series, struct model_series *later);
bool series_reserve(struct model *model);
void series_fini(struct model *model);

/* ---------------------------------------------------------------- what is missing: gap.c */

bool gap_lost(struct model *model, const struct ct_event *event);
/* gap_of_coro: events of this coroutine are missing: what it did before says nothing of what follows. */
void gap_of_coro(struct model *model, const struct ct_event *event);
/* gap_tables: takes up the losses of the tables that came since the last call. False: out of memory. */
bool gap_tables(struct model *model);

/* place_tables: finds the sites that say the same; false: out of memory. */
bool place_tables(struct model *model);
/* gap_finish: sorts what is missing, for model_lost_between. */
bool gap_finish(struct model *model);
void gap_fini(struct model *model);

/* ---------------------------------------------------------------- how long: times.c */

bool times_reserve(struct model *model);
void times_fini(struct model *model);
/* times_change: before a coroutine enters a state. */
void times_change(struct model *model, struct model_coro *coro, enum ct_state state, ct_time time);
/*
 * times_level: what there was so many of since *counted, and is up to `time`, goes into the histogram: ns by number.
 * *counted is CT_NO_TIME at first.
 */
void times_level(struct model *model, struct histogram *histogram, ct_time *counted, uint64_t level,
	ct_time time);
/* times_ready: before the number of those that are ready changes. */
void times_ready(struct model *model, struct model_process *process, ct_time time);
/* times_begin: its creation is known now. */
void times_begin(struct model *model, const struct model_coro *coro);
/* times_alive: one more or less of those that were started there is alive. times_end: it is given back. */
void times_alive(struct model *model, uint32_t site, ct_time time, int64_t by);
void times_end(struct model *model, const struct model_coro *coro);
/* times_thread: before anything changes in what a thread does. */
void times_thread(struct model *model, struct model_thread *thread, ct_time time);
/* times_unwoken: before it is resumed out of a wait that no wake has ended. */
void times_unwoken(struct model *model, const struct model_coro *coro);
/* times_cut: before it is destroyed, waiting or ready. */
void times_cut(struct model *model, const struct model_coro *coro);
/* times_account: the kernel's account of a thread. */
bool times_account(struct model *model, const struct ct_event *event);
void times_finish(struct model *model);

/* ---------------------------------------------------------------- queues of ready ones: run_queue.c */

bool run_queue_reserve(struct model *model);
/* run_queue_enter, run_queue_leave: the coroutine lies in the queue that this enqueue names; in none any more. */
void run_queue_enter(struct model *model, struct model_coro *coro, const struct ct_event *event);
void run_queue_leave(struct model *model, struct model_coro *coro, ct_time time);
void run_queue_finish(struct model *model);
void run_queue_fini(struct model *model);

/* ---------------------------------------------------------------- times by group: breakdown.c */

/*
 * breakdown_leave: before a coroutine that was in its state for so long enters another one. breakdown_end: it is in it
 * still when observation ends. Only where there is a breakdown.
 */
void breakdown_leave(
	struct model *model, const struct model_coro *coro, enum ct_state state, int64_t ns);
void breakdown_end(struct model *model, const struct model_coro *coro, int64_t ns);

/* ---------------------------------------------------------------- annotation.c */

/* Each is false where memory is short. */
bool annotation_reserve(struct model *model);
bool annotation_apply(struct model *model, const struct ct_event *event);
void annotation_finish(struct model *model);
void annotation_fini(struct model *model);

/* annotation_forget: the coroutine is gone, and with it the regions that it had open. */
void annotation_forget(struct model *model, uint32_t coro, ct_time time);

/* history_note: before a coroutine enters a state, where there is a history. */
void history_note(struct model *model, const struct model_coro *coro, ct_time time);

/* ---------------------------------------------------------------- for what they worked: work.c */

/*
 * work_count: gives what has passed of the coroutine's present state to the task that it works for, and to the regions
 * that it has open. Before its state, its task or its regions change.
 */
void work_count(struct model *model, struct model_coro *coro, ct_time time);
/* work_join: it works for this task from here on; 0: for none. The task's beginning may not have been seen yet. */
void work_join(struct model *model, uint32_t coro, uint64_t task, ct_time time);
/* work_leave: it works for none any more; `task` stays, for who asks later. */
void work_leave(struct model *model, struct model_coro *coro);
/* work_end: the task has ended: nobody works for it from here on. */
void work_end(struct model *model, struct model_task *task, ct_time time);

static inline bool work_has(const struct model_coro *coro)
{
	return coro->task || coro->region;
}

#endif
