/* SPDX-License-Identifier: MIT */
/*
 * Called off (called_off.h): for each coroutine that has started others, the last of these, and where it waits for it.
 */
#include <inttypes.h>
#include <string.h>

#include "analyze/called_off.h"
#include "analyze/parts.h"
#include "analyze/watched_places.h"
#include "say/say.h"

/* Kept for coroutines that have started others, and for those that were started by these. */
struct of_coro {
	uint64_t
		child; /* the id of the last one that it started; 0: none, or it no longer waits for that */
	uint32_t site;    /* where it waits for that one; 0: it does not */
	uint32_t off_at;  /* where its own starter was called off; 0: it was not */
	ct_time off_time; /* when */
	bool was_woken;   /* something other than a timer has ended a wait of it for a channel */
};

/* ---------------------------------------------------------------- callbacks of the watcher */

static bool look_at_begin(struct model_watch *watch, const struct model_sight *sight)
{
	struct of_coro *of = model_watch_rare(watch, sight->by);

	if (!sight->by)
		return true;
	of->child = watch->model->coros.at[sight->coro].id;
	of->site = 0;
	return true;
}

/* Is this wait in the function that started the child? */
static bool is_in_same_function(
	const struct model *model, const struct model_coro *coro, const struct model_coro *child)
{
	const char *function = say_peek_site(model->tables, coro->wait_site)->function;

	return *function &&
	       strcmp(function, say_peek_site(model->tables, child->spawn_site)->function) == 0;
}

static bool look_at_wait(struct model_watch *watch, const struct model_sight *sight)
{
	struct model *model = watch->model;
	const struct model_coro *coro = &model->coros.at[sight->coro];
	struct of_coro *of = model_watch_rare(watch, sight->coro), *child;
	uint32_t index;

	if (coro->point != CTP_POINT_AWAIT || !analyze_wait_is_for_channel(coro) || !of->child)
		return true;
	index = model_find(model, coro->process, of->child);
	if (!index || !is_in_same_function(model, coro, &model->coros.at[index])) {
		of->child = 0;
		return true;
	}
	/* A starter that comes back has not gone on. */
	child = model_watch_rare(watch, index);
	child->off_at = 0;
	of->site = coro->wait_site;
	return true;
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	struct model *model = watch->model;
	const struct model_coro *coro = &model->coros.at[sight->coro];
	struct of_coro *of = model_watch_rare(watch, sight->coro), *child;
	uint32_t index;

	if (coro->state != CT_STATE_WAITING || !analyze_wait_is_for_channel(coro))
		return true;
	of->was_woken |= sight->by != 0;
	index = of->site ? model_find(model, coro->process, of->child) : 0;
	if (index && !sight->by) {
		child = model_watch_rare(watch, index);
		child->off_at = of->site;
		child->off_time = sight->event->time;
	}
	of->site = 0;
	return true;
}

const struct model_watcher analyze_called_off_watcher = {
	.nr_rare_bytes = sizeof(struct of_coro),
	.looks = {[MODEL_BEGIN] = look_at_begin,
		[MODEL_WAIT] = look_at_wait,
		[MODEL_WAKE] = look_at_wake},
	.wakes_from = MODEL_WAITS_FOR(CHANNEL),
	.waits_for = MODEL_WAITS_FOR(CHANNEL),
};

/* ---------------------------------------------------------------- queries */

static const struct of_coro *record_of(
	const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_watch_rare(analysis, &analyze_called_off_watcher, coro);
}

bool analyze_called_off_is(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct of_coro *of = record_of(analysis, coro);

	return coro->state == CT_STATE_WAITING && analyze_wait_is_for_channel(coro) &&
	       !analyze_ties_may_be_idle(analysis, coro) && of->off_at &&
	       of->off_time <= coro->suspended && !of->was_woken;
}

void analyze_called_off_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct of_coro *of = record_of(analysis, coro);

	if (!analyze_called_off_is(analysis, coro))
		return;
	analyze_story_evidence(analysis, story,
		"its starter, coroutine %" PRIu64
		", had waited at %s, after it had started this one in the same function, until a "
		"timer ended that wait, %s before this one began to send; it has not come back",
		analysis->model->coros.at[coro->parent].id,
		analyze_words_place(analysis, of->off_at),
		analyze_words_duration(analysis, coro->suspended - of->off_time));
}
