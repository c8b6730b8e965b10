/* SPDX-License-Identifier: MIT */
/*
 * What the frames of coroutines take over time, by the function that they run. All functions have the same windows of
 * time: at most MODEL_WINDOWS of one width, since the beginning of the observation. When time has passed the last
 * window, each two windows become one. A part of model.h.
 */
#ifndef MODEL_FOOTPRINT_H
#define MODEL_FOOTPRINT_H

#include "model/series.h"

#define MODEL_FOOTPRINTS 1024u /* functions that are followed; others count in the sum alone */
#define MODEL_FRAME_BYTES (UINT64_C(1) << 48) /* larger sizes are not believed */

struct model_footprint {
	uint32_t site;                      /* the function; 0 in [0], which is the sum of all */
	uint32_t present;                   /* the window up to which the following is known */
	uint32_t nr_halved;                 /* how often two windows became one */
	uint64_t nr_coros;                  /* that are there, and whose frames' sizes are known */
	uint64_t bytes;                     /* of their frames */
	uint64_t most_bytes;                /* at one time */
	ct_time most_time;                  /* when that was so first */
	uint64_t last_coros[MODEL_WINDOWS]; /* at the window's end */
	uint64_t last_bytes[MODEL_WINDOWS]; /* at the window's end */
	uint64_t most_bytes_of[MODEL_WINDOWS];
};

#endif
