/* SPDX-License-Identifier: MIT */
/*
 * The model: events folded into coroutines, threads and descriptors, and what must be known to
 * judge them: who ran where, who was idle when, which descriptor a number stood for, what is
 * missing.
 *
 * The model states what the events say, and where they leave a doubt it says so. The model draws no conclusion about
 * right or wrong; that is the rules' part. No source and no file is read: the caller feeds the model one event after
 * the other, in the order of a source.
 *
 * Everything lies in flat arrays and is named by its 32-bit index there; index 0 of each is
 * reserved and means none. Threads and processes have the indexes of ct_tables. Analysers read the
 * arrays directly and change nothing. One thread uses a model at a time.
 *
 * Between two events coroutines and descriptors that ended may be given back, and the indexes of those behind them
 * change (model/releasing.h). A field that names one by its index has to stand in release.c or release_descriptors.c.
 *
 * What each array holds is told by a header of its own (model/coro.h, model/thread.h, ...); this one has the
 * model as a whole, and what it can be asked.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "base/arena.h"
#include "base/map.h"
#include "model/annotations.h"
#include "model/breakdown.h"
#include "model/coro.h"
#include "model/descriptor.h"
#include "model/history.h"
#include "model/object.h"
#include "model/process.h"
#include "model/releasing.h"
#include "model/runtime.h"
#include "model/series.h"
#include "model/thread.h"
#include "model/times.h"
#include "model/watcher.h"
#include "stream/stream.h"
#include "base/vec.h"

#define MODEL_PLACES 16384u                           /* that times are kept of */
#define MODEL_DISTRIBUTION_BYTES (UINT64_C(48) << 20) /* of all their distributions */

