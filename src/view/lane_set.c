/* SPDX-License-Identifier: MIT */
/* The lanes of a request (lane_set.h). Lanes with one key are chained, so that ids that collide cost time alone. */
#include "view/lane_set.h"

static uint64_t key_of(enum ct_view_lane_kind kind, uint64_t process, uint64_t id)
{
	return kind == CT_VIEW_LANE_THREAD ? ~id : id ^ process << 48;
}

static bool is_lane(
	const struct ct_view_lane *lane, enum ct_view_lane_kind kind, uint64_t process, uint64_t id)
{
	return lane->kind == kind && lane->id == id &&
	       (kind == CT_VIEW_LANE_THREAD || lane->process == process);
}

bool view_lane_set_init(
	struct view_lane_set *set, const struct ct_view_lane *lanes, uint32_t nr_lanes)
{
	uint32_t i;

	set->lanes = lanes;
	for (i = 0; i < nr_lanes; i++) {
		uint64_t key = key_of(lanes[i].kind, lanes[i].process, lanes[i].id);
		uint32_t first = 0;

		map_get(&set->first, key, &first);
		if (!vec_push(&set->next, first) || !map_put(&set->first, key, i + 1))
			return false;
	}
	return true;
}

void view_lane_set_fini(struct view_lane_set *set)
{
	vec_fini(&set->next);
	map_fini(&set->first);
}

uint32_t view_lane_set_find(const struct view_lane_set *set, uint32_t after,
	enum ct_view_lane_kind kind, uint64_t process, uint64_t id)
{
	uint32_t at = 0;

	if (after)
		at = set->next.at[after - 1];
	else
		map_get(&set->first, key_of(kind, process, id), &at);
	while (at && !is_lane(&set->lanes[at - 1], kind, process, id))
		at = set->next.at[at - 1];
	return at;
}
