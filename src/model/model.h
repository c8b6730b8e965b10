/* SPDX-License-Identifier: MIT */
/*
 * The model: events folded into coroutines, threads and descriptors, and into what is needed to judge them: who ran
 * where, who was idle when, which descriptor a number meant, what is missing.
 *
 * The model states what the events say, and says so if they leave a doubt. Conclusions about right or wrong are left
 * to the rules. The model reads no source and no file: the caller feeds it one event after the other, in the order of
 * a source.
 *
 * All records are in flat arrays, and are named by their 32-bit index; index 0 of each array is reserved and means
 * none. Threads and processes have the indexes of ct_tables. Analysers read the arrays directly and change nothing.
 * Only one thread may use a model at a time.
 *
 * Between two events, records of coroutines and descriptors that ended may be given back, and later records then
 * change their indexes (model/releasing.h). A field that names a record by its index must be listed in release.c or
 * release_descriptors.c.
 *
 * A header of its own describes each array (model/coro.h, model/thread.h, ...); this one has the model as a whole,
 * and its queries.
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
#include "model/footprint.h"
#include "model/series.h"
#include "model/thread.h"
#include "model/times.h"
#include "model/watcher.h"
#include "stream/stream.h"
#include "base/vec.h"

#define MODEL_PLACES 16384u                           /* places whose times are kept */
#define MODEL_DISTRIBUTION_BYTES (UINT64_C(48) << 20) /* for the distributions of all places */

