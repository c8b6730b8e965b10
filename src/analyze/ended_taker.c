/* SPDX-License-Identifier: MIT */
/*
 * Ended takers (ended_taker.h): for each coroutine that has sent, the line of its last send, and who took it there.
 */
#include <inttypes.h>
#include <string.h>

#include "analyze/ended_taker.h"
#include "analyze/parts.h"
#include "analyze/successors.h"
#include "analyze/wakers.h"
#include "analyze/watched_places.h"
#include "say/say.h"

#define LEAST_SENDS 3u
#define LEAST_HABIT 10u

/* A coroutine's own sends that found somebody waiting, all from one line, in a row. */
struct of_coro {
	uint32_t site;
	uint32_t count;
	uint64_t taker; /* its id */
	uint32_t taker_site;
	bool has_others; /* somebody else took one of them */
};

/* Sends from one place that the same one took, in a row, from anybody. */
struct place {
	uint64_t taker; /* its id */
	uint32_t count;
};

/* ---------------------------------------------------------------- callbacks of the watcher */

/* Are these two places one line? What is done there may have different names. */
static bool is_same_line(const struct model *model, uint32_t one, uint32_t other)
{
	const struct ct_site *a = say_peek_site(model->tables, one);
	const struct ct_site *b = say_peek_site(model->tables, other);

	return one == other || (a->line && a->line == b->line && strcmp(a->file, b->file) == 0);
}

static void count_taken(struct place *place, uint64_t taker)
{
	if (!place)
		return;
	if (place->taker != taker)
		*place = (struct place){.taker = taker};
	place->count++;
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model *model = watch->model;
	const struct model_coro *coro = &model->coros.at[sight->coro];
	struct of_coro *of = model_watch_rare(watch, sight->by);
	uint32_t site = sight->event->site;

	if (!sight->by || !site || coro->state != CT_STATE_WAITING ||
		!analyze_wait_is_for_channel(coro))
		return true;
	count_taken(model_watch_place(watch, site), coro->id);
	if (!is_same_line(model, of->site, site)) {
		of->site = site;
		of->count = 0;
		of->has_others = false;
		of->taker = coro->id;
		of->taker_site = coro->spawn_site;
	}
	of->has_others |= of->taker != coro->id;
	of->count++;
	return true;
}

const struct model_watcher analyze_ended_taker_watcher = {
	.nr_rare_bytes = sizeof(struct of_coro),
	.nr_place_bytes = sizeof(struct place),
	.looks = {[MODEL_WAKE] = look_at_wake},
	.wakes_from = MODEL_WAITS_FOR(CHANNEL),
};

/* ---------------------------------------------------------------- queries */

static const struct of_coro *record_of(
	const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_watch_rare(analysis, &analyze_ended_taker_watcher, coro);
}

/* How many sends the taker took from there, from anybody, as far as is known. */
static uint32_t nr_taken(const struct analysis *analysis, const struct of_coro *of)
{
	const struct place *place = model_watch_place(
		analyze_watch_by(analysis, &analyze_ended_taker_watcher), of->site);

	return place && place->taker == of->taker ? place->count : of->count;
}

/* Has nobody left ended a wait there, for room? */
static bool makes_nobody_room(const struct analysis *analysis, const struct model_coro *coro)
{
	return !model_waits_at(analysis->model, coro->wait_site)->count ||
	       analyze_wakers_are_gone(analysis, coro, 1);
}

void analyze_ended_taker_begin(struct analysis *analysis)
{
	analysis->sole_takers = analyze_scratch(analysis,
		analysis->model->tables->nr_sites + (size_t)1, sizeof(*analysis->sole_takers));
}

/* The id of the one that took the last sends from the line of this place; 0: there is none. Looks at all places. */
static uint64_t sole_taker(const struct analysis *analysis, uint32_t wait_site)
{
	const struct model_watch *watch = analyze_watch_by(analysis, &analyze_ended_taker_watcher);
	uint64_t taker = 0;
	uint32_t site;

	for (site = 1; site < analysis->tables->nr_sites; site++) {
		const struct place *place = model_watch_place(watch, site);

		if (!place || !place->count || !is_same_line(analysis->model, site, wait_site))
			continue;
		if (place->count < LEAST_HABIT || (taker && taker != place->taker))
			return 0;
		taker = place->taker;
	}
	return taker;
}

uint32_t analyze_ended_taker_only(const struct analysis *analysis, const struct model_coro *coro)
{
	struct ended_taker_known *known;

	if (!analyze_wait_is_for_channel(coro) || analyze_ties_may_be_idle(analysis, coro) ||
		coro->wait_site >= analysis->model->tables->nr_sites)
		return 0;
	known = &analysis->sole_takers[coro->wait_site];
	if (!known->is_known)
		*known = (struct ended_taker_known){sole_taker(analysis, coro->wait_site), true};
	return known->taker ? model_find(analysis->model, coro->process, known->taker) : 0;
}

bool analyze_ended_taker_is(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model *model = analysis->model;
	const struct of_coro *of = record_of(analysis, coro);

	return coro->state == CT_STATE_WAITING && analyze_wait_is_for_channel(coro) &&
	       !analyze_ties_may_be_idle(analysis, coro) && nr_taken(analysis, of) >= LEAST_SENDS &&
	       !of->has_others && of->taker_site &&
	       is_same_line(model, of->site, coro->wait_site) &&
	       !analyze_successors_live(analysis, of->taker_site) &&
	       makes_nobody_room(analysis, coro);
}

void analyze_ended_taker_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct of_coro *of = record_of(analysis, coro);

	if (!analyze_ended_taker_is(analysis, coro))
		return;
	analyze_story_evidence(analysis, story,
		"coroutine %" PRIu64 ", which was started at %s, waited for what is sent from this "
		"line, and took it, %" PRIu32 " times, %" PRIu32 " of them from coroutine %" PRIu64
		", from which nobody else did; it has ended, "
		"and no other lives that was started there",
		of->taker, analyze_words_place(analysis, of->taker_site), nr_taken(analysis, of),
		of->count, coro->id);
}
