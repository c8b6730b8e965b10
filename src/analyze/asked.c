/* SPDX-License-Identifier: MIT */
/*
 * Asked: for each coroutine the id of the coroutine that it woke last in its run, and two counts for each place of
 * waits.
 */
#include <inttypes.h>

#include "analyze/asked.h"
#include "analyze/parts.h"
#include "analyze/watched_places.h"

#define LEAST_ANSWERS 10u
#define SHARE_ANSWERS 2u /* one ended wait in so many, at least */

struct of_coro {
	uint64_t asked; /* id of the coroutine that it woke last since it was resumed; 0: none */
	ct_time time;
};

struct place {
	uint64_t nr_ended;
	/* of these, ended by the coroutine that the waiting coroutine had woken */
	uint64_t nr_answered;
};

static struct of_coro *record_of(const struct model_watch *watch, uint32_t coro)
{
	return model_watch_coro(watch, coro);
}

/* ---------------------------------------------------------------- callbacks of the watcher */

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *at = watch->model->coros.at, *coro = &at[sight->coro];
	struct place *place = model_watch_place(watch, coro->wait_site);
	uint64_t asked = record_of(watch, sight->coro)->asked;

	if (sight->by == sight->coro)
		return true;
	if (sight->by && at[sight->by].state == CT_STATE_RUNNING)
		*record_of(watch, sight->by) = (struct of_coro){coro->id, sight->event->time};
	if (place && model_is_awaiting(coro)) {
		place->nr_ended++;
		place->nr_answered += asked && asked == at[sight->by].id;
	}
	return true;
}

static bool look_at_run(struct model_watch *watch, const struct model_sight *sight)
{
	if (record_of(watch, sight->coro)->asked)
		record_of(watch, sight->coro)->asked = 0;
	return true;
}

const struct model_watcher analyze_asked_watcher = {
	.nr_coro_bytes = sizeof(struct of_coro),
	.nr_place_bytes = sizeof(struct place),
	.looks = {[MODEL_WAKE] = look_at_wake, [MODEL_RUN] = look_at_run},
};

/* ---------------------------------------------------------------- the evidence */

static bool is_habit(const struct place *place)
{
	return place && place->nr_answered >= LEAST_ANSWERS &&
	       place->nr_answered >= place->nr_ended / SHARE_ANSWERS;
}

/* "ended 2.80 ms after that"; "" if the coroutine that was asked has not ended and may still answer. */
static const char *words_end(struct analysis *analysis, const struct model_watch *watch,
	const struct of_coro *record, uint32_t index)
{
	const struct model_coro *asked = &analysis->model->coros.at[index];

	if (!asked->id)
		return "has ended since";
	if (asked->state < CT_STATE_DONE || asked->is_presumed_done)
		return "";
	return analyze_say(analysis, "%s %s after that%s",
		analyze_words_how_ended(analysis, asked->process, asked->id),
		analyze_words_duration(analysis, asked->changed - record->time),
		record_of(watch, index)->asked ? "" : ", in a run that woke nobody");
}

void analyze_asked_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct model_watch *watch = analyze_watch_by(analysis, &analyze_asked_watcher);
	const struct place *place = analyze_watch_wait(analysis, &analyze_asked_watcher, coro);
	struct model *model = analysis->model;
	const struct of_coro *record = record_of(watch, model_index(model, coro));
	uint32_t asked = model_find(model, coro->process, record->asked);
	const char *end;

	if (!record->asked || !is_habit(place))
		return;
	end = words_end(analysis, watch, record, asked);
	if (*end)
		analyze_story_evidence(analysis, story,
			"%" PRIu64 " of the %" PRIu64
			" waits there that have ended were ended by the coroutine that the "
			"waiting coroutine had woken before; now it was coroutine %" PRIu64
			", %s before this wait, which %s",
			place->nr_answered, place->nr_ended, record->asked,
			analyze_words_duration(analysis, coro->suspended - record->time), end);
}

const char *analyze_asked_words(struct analysis *analysis, const struct model_coro *coro)
{
	struct model *model = analysis->model;
	const struct model_watch *watch = analyze_watch_by(analysis, &analyze_asked_watcher);
	const struct of_coro *record = record_of(watch, model_index(model, coro));
	const struct model_coro *asked =
		&model->coros.at[model_find(model, coro->process, record->asked)];

	if (!record->asked || !asked->id || asked->state >= CT_STATE_DONE ||
		asked->resumed == CT_NO_TIME || asked->resumed < record->time)
		return "";
	return analyze_say(analysis,
		"; just before that it had woken %s, which has run since, and has not woken it",
		analyze_words_coro(analysis, asked));
}

uint32_t analyze_asked_whom(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_watch *watch = analyze_watch_by(analysis, &analyze_asked_watcher);
	const struct of_coro *record = record_of(watch, model_index(analysis->model, coro));

	return record->asked && is_habit(analyze_watch_wait(analysis, &analyze_asked_watcher, coro))
		       ? model_find(analysis->model, coro->process, record->asked)
		       : 0;
}
