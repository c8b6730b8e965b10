/* SPDX-License-Identifier: MIT */
/*
 * What the kernel told of a process that was looked at while it ran, beside its trace.
 */
#ifndef ANALYZE_WHY_LIVE_H
#define ANALYZE_WHY_LIVE_H

#include "analyze/parts.h"

/* analyze_why_live_remark: a remark on coroutines that wait for what is not open any more. */
void analyze_why_live_remark(struct analysis *analysis);

/* analyze_why_live_export: what the kernel told of all its threads, into report->live. */
void analyze_why_live_export(struct analysis *analysis, struct ct_report *report);

/* analyze_why_live_thread: what the thread did when it was looked at; false: nothing is known of that. */
bool analyze_why_live_thread(struct analysis *analysis, struct story *story, uint32_t thread);

/*
 * analyze_why_live_descriptor: what the descriptor that the coroutine waits for is, which epoll instances have it, and
 * who waits on those; nothing where nothing is known.
 */
void analyze_why_live_descriptor(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

/*
 * analyze_why_live_place: what the kernel told of the descriptor that the coroutine waits for. UNSEEN: nothing, or of
 * none.
 */
enum why_place {
	WHY_PLACE_UNSEEN,
	WHY_PLACE_OPEN,
	WHY_PLACE_CLOSED,
};

enum why_place analyze_why_live_place(
	const struct analysis *analysis, const struct model_coro *coro);

#endif