struct model {
	const struct ct_tables *tables;
	VEC(struct model_coro) coros;
	struct arena
		parts; /* of coroutines; those that were given back hang one behind the other */
	struct model_part *free_turns;
	struct model_part *free_rare;
	uint64_t free_bytes; /* in both */
	struct model_turns
		spare_turns; /* written where there is no memory for one of the coroutine's own */
	struct model_rare spare_rare;
	bool are_ends_counted; /* model_spent counts the present state up to the end */
	VEC(struct model_work)
	works; /* by coroutine, up to the last one that worked for something */
	VEC(struct model_page) pages;
	uint32_t free_page; /* 0: none; the next one is its first entry */
	VEC(struct model_descriptor) descriptors;
	VEC(struct model_object) objects;
	VEC(struct model_holding) holdings;   /* [0] is none; at most MODEL_HOLDINGS */
	VEC(struct model_ghost) ghosts;       /* at most MODEL_GHOSTS */
	VEC(struct model_conflict) conflicts; /* [0] is none; at most MODEL_GHOSTS */
	VEC(struct model_crash) crashes;
	VEC(struct model_gap) gaps;
	struct model_gap_index gaps_of_processes; /* all three are there after model_finish */
	struct model_gap_index gaps_of_threads;
	struct model_gap_index holes;
	VEC(struct model_span) spans; /* [0] is none, as of the next two */
	VEC(struct model_task) tasks;
	VEC(struct model_region) regions;
	struct map span_at; /* by name */
	uint32_t free_task;
	uint32_t free_region;
	uint64_t nr_spans_refused; /* annotations beyond the bounds */
	struct model_slow slowest[MODEL_SLOWEST];
	uint32_t nr_slowest;
	VEC(struct model_series) series;        /* [0] is none */
	uint64_t nr_tallies_refused;            /* beyond the bounds of series.h, and of watchers */
	struct model_thread *threads;           /* nr_threads of the tables */
	struct model_process *processes;        /* nr_processes of the tables */
	bool *wakes_strangers;                  /* by site: it woke frames that were never known */
	uint32_t *places;                       /* by site: the first one that says the same */
	VEC(struct model_run_queue) run_queues; /* [0] is none; at most MODEL_RUN_QUEUES */
	struct model_place_times **place_times; /* by site; NULL: nothing happened there */
	uint32_t nr_place_times;
	uint64_t nr_changes_before; /* of state, that are told of the time before the observation */
	uint64_t distribution_bytes; /* that are left */
	uint64_t nr_times_refused;   /* what happened at places beyond these bounds */
	uint32_t nr_threads;
	uint32_t nr_processes;
	struct model_ended ended;      /* the coroutines that were given back */
	VEC(struct model_asked) asked; /* at most MODEL_ASKED */
	uint64_t nr_unjudged; /* times that one which was given back was named, and not kept */
	uint32_t epoch;       /* from 1 */
	uint32_t least_ended; /* MODEL_ENDED; UINT32_MAX: all are kept; 0: tests, at each event */
	uint64_t nr_ended;    /* destroyed coroutines and closed descriptors that are there */
	uint64_t release_at;  /* so many make the next epoch */
	uint64_t full_release_at; /* likewise, where there is no room for further ones */
	bool has_no_memory;
	uint64_t most_bytes;       /* model_bound; 0: any */
	uint64_t nr_watched_bytes; /* that watchers may keep of one coroutine */
	uint64_t nr_without_room;  /* events that were left out so */
	bool is_full;
	bool is_nearly_full;
	bool is_left_out; /* the event that is being applied, as there is no room for who it names */
	ct_time lowest;   /* times outside of these cannot be true */
	ct_time highest;
	ct_time from;           /* observation */
	ct_time now;            /* its end */
	int64_t uncertainty_ns; /* how far the clocks of two threads may disagree */
	int64_t standstill_ns; /* a while without a step is long from here on; the caller's, INT64_MAX at first */
	bool is_open_ended; /* the tables do not say when observation ended */
	bool is_unfinished; /* the trace has no end: nothing behind the last heartbeat is taken up */
	uint32_t nr_losses_taken; /* of the tables */
	uint64_t nr_events;
	uint64_t sequence; /* of the event that is being applied */
	uint64_t nr_lost;
	uint64_t nr_left_out; /* missing, because they were not wanted */
	uint64_t nr_impossible;
	uint64_t nr_behind; /* the last heartbeat, of a trace without end */
	uint64_t nr_unknown_kinds;
	uint64_t nr_broken;
	uint64_t nr_reordered;
	/* runs that the next one ended, since the word of their end came later */
	uint64_t nr_late_ends;
	int64_t reordered_ns; /* the furthest of them: so far at least the clocks of two cores lie apart */
	uint64_t nr_unmatched_wakes;
	uint64_t nr_frames_reused;
	VEC(struct model_watch *) watches;
	VEC(struct model_looker) lookers[MODEL_NR_MOMENTS];
	struct model_breakdown *breakdown; /* its user's: to be filled; NULL: none is */
	struct model_history *history;     /* its user's: to be filled; NULL: none is kept */
};

/*
 * model_new: an empty model of the trace with these tables, which outlive it.
 * model_free: gives everything back. NULL is allowed.
 */
enum ct_status model_new(
	const struct ct_tables *tables, struct model **ret_model, struct ct_error *reterr);
void model_free(struct model *model);

/*
 * model_apply: folds in one event. Any event is taken up or counted; the only failure is CT_ERR_NO_MEMORY.
 * model_is_possible: false where its time, process or thread cannot be true, so that it will only be counted.
 */
enum ct_status model_apply(
	struct model *model, const struct ct_event *event, struct ct_error *reterr);
bool model_is_possible(const struct model *model, const struct ct_event *event);

/* model_finish: after the last event: settles what was left open. Nothing is applied after it. */
enum ct_status model_finish(struct model *model, struct ct_error *reterr);

/*
 * model_place: the site that stands for this one and all that say the same. The model keeps such numbers of sites;
 * events name them as they were recorded.
 */
uint32_t model_place(const struct model *model, uint32_t site);

/* model_times_at: what came to pass at one place; NULL: nothing did. */
static inline const struct model_place_times *model_times_at(
	const struct model *model, uint32_t site)
{
	return site < model->tables->nr_sites ? model->place_times[site] : NULL;
}

/*
 * model_spent: ns that it spent in a state before the last, as far as that was observed: up to the end of observation
 * after model_finish. model_spent_all: in each of them.
 */
