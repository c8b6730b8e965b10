/* SPDX-License-Identifier: MIT */
/*
 * What the program tells of its coroutines: how often each fact of def/integration.def, at which places waits do not
 * say what they are for, and which facts nobody needed. For want of facts rules are silent, and reports say so.
 */
#ifndef ANALYZE_TELLING_H
#define ANALYZE_TELLING_H

#include "base/vec.h"
#include "corotracer/report.h"

struct analysis;

/* The latest wait of a coroutine, which may be taken back. One with the same slot takes the slot over. */
#define TELLING_LATEST 4096u
struct telling_wait {
	uint64_t coro;
	uint32_t process;
	uint32_t site;
	bool is_named;
};

/* The waits at a place. */
struct telling_place {
	uint64_t nr_waits;
	uint64_t nr_named; /* of them: what for is told */
};

struct telling {
	struct telling_wait latest[TELLING_LATEST];
	uint64_t nr_by_kind[CT_INTEGRATION_KINDS];
	uint64_t nr_waits;
	uint64_t nr_named;
	uint64_t nr_deadlines;
	uint32_t waited;                  /* the resources that were waited for, a bit each */
	VEC(struct telling_place) places; /* by site */
};

/*
 * analyze_telling_new: nothing was told; NULL: out of memory. analyze_telling_clear: nothing again.
 * analyze_telling_free takes NULL as well.
 */
struct telling *analyze_telling_new(void);
void analyze_telling_clear(struct telling *telling);
void analyze_telling_free(struct telling *telling);

/*
 * analyze_telling_note: one event, in the order of the trace; a site that the tables do not have is none. False: out of
 * memory.
 */
bool analyze_telling_note(
	struct telling *telling, const struct ct_tables *tables, const struct ct_event *event);

/* analyze_telling_export: into the report, in its arena. Where memory lacks, the analysis is broken. */
void analyze_telling_export(
	struct analysis *analysis, const struct telling *telling, struct ct_report *report);

#endif
