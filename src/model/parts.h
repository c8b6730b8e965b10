/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the model. A function that takes an event applies that event; false always means "out of
 * memory". Not for other folders.
 */
#ifndef MODEL_PARTS_H
#define MODEL_PARTS_H

#include "model/model.h"
#include "model/lookers.h"

static inline struct model_coro *coro_at(struct model *model, uint32_t coro)
{
	return &model->coros.at[coro];
}

static inline struct model_descriptor *descriptor_at(struct model *model, uint32_t descriptor)
{
	return &model->descriptors.at[descriptor];
}

static inline struct model_process *process_at(struct model *model, uint32_t process)
{
	return &model->processes[process];
}

static inline struct model_thread *thread_at(struct model *model, uint32_t thread)
{
	return &model->threads[thread];
}

/* model_note_order: notes whether the order of the event, a step of the coroutine or a wake for it, is doubtful. */
static inline void model_note_order(struct model_coro *coro, const struct ct_event *event)
{
	bool is_doubtful = event->flags & (CT_FLAG_ORDER_CHOSEN | CT_FLAG_ORDER_UNKNOWN);

	coro->order_doubts = (uint8_t)(coro->order_doubts << 1 | is_doubtful);
}

/* time_plus: adds, and stays within the range of a time. */
static inline ct_time time_plus(ct_time time, int64_t ns)
{
	ct_time sum;

	if (__builtin_add_overflow(time, ns, &sum))
		return ns < 0 ? INT64_MIN + 1 : INT64_MAX;
	return sum;
}

/* time_observed: returns the time, or the beginning of the observation if the time is before that. */
static inline ct_time time_observed(const struct model *model, ct_time time)
{
	return model->from != CT_NO_TIME && time < model->from ? model->from : time;
}

/* time_of_clock: converts a reading of CLOCK_MONOTONIC that the program wrote, which may be any number. */
static inline ct_time time_of_clock(const struct model *model, uint64_t ns)
{
	ct_time time;

	if (ns > INT64_MAX ||
		__builtin_sub_overflow((int64_t)ns, model->tables->epoch_monotonic_ns, &time))
		return INT64_MAX;
	return time;
}

/* model_put_in_order: counts an event that was put before another one that is `ns` earlier by the clocks. */
static inline void model_put_in_order(struct model *model, int64_t ns)
{
	model->nr_reordered++;
	if (ns > model->reordered_ns)
		model->reordered_ns = ns;
}

/* ---------------------------------------------------------------- the limit on coroutines: bound.c */

/* model_bound_look: checks whether there is room; call it after records were given back. */
void model_bound_look(struct model *model);
/* model_bound_has_room: is there room for one more coroutine? If not, the event being applied is to be left out. */
bool model_bound_has_room(struct model *model);
/* model_bound_leave_out: counts that event as lost; false: out of memory. */
bool model_bound_leave_out(struct model *model, const struct ct_event *event);

/* ---------------------------------------------------------------- parts of coroutines: coro_parts.c */

struct model_turns *model_turns_make(struct model *model, struct model_coro *coro);
struct model_rare *model_rare_make(struct model *model, struct model_coro *coro);

/*
 * model_coro_held: the mark says who can find what the coroutine waits for; if it names nobody, this is as if nothing
 * had been recorded.
 */
void model_coro_held(struct model *model, struct model_coro *coro, const struct ct_event *event);
/* model_coro_note_outcome: the coroutine returned by this event: it may have failed, or was cancelled. */
void model_coro_note_outcome(
	struct model *model, struct model_coro *coro, const struct ct_event *event);
/* model_parts_give_back: takes both parts away from the coroutine. */
void model_parts_give_back(struct model *model, struct model_coro *coro);

/*
 * model_turns_of, model_rare_of: return the coroutine's own part for writing, made if there is none. If memory runs
 * out, that is noted, and the part returned belongs to no coroutine.
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

/*
 * model_keep_spent: gives the coroutine turns if what it spent follows from its times (counts_unseen, counts_run).
 * Call before one of these times changes.
 */