struct model {
	const struct ct_tables *tables;
	VEC(struct model_coro) coros;
	/* of coroutines; parts that were given back hang in lists of free parts */
	struct arena parts;
	struct model_part *free_turns;
	struct model_part *free_rare;
	uint64_t free_bytes; /* in both lists */
	/* written if there is no memory for the coroutine's own part */
	struct model_turns spare_turns;
	struct model_rare spare_rare;
	bool are_ends_counted; /* model_spent counts the present state up to the end */
	VEC(struct model_work)
	works; /* by coroutine, up to the last one that worked for something */
	VEC(struct model_page) pages;
	uint32_t free_page; /* 0: none; the first entry of a free page is the next free page */
	VEC(struct model_descriptor) descriptors;
	VEC(struct model_object) objects;
	VEC(struct model_holding) holdings;   /* [0] stands for none; at most MODEL_HOLDINGS */
	VEC(struct model_ghost) ghosts;       /* at most MODEL_GHOSTS */
	VEC(struct model_conflict) conflicts; /* [0] stands for none; at most MODEL_GHOSTS */
	VEC(struct model_crash) crashes;
	VEC(struct model_gap) gaps;
	/* this and the next two are made by model_finish */
	struct model_gap_index gaps_of_processes;
	struct model_gap_index gaps_of_threads;
	struct model_gap_index holes;
	VEC(struct model_span) spans; /* [0] stands for none, here and in the next two */
	VEC(struct model_task) tasks;
	VEC(struct model_region) regions;
	struct map span_at; /* by name */
	uint32_t free_task;
	uint32_t free_region;
	uint64_t nr_spans_refused; /* annotations beyond the bounds */
	struct model_slow slowest[MODEL_SLOWEST];
	uint32_t nr_slowest;
	VEC(struct model_series) series; /* [0] stands for none */
	VEC(struct model_footprint)
	footprints;                /* [0] is their sum; none: no frame's size is known */
	struct map footprint_of;   /* by function */
	ct_time footprint_from;    /* begin of their first window */
	uint32_t footprint_window; /* the present one */
	uint32_t footprint_halved; /* how often two windows became one */
	/* counts beyond the bounds of series.h, of footprint.h, and of watchers */
	uint64_t nr_tallies_refused;
	struct model_thread *threads;    /* nr_threads of the tables */
	struct model_process *processes; /* nr_processes of the tables */
	/* by site: a wake there named frames that were never known */
	bool *wakes_strangers;
	bool *suspends_by_return; /* by site: its language returns from a coroutine to suspend it */
	uint32_t *places;         /* by site: the first equal site */
	/* [0] stands for none; at most MODEL_RUN_QUEUES */
	VEC(struct model_run_queue) run_queues;
	struct model_place_times **place_times; /* by site; NULL: nothing happened there */
	uint32_t nr_place_times;
	uint64_t nr_changes_before;  /* changes of state with a time before the observation */
	uint64_t distribution_bytes; /* room left for distributions */
	uint64_t nr_times_refused;   /* events at places beyond these bounds */
	uint32_t nr_threads;
	uint32_t nr_processes;
	/* sums over the coroutines whose records were given back */
	struct model_ended ended;
	VEC(struct model_asked) asked; /* at most MODEL_ASKED */
	/* how often an event named a record that was given back and not kept */
	uint64_t nr_unjudged;
	uint32_t epoch; /* counted from 1 */
	/* MODEL_ENDED; UINT32_MAX: give nothing back; 0: at each event (tests) */
	uint32_t least_ended;
	/* destroyed coroutines and closed descriptors whose records exist */
	uint64_t nr_ended;
	uint64_t release_at;      /* this many make the next epoch */
	uint64_t full_release_at; /* the same, if there is no room for further coroutines */
	bool has_no_memory;
	uint64_t most_bytes;       /* as set by model_bound; 0: no limit */
	uint64_t kept_bytes;       /* with a limit: room for each coroutine, in which it may grow */
	uint64_t nr_watched_bytes; /* bytes that watchers may keep for one coroutine */
	size_t nr_watched_coros;   /* coroutines for which each watcher has room */
	uint64_t nr_without_room;  /* events left out because of the limit */
	bool is_full;
	bool is_nearly_full;
	/* the event being applied is left out, because there is no room for its coroutine */
	bool is_left_out;
	ct_time lowest; /* times outside of these two are impossible */
	ct_time highest;
	ct_time from;           /* beginning of the observation */
	ct_time now;            /* end of the observation */
	int64_t uncertainty_ns; /* how far the clocks of two threads may disagree */
	/* a time without a step is a stillness from this length on; set by the caller, INT64_MAX at first */
	int64_t standstill_ns;
	bool is_open_ended; /* the tables have no end of the observation */
	/* the trace has no end: events after the last heartbeat are ignored */
	bool is_unfinished;
	uint32_t nr_losses_taken; /* losses of the tables that were taken */
	uint64_t nr_events;
	uint64_t sequence; /* of the event being applied */
	/* the site that the event names, which may have other callers than its place */
	uint32_t own_site;
	uint64_t nr_lost;
	uint64_t nr_left_out; /* missing on request */
	uint64_t nr_impossible;
	uint64_t nr_behind; /* events after the last heartbeat of a trace without end */
	uint64_t nr_unknown_kinds;
	uint64_t nr_broken;
	uint64_t nr_reordered;
	/* runs that were ended by the next run, because the event of their end came later */
	uint64_t nr_late_ends;
	/* the furthest that an event was reordered, in ns: the clocks of two cores differ by at least this */
	int64_t reordered_ns;
	uint64_t nr_unmatched_wakes;
	uint64_t nr_frames_reused;
	VEC(struct model_watch *) watches;
	VEC(struct model_watch *) keepers;   /* of these, those that may keep a coroutine */
	VEC(struct model_watch *) followers; /* of these, those that are told which coroutines go */
	VEC(struct model_looker) lookers[MODEL_NR_MOMENTS];
	struct model_narrowed
		wake_lookers[MODEL_NR_WAITED]; /* by kind of resource, like the next one */
	struct model_narrowed wait_lookers[MODEL_NR_WAITED];
	struct model_breakdown *breakdown; /* the user's breakdown to fill; NULL: none */
	struct model_history *history;     /* the user's history to fill; NULL: none */
};

/*
 * model_new: makes an empty model of the trace with these tables, which must outlive it. model_free: frees the model.
 * NULL is allowed.
 */
enum ct_status model_new(
	const struct ct_tables *tables, struct model **ret_model, struct ct_error *reterr);
void model_free(struct model *model);

