/* SPDX-License-Identifier: MIT */
/*
 * Numbers over time. The number of series is bounded; further ones are counted in model->nr_tallies_refused. A part
 * of model.h.
 */
#ifndef MODEL_SERIES_H
#define MODEL_SERIES_H

#include <stdint.h>

#include "corotracer/ct.h"

#define MODEL_SERIES 4096u
#define MODEL_WINDOWS 64u

/* Quantities that are followed over time. */
enum model_series_kind {
	MODEL_SERIES_ALIVE, /* coroutines whose creation was seen */
	MODEL_SERIES_READY,
	MODEL_SERIES_LOCKS,       /* locks that are held */
	MODEL_SERIES_DESCRIPTORS, /* open descriptors whose open was seen */
	MODEL_NR_SERIES_OF_PROCESS,
	MODEL_SERIES_COUNTER = MODEL_NR_SERIES_OF_PROCESS, /* a counter of the program */
	MODEL_SERIES_CONTENT,                              /* the content of one channel */
};

/* A channel is followed once it holds this many items. */
#define MODEL_CONTENT 16u

struct model_series {
	uint32_t process;
	uint32_t span;   /* of a counter */
	uint32_t object; /* of a content */
	uint8_t kind;    /* enum model_series_kind */
	uint64_t falls;  /* a bit for each window in which the value fell */
	ct_time from;    /* begin of the first window; CT_NO_TIME: no value yet */
	ct_time until;   /* end of the present window */
	int64_t width_ns;
	int64_t value;
	uint32_t present;
	uint32_t nr_rises[MODEL_WINDOWS];
	int64_t least[MODEL_WINDOWS]; /* up to the present window */
};

#endif