static inline void model_keep_spent(struct model *model, struct model_coro *coro)
{
	if (coro->counts_unseen || coro->counts_run)
		model_turns_of(model, coro);
}

/* model_set_turns, model_set_rare: set one field of the part; make no part if the field has that value already. */
#define model_set_turns(model, coro, field, value) \
	((coro)->turns->field == (value) ? (void)0 \
					 : (void)(model_turns_of(model, coro)->field = (value)))
#define model_set_rare(model, coro, field, value) \
	((coro)->rare->field == (value) ? (void)0 \
					: (void)(model_rare_of(model, coro)->field = (value)))

/* has_given_back: were any records given back, coroutines or descriptors? */
static inline bool has_given_back(const struct model *model)
{
	return model->epoch > 1;
}

/* ---------------------------------------------------------------- the observation: observation.c */

/* model_observation_begin: sets the range of possible times, from the tables. */
void model_observation_begin(struct model *model);
/* model_observation_admit: is this event possible? Events that are left out are counted. */
bool model_observation_admit(struct model *model, const struct ct_event *event);

/* ---------------------------------------------------------------- times without a step: stillness.c */

void model_stillness_init(struct model_process *process);
/* model_stillness_note: notes each event, before the event changes anything. */
void model_stillness_note(struct model *model, const struct ct_event *event);

/* ---------------------------------------------------------------- records by name: find.c */

/*
 * model_coro_get: returns the coroutine with this id, made if it was not known; 0: out of memory. Asks for a record
 * that was given back, as model_coro_find does.
 */
uint32_t model_coro_get(struct model *model, uint32_t process, uint64_t id, ct_time time);
/* model_find_page: returns the page with the id of a known coroutine. */
uint32_t model_find_page(struct model *model, uint32_t process, uint64_t id);

/* ---------------------------------------------------------------- states and stacks: state.c */

/* model_coro_own: finds the coroutine that wrote this event; *ret_index 0: none. False: out of memory. */
bool model_coro_own(struct model *model, const struct ct_event *event, uint32_t *ret_index);
/* model_coro_set_state: the only place that changes a state and counts ready coroutines. */
void model_coro_set_state(
	struct model *model, struct model_coro *coro, enum ct_state state, ct_time time);
/*
 * model_coro_hide: notes that the coroutine may run up to its first wait unseen, because its beginning may not be
 * recorded.
 */
void model_coro_hide(struct model *model, struct model_coro *coro);
/* model_coro_enter_stack: puts the coroutine on top of this thread's stack of running coroutines. */
void model_coro_enter_stack(struct model *model, uint32_t index, uint32_t thread);
/* model_coro_leave_stack: removes the coroutine from its thread's stack, at whatever depth it is. */
void model_coro_leave_stack(struct model *model, uint32_t index);
/* model_coro_alive: counts one more living coroutine of the process. */
static inline void model_coro_alive(struct model *model, uint32_t index, ct_time time)
{
	struct model_process *process = process_at(model, index);

	if (++process->nr_alive <= process->nr_alive_most)
		return;
	process->nr_alive_most = process->nr_alive;
	process->alive_most_time = time_observed(model, time);
}

/*
 * model_coro_let_go: notes that the coroutine's thread has gone on to something else. If its probe does not record
 * ends, the coroutine is presumed to have ended. model_coro_revive: takes that back, because an event shows that the
 * coroutine lives.
 */
void model_coro_let_go(struct model *model, uint32_t index, ct_time time);
void model_coro_revive(struct model *model, struct model_coro *coro, ct_time time);

/* ---------------------------------------------------------------- records given back: gone.c, release.c */

/* model_gone_ids: returns the ids of a page that are gone; bit n: id n of the page. */
uint64_t model_gone_ids(const struct model_process *process, uint64_t page);
/* model_gone_merge: adds these pages, in order, with a count of 1 each. False: out of memory. */
bool model_gone_merge(
	struct model_process *process, const struct model_gone *pages, size_t nr_pages);
