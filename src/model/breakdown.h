/* SPDX-License-Identifier: MIT */
/*
 * The times of chosen coroutines by group, for whoever reads a trace again to know more of some: a model keeps none
 * unless it is given a breakdown to fill. A part of model.h.
 */
#ifndef MODEL_BREAKDOWN_H
#define MODEL_BREAKDOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/histogram.h"
#include "model/annotations.h"

/* The times of the coroutines of one group, in ns; distributions are NULL as long as they are empty. */
struct model_breakdown_group {
	struct histogram *runs;
	struct histogram *waits;  /* that have ended, up to the wake */
	struct histogram *delays; /* from ready to running */
	int64_t waited
		[MODEL_NR_RESOURCES]; /* also what goes on at the end: by what for, enum ctp_resource */
};

struct model_breakdown {
	const uint32_t *group_of;             /* by coroutine, an index of the model; the user's */
	size_t nr_coros;                      /* that have a group; those beyond are in group 0 */
	struct model_breakdown_group *groups; /* the user's */
	uint64_t room_bytes; /* left for their distributions; the user's at first */
	uint64_t nr_refused; /* times that found no room in one */
	bool is_broken;      /* out of memory */
};

/* model_breakdown_group_fini: gives the distributions back. */
void model_breakdown_group_fini(struct model_breakdown_group *group);

#endif
