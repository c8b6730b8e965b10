/* SPDX-License-Identifier: MIT */
/*
 * Long runs around one coroutine, for `why`: its own longest run, and the runs that go on of what its process's threads
 * run, with what samples show of them. A run is long from ten milliseconds on.
 */
#ifndef ANALYZE_LONG_RUNS_H
#define ANALYZE_LONG_RUNS_H

#include "analyze/hot.h"
#include "model/watcher.h"

struct analysis;
struct ct_report;
struct story;

/* analyze_long_runs_watcher: keeps the longest run of the coroutine that is asked about. */
extern const struct model_watcher analyze_long_runs_watcher;

/*
 * analyze_long_runs_prepare: lists the runs, so that their samples are counted in the second reading, if a coroutine is
 * asked about.
 */
void analyze_long_runs_prepare(struct analysis *analysis, struct hots *hots);

/*
 * analyze_long_runs_tell: adds what is known of the coroutine's long runs, as steps. analyze_long_runs_export: hands
 * the runs that were told to the report.
 */
void analyze_long_runs_tell(struct analysis *analysis, struct story *story, uint32_t coro);
void analyze_long_runs_export(struct analysis *analysis, struct ct_report *report);

#endif
