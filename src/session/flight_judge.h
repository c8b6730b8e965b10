/* SPDX-License-Identifier: MIT */
/*
 * Findings in a flight recorder's window, judged from time to time while it records.
 *
 * A judgement reads everything in the window. So it runs on a thread of its own with a lower priority than the traced
 * program (nice), on a copy in memory, and takes at most a twentieth of one processor on average.
 */
#ifndef SESSION_FLIGHT_JUDGE_H
#define SESSION_FLIGHT_JUDGE_H

#include "corotracer/ct.h"
#include "stream/stream.h"

struct flight_judge;

/* flight_judge_new: makes a judge. `thresholds` must outlive it; NULL: all defaults. Returns NULL if out of memory. */
struct flight_judge *flight_judge_new(const struct ct_thresholds *thresholds);

/* flight_judge_free: stops a judgement that is under way. NULL is allowed. */
void flight_judge_free(struct flight_judge *judge);

/*
 * flight_judge_look: everything up to now_ns is in the window (store/window.h). Returns true when a judgement is done,
 * with the gravest grade of each rule. Never waits for a judgement.
 */
bool flight_judge_look(struct flight_judge *judge, struct ct_sink *window, uint64_t now_ns,
	enum ct_grade ret_grades[CT_NR_RULES]);

#endif
