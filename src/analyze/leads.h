/* SPDX-License-Identifier: MIT */
/*
 * Leads: what happened before a wait that goes on, or around the wake of a coroutine that does not run, and may be
 * the reason. No finding rests on a lead.
 */
#ifndef ANALYZE_LEADS_H
#define ANALYZE_LEADS_H

struct analysis;
struct group;
struct model_coro;
struct story;

/*
 * analyze_leads_tell_process: adds evidence of wakes that met in one run (merged.h), of late notifies
 * (late_notifies.h), of coroutines that failed, and of a time-out that ran out since this wait began, woke nobody and
 * was not set again.
 *
 * analyze_leads_tell: adds the same evidence, who has the permits that are waited for (permits.h), who ended earlier
 * waits at the place (provenance.h, wakers.h, waking_threads.h, waker_circle.h, pairs.h, kin_circle.h, lock_given.h,
 * same_locks.h, asked.h), and a run that woke nobody although similar runs woke a coroutine (omitted.h); and how many
 * others were destroyed while they waited there, if that is one in ten or more.
 *
 * analyze_leads_words: "; in a circle with coroutine 20: ..." (waker_circle.h), or else the same of kin_circle.h, for
 * the title of this group; "" if its first member is in no circle.
 *
 * analyze_leads_tell_ready: adds evidence that the thread that made this coroutine ready ended soon after: within a
 * hundredth of the time that the coroutine has been ready.
 */
void analyze_leads_tell_process(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);
void analyze_leads_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);
const char *analyze_leads_words(struct analysis *analysis, const struct group *group);
void analyze_leads_tell_ready(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
