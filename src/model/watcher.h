/* SPDX-License-Identifier: MIT */
/*
 * A watcher is a table of callbacks that the model calls while events are folded in. The watcher records what the
 * model itself does not keep; the model does not know what for. A part of model.h.
 *
 * A watcher's memory belongs to the watcher: one piece for the whole, and one record for each coroutine. The records
 * move with the coroutines when the model gives records back. A field that names a coroutine by its index must be
 * visited (`visit`), so that the model can keep that coroutine and update the index.
 *
 * A record of a coroutine takes no memory until it is written (base/area.h). Because many coroutines may live at the
 * same time, a watcher writes only what changes a record. Fields that each coroutine needs are separate from fields
 * that few of them need.
 */
#ifndef MODEL_WATCHER_H
#define MODEL_WATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "base/area.h"
#include "base/vec.h"

struct model;
struct model_range;
struct model_region;
struct model_task;
struct model_watch;
struct release;

/*
 * The moments at which a watcher can be called. Each call, except MODEL_WAIT, comes before the model applies the
 * event, with all records as they were.
 */
enum model_moment {
	/* A wake makes `coro` ready; `by` is the waker. */
	MODEL_WAKE,
	/* `coro` wakes itself; is woken again before it has run; is woken while it runs. */
	MODEL_WAKE_ITSELF,
	MODEL_WAKE_AGAIN,
	MODEL_WAKE_RUNNING,
	/* A wake finds `coro` already ready, whatever the event says about that: the next run serves both wakes. */
	MODEL_WAKE_MERGED,
	/* The suspension of `coro` is taken back: it goes on, and has not waited. */
	MODEL_GO_ON,
	/* From now on `coro` waits only for a thread. */
	MODEL_READY,
	/* `coro` is resumed; is resumed out of a wait that no wake has ended. */
	MODEL_RUN,
	MODEL_RUN_UNWOKEN,
	/* `coro` runs from `site` after it was ready for at least a tenth of a second. */
	MODEL_DELAY,
	/* `coro` has run from `site` for longer than any before, and for at least ten milliseconds. */
	MODEL_LONG_RUN,
	/* A run of `coro` on `thread` ends that took at least ten milliseconds. */
	MODEL_RAN,
	/*
	 * `coro` has begun to wait, and its object is known. This is the only call after the model has applied the
	 * event.
	 */
	MODEL_WAIT,
	/* `coro` does something other than waiting and waking; and gets something done by it. */
	MODEL_TRY,
	MODEL_PROGRESS,
	/* `coro` reads from, or writes to `descriptor`, or accepts there; the event has the result. */
	MODEL_TRANSFER,
	/* From now on `coro` holds the lock `object`; nobody holds it any more. */
	MODEL_TAKE,
	MODEL_DROP,
	/* `coro` releases, hands over or notifies the object of the event; takes it, or from it. */
	MODEL_GIVE,
	MODEL_GET,
	/* `coro` was created; `by` is its creator. */
	MODEL_BEGIN,
	/* `by` is known now to have created `coro`, in its first run. */
	MODEL_ADOPT,
	/* `coro` ends, or is presumed to have ended. */
	MODEL_END,
	/* `coro` is destroyed while it waits. */
	MODEL_CUT,
	/* `descriptor` is closed. */
	MODEL_CLOSE,
	/* `task` ends; `region` ends, which belongs to `coro` or, if that is 0, to the thread. */
	MODEL_TASK_END,
	MODEL_REGION_END,
	/* `range`, of `process`, has ended, or is open at the end. */
	MODEL_RANGE_END,
	/* There are no more events. */
	MODEL_FINISH,
	MODEL_NR_MOMENTS,
};

/* A sight: what a watcher is called with. Indexes are 0 if they do not apply to the moment. */
struct model_sight {
	uint32_t coro;
	uint32_t by; /* of a wake: the waker; of a creation: the creator; 0: a thread */
	uint32_t object;
	uint32_t descriptor;
	uint32_t site;
	/* Set for wakes, runs, GO_ON, TAKE, DROP, GIVE, GET, TRANSFER, CLOSE, TASK_END and REGION_END. */
	const struct ct_event *event;
	const struct model_task *task;
	const struct model_region *region;
	const struct model_range *range;
	uint32_t process; /* of a range */
	uint32_t thread;
	/* In DELAY and RAN: the length of the delay or run, and its end. In END: `until` is the time of the end. */
	int64_t ns;
	ct_time until;
};

