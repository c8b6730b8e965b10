/* SPDX-License-Identifier: MIT */
/*
 * Same locks: waits for a lock of which is not told which it is (P-104), in methods of one type. A type mostly guards
 * itself by one lock: where several of its methods wait, they may wait for the same one. One cause is one finding.
 */
#ifndef ANALYZE_SAME_LOCKS_H
#define ANALYZE_SAME_LOCKS_H

struct analysis;
struct model_coro;
struct story;

/*
 * analyze_same_locks_survey: of groups of candidates that tell of such waits, and of nothing else, one stays for each
 * type: one of the gravest, and of these the one where waits had ended before, or the one that began first.
 */
void analyze_same_locks_survey(struct analysis *analysis);

/* analyze_same_locks_tell: as evidence, who waits so in another method of the type, place by place. */
void analyze_same_locks_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
