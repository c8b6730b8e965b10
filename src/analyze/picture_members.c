/* SPDX-License-Identifier: MIT */
/*
 * Chooses the coroutines of a finding that its picture shows: those that act in a step, then one for each place at
 * which members wait, then the first of the others.
 */
#include "analyze/pictures.h"

/* The members chosen so far. */
struct chosen {
	const struct analysis *analysis;
	const struct candidate *candidates; /* the candidates of the group */
	uint32_t nr_candidates;
	uint32_t *coros;
	uint32_t count;
};

static bool is_chosen(const struct chosen *chosen, uint32_t coro)
{
	uint32_t i;

	for (i = 0; i < chosen->count; i++)
		if (chosen->coros[i] == coro)
			return true;
	return false;
}

static bool is_member(const struct chosen *chosen, uint32_t coro)
{
	uint32_t i;

	for (i = 0; coro && i < chosen->nr_candidates; i++)
		if (chosen->candidates[i].coro == coro)
			return true;
	return false;
}

static bool has_place(const struct chosen *chosen, uint32_t site)
{
	uint32_t i;

	for (i = 0; i < chosen->count; i++)
		if (chosen->analysis->model->coros.at[chosen->coros[i]].wait_site == site)
			return true;
	return false;
}

static void choose(struct chosen *chosen, uint32_t coro, uint32_t most)
{
	if (chosen->count < most && !is_chosen(chosen, coro))
		chosen->coros[chosen->count++] = coro;
}

static void choose_acting(struct chosen *chosen, const struct story *story)
{
	struct model *model = chosen->analysis->model;
	size_t i;

	for (i = 0; i < story->steps.count; i++) {
		uint32_t coro =
			model_find(model, chosen->candidates[0].process, story->steps.at[i].coro);

		if (is_member(chosen, coro))
			choose(chosen, coro, CT_LANES - 1);
	}
}

/* The line "and N more" takes the room of one member. */
static uint32_t nr_shown(const struct group *group)
{
	return group->count > CT_LANE_MEMBERS ? CT_LANE_MEMBERS - 1 : group->count;
}

static void choose_of_places(struct chosen *chosen, uint32_t most)
{
	const struct model_coro *coros = chosen->analysis->model->coros.at;
	uint32_t i;

	for (i = 0; i < chosen->nr_candidates && chosen->count < most; i++)
		if (!has_place(chosen, coros[chosen->candidates[i].coro].wait_site))
			choose(chosen, chosen->candidates[i].coro, most);
}

uint32_t analyze_picture_members(struct analysis *analysis, const struct group *group,
	const struct story *story, uint32_t ret_coros[CT_LANES])
{
	struct chosen chosen = {
		.analysis = analysis,
		.candidates = &analysis->candidates.at[group->first],
		.nr_candidates = group->count,
		.coros = ret_coros,
	};
	uint32_t most = nr_shown(group), i;

	if (!chosen.candidates[0].coro)
		return 0;
	choose_acting(&chosen, story);
	choose_of_places(&chosen, most);
	for (i = 0; i < group->count && chosen.count < most; i++)
		choose(&chosen, chosen.candidates[i].coro, most);
	return chosen.count;
}