/* model_gone_ask: notes that an event named this record, unless it is kept or was asked for before. */
void model_gone_ask(struct model *model, uint32_t process, enum model_kept kind, uint64_t name);
bool model_gone_is_kept(
	const struct model *model, uint32_t process, enum model_kept kind, uint64_t name);

/* model_release_now: gives back the records that can go; only between two events. False: out of memory. */
bool model_release_now(struct model *model);
/* model_release_finish: asks for the records that coroutines wait for at the end. */
void model_release_finish(struct model *model);

/* ---------------------------------------------------------------- watchers: watcher.c */

/* model_coro_try: the coroutine did something other than waiting and waking. model_coro_progress: and got it done. */
static inline void model_coro_try(struct model *model, uint32_t coro)
{
	if (coro)
		model_tell_often(model, MODEL_TRY, (struct model_sight){.coro = coro});
}

static inline void model_coro_progress(struct model *model, uint32_t coro)
{
	if (coro)
		model_tell_often(model, MODEL_PROGRESS, (struct model_sight){.coro = coro});
}

/* model_watch_add_coro: makes room for the watchers' records of the last coroutine. False: out of memory. */
bool model_watch_add_coro(struct model *model);
void model_watch_fini(struct model *model);

/* ---------------------------------------------------------------- coroutines: coro.c */

bool model_coro_create(struct model *model, const struct ct_event *event);
/*
 * first_run.c: model_first_run_made: the thread has created a coroutine. model_first_run_told: the coroutine says its
 * frame, and what it created in its first run has a parent now. model_first_run_forget: whose the thread's last
 * creations are stays open.
 */
void model_first_run_made(struct model *model, uint32_t index, const struct ct_event *event);
void model_first_run_told(struct model *model, uint32_t index, const struct ct_event *event);
void model_first_run_forget(struct model *model, uint32_t thread);
/* model_coro_step: applies frame, resume, suspend, cancel, return, destroy. */
bool model_coro_step(struct model *model, const struct ct_event *event);
bool model_coro_switch(struct model *model, const struct ct_event *event);
bool model_coro_enqueue(struct model *model, const struct ct_event *event);
/*
 * model_coro_waits: the coroutine waits, and its object is known now. model_coro_waits_for: applies the detail after
 * a suspend or switch that names the object.
 */
void model_coro_waits(struct model *model, uint32_t coro);
bool model_coro_waits_for(struct model *model, uint32_t coro, const struct ct_event *event);
bool model_coro_dequeue(struct model *model, const struct ct_event *event);
bool model_coro_await(struct model *model, const struct ct_event *event);
bool model_coro_mark(struct model *model, const struct ct_event *event);

/* model_coro_touch: applies an event of a coroutine that does not change its state; *ret_index as by model_coro_own. */
bool model_coro_touch(struct model *model, const struct ct_event *event, uint32_t *ret_index);
/* model_coro_join: the coroutine waits: if for the end of another one, that one counts as awaited. */
void model_coro_join(struct model *model, const struct model_coro *coro);
/* model_coro_ghost: keeps an event about a destroyed coroutine. */
bool model_coro_ghost(struct model *model, uint32_t coro, const struct ct_event *event);
/* model_coro_conflict: keeps an event that cannot follow from the coroutine's state. */
bool model_coro_conflict(struct model *model, uint32_t coro, const struct ct_event *event);
/* model_coro_finish: settles resumes on a second thread that no further event can explain. */
void model_coro_finish(struct model *model);

/* ---------------------------------------------------------------- wakes and frames: wake.c */

bool model_wake_apply(struct model *model, const struct ct_event *event);
/* model_wake_finish: settles wakes of frames that no coroutine turned out to have. */
void model_wake_finish(struct model *model);
/* model_wake_learn_frame: this coroutine's frame is at the address `frame` from now on. */
bool model_wake_learn_frame(struct model *model, uint32_t coro, uint64_t frame);
/* model_wake_learn_address: this coroutine's tracing state is at `address` from now on. */
bool model_wake_learn_address(struct model *model, uint32_t coro, uint64_t address);

