/* SPDX-License-Identifier: MIT */
/*
 * The pictures of findings. Each picture has lanes, for coroutines, threads and resources chosen from the steps that
 * the finding's rule writes before the source is read again. The events of that reading fill the lanes, and place
 * each step on its lane.
 */
#ifndef ANALYZE_PICTURES_H
#define ANALYZE_PICTURES_H

#include "analyze/lane.h"
#include "analyze/parts.h"

/* A step whose event is looked for in the second reading. */
struct picture_step {
	/* UINT64_MAX: no number; time, thread and coroutine identify the event */
	uint64_t sequence;
	ct_time time;
	uint32_t thread;
	uint64_t coro;
	uint8_t kind;  /* kind of the event, once found; 0: not yet found */
	uint32_t lane; /* numbers of lanes, as in ct_picture_mark */
	uint32_t other;
};

/* The picture of one finding while it is made; in the scratch arena. */
struct picture {
	struct lane *lanes[CT_LANES];
	uint32_t nr_lanes;
	struct picture_step steps[CT_PICTURE_STEPS];
	uint32_t nr_steps;
	ct_time moments[CT_PICTURE_STEPS];
	uint32_t nr_moments;
	uint32_t nr_alike;
	uint32_t process;
};

/* All pictures of a report. Zero is empty. */
struct pictures {
	struct analysis *analysis;
	struct lane_index lanes;
	struct picture **at; /* by group; NULL: the group has no picture */
	uint32_t count;
	uint64_t sequences
		[1024]; /* one bit for the hash of each sequence number that is looked for: a filter */
	uint64_t times[1024];
	/* by thread: number, from 1, of the group whose step handed over a resource on it last */
	uint32_t *handed;
};

/*
 * analyze_picture_prepare: asks the rules for steps, and chooses the lanes. analyze_picture_fini: frees what is in no
 * arena.
 */
void analyze_picture_prepare(struct pictures *pictures, struct analysis *analysis);
void analyze_picture_fini(struct pictures *pictures);

/* analyze_picture_take: takes one event of the second reading. */
void analyze_picture_take(struct pictures *pictures, const struct lane_event *of);

/* analyze_picture_finish: writes each group's picture, as a part of the report. */
void analyze_picture_finish(struct pictures *pictures);

/*
 * analyze_picture_members: chooses the coroutines of the group that get a lane. Writes their indexes in the model,
 * and returns their number.
 */
uint32_t analyze_picture_members(struct analysis *analysis, const struct group *group,
	const struct story *story, uint32_t ret_coros[CT_LANES]);

#endif
