/* SPDX-License-Identifier: MIT */
/*
 * Tried descriptors: two counts for each place at which coroutines wait.
 */
#include <inttypes.h>

#include "analyze/parts.h"
#include "analyze/tried.h"
#include "analyze/watched_places.h"

#define LEAST_WAITS 5u   /* finished waits; a smaller number shows no habit */
#define SHARE_OTHERS 10u /* one finished wait in so many may have ended otherwise */

struct place {
	/* finished waits that began just after nothing had been found at a descriptor */
	uint64_t nr_over;
	uint64_t nr_reported; /* of these: a poll had reported that descriptor meanwhile */
};

static bool look_at_end(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	const struct model_descriptor *descriptor =
		&watch->model->descriptors.at[coro->rare->tried];
	struct place *place = model_watch_place(watch, coro->wait_site);

	if (!place || !coro->rare->tried || coro->state != CT_STATE_WAITING)
		return true;
	place->nr_over++;
	place->nr_reported +=
		descriptor->reported != CT_NO_TIME && descriptor->reported >= coro->suspended;
	return true;
}

const struct model_watcher analyze_tried_watcher = {
	.nr_place_bytes = sizeof(struct place),
	.looks = {[MODEL_WAKE] = look_at_end, [MODEL_RUN_UNWOKEN] = look_at_end},
};

static const struct place *place_of(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_watch_wait(analysis, &analyze_tried_watcher, coro);
}

uint32_t analyze_tried_descriptor(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);

	if (coro->rare->descriptor)
		return coro->rare->descriptor;
	if (!coro->rare->tried || !place || place->nr_reported < LEAST_WAITS ||
		place->nr_over - place->nr_reported > place->nr_over / SHARE_OTHERS)
		return 0;
	return coro->rare->tried;
}

void analyze_tried_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);

	if (coro->rare->descriptor || !coro->rare->tried || !place)
		return;
	analyze_story_evidence(analysis, story,
		"%" PRIu64 " of %" PRIu64 " waits at %s that have ended did so after a poll "
		"had reported the descriptor at which nothing had been found before",
		place->nr_reported, place->nr_over, analyze_words_place(analysis, coro->wait_site));
}

const char *analyze_tried_words(
	struct analysis *analysis, const struct model_coro *coro, uint32_t descriptor)
{
	if (coro->wait_object)
		return analyze_say(analysis, "suspended, to wait for %s",
			analyze_words_resource(analysis, coro->wait_object, descriptor));
	return analyze_say(analysis, "suspended, just after it had found nothing at %s",
		analyze_words_descriptor(analysis, &analysis->model->descriptors.at[descriptor]));
}
