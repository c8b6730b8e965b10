/* SPDX-License-Identifier: MIT */
/*
 * What is left to hope for a coroutine that waits. Private to src/analyze.
 */
#ifndef ANALYZE_HOPE_H
#define ANALYZE_HOPE_H

#include "analyze/parts.h"

/* analyze_hope_ended_by: the rule by which it is proven that nobody can make it go on; NULL: by none. */
const char *analyze_hope_ended_by(const struct ct_report *report, uint32_t process, uint64_t coro);

/*
 * analyze_hope_threads: ": main (4711), worker-1 (4713) and 2 more": the threads that were seen to run, or to sleep
 * with a time-out, as the end of a sentence.
 */
const char *analyze_hope_threads(struct analysis *analysis, uint32_t process);

#endif
