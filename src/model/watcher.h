/* SPDX-License-Identifier: MIT */
/*
 * A watcher looks on while events are folded in, and keeps what the model does not: the model calls it through this
 * table, and knows nothing of what it is for. A part of model.h.
 *
 * A watcher's memory belongs to it. A watcher has one piece of memory for the whole, and one for each coroutine, which
 * move with the coroutines when the model gives records back; where it names a coroutine by its index, it shows the
 * field (`visit`), so that the model can keep who is named, and change the index.
 *
 * What is kept of coroutines takes no memory until it is written (base/area.h): so many live at once that a watcher
 * writes only what is not so already. What it needs of each is apart from what few of them have.
 */
#ifndef MODEL_WATCHER_H
#define MODEL_WATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "base/area.h"

struct model;
struct model_range;
struct model_region;
struct model_task;
struct model_watch;
struct release;

/* The moments that a watcher can look at. Each is told before the model takes it up, with all records as they were. */
enum model_moment {
	/* A wake makes `coro` ready, and is `by` that coroutine. */
	MODEL_WAKE,
	/* `coro` wakes itself; it is woken again before it has run; it is woken while it runs. */
	MODEL_WAKE_ITSELF,
	MODEL_WAKE_AGAIN,
	MODEL_WAKE_RUNNING,
	/* A wake finds `coro` ready already, whatever it says of that: the next run meets both wakes. */
	MODEL_WAKE_MERGED,
	/* `coro` waits for nothing but a thread from now on. */
	MODEL_READY,
	/* `coro` is resumed; out of a wait that no wake has ended. */
	MODEL_RUN,
	MODEL_RUN_UNWOKEN,
	/* `coro` runs from `site` after it was ready for a tenth of a second or more. */
	MODEL_DELAY,
	/* `coro` has run from `site` for longer than any before, and for ten milliseconds or more. */
	MODEL_LONG_RUN,
	/* `coro` has come to wait, and what for is known: only this is told when it is done. */
	MODEL_WAIT,
	/* `coro` does something else than to wait and to wake; and gets something done by it. */
	MODEL_TRY,
	MODEL_PROGRESS,
	/* `coro` holds the lock `object` from now on; nobody does any more. */
	MODEL_TAKE,
	MODEL_DROP,
	/* What the event names is given back, handed over or told of, by `coro`. */
	MODEL_GIVE,
	/* `coro` was created, `by` that coroutine. */
	MODEL_BEGIN,
	/* `coro` comes to its end, or is presumed to. */
	MODEL_END,
	/* `coro` is destroyed while it waits. */
	MODEL_CUT,
	/* `descriptor` is closed. */
	MODEL_CLOSE,
	/* `task` ends; the region `region`, which is the coroutine's or, where there is none, the thread's. */
	MODEL_TASK_END,
	MODEL_REGION_END,
	/* `range`, of `process`, has ended, or goes on at the end. */
	MODEL_RANGE_END,
	/* Nothing comes any more. */
	MODEL_FINISH,
	MODEL_NR_MOMENTS,
};

/* Indexes, 0 where they do not apply. */
struct model_sight {
	uint32_t coro;
	uint32_t by; /* of a wake: the waker; of a beginning: the creator; 0: a thread */
	uint32_t object;
	uint32_t descriptor;
	uint32_t site;
	/* The event of a wake, a run, TAKE, DROP, GIVE, CLOSE, TASK_END and REGION_END. */
	const struct ct_event *event;
	const struct model_task *task;
	const struct model_region *region;
	const struct model_range *range;
	uint32_t process; /* of a range */
	/* In DELAY: it took so long, until then. In END: then. */
	int64_t ns;
	ct_time until;
};

/* False: out of memory. */
typedef bool model_look(struct model_watch *watch, const struct model_sight *sight);

/* How much of a coroutine stays that a field names. */
enum model_mark {
	MODEL_MARK_NONE,  /* nothing: where it goes the field becomes 0 */
	MODEL_MARK_SELF,  /* its record; whom that names may go */
	MODEL_MARK_WHOLE, /* and those whom it names, themselves */
};

/* Looks at a field that names a coroutine, or 0, and may change it. */
typedef void model_visitor(struct release *release, uint32_t *coro, enum model_mark how);

struct model_watcher {
	size_t nr_bytes;                     /* that it keeps of the whole, at first zero */
	size_t nr_coro_bytes;                /* of each coroutine, likewise */
	size_t nr_rare_bytes;                /* and of few of them */
	size_t nr_place_bytes;               /* and of each place: by site */
	model_look *looks[MODEL_NR_MOMENTS]; /* NULL: at this it does not look */

	/*
	 * begin: before the first event; false: out of memory. end: gives back what its memory names, also where
	 * `begin` failed or was not called. visit: shows each field that names a coroutine, once and again. keeps: may
	 * this coroutine, which was destroyed, still be spoken of? Then its record stays. gone: this coroutine's record
	 * is given back now; false: out of memory. Each may be NULL.
	 */
	bool (*begin)(struct model_watch *watch, const void *settings);
	void (*end)(struct model_watch *watch);
	void (*visit)(struct model_watch *watch, struct release *release, model_visitor *visit);
	bool (*keeps)(const struct model_watch *watch, uint32_t coro);
	bool (*gone)(struct model_watch *watch, uint32_t coro);
};

/* A watcher of one model, and what it keeps. */
struct model_watch {
	const struct model_watcher *watcher;
	struct model *model;
	void *memory;
	struct area of_coros;
	struct area rare;
	uint8_t *of_places;
	uint32_t nr_places;
};

/* The watchers of one moment. */
struct model_looker {
	model_look *look;
	struct model_watch *watch;
};

/*
 * model_watch: the watcher looks on from now on, with settings that are its own; between model_new and the first event.
 * The watcher stays as long as the model. NULL: out of memory.
 */
struct model_watch *model_watch(
	struct model *model, const struct model_watcher *watcher, const void *settings);

/* model_watch_refuse: what it was told lies beyond its bounds: that is counted with the model's own. */
void model_watch_refuse(struct model_watch *watch);

/* model_watch_coro: what the watcher keeps of a coroutine. */
static inline void *model_watch_coro(const struct model_watch *watch, uint32_t coro)
{
	return watch->of_coros.at + coro * watch->watcher->nr_coro_bytes;
}

/* model_watch_rare: what the watcher keeps of few coroutines, of this one. */
static inline void *model_watch_rare(const struct model_watch *watch, uint32_t coro)
{
	return watch->rare.at + coro * watch->watcher->nr_rare_bytes;
}

/* model_watch_place: what the watcher keeps of a place; NULL: there is no such place. */
static inline void *model_watch_place(const struct model_watch *watch, uint32_t site)
{
	return site < watch->nr_places ? watch->of_places + site * watch->watcher->nr_place_bytes
				       : NULL;
}

#endif
