/* SPDX-License-Identifier: MIT */
/*
 * Coroutines behind one that does not let its thread go: its parents that wait, those that wait for what it has, and
 * those that it made ready in this run and that nobody has run since. The last may be what its thread waits for.
 */
#include "rules/parts.h"

bool rules_behind_is_waiting(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	return coro->state == CT_STATE_WAITING && coro->point == CTP_POINT_AWAIT && !coro->mark &&
	       (coro->rare->deadline == CT_NO_TIME ||
		       coro->rare->deadline <= analysis->parties[coro->process].end);
}

static bool is_parent(const struct analysis *analysis, uint32_t index, uint32_t child)
{
	uint32_t steps;

	for (steps = 0; child && steps < TIES_GENERATIONS; steps++) {
		child = analysis->model->coros.at[child].parent;
		if (child == index)
			return true;
	}
	return false;
}

/* In the run that lasts, it woke or started this one, and nobody came for it. */
static bool is_left_ready(const struct analysis *analysis, uint32_t index, uint32_t blocker)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	return is_ready(coro) && (coro->turns->wake.coro == blocker || coro->parent == blocker) &&
	       ready_since(coro) >= analysis->model->coros.at[blocker].changed;
}

bool rules_behind_is(const struct analysis *analysis, uint32_t index, uint32_t blocker)
{
	if (index == blocker)
		return false;
	if (!rules_behind_is_waiting(analysis, index))
		return is_left_ready(analysis, index, blocker);
	return analyze_ties_next(analysis, index) == blocker ||
	       (analyze_ties_may_be_for_end(&analysis->model->coros.at[index]) &&
		       is_parent(analysis, index, blocker));
}

struct rules_waiting rules_behind_count(const struct analysis *analysis, uint32_t blocker)
{
	uint32_t process = analysis->model->coros.at[blocker].process, i;
	struct rules_waiting waiting = {0};

	for (i = 1; i < analysis->model->coros.count; i++) {
		if (analysis->model->coros.at[i].process != process || i == blocker)
			continue;
		if (rules_behind_is(analysis, i, blocker))
			waiting.nr_behind++;
		else if (rules_behind_is_waiting(analysis, i))
			waiting.nr_others++;
	}
	return waiting;
}