/* A set of kinds of resource; the last bit stands for all further kinds. */
#define MODEL_NR_WAITED 32u
#define MODEL_WAITS_FOR(resource) (UINT32_C(1) << CTP_RESOURCE_##resource)

/* A watcher's callback. False: out of memory. */
typedef bool model_look(struct model_watch *watch, const struct model_sight *sight);

/* How much must stay of a coroutine that a field names. */
enum model_mark {
	MODEL_MARK_NONE,  /* nothing: if the coroutine goes, the field becomes 0 */
	MODEL_MARK_SELF,  /* its record; coroutines that the record names may go */
	MODEL_MARK_WHOLE, /* its record, and the records of the coroutines that it names */
};

/* Visits a field that names a coroutine, or 0, and may change it. */
typedef void model_visitor(struct release *release, uint32_t *coro, enum model_mark how);

struct model_watcher {
	size_t nr_bytes;      /* memory for the whole, zero at first */
	size_t nr_coro_bytes; /* memory for each coroutine, zero at first */
	/* memory for each of the few coroutines that need it */
	size_t nr_rare_bytes;
	size_t nr_place_bytes;               /* memory for each place, by site */
	model_look *looks[MODEL_NR_MOMENTS]; /* NULL: not called at this moment */
	/*
	 * MODEL_WAKE and MODEL_WAIT are told only of coroutines that wait for a resource of one of these kinds
	 * (MODEL_WAITS_FOR); 0: of all.
	 */
	uint32_t wakes_from;
	uint32_t waits_for;

	/*
	 * begin: called before the first event; false: out of memory. end: frees what the memory refers to; called
	 * even if `begin` failed or was not called. visit: visits each field that names a coroutine; called several
	 * times. keeps: must the record of this destroyed coroutine stay, because it may still be reported? gone:
	 * this coroutine's record is being given back; false: out of memory. Each may be NULL.
	 */
	bool (*begin)(struct model_watch *watch, const void *settings);
	void (*end)(struct model_watch *watch);
	void (*visit)(struct model_watch *watch, struct release *release, model_visitor *visit);
	bool (*keeps)(const struct model_watch *watch, uint32_t coro);
	bool (*gone)(struct model_watch *watch, uint32_t coro);
};

/* A watcher of one model, and its memory. */
struct model_watch {
	const struct model_watcher *watcher;
	struct model *model;
	void *memory;
	/* Each with the size of one record, which is the watcher's. */
	struct area of_coros;
	size_t nr_coro_bytes;
	struct area rare;
	size_t nr_rare_bytes;
	uint8_t *of_places;
	size_t nr_place_bytes;
	uint32_t nr_places;
};

/* One callback of one moment. */
struct model_looker {
	model_look *look;
	struct model_watch *watch;
};

/* The callbacks of a moment that are told of one kind of resource. */
struct model_narrowed {
	VEC(struct model_looker) lookers;
	bool is_made; /* when the kind is seen first */
};

/*
 * model_watch: registers the watcher, with settings of its own; call between model_new and the first event. The
 * watcher stays as long as the model. NULL: out of memory.
 */
struct model_watch *model_watch(
	struct model *model, const struct model_watcher *watcher, const void *settings);

/* model_watch_refuse: counts something that is beyond the watcher's bounds, together with the model's own. */
void model_watch_refuse(struct model_watch *watch);

/* model_watch_coro: returns the watcher's record of a coroutine. */
static inline void *model_watch_coro(const struct model_watch *watch, uint32_t coro)
{
	return watch->of_coros.at + coro * watch->nr_coro_bytes;
}

/* model_watch_rare: returns the watcher's record of a coroutine, of the kind that few coroutines need. */
static inline void *model_watch_rare(const struct model_watch *watch, uint32_t coro)
{
	return watch->rare.at + coro * watch->nr_rare_bytes;
}

/* model_watch_place: returns the watcher's record of a place; NULL: there is no such place. */
static inline void *model_watch_place(const struct model_watch *watch, uint32_t site)
{
	return site < watch->nr_places ? watch->of_places + site * watch->nr_place_bytes : NULL;
}

#endif
