/* SPDX-License-Identifier: MIT */
/*
 * Wakers of their own (own_wakers.h): for each coroutine one place of its waits, and who ended them there.
 */
#include <inttypes.h>

#include "analyze/parts.h"
#include "analyze/own_wakers.h"
#include "analyze/watched_places.h"

#define LEAST_WAITS 3u /* fewer do not show a habit */
#define LEAST_PAIRS 3u

struct of_coro {
	uint64_t by; /* the id of the coroutine that ended the first of these waits */
	uint32_t site;
	uint32_t count;
	bool is_mixed; /* somebody else ended one of them */
};

/* A place counts from its third wait on; until then the next place takes over. */
static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model *model = watch->model;
	const struct model_coro *coro = &model->coros.at[sight->coro];
	struct of_coro *of = model_watch_rare(watch, sight->coro);
	uint64_t by = sight->by ? model->coros.at[sight->by].id : 0;

	if (coro->state != CT_STATE_WAITING || coro->point != CTP_POINT_AWAIT || !coro->wait_site)
		return true;
	if (of->site != coro->wait_site && of->count < LEAST_WAITS)
		*of = (struct of_coro){.by = by, .site = coro->wait_site};
	if (of->site != coro->wait_site)
		return true;
	of->is_mixed |= !by || of->by != by;
	of->count++;
	return true;
}

const struct model_watcher analyze_own_wakers_watcher = {
	.nr_rare_bytes = sizeof(struct of_coro),
	.looks = {[MODEL_WAKE] = look_at_wake},
};

/* ---------------------------------------------------------------- queries */

static const struct of_coro *record_of(const struct analysis *analysis, uint32_t coro)
{
	return analyze_watch_rare(
		analysis, &analyze_own_wakers_watcher, &analysis->model->coros.at[coro]);
}

/* Do at least three coroutines have one of their own there, and none of them that of this one? */
static bool are_pairs(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct of_coro *of = record_of(analysis, model_index(analysis->model, coro));
	uint32_t nr_pairs = 0, i;

	for (i = 1; i < analysis->model->coros.count; i++) {
		const struct of_coro *other = record_of(analysis, i);

		if (other->site != of->site || !other->count ||
			analysis->model->coros.at[i].process != coro->process)
			continue;
		if (other->is_mixed || (other != of && other->by == of->by))
			return false;
		nr_pairs += other->count >= LEAST_WAITS;
	}
	return nr_pairs >= LEAST_PAIRS;
}

/* Has that one ended? One that is not known any more has. */
static bool is_over(const struct analysis *analysis, const struct model_coro *coro, uint64_t by)
{
	uint32_t index = model_find(analysis->model, coro->process, by);

	return !index || analysis->model->coros.at[index].state >= CT_STATE_DONE;
}

bool analyze_own_wakers_has_ended(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct of_coro *of = record_of(analysis, model_index(analysis->model, coro));
	ct_time end = analysis->parties[coro->process].end;

	return of->site == coro->wait_site && of->count >= LEAST_WAITS && !of->is_mixed &&
	       coro->state == CT_STATE_WAITING && is_over(analysis, coro, of->by) &&
	       analyze_stillness_lasts(analysis, coro->process, coro->suspended) &&
	       !model_lost_between(analysis->model, coro->process, analysis->model->from, end) &&
	       analyze_party_is_at_work(analysis, coro->process, coro->suspended, end) &&
	       !analyze_ties_is_shutting_down(analysis, coro->process, end) &&
	       are_pairs(analysis, coro);
}

void analyze_own_wakers_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct of_coro *of = record_of(analysis, model_index(analysis->model, coro));

	if (!analyze_own_wakers_has_ended(analysis, coro))
		return;
	analyze_story_evidence(analysis, story,
		"coroutine %" PRIu64 " ended all %" PRIu32 " waits of coroutine %" PRIu64
		" there, and those of nobody else; that one %s, and each coroutine that waits "
		"there has one of its own",
		of->by, of->count, coro->id,
		analyze_words_how_ended(analysis, coro->process, of->by));
}