/* ---------------------------------------------------------------- threads: thread.c */

/* model_thread_note: notes an event; called first for every event. */
void model_thread_note(struct model *model, const struct ct_event *event);
/* model_thread_list: lets the thread be found by its kernel id from now on. */
bool model_thread_list(struct model *model, uint32_t thread);
bool model_thread_be_worker(struct model *model, uint32_t thread);
/* model_thread_enters: the thread is about to run this coroutine. */
void model_thread_enters(struct model *model, uint32_t thread, uint32_t coro);
/*
 * model_thread_doer: returns the coroutine that made an event which names no coroutine: the one that runs on the
 * thread, or is leaving it; 0: not known.
 */
uint32_t model_thread_doer(const struct model *model, uint32_t thread);
/*
 * model_thread_may_be_worker: notes that runs on this thread may be missing: it counts where all workers must have
 * been idle.
 */
bool model_thread_may_be_worker(struct model *model, uint32_t thread);
/* model_thread_stand_by: the thread started a coroutine, and perhaps ran its first step. */
bool model_thread_stand_by(struct model *model, uint32_t thread, bool has_run);
void model_thread_park(struct model *model, const struct ct_event *event);
void model_thread_unpark(struct model *model, const struct ct_event *event);
void model_thread_block_begin(struct model *model, const struct ct_event *event);
void model_thread_block_end(struct model *model, const struct ct_event *event);
void model_thread_stop(struct model *model, const struct ct_event *event);
void model_thread_seen(struct model *model, const struct ct_event *event);
/* model_thread_told: a mark names the thread, or where it is. True, always. */
bool model_thread_told(struct model *model, const struct ct_event *event);
void model_thread_finish(struct model *model);
/* model_thread_deadline: the wait that this thread has just begun has a time-out. */
void model_thread_deadline(struct model *model, uint32_t thread);

/* ---------------------------------------------------------------- descriptors: descriptor.c */

/*
 * model_descriptor_named: the descriptor that an event names by this handle; made if it was not known. Without
 * a generation in the handle, the newest of the number, open or closed. 0: out of memory.
 */
uint32_t model_descriptor_named(
	struct model *model, uint32_t process, uint64_t handle, ct_time time);
bool model_descriptor_open(struct model *model, const struct ct_event *event);
/* model_descriptor_connect: the connection that this thread has just accepted has its other end in the process, too. */
bool model_descriptor_connect(struct model *model, const struct ct_event *event);
/* model_descriptor_sender: the datagram that this thread has just read is from the process, or from another one. */
bool model_descriptor_sender(struct model *model, const struct ct_event *event);
bool model_descriptor_close(struct model *model, const struct ct_event *event);
bool model_descriptor_arm(struct model *model, const struct ct_event *event);
bool model_descriptor_ready(struct model *model, const struct ct_event *event);
bool model_descriptor_transfer(struct model *model, const struct ct_event *event);
bool model_descriptor_shutdown(struct model *model, const struct ct_event *event);
bool model_descriptor_dup(struct model *model, const struct ct_event *event);
bool model_descriptor_timer(struct model *model, const struct ct_event *event);
bool model_descriptor_polled(struct model *model, const struct ct_event *event);
/* model_descriptor_is_copy_of: applies the detail after a dup. */
bool model_descriptor_is_copy_of(
	struct model *model, uint32_t copy, uint64_t original, const struct ct_event *event);
/* model_descriptor_bind: finds the generation that a suspend on this handle waits for; false: out of memory. */
bool model_descriptor_bind(
	struct model *model, const struct ct_event *event, uint32_t *ret_descriptor);

/* ---------------------------------------------------------------- objects: object.c */

/* model_object_change: applies an acquire, release, hand-over or notify by this coroutine; 0: none is named. */
bool model_object_change(struct model *model, uint32_t coro, const struct ct_event *event);
/*
 * model_permit_take, model_permit_give: `taker` took a permit of the object, or `giver` gave one back, if it is a
 * semaphore. model_permit_end: the coroutine ends, with the permits that it has.
 */
