/* SPDX-License-Identifier: MIT */
/*
 * Watching a program while it is recorded: the conditions that make a flight recorder write a dump.
 *
 * A watch is a sink that passes everything on to another sink, and folds the records into a snapshot of its own.
 * Statistics are of the last one to two seconds.
 */
#ifndef STAGES_WATCH_H
#define STAGES_WATCH_H

#include "condition/condition.h"
#include "corotracer/ct.h"
#include "stream/stream.h"

struct watch;

/* watch_open: opens a watch in front of `next`, which is closed with it. One thread at a time. */
enum ct_status watch_open(struct ct_sink *next, struct watch **ret_watch, struct ct_error *reterr);
struct ct_sink *watch_sink(struct watch *watch);

/* watch_add: adds one condition. CT_ERR_USAGE if the condition cannot be read. */
enum ct_status watch_add(struct watch *watch, const char *condition, struct ct_error *reterr);

/*
 * watch_look: returns whether a dump is wanted at this moment (CLOCK_MONOTONIC), and the reason in `ret_reason`: once
 * when a condition becomes true, and again only after it was clearly false for a second; and for each dump mark of the
 * program.
 */
bool watch_look(struct watch *watch, uint64_t now_ns, struct text *ret_reason);

/*
 * watch_wants_findings: returns whether a condition asks for findings. If so, the code that can judge calls
 * watch_take_findings from time to time, with the grade of the gravest finding of each rule.
 */
bool watch_wants_findings(const struct watch *watch);
void watch_take_findings(struct watch *watch, const enum ct_grade grades[CT_NR_RULES]);

#endif