int64_t model_spent(const struct model *model, const struct model_coro *coro, enum ct_state state);
void model_spent_all(const struct model *model, const struct model_coro *coro,
	int64_t ret_spent[CT_STATE_DESTROYED]);

/* model_most_of: who has most of each measure, of those in the state `least` or a later one. */
void model_most_of(const struct model *model, enum ct_state least,
	struct model_most ret_most[MODEL_NR_MEASURES]);

/* model_was_free: did it outlive its parent, or was never awaited, and came to its end all the same? */
bool model_was_free(const struct model_coro *coro);

/*
 * model_account_between: what the kernel counted of the thread between two times, and a little more around them, at
 * most a tenth of a second on each side. False: that is not known.
 */
bool model_account_between(const struct model *model, uint32_t thread, ct_time from, ct_time until,
	struct model_account *ret_account);

/*
 * model_account_since: what the kernel counted of the thread between the first time that it was asked after `from`, and
 * the last one. False: it was not asked twice since.
 */
bool model_account_since(const struct model *model, uint32_t thread, ct_time from,
	struct model_account *ret_account, ct_time *ret_from);

/* model_release_from: so many that have ended make it worth looking for those that can go. Before the first event. */
void model_release_from(struct model *model, uint32_t nr_ended);

/*
 * model_bound: coroutines may take so much memory, with all that is kept for them, give or take a third. Further ones
 * are left out, and events of them counted as lost (CTP_LOSS_NO_ROOM). Before the first event.
 */
void model_bound(struct model *model, uint64_t most_bytes);

/*
 * model_keep: does not give back what has this name. Before the first event. False: out of memory.
 * model_is_gone: has the coroutine with this id been given back?
 */
bool model_keep(struct model *model, const struct model_asked *asked);
bool model_is_gone(struct model *model, uint32_t process, uint64_t id);

/* model_find: a coroutine by its process and id; 0 where there is none, or it was given back. */
uint32_t model_find(struct model *model, uint32_t process, uint64_t id);

/* model_is_unnamed: does the handle say what kind of thing is waited for, and not which one (P-104)? */
bool model_is_unnamed(uint64_t handle);

/* model_coro_find: the same, while events are folded in: one that was given back is asked for. */
uint32_t model_coro_find(struct model *model, uint32_t process, uint64_t id);

/* model_find_frame: the living coroutine whose frame lies there; 0 where there is none. */
uint32_t model_find_frame(struct model *model, uint32_t process, uint64_t frame);

/* model_find_remote: the coroutine of another process that a handle of kind REMOTE names (P-34); 0 likewise. */
uint32_t model_find_remote(struct model *model, uint64_t handle);

/* model_find_object: what a resource handle names, where anything was done to it; 0: nothing was.
 */
uint32_t model_find_object(const struct model *model, uint32_t process, uint64_t handle);

/* model_work_of: for what a coroutine works. */
static inline const struct model_work *model_work_of(const struct model *model, uint32_t coro)
{
	static const struct model_work nothing;

	return coro < model->works.count ? &model->works.at[coro] : &nothing;
}

/* model_task_of: the task that a coroutine works for, which goes on; NULL: none. */
const struct model_task *model_task_of(const struct model *model, uint32_t coro);

/* model_is_task_open: does this very task go on at the end? */
bool model_is_task_open(const struct model *model, const struct model_task *task);

/* model_resource_name: what the program calls a resource; "": nothing. */
const char *model_resource_name(const struct model *model, uint32_t process, uint64_t handle);

/* model_export: a coroutine as the public library shows it. */
void model_export(const struct model *model, uint32_t coro, struct ct_coro *ret_coro);

/*
 * model_quiet_since: has every worker of the process gone idle after `time`, with nothing ready at
 * that moment? A worker that waits with a time-out counts once that has run out and it is idle
 * again. Workers that have ended count. Before model_finish, `now` is the present time.
 */
bool model_quiet_since(const struct model *model, uint32_t process, ct_time time, ct_time now);

