/* SPDX-License-Identifier: MIT */
/* The lanes of a request, found by what they show. Several lanes may show the same. */
#ifndef VIEW_LANE_SET_H
#define VIEW_LANE_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "corotracer/view.h"

/* Zeroed: empty. */
struct view_lane_set {
	const struct ct_view_lane *lanes; /* borrowed */
	VEC(uint32_t) next;               /* by lane: the next lane with the same key, plus 1 */
	struct map first;                 /* by key: a lane, plus 1 */
};

/* view_lane_set_init: returns false if memory runs out; view_lane_set_fini frees the set in any case. */
bool view_lane_set_init(
	struct view_lane_set *set, const struct ct_view_lane *lanes, uint32_t nr_lanes);
void view_lane_set_fini(struct view_lane_set *set);

/*
 * view_lane_set_find: returns a lane that shows this, plus 1: the first such lane if `after` is 0, otherwise the one
 * after the lane that the last call returned. 0: there is none. The process of a thread is ignored.
 */
uint32_t view_lane_set_find(const struct view_lane_set *set, uint32_t after,
	enum ct_view_lane_kind kind, uint64_t process, uint64_t id);

#endif