void model_permit_take(
	struct model *model, uint32_t index, uint32_t taker, const struct ct_event *event);
void model_permit_give(
	struct model *model, uint32_t index, uint32_t giver, const struct ct_event *event);
void model_permit_end(struct model *model, struct model_coro *coro, const struct ct_event *event);

/* model_object_cut: this coroutine is destroyed before it ran, although it was woken for what it waited for. */
void model_object_cut(struct model *model, uint32_t coro);
/* model_object_wait: this coroutine waits; updates the content if it waits for a channel. */
void model_object_wait(struct model *model, uint32_t coro);
/* model_object_receiver: applies the detail after a hand-over. False: out of memory. */
bool model_object_receiver(struct model *model, const struct ct_event *event);

/* ---------------------------------------------------------------- locks with two holders: holding.c */

bool model_holding_reserve(struct model *model);
void model_holding_fini(struct model *model);
/*
 * model_holding_take: notes whether another coroutine holds this lock; call before the lock changes its owner. False:
 * out of memory.
 */
bool model_holding_take(struct model *model, uint32_t object, const struct ct_event *event);
/* model_holding_wait: the first of two holders of a lock waits, and its object is known. */
void model_holding_wait(struct model *model, uint32_t coro);
/* model_holding_release: does the second holder keep the lock? Call before the lock is released or handed over. */
bool model_holding_release(struct model *model, uint32_t object, const struct ct_event *event);

/* ---------------------------------------------------------------- numbers over time: series.c */

/*
 * model_series_move: changes a number of a process by `by`. model_series_count: sets the value of a counter of the
 * program; false: out of memory. Series that find no room are counted.
 */
void model_series_move(struct model *model, uint32_t process, enum model_series_kind kind,
	ct_time time, int64_t by);
bool model_series_count(struct model *model, uint32_t span, ct_time time, int64_t value);
/* model_series_content: notes a channel's content, which may become a series by that. */
bool model_series_content(struct model *model, uint32_t object, ct_time time);
/*
 * model_series_init: initialises a series whose other fields are zero, except for what it is about.
 * model_series_change: changes its value by `by`.
 */
void model_series_init(struct model_series *series);
void model_series_change(struct model_series *series, ct_time time, int64_t by);
/* model_series_join: adds a later series to this one, and empties it. */
void model_series_join(struct model_series *series, struct model_series *later);
bool model_series_reserve(struct model *model);
void model_series_fini(struct model *model);

/* ---------------------------------------------------------------- missing events: gap.c */

bool model_gap_lost(struct model *model, const struct ct_event *event);
/* model_gap_of_coro: events of this coroutine are missing: its past state says nothing about what follows. */
void model_gap_of_coro(struct model *model, const struct ct_event *event);
/* model_gap_tables: takes the losses that were added to the tables since the last call. False: out of memory. */
bool model_gap_tables(struct model *model);

/* model_place_tables: finds equal sites; false: out of memory. */
bool model_place_tables(struct model *model);
/* model_gap_finish: sorts the gaps, for model_lost_between. */
bool model_gap_finish(struct model *model);
void model_gap_fini(struct model *model);

/* ---------------------------------------------------------------- system calls of coroutines: syscall.c */

bool model_syscall_apply(struct model *model, const struct ct_event *event);

/* ---------------------------------------------------------------- processors: runtime.c */

/* model_runtime_of: returns the runtime of the process, made if there is none. NULL: out of memory. */
struct model_runtime *model_runtime_of(struct model *model, uint32_t process);
void model_runtime_free(struct model_runtime *runtime);
/*
 * model_runtime_count: counts up to `time`; call before the number of ready coroutines, or of processors in a state,
 * changes.
 */
