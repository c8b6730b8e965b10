/* SPDX-License-Identifier: MIT */
/*
 * The pictures of findings: who has a lane, chosen from what a finding's rule tells before the source is read again;
 * what its events make of the lanes; and where each step stands in them.
 */
#ifndef ANALYZE_PICTURES_H
#define ANALYZE_PICTURES_H

#include "analyze/lane.h"
#include "analyze/parts.h"

/* A step whose event is looked for. */
struct picture_step {
	uint64_t sequence; /* UINT64_MAX: its time, and who did it, must do */
	ct_time time;
	uint32_t thread;
	uint64_t coro;
	uint8_t kind;  /* of its event, once that was found; 0: not yet */
	uint32_t lane; /* numbers of lanes, as of ct_picture_mark */
	uint32_t other;
};

/* The picture of one finding while it is made. In the scratch arena. */
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

/* All pictures of a report. Zeroed is empty. */
struct pictures {
	struct analysis *analysis;
	struct lane_index lanes;
	struct picture **at; /* by group; NULL: it has none */
	uint32_t count;
	uint64_t sequences
		[1024]; /* a bit for what a sequence number hashes to: perhaps it is looked for */
	uint64_t times[1024];
	uint32_t *handed; /* by thread: the group whose step handed something over there, from 1 */
};

/* analyze_pictures_prepare: asks the rules, and chooses lanes. analyze_pictures_fini: gives back what is no arena's. */
void analyze_picture_prepare(struct pictures *pictures, struct analysis *analysis);
void analyze_picture_fini(struct pictures *pictures);

/* analyze_picture_take: one event of the second reading. */
void analyze_picture_take(struct pictures *pictures, const struct lane_event *of);

/* analyze_picture_finish: what was gathered, as parts of the report, by group. */
void analyze_picture_finish(struct pictures *pictures);

/* analyze_picture_members: which coroutines of the group have a lane, as indexes in the model; how many. */
uint32_t analyze_picture_members(struct analysis *analysis, const struct group *group,
	const struct story *story, uint32_t ret_coros[CT_LANES]);

#endif
