/* SPDX-License-Identifier: MIT */
/*
 * Records are given back while events are folded in, so that a model needs memory for the coroutines and descriptors
 * that live, not for all that ever lived. A part of model.h.
 *
 * From time to time, when some thousand coroutines have been destroyed or descriptors closed, the model looks through
 * all fields that name one. The model keeps a record if it is alive, if a rule may still report it, if a kept record
 * names it (for living ones MODEL_ANCESTORS generations of parents), or if it ended since the last time, in this
 * epoch. The others are added up in model->ended and in the times of their places, and their records go. Later
 * records move up, so that indexes keep their order, and change only between two events.
 *
 * An id is used only once, so an id that is gone is known to be gone (model_gone). If an event nevertheless names it
 * again, the contents of its record cannot be restored: the model notes the name in model->asked. A user that reads
 * the events once more, and makes a new model keep these records by model_keep, gets everything. Without another
 * reading, only the destruction of the coroutine is certain: the model counts such coroutines in nr_unjudged, and no
 * rule reports them.
 *
 * With a history or a breakdown (model/history.h, model/breakdown.h) nothing is given back.
 */
#ifndef MODEL_RELEASING_H
#define MODEL_RELEASING_H

#include <stdint.h>

#include "corotracer/ct.h"

/* Records that are kept by name, because a caller asks for them. */
enum model_kept {
	MODEL_KEPT_CORO,       /* by id */
	MODEL_KEPT_FRAME,      /* coroutines whose frame was at this address */
	MODEL_KEPT_DESCRIPTOR, /* by the identity in the handle */
	MODEL_NR_KEPT,
};

struct model_asked {
	uint32_t process;
	uint32_t kind; /* enum model_kept */
	uint64_t name;
};

#define MODEL_ASKED 65536u
#define MODEL_ANCESTORS 4u /* generations of a living coroutine's parents that are kept */

/* This many ended coroutines and closed descriptors make a search for records to give back worthwhile. */
#define MODEL_ENDED 2048u

/* An entry of a page, or of the map of frames: a coroutine whose record was given back. No index is that large. */
#define MODEL_GONE UINT32_MAX
#define MODEL_GONE_REUSED \
	(UINT32_MAX - 1) /* the same of a frame whose address an earlier frame had */

/* Ids that are gone, in consecutive pages with the same bits. */
struct model_gone {
	uint64_t page; /* id / MODEL_PAGE_IDS of the first page */
	uint64_t count;
	uint64_t ids; /* bit n: id n of each page */
};

/* Sums over the coroutines whose records were given back. */
struct model_ended {
	uint64_t count;
	uint64_t nr_mid_life; /* coroutines whose creation was not seen */
	uint64_t nr_resumes;
	uint64_t nr_migrations;
	int64_t spent[CT_STATE_DESTROYED];
	uint64_t nr_of_runtime; /* not in `count`: the runtime's own coroutines */
};

#endif
