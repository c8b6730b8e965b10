/* SPDX-License-Identifier: MIT */
/* The coroutines that have permits (permits.h). */
#include <inttypes.h>

#include "analyze/parts.h"
#include "analyze/permits.h"

#define NAMED 3u

static void tell_taker(struct analysis *analysis, struct story *story, uint32_t index)
{
	const struct model_coro *taker = coro_at(analysis, index);
	const char *has = analyze_say(analysis, "%" PRIu32 " %s of that semaphore, taken at %s",
		taker->rare->nr_permits, taker->rare->nr_permits == 1 ? "permit" : "permits",
		analyze_words_place(analysis, taker->rare->permit_site));

	if (taker->state == CT_STATE_WAITING)
		analyze_story_evidence(analysis, story, "%s, and has %s",
			analyze_words_since(analysis, taker), has);
	else
		analyze_story_evidence(
			analysis, story, "%s has %s", analyze_words_coro(analysis, taker), has);
	analyze_story_party(analysis, story, index, 0);
}

static void tell_takers(
	struct analysis *analysis, struct story *story, const struct model_object *object)
{
	uint32_t of = (uint32_t)(object - analysis->model->objects.at), i;
	uint32_t nr_takers = 0, nr_waiting = 0;

	for (i = analysis->permit_first[of]; i; i = analysis->permit_next[i]) {
		const struct model_coro *taker = coro_at(analysis, i);

		nr_waiting += taker->state == CT_STATE_WAITING &&
			      analyze_ties_object(analysis, taker) == object;
		if (nr_takers++ < NAMED)
			tell_taker(analysis, story, i);
	}
	if (nr_takers > 1)
		analyze_story_evidence(analysis, story,
			"%" PRIu32 " coroutines have the %" PRIu32
			" permits that were not given back; of these, %" PRIu32
			" wait for another one",
			nr_takers, object->permits.nr_out, nr_waiting);
}

void analyze_permits_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct model_object *object = analyze_ties_object(analysis, coro);

	if (CTP_HANDLE_RESOURCE(coro->wait_object) != CTP_RESOURCE_SEMAPHORE || !object->handle ||
		model_is_unnamed(coro->wait_object) || object->permits.is_signal ||
		!object->permits.nr_returned)
		return;
	tell_takers(analysis, story, object);
}