/*
 * model_apply: folds one event into the model. Any event is applied or counted; the only failure is CT_ERR_NO_MEMORY.
 * model_is_possible: returns false if the event's time, process or thread is impossible, so that the event is only
 * counted.
 */
enum ct_status model_apply(
	struct model *model, const struct ct_event *event, struct ct_error *reterr);
bool model_is_possible(const struct model *model, const struct ct_event *event);

/* model_finish: settles what is open after the last event. No event may be applied after it. */
enum ct_status model_finish(struct model *model, struct ct_error *reterr);

/*
 * model_place: returns the site that represents all sites equal to this one. The model stores such sites; events have
 * the sites as recorded.
 */
static inline uint32_t model_place(const struct model *model, uint32_t site)
{
	return site < model->tables->nr_sites ? model->places[site] : site;
}

/* model_times_at: returns the times of one place. NULL: nothing happened there. */
static inline const struct model_place_times *model_times_at(
	const struct model *model, uint32_t site)
{
	return site < model->tables->nr_sites ? model->place_times[site] : NULL;
}

/* model_waits_at: returns the waits at one place that have ended; an empty distribution if there are none. */
static inline const struct histogram *model_waits_at(const struct model *model, uint32_t site)
{
	const struct model_place_times *times = model_times_at(model, site);

	return model_histogram(times ? times->waits : NULL);
}

/*
 * model_spent: returns the ns that the coroutine spent in a state (any except the last) during the observation; after
 * model_finish, up to the end of observation. model_spent_all: returns that for each of these states.
 */
int64_t model_spent(const struct model *model, const struct model_coro *coro, enum ct_state state);
void model_spent_all(const struct model *model, const struct model_coro *coro,
	int64_t ret_spent[CT_STATE_DESTROYED]);

/*
 * model_most_of: finds the coroutines with the most of each measure, among those in the state `least` or a later one.
 */
void model_most_of(const struct model *model, enum ct_state least,
	struct model_most ret_most[MODEL_NR_MEASURES]);

/* model_footprint_width: how long each window of the footprints is, in ns. */
int64_t model_footprint_width(const struct model *model);

/* model_was_free: did the coroutine end although it outlived its parent, or was never awaited? */
bool model_was_free(const struct model_coro *coro);

/*
 * model_account_between: returns the kernel's accounts of the thread between two times, and up to a tenth of a second
 * more on each side. False: not known.
 */
bool model_account_between(const struct model *model, uint32_t thread, ct_time from, ct_time until,
	struct model_account *ret_account);

/*
 * model_account_asleep: returns for how long the thread slept between two times, and up to a tenth of a second more on
 * each side, without waiting for work and outside of calls that may block: for a lock, for a page. 0 also if not known.
 */
int64_t model_account_asleep(
	const struct model *model, uint32_t thread, ct_time from, ct_time until);

/*
 * model_account_since: returns the kernel's accounts of the thread from the first reading after `from` to the last
 * reading. False: there were no two readings since.
 */
bool model_account_since(const struct model *model, uint32_t thread, ct_time from,
	struct model_account *ret_account, ct_time *ret_from);

/* model_account_whole: returns the kernel's accounts of the thread from its first reading to its last. */
struct model_account model_account_whole(const struct model *model, uint32_t thread);

/*
 * model_account_starved: returns for how long at least the thread could run and had no processor between two times. The
 * part of an account that lies outside counts against it.
 */
int64_t model_account_starved(
	const struct model *model, uint32_t thread, ct_time from, ct_time until);

/*
 * model_release_from: sets how many coroutines must have ended before a search for records to give back. Call before
 * the first event.
 */
void model_release_from(struct model *model, uint32_t nr_ended);

/*
 * model_bound: limits the memory of coroutines, with all that is kept for them, to about `most_bytes`, give or take a
 * third. Further coroutines are left out, and their events counted as lost (CTP_LOSS_NO_ROOM). Call before the first
 * event. A trace without its end does not tell how many coroutines were alive at once, and may take more if they have
 * turns after the limit was reached.
 */
