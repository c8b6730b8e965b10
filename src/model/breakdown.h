/* SPDX-License-Identifier: MIT */
/*
 * The times of chosen coroutines by group, for a user that reads a trace again to learn more about some coroutines. A
 * model keeps them only if it is given a breakdown to fill. A part of model.h.
 */
#ifndef MODEL_BREAKDOWN_H
#define MODEL_BREAKDOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/histogram.h"
#include "model/annotations.h"

/* The times of the coroutines of one group, in ns; a distribution is NULL as long as it is empty. */
struct model_breakdown_group {
	struct histogram *runs;
	struct histogram *waits;  /* ended waits, up to the wake */
	struct histogram *delays; /* from ready to running */
	int64_t waited
		/* by resource kind (enum ctp_resource), including waits that go on at the end */
		[MODEL_NR_RESOURCES];
};

struct model_breakdown {
	/* by coroutine, an index of the model; belongs to the user */
	const uint32_t *group_of;
	/* length of group_of; further coroutines are in group 0 */
	size_t nr_coros;
	struct model_breakdown_group *groups; /* belong to the user */
	uint64_t room_bytes; /* room left for distributions; first set by the user */
	uint64_t nr_refused; /* times that found no room in a distribution */
	bool is_broken;      /* out of memory */
};

/* model_breakdown_group_fini: frees the distributions. */
void model_breakdown_group_fini(struct model_breakdown_group *group);

#endif
