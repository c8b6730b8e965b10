/* SPDX-License-Identifier: MIT */
/*
 * Passed (passed.h): for each place, the coroutine that went on there last without a wait. A suspension that is taken
 * back, and repeated by the same coroutine at the same place, is one wait.
 */
#include <inttypes.h>

#include "analyze/parts.h"
#include "analyze/passed.h"
#include "analyze/watched_places.h"

struct place {
	uint64_t id; /* 0: none */
	ct_time time;
	uint32_t nr_passed;
};

static struct place *place_of(const struct model_watch *watch, const struct model_coro *coro)
{
	return model_watch_place(watch, coro->wait_site);
}

static bool look_at_going_on(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct place *place = place_of(watch, coro);

	if (!place)
		return true;
	place->id = coro->id;
	place->time = sight->event->time;
	place->nr_passed++;
	return true;
}

const struct model_watcher analyze_passed_watcher = {
	.nr_place_bytes = sizeof(struct place),
	.looks = {[MODEL_GO_ON] = look_at_going_on},
};

static const char *words_fate(struct analysis *analysis, const struct model_coro *passed)
{
	if (passed->state >= CT_STATE_DONE)
		return "has ended since, and woke none of them";
	if (passed->state != CT_STATE_WAITING)
		return "has woken none of them since";
	return analyze_say(analysis, "waits at %s since, and woke none of them",
		analyze_words_place(analysis, passed->wait_site));
}

/* A suspension that was taken back counts as a wait that has ended. */
static bool has_any_ended(
	const struct analysis *analysis, const struct model_coro *coro, const struct place *place)
{
	return model_waits_at(analysis->model, coro->wait_site)->count > place->nr_passed;
}

static bool waits_there(const struct model_coro *passed, const struct model_coro *coro)
{
	return passed == coro ||
	       (passed->state == CT_STATE_WAITING && passed->wait_site == coro->wait_site);
}

void analyze_passed_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct place *place = analyze_watch_wait(analysis, &analyze_passed_watcher, coro);
	struct model *model = analysis->model;
	uint32_t passed;

	if (!place || !place->id || place->time > coro->suspended ||
		has_any_ended(analysis, coro, place))
		return;
	passed = model_find(model, coro->process, place->id);
	if (!passed || waits_there(&model->coros.at[passed], coro))
		return;
	analyze_story_evidence(analysis, story,
		"%s before this wait, %s went on there without waiting, %s, and may have taken "
		"what the "
		"others wait for; it %s",
		analyze_words_duration(analysis, coro->suspended - place->time),
		analyze_words_coro(analysis, &model->coros.at[passed]),
		place->nr_passed == 1 ? "the only one that did"
				      : analyze_say(analysis, "the last of %" PRIu32 " that did",
						place->nr_passed),
		words_fate(analysis, &model->coros.at[passed]));
}
