/* SPDX-License-Identifier: MIT */
/*
 * Facing each other (facing.h).
 */
#include <inttypes.h>

#include "analyze/facing.h"
#include "analyze/parts.h"

/* Does the coroutine wait to read from this file, alone able to write to it, as far as is recorded? */
static bool reads_at(const struct analysis *analysis, const struct model_coro *coro, uint32_t file)
{
	const struct model_descriptor *at = analysis->model->descriptors.at;
	const struct model_descriptor *descriptor = &at[coro->rare->descriptor];

	return coro->rare->descriptor && descriptor->file == file && model_is_awaiting(coro) &&
	       !coro->mark && coro->rare->deadline == CT_NO_TIME &&
	       (descriptor->flags & MODEL_DESCRIPTOR_IS_OPEN) &&
	       (descriptor->flags & MODEL_DESCRIPTOR_WAS_EMPTY) &&
	       descriptor->ready == CT_NO_TIME && at[file].nr_copies == 1 &&
	       !descriptor->shutdowns && !at[file].has_writers && at[file].writer == coro->id;
}

static uint32_t other_side(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model *model = analysis->model;
	const struct model_descriptor *at = model->descriptors.at;
	uint32_t file = at[coro->rare->descriptor].file, i;

	if (!coro->rare->descriptor || !at[file].mate || !reads_at(analysis, coro, file))
		return 0;
	for (i = 1; i < model->coros.count; i++)
		if (&model->coros.at[i] != coro && model->coros.at[i].process == coro->process &&
			reads_at(analysis, &model->coros.at[i], at[at[file].mate].file))
			return i;
	return 0;
}

bool analyze_facing_is(const struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t other = other_side(analysis, coro);
	const struct model_coro *at = &analysis->model->coros.at[other];

	return other &&
	       (coro->suspended < at->suspended || (coro->suspended == at->suspended && coro < at));
}

void analyze_facing_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	uint32_t other = other_side(analysis, coro);
	const struct model_coro *at = &analysis->model->coros.at[other];

	if (!other)
		return;
	analyze_story_evidence(analysis, story,
		"%s waits at %s, for %s, the other end: only it has written there so far, and only "
		"coroutine %" PRIu64 " here, and both found nothing more to read",
		analyze_words_coro(analysis, at), analyze_words_place(analysis, at->wait_site),
		analyze_words_wait(analysis, at), coro->id);
	analyze_story_party(analysis, story, other, 0);
}
