/* SPDX-License-Identifier: MIT */
/*
 * Records given back while events are folded in, so that a model needs memory for what is alive, and not for all that
 * ever was. A part of model.h.
 *
 * From time to time, when some thousand coroutines have been destroyed or descriptors closed, the model looks through
 * everything that names one. Kept are those that are alive, that a rule may still speak of, that anything kept names
 * (of living ones MODEL_ANCESTORS generations), and those that ended since the last such time, in this epoch.
 * The others are added up in model->ended and their places' times, and their records go; those behind them move up, so
 * that indexes keep their order, and change between two events only.
 *
 * Ids are used once, so one that is gone is known for gone (model_gone). Should it be named again after all, nothing
 * that its record told can be made up for: the model notes it in model->asked. A reader that goes through the events
 * once more, and tells a new model by model_keep to keep these, learns all. A model that is not read again goes by what
 * is certain: it was destroyed. The model counts such in nr_unjudged, and no rule speaks of them.
 *
 * With a history or a breakdown (model/history.h, model/breakdown.h) nothing is given back.
 */
#ifndef MODEL_RELEASING_H
#define MODEL_RELEASING_H

#include <stdint.h>

#include "corotracer/ct.h"

/* Records kept by name, for callers that ask. */
enum model_kept {
	MODEL_KEPT_CORO,       /* by its id */
	MODEL_KEPT_FRAME,      /* coroutines whose frame lay at this address */
	MODEL_KEPT_DESCRIPTOR, /* by the identity in its handle */
	MODEL_NR_KEPT,
};

struct model_asked {
	uint32_t process;
	uint32_t kind; /* enum model_kept */
	uint64_t name;
};

#define MODEL_ASKED 65536u
#define MODEL_ANCESTORS 4u /* of those that are alive: so many generations are kept */

/* So many that have ended, or were closed, make it worth looking for those that can go. */
#define MODEL_ENDED 2048u

/* No model has so many coroutines: in a page and where a frame lay: one that was given back. */
#define MODEL_GONE UINT32_MAX
#define MODEL_GONE_REUSED \
	(UINT32_MAX - 1) /* where a frame lay: likewise, and it was not the first there */

/* Ids that are gone, of pages that follow each other and look the same. */
struct model_gone {
	uint64_t page; /* id / MODEL_PAGE_IDS of the first */
	uint64_t count;
	uint64_t ids; /* bit n: id n of each page */
};

/* The coroutines that were given back, together. */
struct model_ended {
	uint64_t count;
	uint64_t nr_mid_life; /* whose creation was not seen */
	uint64_t nr_resumes;
	uint64_t nr_migrations;
	int64_t spent[CT_STATE_DESTROYED];
	uint64_t nr_of_runtime; /* besides: the runtime's own */
};

#endif