/* model_thread_quiet_time: the last moment at which this thread was idle; INT64_MAX: it has ended.
 */
ct_time model_thread_quiet_time(const struct model *model, uint32_t thread, ct_time now);

/* model_quiet_time: the last moment of which model_quiet_since is true; INT64_MIN: there is none.
 */
ct_time model_quiet_time(const struct model *model, uint32_t process, ct_time now);

/*
 * model_is_sure_worker: has it gone on with coroutines that had waited, or taken new ones that others made? Where no
 * thread of the process has, those count that started coroutines.
 */
bool model_is_sure_worker(const struct model *model, uint32_t thread);

/*
 * model_workers_quiet_time: model_quiet_time of the sure workers. One that the last look found asleep without
 * time-out, and after which nothing was written, was idle then, though a coroutine whose end was not told may seem to
 * run on it. Weaker than the other: a thread that waits with all that runs on it is taken for idle.
 */
ct_time model_workers_quiet_time(const struct model *model, uint32_t process, ct_time now);

/*
 * model_lost_between: how many events of the process, on any thread, are missing between two times;
 * 0: none. A gap that touches the interval counts whole. Only after model_finish.
 */
uint64_t model_lost_between(
	const struct model *model, uint32_t process, ct_time from, ct_time until);

/*
 * model_lost_on: how many events of this thread are missing between two times, as above; those of a loss whose
 * thread is not known count for each thread of its process, or of all.
 */
uint64_t model_lost_on(const struct model *model, uint32_t thread, ct_time from, ct_time until);

/* model_lost_in_holes: those of them that are missing because a piece of the trace is: many at once, of any kind. */
uint64_t model_lost_in_holes(
	const struct model *model, uint32_t process, ct_time from, ct_time until);

/* model_end_of: until when the process was observed: its end, its halt, or that of the trace. */
ct_time model_end_of(const struct model *model, uint32_t process);

/*
 * model_is_look_valid: is what the engine saw of this thread still so? Work of any thread since may have set this one
 * going.
 */
bool model_is_look_valid(const struct model *model, uint32_t thread);

/* model_sleeps: was this thread last seen in a sleep, which ends by the clock, and has it written nothing since? */
bool model_sleeps(const struct model *model, uint32_t thread);
/* model_is_polled: does a thread wait for it by poll or select, as far as the last look tells? */
bool model_is_polled(const struct model *model, const struct model_descriptor *descriptor);
/* model_waits_outside: is what this blocked thread waits for outside the program, or not known? */
bool model_waits_outside(const struct model *model, uint32_t thread);

/* model_is_pending_timer: will this descriptor's timer fire after `time`, as far as is known? */
bool model_is_pending_timer(const struct model_descriptor *descriptor, ct_time time);

/* model_take_order: what the source put into another order than that of the time-stamps counts with our own. */
static inline void model_take_order(struct model *model, const struct ct_order *order)
{
	model->nr_reordered += order->nr_moved;
	if (order->furthest_ns > model->reordered_ns)
		model->reordered_ns = order->furthest_ns;
}

/*
 * model_is_coarse: where clocks disagree by this much, many events of a coroutine lie in one instant: one that
 * is out of order cannot be put right by the next one.
 */
#define MODEL_COARSE_NS 10000

/* model_resumer: the coroutine that resumes another one by this event; 0: none runs on its thread. */
static inline uint32_t model_resumer(struct model *model, const struct ct_event *event)
{
	uint32_t top = model->threads[event->thread].top;

	if (event->kind == CTP_KIND_SWITCH)
		return event->coro ? model_find(model, event->process, event->coro) : 0;
	return model->coros.at[top].id == event->coro ? 0 : top;
}

/* model_is_near: are two times so near that the clocks of two threads may have changed their order? */
static inline bool model_is_near(const struct model *model, ct_time a, ct_time b)
{
	return a != CT_NO_TIME && b != CT_NO_TIME &&
	       (a < b ? b - a : a - b) <= model->uncertainty_ns;
}

static inline bool model_is_coarse(const struct model *model)
{
	return model->uncertainty_ns >= MODEL_COARSE_NS;
}

#endif
