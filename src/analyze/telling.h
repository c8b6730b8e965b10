/* SPDX-License-Identifier: MIT */
/*
 * What the program records about its coroutines: how often each fact of def/integration.def, at which places waits do
 * not name what they are for, and which facts are not needed. A rule cannot judge without its facts, and the report
 * says which are missing.
 */
#ifndef ANALYZE_TELLING_H
#define ANALYZE_TELLING_H

#include "base/vec.h"
#include "corotracer/report.h"

struct analysis;
struct model_coro;

/* The latest wait of a coroutine, which may be cancelled. A wait that hashes to the same slot replaces it. */
#define TELLING_LATEST 4096u
struct telling_wait {
	uint64_t coro;
	uint32_t process;
	uint32_t site;
	bool is_named;
};

/* The waits at one place. */
struct telling_place {
	uint64_t nr_waits;
	uint64_t nr_named; /* of these, waits that name what they are for */
};

struct telling {
	uint64_t nr_by_kind[CT_INTEGRATION_KINDS];
	uint64_t nr_waits;
	uint64_t nr_named;
	uint64_t nr_deadlines;
	/* kinds of resources that were waited for, one bit each */
	uint32_t waited;
	VEC(struct telling_place) places; /* by site */
	VEC(bool) parked;                 /* by thread: its last park has not ended */
	uint64_t nr_parked_runs;          /* resumes on threads that were parked */
	struct telling_wait latest[TELLING_LATEST];
};

/*
 * analyze_telling_new: makes an empty count. NULL: out of memory. analyze_telling_clear: empties it again.
 * analyze_telling_free: frees it; NULL is allowed.
 */
struct telling *analyze_telling_new(void);
void analyze_telling_clear(struct telling *telling);
void analyze_telling_free(struct telling *telling);

/*
 * analyze_telling_note: counts one event. Events come in the order of the trace. A site that is not in the tables
 * counts as no site. False: out of memory.
 */
bool analyze_telling_note(
	struct telling *telling, const struct ct_tables *tables, const struct ct_event *event);

/*
 * analyze_telling_export: writes the counts into the report, in its arena. If memory runs out, sets the analysis'
 * is_broken.
 */
void analyze_telling_export(
	struct analysis *analysis, const struct telling *telling, struct ct_report *report);

/*
 * analyze_telling_is_by_scheduler: do the wakes and parks around this coroutine come from a scheduler that is traced
 * itself? In other languages than C, C++ and Zig a wake may be for others that a task polls, or the runtime has queues
 * that are not recorded.
 */
bool analyze_telling_is_by_scheduler(
	const struct analysis *analysis, const struct model_coro *coro);

#endif
