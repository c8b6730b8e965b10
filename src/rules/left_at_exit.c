/* SPDX-License-Identifier: MIT */
/*
 * Coroutines left at a clean end: a program may be meant to end with coroutines that wait, as those that serve in the
 * background. Then none of their kind ends; where most have ended, a few that wait far longer are no such ones.
 */
#include <inttypes.h>

#include "analyze/rounds.h"
#include "analyze/successors.h"
#include "analyze/wakers.h"
#include "rules/parts.h"

bool rules_left_at_exit_is(const struct analysis *analysis, const struct model_coro *coro)
{
	return coro->point == CTP_POINT_AWAIT && analyze_successors_are_few(analysis, coro) &&
	       !analyze_rounds_come_back(analysis, coro) &&
	       !analyze_wakers_come_back(analysis, coro) && rules_left_behind_is(analysis, coro);
}

void rules_left_at_exit_tell(
	struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	if (analysis->parties[coro->process].has_ended_well &&
		analyze_successors_are_few(analysis, coro))
		analyze_story_evidence(analysis, story,
			"the program ended by itself with status 0, and may be meant to end with "
			"such waits; but %" PRIu64
			" that were started at the same place have ended",
			analyze_successors_nr_ended(analysis, coro));
}
