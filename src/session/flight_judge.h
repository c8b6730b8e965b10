/* SPDX-License-Identifier: MIT */
/*
 * Findings in a flight recorder's window, judged from time to time while it records.
 *
 * A judgement reads all that the window holds. So it happens on a thread of its own, behind the traced program (nice),
 * of a copy in memory, and no more often than that it takes a twentieth of one processor.
 */
#ifndef SESSION_FLIGHT_JUDGE_H
#define SESSION_FLIGHT_JUDGE_H

#include "corotracer/ct.h"
#include "stream/stream.h"

struct flight_judge;

/* flight_judge_new: `thresholds` outlive it; NULL: all defaults. NULL: out of memory. */
struct flight_judge *flight_judge_new(const struct ct_thresholds *thresholds);

/* flight_judge_free: breaks off what is being judged. NULL is allowed. */
void flight_judge_free(struct flight_judge *judge);

/*
 * flight_judge_look: everything up to now_ns is in the window (store/window.h). True: a judgement is done; the gravest
 * grade of each rule. Never waits for one.
 */
bool flight_judge_look(struct flight_judge *judge, struct ct_sink *window, uint64_t now_ns,
	enum ct_grade ret_grades[CT_NR_RULES]);

#endif
