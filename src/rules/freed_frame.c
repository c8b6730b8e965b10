/* SPDX-License-Identifier: MIT */
/*
 * Frames that were freed before they were resumed. The C library writes into the first word of memory that it frees, by
 * its own list, the address of that word without its lowest twelve bits, shifted by twelve, if the list was empty (the
 * "safe linking" of glibc 2.32). The first word of a frame is the function by which it is resumed. A call to such an
 * address is the resume of a frame that is gone.
 */
#include <inttypes.h>

#include "rules/parts.h"

#define SHIFT 12u

uint32_t rules_freed_frame_of(const struct analysis *analysis, const struct model_crash *crash)
{
	const struct model *model = analysis->model;
	uint32_t found = 0, i;

	if (!crash || !crash->caller || !crash->address)
		return 0;
	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		if (coro->process == crash->process && coro->state == CT_STATE_DESTROYED &&
			coro->rare->frame >> SHIFT == crash->address &&
			crash->time - coro->rare->destroyed <= LIMIT(analysis, CRASH_SHORTLY) &&
			(!found || coro->rare->destroyed > model->coros.at[found].rare->destroyed))
			found = i;
	}
	return found;
}

/* A coroutine that the one which woke this one has woken as well, and that has not run since; 0: none. */
static uint32_t woken_beside(const struct analysis *analysis, const struct model_coro *gone)
{
	const struct model *model = analysis->model;
	uint32_t i;

	for (i = 1; gone->turns->wake.coro && i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		if (coro->process == gone->process && coro->state == CT_STATE_READY &&
			coro->turns->wake.coro == gone->turns->wake.coro &&
			coro->turns->wake.time <= gone->rare->destroyed &&
			coro->turns->wake.time >=
				gone->turns->wake.time - LIMIT(analysis, CRASH_SHORTLY))
			return i;
	}
	return 0;
}

void rules_freed_frame_tell(struct analysis *analysis, uint32_t index,
	const struct model_crash *crash, struct story *story, struct ct_finding *finding)
{
	const struct model_coro *gone = &analysis->model->coros.at[index];
	uint32_t beside = woken_beside(analysis, gone);

	if (model_was_woken(gone))
		analyze_story_woken(analysis, story, gone, gone->turns->wake);
	analyze_story_destroyed(analysis, story, gone);
	analyze_story_evidence(analysis, story,
		"the address that was called is what the allocator leaves in the first word of the "
		"frame of coroutine %" PRIu64
		", which was destroyed %s before, and had waited at %s: "
		"it was resumed once more through an old handle",
		gone->id, analyze_words_duration(analysis, crash->time - gone->rare->destroyed),
		analyze_words_place(analysis, gone->wait_site));
	if (beside)
		analyze_story_evidence(analysis, story,
			"coroutine %" PRIu64 ", which coroutine %" PRIu64
			" woke as well, has not run since: that resume may have been meant for it",
			analysis->model->coros.at[beside].id,
			analysis->model->coros.at[gone->turns->wake.coro].id);
	finding->next_step =
		"look for who keeps a handle of the coroutine that is gone, or resumes one handle "
		"twice";
}
