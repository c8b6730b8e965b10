/* SPDX-License-Identifier: MIT */
/*
 * Fruitless runs: for each coroutine where it waited before its run, and whether it has done anything since; for each
 * place how many runs went on from there.
 */
#include <inttypes.h>

#include "analyze/fruitless.h"
#include "analyze/parts.h"
#include "analyze/watched_places.h"

#define LEAST_OTHERS 3u /* fewer show no habit */

struct of_coro {
	uint32_t from;     /* where it waited until a wake began its run; 0: no such run */
	bool has_acted;    /* in this run */
	bool is_fruitless; /* its last run was */
};

/* Runs that wakes began, and that went on from one place. */
struct place {
	uint64_t nr_fruitless;
	uint64_t nr_others;
	int64_t shortest_ns; /* of the others */
	uint64_t last;       /* id of the coroutine of the last such run */
};

static struct of_coro *record_of(const struct model_watch *watch, uint32_t coro)
{
	return model_watch_coro(watch, coro);
}

/* ---------------------------------------------------------------- callbacks of the watcher */

static void note_last(struct place *place, uint64_t id)
{
	if (place)
		place->last = id;
}

static bool look_at_run(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct of_coro *of = record_of(watch, sight->coro);
	bool is_woken = coro->state == CT_STATE_READY && coro->point == CTP_POINT_AWAIT &&
			coro->turns->wake.time != CT_NO_TIME &&
			coro->turns->wake.time >= coro->suspended;

	if (is_woken) {
		*of = (struct of_coro){.from = coro->wait_site};
		note_last(model_watch_place(watch, of->from), coro->id);
	} else if (of->from || of->is_fruitless)
		*of = (struct of_coro){0};
	return true;
}

static void note_act(const struct model_watch *watch, uint32_t coro)
{
	struct of_coro *of = record_of(watch, coro);

	if (of->from)
		of->has_acted = true;
}

static bool look_at_act(struct model_watch *watch, const struct model_sight *sight)
{
	note_act(watch, sight->coro);
	return true;
}

static bool look_at_act_on_another(struct model_watch *watch, const struct model_sight *sight)
{
	note_act(watch, sight->by);
	return true;
}

static void count_other(struct place *place, int64_t ran_ns)
{
	if (!place->nr_others++ || ran_ns < place->shortest_ns)
		place->shortest_ns = ran_ns;
}

static bool look_at_wait(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct of_coro *of = record_of(watch, sight->coro);
	struct place *place = model_watch_place(watch, of->from);

	if (!of->from || !place)
		return true;
	of->is_fruitless =
		!of->has_acted && coro->point == CTP_POINT_AWAIT && coro->wait_site == of->from;
	of->from = 0;
	if (of->is_fruitless)
		place->nr_fruitless++;
	else
		count_other(place, ct_time_between(coro->resumed, coro->suspended));
	return true;
}

static bool look_at_end(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct of_coro *of = record_of(watch, sight->coro);
	struct place *place = model_watch_place(watch, of->from);

	if (!of->from || !place || coro->state != CT_STATE_RUNNING)
		return true;
	of->from = 0;
	count_other(place, ct_time_between(coro->resumed, sight->until));
	return true;
}

const struct model_watcher analyze_fruitless_watcher = {
	.nr_coro_bytes = sizeof(struct of_coro),
	.nr_place_bytes = sizeof(struct place),
	.looks = {[MODEL_RUN] = look_at_run,
		[MODEL_TRY] = look_at_act,
		[MODEL_PROGRESS] = look_at_act,
		[MODEL_GIVE] = look_at_act,
		[MODEL_WAKE] = look_at_act_on_another,
		[MODEL_WAKE_AGAIN] = look_at_act_on_another,
		[MODEL_BEGIN] = look_at_act_on_another,
		[MODEL_WAIT] = look_at_wait,
		[MODEL_END] = look_at_end},
};

/* ---------------------------------------------------------------- the evidence */

/* As far as recorded: something may have been done in missing events, or by calls that are not recorded. */
static bool is_recorded(
	const struct analysis *analysis, const struct model_coro *coro, const struct place *place)
{
	const struct model_watch *watch = analyze_watch_by(analysis, &analyze_fruitless_watcher);
	const struct of_coro *of = record_of(watch, model_index(analysis->model, coro));

	return place && coro->state == CT_STATE_WAITING && of->is_fruitless &&
	       place->nr_others >= LEAST_OTHERS && place->nr_others >= place->nr_fruitless &&
	       coro->turns->wake.time <= coro->resumed;
}

