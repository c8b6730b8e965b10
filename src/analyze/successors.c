/* SPDX-License-Identifier: MIT */
/*
 * Successors, by the place at which coroutines were started.
 */
#include "analyze/parts.h"
#include "analyze/successors.h"

#define SEVERAL UINT32_MAX
#define LEAST_ENDED 10u /* fewer do not show that such coroutines end */

static bool is_alive(const struct model_coro *coro)
{
	return coro->state != CT_STATE_DONE && coro->state != CT_STATE_DESTROYED;
}

/* Where it was started; 0: not known. */
static uint32_t place_of(const struct analysis *analysis, uint32_t index)
{
	uint32_t place = analysis->model->coros.at[index].spawn_site;

	return place < analysis->tables->nr_sites ? place : 0;
}

void analyze_successors_survey(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	uint32_t *only = analyze_scratch(analysis, analysis->tables->nr_sites, sizeof(*only));
	uint32_t *nr_living =
		analyze_scratch(analysis, analysis->tables->nr_sites, sizeof(*nr_living));
	uint32_t i;

	analysis->only_started = only;
	analysis->nr_living_of = nr_living;
	for (i = 1; only && nr_living && i < model->coros.count; i++) {
		uint32_t place = place_of(analysis, i);

		if (!place || !is_alive(&model->coros.at[i]))
			continue;
		only[place] = only[place] ? SEVERAL : i;
		nr_living[place]++;
	}
}

bool analyze_successors_live(const struct analysis *analysis, uint32_t spawn_site)
{
	const struct model_place_times *times = model_times_at(analysis->model, spawn_site);

	return !times || times->living.count > 0;
}

uint64_t analyze_successors_nr_ended(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_place_times *times = model_times_at(analysis->model, coro->spawn_site);

	return model_histogram(times ? times->lives : NULL)->count;
}

bool analyze_successors_are_few(const struct analysis *analysis, const struct model_coro *coro)
{
	uint64_t nr_ended = analyze_successors_nr_ended(analysis, coro);
	uint32_t place = place_of(analysis, model_index(analysis->model, coro));

	return place && nr_ended >= LEAST_ENDED && nr_ended >= analysis->nr_living_of[place];
}

static uint32_t function_of(const struct analysis *analysis, uint32_t index)
{
	return analysis->model->coros.at[index].rare->function_site;
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
