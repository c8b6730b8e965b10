/* SPDX-License-Identifier: MIT */
/*
 * Successors, by the place at which coroutines were started.
 */
#include "analyze/parts.h"
#include "analyze/successors.h"

#define SEVERAL UINT32_MAX

static bool is_alive(const struct model_coro *coro)
{
	return coro->state != CT_STATE_DONE && coro->state != CT_STATE_DESTROYED;
}

/* Where it was started; 0: not known. */
static uint32_t place_of(const struct analysis *analysis, uint32_t index)
{
	uint32_t place = model_place(analysis->model, analysis->model->coros.at[index].spawn_site);

	return place < analysis->tables->nr_sites ? place : 0;
}

void analyze_successors_survey(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	uint32_t *only = arena_array(&analysis->scratch, analysis->tables->nr_sites, sizeof(*only));
	uint32_t i;

	analysis->only_started = only;
	analysis->is_broken |= !only;
	for (i = 1; only && i < model->coros.count; i++) {
		uint32_t place = place_of(analysis, i);

		if (place && is_alive(&model->coros.at[i]))
			only[place] = only[place] ? SEVERAL : i;
	}
}

static uint32_t function_of(const struct analysis *analysis, uint32_t index)
{
	return model_place(analysis->model, analysis->model->coros.at[index].rare->function_site);
}

bool analyze_successors_are_of_kind(const struct analysis *analysis, uint32_t index, uint32_t other)
{
	return index && other && function_of(analysis, index) &&
	       function_of(analysis, index) == function_of(analysis, other);
}

bool analyze_successors_are_kin(const struct analysis *analysis, uint32_t index, uint32_t other)
{
	const struct model_coro *at = analysis->model->coros.at;

	return index && other && place_of(analysis, index) &&
	       place_of(analysis, index) == place_of(analysis, other) &&
	       at[index].process == at[other].process &&
	       function_of(analysis, index) == function_of(analysis, other);
}

uint32_t analyze_successors_of(const struct analysis *analysis, uint32_t index)
{
	uint32_t only;

	if (!index || is_alive(&analysis->model->coros.at[index]))
		return index;
	only = analysis->only_started[place_of(analysis, index)];
	return only != SEVERAL && analyze_successors_are_kin(analysis, index, only) ? only : 0;
}
