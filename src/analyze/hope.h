/* SPDX-License-Identifier: MIT */
/*
 * What could still make a waiting coroutine go on. Private to src/analyze.
 */
#ifndef ANALYZE_HOPE_H
#define ANALYZE_HOPE_H

#include "analyze/parts.h"

/*
 * analyze_hope_ended_by: returns the name of the rule that proves that nothing can make the coroutine go on. NULL: no
 * rule proves it.
 */
const char *analyze_hope_ended_by(const struct ct_report *report, uint32_t process, uint64_t coro);

/*
 * analyze_hope_threads: returns the end of a sentence that names the threads that were seen to run, or to sleep with
 * a time-out: ": main (4711), worker-1 (4713) and 2 more".
 */
const char *analyze_hope_threads(struct analysis *analysis, uint32_t process);
/*
 * analyze_hope_unseen_threads: says what is recorded of the threads of a process at which nobody looked: "it could be
 * woken by threads: thread main (100) is parked, and what any others do at the end is not known".
 */
const char *analyze_hope_unseen_threads(struct analysis *analysis, uint32_t process);

#endif
