/* SPDX-License-Identifier: MIT */
/*
 * Where a thread was while it ran one coroutine: samples of the first members of findings about runs, counted by place
 * in the second reading.
 *
 * A sample counts for the innermost of its calls that is the program's own code, and not a library's: people know that
 * place. If no call is, it counts for the innermost one.
 */
#ifndef ANALYZE_HOT_H
#define ANALYZE_HOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "corotracer/ct.h"

struct analysis;
struct analyze_run;
struct candidate;
struct group;
struct story;

struct hots {
	struct map of_coro; /* the index of its finding's run, plus 1 */
	VEC(struct hot_run *) runs;
	bool has_all; /* some are all runs of a process */
};

/* analyze_hot_own_run: the run that the candidate's own coroutine is in, or was in: a rule's find_run. */
void analyze_hot_own_run(const struct analysis *analysis, const struct candidate *candidate,
	struct analyze_run *ret_run);

/* analyze_hot_prepare: counts samples for the group's first member, if its finding is about a run. */
void analyze_hot_prepare(struct hots *hots, struct analysis *analysis, struct group *group);

/*
 * analyze_hot_take: counts a sample of a thread that ran this coroutine (index in the model), or a time in which that
 * thread had no processor.
 */
void analyze_hot_take(struct hots *hots, const struct analysis *analysis, uint32_t coro,
	const struct ct_event *event);

/* analyze_hot_fini: frees the memory; what the groups have is in the arena. */
void analyze_hot_fini(struct hots *hots);

/* analyze_hot_tell: adds what was counted to the finding: a sentence of evidence, the end of its title, its places. */
void analyze_hot_tell(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding);

#endif
