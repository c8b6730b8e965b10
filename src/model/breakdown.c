/* SPDX-License-Identifier: MIT */
/*
 * The times of coroutines by group, counted at the same moments as the times by place in times.c.
 */
#include <stdlib.h>

#include "model/parts.h"

void model_breakdown_group_fini(struct model_breakdown_group *group)
{
	free(group->runs);
	free(group->waits);
	free(group->delays);
	*group = (struct model_breakdown_group){0};
}

static void count(struct model_breakdown *breakdown, struct histogram **histogram, int64_t ns)
{
	if (histogram_count(histogram, ns > 0 ? (uint64_t)ns : 0, &breakdown->room_bytes))
		return;
	if (breakdown->room_bytes < sizeof(**histogram))
		breakdown->nr_refused++;
	else
		breakdown->is_broken = true;
}

static struct model_breakdown_group *group_of(
	const struct model *model, const struct model_coro *coro)
{
	const struct model_breakdown *breakdown = model->breakdown;
	size_t index = model_index(model, coro);

	return &breakdown->groups[index < breakdown->nr_coros ? breakdown->group_of[index] : 0];
}

static void give_wait(
	struct model_breakdown_group *group, const struct model_coro *coro, int64_t ns)
{
	unsigned resource = CTP_HANDLE_RESOURCE(coro->wait_object);

	group->waited[resource < MODEL_NR_RESOURCES ? resource : MODEL_RESOURCE_OTHER] += ns;
}

void model_breakdown_leave(
	struct model *model, const struct model_coro *coro, enum ct_state state, int64_t ns)
{
	struct model_breakdown_group *group = group_of(model, coro);

	if (coro->state == CT_STATE_WAITING)
		give_wait(group, coro, ns);
	if (coro->state == CT_STATE_RUNNING && state != CT_STATE_RUNNING)
		count(model->breakdown, &group->runs, ns);
	else if (coro->state == CT_STATE_WAITING && state != CT_STATE_DESTROYED)
		count(model->breakdown, &group->waits, ns);
	else if (coro->state == CT_STATE_READY && state == CT_STATE_RUNNING)
		count(model->breakdown, &group->delays, ns);
}

void model_breakdown_end(struct model *model, const struct model_coro *coro, int64_t ns)
{
	if (coro->state == CT_STATE_WAITING)
		give_wait(group_of(model, coro), coro, ns);
}
