/* SPDX-License-Identifier: MIT */
/*
 * Passages (passages.h): for each place the last coroutine that yielded there since a coroutine last woke one.
 */

#include "analyze/parts.h"
#include "analyze/passages.h"
#include "analyze/watched_places.h"

struct of_coro {
	uint32_t site; /* where it yielded; 0: it has waited since */
};

struct place {
	uint64_t passer; /* id of the last one that yielded here; 0: none since the last wake */
	ct_time time;    /* of its first yield here */
	uint32_t next;   /* where it waited next; 0: nowhere yet */
};

/* ---------------------------------------------------------------- callbacks of the watcher */

static void note_next(struct model_watch *watch, struct of_coro *of, const struct model_coro *coro)
{
	struct place *place = model_watch_place(watch, of->site);

	if (!of->site)
		return;
	if (place && place->passer == coro->id)
		place->next = coro->wait_site;
	of->site = 0;
}

/* A coroutine may yield several times before it goes on. */
static void note_yield(struct model_watch *watch, struct of_coro *of, const struct model_coro *coro)
{
	struct place *place = model_watch_place(watch, coro->wait_site);

	if (!place || !coro->wait_site || of->site == coro->wait_site)
		return;
	*place = (struct place){.passer = coro->id, .time = coro->suspended};
	of->site = coro->wait_site;
}

static bool look_at_wait(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct of_coro *of = model_watch_coro(watch, sight->coro);

	if (coro->point == CTP_POINT_YIELD)
		note_yield(watch, of, coro);
	else
		note_next(watch, of, coro);
	return true;
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct place *place = model_watch_place(watch, coro->wait_site);

	if (place && place->passer && sight->by && sight->by != sight->coro &&
		coro->point == CTP_POINT_AWAIT)
		place->passer = 0;
	return true;
}

const struct model_watcher analyze_passages_watcher = {
	.nr_coro_bytes = sizeof(struct of_coro),
	.nr_place_bytes = sizeof(struct place),
	.looks = {[MODEL_WAKE] = look_at_wake, [MODEL_WAIT] = look_at_wait},
};

/* ---------------------------------------------------------------- the evidence */

static const char *words_then(
	struct analysis *analysis, const struct place *place, const struct model_coro *passer)
{
	const char *ended = passer->state >= CT_STATE_DONE && !passer->is_presumed_done
				    ? analyze_words_ended(analysis, passer)
				    : "";

	if (!place->next)
		return *ended ? analyze_say(analysis, ", and %s", ended) : "";
	return analyze_say(analysis, ", and waited next at %s%s%s",
		analyze_words_place(analysis, place->next), *ended ? "; it " : "", ended);
}

void analyze_passages_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct place *place = analyze_watch_wait(analysis, &analyze_passages_watcher, coro);
	uint32_t index;

	if (!place || !place->passer || place->passer == coro->id ||
		place->time >= coro->suspended || coro->point != CTP_POINT_AWAIT ||
		(coro->wait_object && !model_is_unnamed(coro->wait_object)))
		return;
	index = model_find(analysis->model, coro->process, place->passer);
	if (!index)
		return;
	analyze_story_evidence(analysis, story,
		"%s was the last one that went past there, %s before this wait: it yielded%s",
		analyze_words_coro(analysis, &analysis->model->coros.at[index]),
		analyze_words_duration(analysis, ct_time_between(place->time, coro->suspended)),
		words_then(analysis, place, &analysis->model->coros.at[index]));
}