void model_bound(struct model *model, uint64_t most_bytes);

/*
 * model_keep: keeps the record with this name from being given back. Call before the first event. False: out of
 * memory. model_is_gone: has the record of the coroutine with this id been given back?
 */
bool model_keep(struct model *model, const struct model_asked *asked);
bool model_is_gone(struct model *model, uint32_t process, uint64_t id);

/* model_index: returns the number of a coroutine's record among `coros`, by which other records name it. */
static inline uint32_t model_index(const struct model *model, const struct model_coro *coro)
{
	return (uint32_t)(coro - model->coros.at);
}

/* model_find: returns a coroutine by its process and id; 0: there is none, or its record was given back. */
uint32_t model_find(struct model *model, uint32_t process, uint64_t id);

/* model_is_unnamed: does the handle only name the kind of the object, and not the object (P-104)? */
bool model_is_unnamed(uint64_t handle);

/*
 * model_coro_find: the same as model_find, for use while events are folded in: asks for a record that was given back.
 */
uint32_t model_coro_find(struct model *model, uint32_t process, uint64_t id);

/* model_find_frame: returns the living coroutine whose frame has this address; 0: there is none. */
uint32_t model_find_frame(struct model *model, uint32_t process, uint64_t frame);

/*
 * model_find_remote: returns the coroutine of another process that a handle of kind REMOTE names (P-34); 0: there is
 * none.
 */
uint32_t model_find_remote(struct model *model, uint64_t handle);

/* model_find_descriptor: returns the newest descriptor of its number, if the handle names it; 0: it does not. */
uint32_t model_find_descriptor(const struct model *model, uint32_t process, uint64_t handle);

/* model_find_object: returns the object that a resource handle names; 0: nothing was done to it. */
uint32_t model_find_object(const struct model *model, uint32_t process, uint64_t handle);

/* model_work_of: returns what a coroutine works for. */
static inline const struct model_work *model_work_of(const struct model *model, uint32_t coro)
{
	static const struct model_work nothing;

	return coro < model->works.count ? &model->works.at[coro] : &nothing;
}

/* model_task_of: returns the open task that a coroutine works for; NULL: none. */
const struct model_task *model_task_of(const struct model *model, uint32_t coro);

/* model_is_task_open: is this very task open at the end? */
bool model_is_task_open(const struct model *model, const struct model_task *task);

/* model_resource_name: returns the program's name of a resource; "": none. */
const char *model_resource_name(const struct model *model, uint32_t process, uint64_t handle);

/* model_export: converts a coroutine to the public library's struct. */
void model_export(const struct model *model, uint32_t coro, struct ct_coro *ret_coro);

/*
 * model_quiet_since: has every worker of the process gone idle after `time`, with nothing ready at that moment? A
 * worker that waits with a time-out counts once that has run out and the worker is idle again. Workers that have
 * ended count as idle. Before model_finish, `now` is the present time.
 */
bool model_quiet_since(const struct model *model, uint32_t process, ct_time time, ct_time now);

/* model_thread_quiet_time: returns the last time at which this thread was idle; INT64_MAX: it has ended. */
ct_time model_thread_quiet_time(const struct model *model, uint32_t thread, ct_time now);

/* model_quiet_time: returns the last time for which model_quiet_since is true; INT64_MIN: there is none. */
ct_time model_quiet_time(const struct model *model, uint32_t process, ct_time now);

/*
 * model_is_sure_worker: has the thread resumed coroutines after a wait, or started coroutines that another thread
 * created? If no thread of the process has, threads that started coroutines count.
 */
bool model_is_sure_worker(const struct model *model, uint32_t thread);

/*
 * model_workers_quiet_time: returns the same as model_quiet_time, but only for sure workers. A worker that the last
 * look found asleep without time-out counts as idle if its process wrote no event after the look, although a
 * coroutine whose end is missing may seem to run on it. The result is weaker than model_quiet_time: a thread that
 * waits together with all coroutines on it counts as idle.
 */
ct_time model_workers_quiet_time(const struct model *model, uint32_t process, ct_time now);

