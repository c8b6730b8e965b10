/* SPDX-License-Identifier: MIT */
/*
 * What the kernel reported of a process that was looked at while it ran, besides its trace.
 */
#ifndef ANALYZE_WHY_LIVE_H
#define ANALYZE_WHY_LIVE_H

#include "analyze/parts.h"

/* analyze_why_live_export: writes what the kernel reported of all threads into report->live. */
void analyze_why_live_export(struct analysis *analysis, struct ct_report *report);

/* analyze_why_live_thread: adds what the thread did when it was looked at. False: nothing is known about it. */
bool analyze_why_live_thread(struct analysis *analysis, struct story *story, uint32_t thread);

/*
 * analyze_why_live_descriptor: adds what the descriptor is that the coroutine waits for, which epoll instances have
 * it, and which threads wait on those instances. Adds nothing if nothing is known.
 */
void analyze_why_live_descriptor(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

/*
 * analyze_why_live_place: returns what the kernel reported of the descriptor that the coroutine waits for. UNSEEN:
 * nothing is known, or the coroutine waits for no descriptor.
 */
enum why_place {
	WHY_PLACE_UNSEEN,
	WHY_PLACE_OPEN,
	WHY_PLACE_CLOSED,
};

enum why_place analyze_why_live_place(
	const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_why_live_open: returns the open descriptor that the coroutine waits for, and in *ret_seen the look at its
 * process; NULL: analyze_why_live_place is not OPEN. analyze_why_live_kind: returns what it is, "a socket (inode 47)".
 * analyze_why_live_arrived: returns what has arrived at it, as a clause; "": nothing, or it is not known.
 */
const struct live_descriptor *analyze_why_live_open(const struct analysis *analysis,
	const struct model_coro *coro, const struct live **ret_seen);
const char *analyze_why_live_kind(
	struct analysis *analysis, const struct live_descriptor *descriptor);
const char *analyze_why_live_arrived(
	struct analysis *analysis, const struct live_descriptor *descriptor);

#endif
