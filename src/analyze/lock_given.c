/* SPDX-License-Identifier: MIT */
/*
 * Given locks: for each coroutine, the id of the coroutine that it woke last out of a wait for a lock.
 */

#include "analyze/lock_given.h"
#include "analyze/parts.h"
#include "analyze/wakers.h"

#define SHARE_SOON 100 /* one part in so many of the time since */

struct of_coro {
	uint64_t to; /* id of the coroutine that received the lock; 0: none */
	ct_time time;
	uint32_t site; /* where that coroutine waited */
};

static struct of_coro *record_of(const struct model_watch *watch, uint32_t coro)
{
	return model_watch_rare(watch, coro);
}

static bool wants_lock(const struct model_coro *coro)
{
	return model_is_awaiting(coro) &&
	       CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_LOCK;
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];

	if (sight->by && sight->by != sight->coro && wants_lock(coro) &&
		model_is_unnamed(coro->wait_object))
		*record_of(watch, sight->by) =
			(struct of_coro){coro->id, sight->event->time, coro->wait_site};
	return true;
}

const struct model_watcher analyze_lock_given_watcher = {
	.nr_rare_bytes = sizeof(struct of_coro),
	.looks = {[MODEL_WAKE] = look_at_wake},
	.wakes_from = MODEL_WAITS_FOR(LOCK),
};

/* Did this coroutine give the lock just before it wanted a lock? */
static bool is_soon(
	const struct analysis *analysis, const struct of_coro *given, const struct model_coro *coro)
{
	int64_t waited_ns = analyze_waited_ns(analysis, coro);

	return given->to && given->time <= coro->suspended &&
	       coro->suspended - given->time <= waited_ns / SHARE_SOON;
}

/*
 * Does `to` wait since it received the lock, for something that the program has to do, and has it given no lock to
 * anybody?
 */
static bool may_have_it(const struct analysis *analysis, const struct model_watch *watch,
	const struct of_coro *given, uint32_t to)
{
	const struct model_coro *coro = &analysis->model->coros.at[to];
	const struct of_coro *own = record_of(watch, to);

	return to && analyze_wakers_is_bound(analysis, coro) && coro->suspended >= given->time &&
	       (!own->to || own->time < given->time);
}

void analyze_lock_given_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct model_watch *watch = analyze_watch_by(analysis, &analyze_lock_given_watcher);
	struct model *model = analysis->model;
	const struct of_coro *given = record_of(watch, model_index(model, coro));
	uint32_t to;

	if (!wants_lock(coro) || !is_soon(analysis, given, coro))
		return;
	to = model_find(model, coro->process, given->to);
	if (!may_have_it(analysis, watch, given, to))
		return;
	analyze_story_evidence(analysis, story,
		"it had passed a lock to %s, which waited at %s, %s before this wait; that "
		"coroutine has released no lock since, and waits itself, at %s: it may hold the "
		"lock",
		analyze_words_coro(analysis, &model->coros.at[to]),
		analyze_words_place(analysis, given->site),
		analyze_words_duration(analysis, coro->suspended - given->time),
		analyze_words_place(analysis, model->coros.at[to].wait_site));
	analyze_story_party(analysis, story, to, 0);
}