void model_runtime_count(struct model *model, uint32_t process, ct_time time);
/* model_runtime_look: updates whether this processor (0: none of them) takes part in a collection. */
void model_runtime_look(struct model *model, uint32_t process, uint32_t processor, ct_time time);
/* model_runtime_changed: does the same for the processor on which this coroutine runs, or ran. */
void model_runtime_changed(struct model *model, const struct model_coro *coro, ct_time time);
/* model_runtime_assist: counts up to `time`; call before a coroutine that helps the collector enters a state. */
void model_runtime_assist(
	struct model *model, const struct model_coro *coro, enum ct_state state, ct_time time);
bool model_runtime_sample(struct model *model, const struct ct_event *event);
bool model_processor_apply(struct model *model, const struct ct_event *event);
/* model_processor_syscall: the coroutine on the event's thread enters a system call, or is back and runs on. */
void model_processor_syscall(struct model *model, const struct ct_event *event, bool is_in);
void model_runtime_finish(struct model *model);

/* ---------------------------------------------------------------- ranges of a runtime: range.c */

bool model_range_apply(struct model *model, const struct ct_event *event);
/* model_range_detail: applies the detail that says how much the sweep that has just ended did. */
bool model_range_detail(struct model *model, const struct ct_event *event);
void model_range_finish(struct model *model);

/* ---------------------------------------------------------------- times: times.c */

bool model_times_reserve(struct model *model);
void model_times_fini(struct model *model);
/* model_times_change: counts the time in the present state; call before a coroutine enters a state. */
void model_times_change(
	struct model *model, struct model_coro *coro, enum ct_state state, ct_time time);
/*
 * model_times_show: notes that the time in the present state will follow from the coroutine's times, as long as none
 * of them changes. Call before the state ends by a resume or a suspend.
 */
void model_times_show(struct model_coro *coro);
/*
 * model_times_level: adds to the histogram how long there were `level` of something: from *counted to `time`, in ns.
 * *counted is CT_NO_TIME at first.
 */
void model_times_level(struct model *model, struct histogram *histogram, ct_time *counted,
	uint64_t level, ct_time time);
/* model_times_ready: counts up to `time`; call before the number of ready coroutines changes. */
void model_times_ready(struct model *model, struct model_process *process, ct_time time);
/*
 * model_times_begin: counts a coroutine whose creation is known now. model_times_withdraw: takes that back for a
 * coroutine that turns out to belong to the runtime.
 */
void model_times_begin(struct model *model, const struct model_coro *coro);
void model_times_withdraw(struct model *model, const struct model_coro *coro);
/*
 * model_times_alive: one coroutine more or less that was started there is alive. model_times_end: counts a coroutine
 * whose record is given back.
 */
void model_times_alive(struct model *model, uint32_t site, ct_time time, int64_t by);
void model_times_end(struct model *model, const struct model_coro *coro);
/*
 * model_times_delay: keeps the delay if it is the longest at its place; of two of one length, the one due to a run from
 * the place from which more was run.
 */
void model_times_delay(struct model *model, struct model_place_times *times,
	const struct model_coro *coro, ct_time until, int64_t ns);
/* model_times_thread: counts up to `time`; call before anything changes in what a thread does. */
static inline void model_times_thread(
	const struct model *model, struct model_thread *thread, ct_time time)
{
	enum model_activity activity =
		thread->nr_going ? MODEL_ACTIVITY_RUNNING : MODEL_ACTIVITY_SCHEDULING;

	time = time_observed(model, time);
	if (thread->blocked_from != CT_NO_TIME)
		activity = MODEL_ACTIVITY_BLOCKED;
	if (thread->idle_from != CT_NO_TIME)
		activity = MODEL_ACTIVITY_IDLE;
	if (thread->counted == CT_NO_TIME)
		thread->counted_from = time;
	else
		thread->spent[activity] += time - thread->counted;
	thread->counted = time;
}
/* model_times_unwoken: counts a wait that no wake has ended; call before its coroutine is resumed. */
void model_times_unwoken(struct model *model, const struct model_coro *coro);
/* model_times_wait: notes that the coroutine has begun to wait, at its wait_site. */
void model_times_wait(struct model *model, const struct model_coro *coro);
/* model_times_cut: counts a coroutine that is destroyed waiting or ready; call before the destruction. */
void model_times_cut(struct model *model, const struct model_coro *coro);
/* model_times_account: takes the kernel's accounts of a thread. */
bool model_times_account(struct model *model, const struct ct_event *event);
/* model_times_so_far: adds the time up to the end of something that is still going on. */
void model_times_so_far(struct ct_going_on *going_on, int64_t ns);
void model_times_finish(struct model *model);

