/* SPDX-License-Identifier: MIT */
/*
 * Holders of what is waited for: for each place, where the last wait there was ended; for each coroutine that has ended
 * waits of others, where it waited behind that, and when it came back there.
 */

#include "analyze/held.h"
#include "analyze/parts.h"
#include "analyze/wakers.h"
#include "analyze/watched_places.h"
#include "say/say.h"

#define RETURNS 3u

/* Only the package for Python records who refers to what: elsewhere nothing is kept. */
struct whole {
	bool has_python;
};

struct place {
	uint32_t ended_at; /* the site of the last wake there */
};

struct of_coro {
	bool has_ended;        /* it has woken another one since its last wait began */
	uint32_t behind;       /* where it waited next after it had ended one */
	ct_time came[RETURNS]; /* when it came back there, the last times */
	uint32_t nr_came;
};

static bool begin(struct model_watch *watch, const void *settings)
{
	const struct ct_tables *tables = watch->model->tables;
	struct whole *whole = watch->memory;
	uint32_t site;

	(void)settings;
	for (site = 1; site < tables->nr_sites && !whole->has_python; site++)
		whole->has_python = say_language(tables, site) == SAY_LANGUAGE_PYTHON;
	return true;
}

static bool is_needed(const struct model_watch *watch)
{
	return ((const struct whole *)watch->memory)->has_python;
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	uint32_t site = watch->model->coros.at[sight->coro].wait_site;
	struct place *place;

	if (!is_needed(watch) || !sight->by || sight->by == sight->coro)
		return true;
	place = model_watch_place(watch, site);
	if (!place)
		return true;
	place->ended_at = sight->event->site;
	((struct of_coro *)model_watch_rare(watch, sight->by))->has_ended = true;
	return true;
}

static bool look_at_wait(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct of_coro *of = model_watch_rare(watch, sight->coro);
	uint32_t site;

	if (!is_needed(watch))
		return true;
	site = coro->wait_site;
	if (of->has_ended && of->behind != site)
		*of = (struct of_coro){.behind = site};
	if (of->has_ended)
		of->has_ended = false;
	if (of->behind && of->behind == site)
		of->came[of->nr_came++ % RETURNS] = coro->suspended;
	return true;
}

const struct model_watcher analyze_held_watcher = {
	.nr_bytes = sizeof(struct whole),
	.nr_rare_bytes = sizeof(struct of_coro),
	.nr_place_bytes = sizeof(struct place),
	.begin = begin,
	.looks = {[MODEL_WAKE] = look_at_wake, [MODEL_WAIT] = look_at_wait},
};

/* ---------------------------------------------------------------- queries */

/* The one other coroutine that has it; 0: nobody does, or that is not recorded. */
static uint32_t holder_of(const struct analysis *analysis, const struct model_coro *coro)
{
	if (coro->rare->held == CT_NO_TIME || !coro->rare->held_by)
		return 0;
	return model_find(analysis->model, coro->process, coro->rare->held_by);
}

bool analyze_held_is_lost(const struct analysis *analysis, const struct model_coro *coro)
{
	(void)analysis;
	return coro->rare->held != CT_NO_TIME && !coro->rare->held_by;
}

/* Has it come back so often since `from`, and is it there now? */
static bool has_come_back(const struct analysis *analysis, uint32_t index, ct_time from)
{
	const struct model_watch *watch = analyze_watch_by(analysis, &analyze_held_watcher);
	const struct of_coro *of = model_watch_rare(watch, index);
	const struct model_coro *coro = &analysis->model->coros.at[index];
	uint32_t i;

	if (of->nr_came < RETURNS || coro->wait_site != of->behind || coro->state >= CT_STATE_DONE)
		return false;
	for (i = 0; i < RETURNS; i++)
		if (of->came[i] < from)
			return false;
	return true;
}

bool analyze_held_is_kept(const struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t holder = holder_of(analysis, coro);

	return holder && analyze_wakers_may_have_woken(analysis, holder, coro) &&
	       has_come_back(analysis, holder, coro->suspended);
}

bool analyze_held_is_circle(const struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t index = model_index(analysis->model, coro), i;
	uint32_t next = holder_of(analysis, coro);

	for (i = 0; i < TIES_GENERATIONS && next && next != index; i++)
		next = analyze_ties_next(analysis, next);
	return next == index;
}

bool analyze_held_is_at_work(const struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t holder = holder_of(analysis, coro);

	return holder && !analyze_ties_object(analysis, coro)->handle &&
	       analysis->model->coros.at[holder].state < CT_STATE_DONE &&
	       !has_come_back(analysis, holder, coro->suspended) &&
	       !analyze_held_is_circle(analysis, coro);
}

uint32_t analyze_held_site(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = analyze_watch_wait(analysis, &analyze_held_watcher, coro);

	return place ? place->ended_at : 0;
}

void analyze_held_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	uint32_t holder = holder_of(analysis, coro);
	struct ct_step step = {.time = coro->rare->held, .sequence = UINT64_MAX};

	if (step.time == CT_NO_TIME || (coro->rare->held_by && !holder))
		return;
	step.text = "nobody but itself refers to what it waits for any more: only a cancellation "
		    "can end this wait";
	if (holder)
		step.text = analyze_say(analysis,
			"besides itself, only a variable of %s refers to what it waits for%s",
			analyze_words_coro(analysis, &analysis->model->coros.at[holder]),
			analyze_held_is_circle(analysis, coro) ? ", which waits for its end" : "");
	analyze_story_step(analysis, story, &step);
	if (holder)
		analyze_story_party(analysis, story, holder, 0);
}
