/* SPDX-License-Identifier: MIT */
/*
 * Where a thread was while it ran one coroutine: samples of runs, counted by place in the second reading. Findings
 * about runs have those of their first member; `why` has those of long runs (long_runs.h).
 */
#ifndef ANALYZE_HOT_H
#define ANALYZE_HOT_H

#include "base/vec.h"
#include "corotracer/ct.h"

struct analysis;
struct analyze_run;
struct candidate;
struct group;
struct hot_run;
struct story;

struct hots {
	VEC(struct hot_run *) runs;
};

/* analyze_hot_own_run: the run that the candidate's own coroutine is in: a rule's find_run. */
void analyze_hot_own_run(const struct analysis *analysis, const struct candidate *candidate,
	struct analyze_run *ret_run);

/* analyze_hot_prepare: counts samples for the group's first member, if its finding is about a run. */
void analyze_hot_prepare(struct hots *hots, struct analysis *analysis, struct group *group);

/* analyze_hot_add: counts samples of this run. NULL: there are too many runs, or out of memory. */
struct hot_run *analyze_hot_add(
	struct hots *hots, struct analysis *analysis, const struct analyze_run *of);

/* analyze_hot_take: counts a sample, or a time in which a thread had no processor. */
void analyze_hot_take(struct hots *hots, struct analysis *analysis, const struct ct_event *event);

/* analyze_hot_fini: frees the memory; what was counted is in the arena. */
void analyze_hot_fini(struct hots *hots);

/* analyze_hot_tell: adds what was counted to the finding: a sentence of evidence, the end of its title, its places. */
void analyze_hot_tell(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding);

/*
 * analyze_hot_export: returns what was counted. analyze_hot_words: the same in one sentence without its full stop:
 * "92 % of 120 samples meanwhile were in parse_json (json.c:38); other threads took the processor from it 3 times";
 * "": nothing was counted.
 */
struct ct_run_samples analyze_hot_export(struct analysis *analysis, const struct hot_run *run);
const char *analyze_hot_words(struct analysis *analysis, const struct ct_run_samples *samples);

#endif