/* ---------------------------------------------------------------- what frames take: footprint.c */

/* model_footprint_frame: the coroutine runs this function, whose frames' size the tables may have. */
bool model_footprint_frame(
	struct model *model, struct model_coro *coro, const struct ct_event *event);
/*
 * model_footprint_tell: the size of a coroutine's frame is known now. model_footprint_state: the frame is freed with
 * the coroutine's destruction, and there again if an event shows that the coroutine lives. Before its state changes.
 */
bool model_footprint_tell(
	struct model *model, struct model_coro *coro, uint64_t nr_bytes, ct_time time);
void model_footprint_state(
	struct model *model, const struct model_coro *coro, enum ct_state state, ct_time time);
void model_footprint_finish(struct model *model);
void model_footprint_fini(struct model *model);

/* ---------------------------------------------------------------- queues of ready coroutines: run_queue.c */

bool model_run_queue_reserve(struct model *model);
/*
 * model_run_queue_enter: puts the coroutine into the queue that this enqueue names. model_run_queue_leave: takes it
 * out of its queue.
 */
void model_run_queue_enter(
	struct model *model, struct model_coro *coro, const struct ct_event *event);
void model_run_queue_leave(struct model *model, struct model_coro *coro, ct_time time);
void model_run_queue_finish(struct model *model);
void model_run_queue_fini(struct model *model);

/* ---------------------------------------------------------------- times by group: breakdown.c */

/*
 * model_breakdown_leave: counts `ns` that the coroutine was in its state; call before it enters another one.
 * model_breakdown_end: counts the state in which it is at the end of observation. Both only if there is a breakdown.
 */
void model_breakdown_leave(
	struct model *model, const struct model_coro *coro, enum ct_state state, int64_t ns);
void model_breakdown_end(struct model *model, const struct model_coro *coro, int64_t ns);

/* ---------------------------------------------------------------- annotation.c */

/* Each returns false if memory runs out. */
bool model_annotation_reserve(struct model *model);
bool model_annotation_apply(struct model *model, const struct ct_event *event);
void model_annotation_finish(struct model *model);
void model_annotation_fini(struct model *model);

/* model_annotation_forget: the coroutine has ended, and its open regions with it. */
void model_annotation_forget(struct model *model, uint32_t coro, ct_time time);

/* model_history_note: adds an interval; call before a coroutine enters a state, if there is a history. */
void model_history_note(
	struct model *model, const struct model_coro *coro, enum ct_state next, ct_time time);

/* ---------------------------------------------------------------- time by task and region: work.c */

/*
 * model_work_count: adds the time of the coroutine's present state to its task and its open regions. Call before its
 * state, its task or its regions change.
 */
void model_work_count(struct model *model, struct model_coro *coro, ct_time time);
/*
 * model_work_join: the coroutine works for this task from now on; 0: for none. The beginning of the task may not have
 * been seen yet.
 */
void model_work_join(struct model *model, uint32_t coro, uint64_t task, ct_time time);
/* model_work_leave: the coroutine works for no task any more; `task` stays for later queries. */
void model_work_leave(struct model *model, uint32_t coro);
/*
 * model_work_make: returns the record of the coroutine's work, made if there was none. NULL: out of memory, which is
 * noted.
 */
struct model_work *model_work_make(struct model *model, uint32_t coro);
/* model_work_end: the task has ended: no coroutine works for it from now on. */
void model_work_end(struct model *model, struct model_task *task, ct_time time);

static inline bool work_has(const struct model *model, const struct model_coro *coro)
{
	const struct model_work *work = model_work_of(model, model_index(model, coro));

	return work->task || work->region;
}

#endif
