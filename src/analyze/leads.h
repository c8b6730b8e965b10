/* SPDX-License-Identifier: MIT */
/*
 * Leads: what happened before a wait that goes on, or around the wake of a coroutine that does not run, and may be why.
 * No finding rests on a lead.
 */
#ifndef ANALYZE_LEADS_H
#define ANALYZE_LEADS_H

struct analysis;
struct model_coro;
struct story;

/*
 * analyze_leads_tell_process: evidence of wakes that met in one run (merged.h), of late notifies (late_notifies.h), of
 * a time-out that ran out since this wait began, woke nobody and was not set again, and of coroutines that failed.
 * analyze_leads_tell: the same, and who ended waits at the place before (provenance.h, wakers.h, pairs.h, asked.h), and
 * a run that woke nobody while others woke one each (omitted.h). analyze_leads_tell_ready: evidence that the thread
 * which made this one ready ended soon after, in a hundredth of the time since.
 */
void analyze_leads_tell_process(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);
void analyze_leads_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);
void analyze_leads_tell_ready(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
