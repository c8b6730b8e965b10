/* SPDX-License-Identifier: MIT */
/*
 * Watching a program while it is recorded: the conditions under which its past is wanted.
 *
 * A watch is a sink that passes everything on to another one, and folds the records into a snapshot of its
 * own on the way. Statistics are of the last one to two seconds.
 */
#ifndef STAGES_WATCH_H
#define STAGES_WATCH_H

#include "condition/condition.h"
#include "corotracer/ct.h"
#include "stream/stream.h"

struct watch;

/* watch_open: in front of `next`, which is closed with it. One thread at a time. */
enum ct_status watch_open(struct ct_sink *next, struct watch **ret_watch, struct ct_error *reterr);
struct ct_sink *watch_sink(struct watch *watch);

/* watch_add: one condition more. CT_ERR_USAGE where it cannot be read. */
enum ct_status watch_add(struct watch *watch, const char *condition, struct ct_error *reterr);

/*
 * watch_look: is the past wanted at this moment (CLOCK_MONOTONIC)? True, and why in `ret_reason`, once when a
 * condition becomes true, and again only after it was clearly false for a second; and for each dump mark of
 * the program.
 */
bool watch_look(struct watch *watch, uint64_t now_ns, struct text *ret_reason);

/*
 * watch_wants_findings: does a condition ask for what is found? Then whoever can judge says from time to time what the
 * gravest finding of each rule is: watch_take_findings.
 */
bool watch_wants_findings(const struct watch *watch);
void watch_take_findings(struct watch *watch, const enum ct_grade grades[CT_NR_RULES]);

#endif