/*
 * model_lost_between: returns how many events of the process, on any thread, are missing between two times; 0: none.
 * A gap that touches the interval counts whole. Only after model_finish.
 */
uint64_t model_lost_between(
	const struct model *model, uint32_t process, ct_time from, ct_time until);

/*
 * model_lost_on: returns how many events of this thread are missing between two times, as model_lost_between does. A
 * loss whose thread is not known counts for each thread of its process, or of all processes.
 */
uint64_t model_lost_on(const struct model *model, uint32_t thread, ct_time from, ct_time until);

/*
 * model_lost_in_holes: returns how many events of the process are missing between two times because a whole piece of
 * the trace is missing: many at once, of any kind.
 */
uint64_t model_lost_in_holes(
	const struct model *model, uint32_t process, ct_time from, ct_time until);

/* model_end_of: returns the end of the observation of the process: its end, its halt, or the end of the trace. */
ct_time model_end_of(const struct model *model, uint32_t process);

/*
 * model_is_look_valid: is what the engine last saw of this thread still true? False if any thread of the process
 * wrote an event since, because that thread may have woken this one.
 */
bool model_is_look_valid(const struct model *model, uint32_t thread);

/* A call in which a thread is, with what it runs. */
struct model_call {
	ct_time since; /* by its last event, or when a look of the engine first found it there */
	const char *name;
};

/* model_find_call: finds the call that a thread which runs a coroutine is in at the end; false: none is known. */
bool model_find_call(const struct model *model, uint32_t thread, struct model_call *ret_call);

/*
 * model_sleeps: did the engine last see the thread in a sleep, which ends by the clock, with no event of the process
 * since?
 */
bool model_sleeps(const struct model *model, uint32_t thread);
/* model_is_polled: did the last look show a thread that waits for the descriptor by poll or select? */
bool model_is_polled(const struct model *model, const struct model_descriptor *descriptor);
/* model_waits_outside: does this blocked thread wait for something outside the program, or for something unknown? */
bool model_waits_outside(const struct model *model, uint32_t thread);

/* model_is_pending_timer: will this descriptor's timer fire after `time`, as far as known? */
bool model_is_pending_timer(const struct model_descriptor *descriptor, ct_time time);

/* model_take_order: adds what the source has reordered against the time-stamps to the model's own counts. */
static inline void model_take_order(struct model *model, const struct ct_order *order)
{
	model->nr_reordered += order->nr_moved;
	if (order->furthest_ns > model->reordered_ns)
		model->reordered_ns = order->furthest_ns;
}

/*
 * model_is_coarse: do the clocks disagree so much that many events of a coroutine are at the same instant? Then a
 * conflict cannot be resolved by the next event.
 */
#define MODEL_COARSE_NS 10000

/* model_resumer: returns the coroutine that resumes another one by this event; 0: none runs on its thread. */
static inline uint32_t model_resumer(struct model *model, const struct ct_event *event)
{
	uint32_t top = model->threads[event->thread].top;

	if (event->kind == CTP_KIND_SWITCH)
		return event->coro ? model_find(model, event->process, event->coro) : 0;
	return model->coros.at[top].id == event->coro ? 0 : top;
}

/* model_is_near: are two times so near that the clocks of two threads may show them in the wrong order? */
static inline bool model_is_near(const struct model *model, ct_time a, ct_time b)
{
	return a != CT_NO_TIME && b != CT_NO_TIME &&
	       (a < b ? b - a : a - b) <= model->uncertainty_ns;
}

/*
 * model_is_woken_since: was the coroutine woken after that time, or so near it that the clocks do not show the order?
 */
static inline bool model_is_woken_since(
	const struct model *model, const struct model_coro *coro, ct_time since)
{
	ct_time wake = coro->turns->wake.time;

	return wake != CT_NO_TIME && (wake >= since || model_is_near(model, wake, since));
}

static inline bool model_is_coarse(const struct model *model)
{
	return model->uncertainty_ns >= MODEL_COARSE_NS;
}

#endif