static bool is_told(
	const struct analysis *analysis, const struct model_coro *coro, const struct place *place)
{
	return is_recorded(analysis, coro, place) && !analyze_ties_is_at_large(coro) &&
	       !model_lost_between(
		       analysis->model, coro->process, coro->turns->wake.time, coro->suspended);
}

/* The coroutine of the last run that a wake began from there, if that was fruitless; 0: none. */
static uint32_t last_of(
	const struct analysis *analysis, const struct model_coro *coro, const struct place *place)
{
	struct model *model = analysis->model;
	uint32_t last = place && place->last ? model_find(model, coro->process, place->last) : 0;

	return last && model->coros.at[last].wait_site == coro->wait_site &&
			       is_told(analysis, &model->coros.at[last], place)
		       ? last
		       : 0;
}

bool analyze_fruitless_is(const struct analysis *analysis, const struct model_coro *coro)
{
	return is_recorded(
		analysis, coro, analyze_watch_wait(analysis, &analyze_fruitless_watcher, coro));
}

bool analyze_fruitless_is_told(const struct analysis *analysis, const struct model_coro *coro)
{
	return is_told(
		analysis, coro, analyze_watch_wait(analysis, &analyze_fruitless_watcher, coro));
}

bool analyze_fruitless_was_last(const struct analysis *analysis, const struct model_coro *coro)
{
	return last_of(analysis, coro,
		       analyze_watch_wait(analysis, &analyze_fruitless_watcher, coro)) != 0;
}

/* " by coroutine 3" or ", outside any coroutine, on thread worker (12)", and the place. */
static const char *words_waker(struct analysis *analysis, const struct model_waking *wake)
{
	const char *by = "", *from = "";

	if (wake->coro)
		by = analyze_say(analysis, " by %s",
			analyze_words_coro(analysis, &analysis->model->coros.at[wake->coro]));
	else if (analyze_words_is_outside(analysis, wake->thread))
		by = analyze_say(analysis, ", outside any coroutine, on %s",
			analyze_words_thread(analysis, wake->thread));
	if (wake->site)
		from = analyze_say(
			analysis, ", from %s", analyze_words_place(analysis, wake->site));
	return analyze_say(analysis, "%s%s", by, from);
}

/* How long the others took is worth a word if each of them took longer. */
static const char *words_others(
	struct analysis *analysis, const struct place *place, const struct model_coro *coro)
{
	const char *took = place->shortest_ns > ct_time_between(coro->resumed, coro->suspended)
				   ? analyze_say(analysis, ", and took %s or more",
					     analyze_words_duration(analysis, place->shortest_ns))
				   : "";

	return analyze_say(analysis,
		"of the %" PRIu64 " runs from here that wakes began, %" PRIu64
		" did something, went elsewhere or ended%s",
		place->nr_others + place->nr_fruitless, place->nr_others, took);
}

static void tell(struct analysis *analysis, struct story *story, const struct model_coro *coro,
	const struct place *place, const char *which)
{
	const struct model_waking *wake = &coro->turns->wake;

	analyze_story_evidence(analysis, story,
		"coroutine %" PRIu64 " was woken %s before %s wait%s; it ran for %s, did nothing "
		"that is recorded, and waits at the same place again: what it looked at was "
		"perhaps "
		"not what the waker had changed; %s",
		coro->id, analyze_words_duration(analysis, coro->suspended - wake->time), which,
		words_waker(analysis, wake),
		analyze_words_duration(analysis, coro->suspended - coro->resumed),
		words_others(analysis, place, coro));
}

void analyze_fruitless_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct place *place = analyze_watch_wait(analysis, &analyze_fruitless_watcher, coro);

	if (is_told(analysis, coro, place))
		tell(analysis, story, coro, place, "this");
}

void analyze_fruitless_tell_last(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct place *place = analyze_watch_wait(analysis, &analyze_fruitless_watcher, coro);
	uint32_t last = last_of(analysis, coro, place);

	if (last && &analysis->model->coros.at[last] != coro)
		tell(analysis, story, &analysis->model->coros.at[last], place, "its");
}
