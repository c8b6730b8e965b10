/* SPDX-License-Identifier: MIT */
/*
 * Vain timers: a time-out of a poll, or a timer's descriptor, ran out, and until the thread polled again nobody
 * was woken. If one did so a certain time after each of several waits began, it may have been their own time-out, which
 * then ended nothing.
 */
#ifndef ANALYZE_VAIN_TIMERS_H
#define ANALYZE_VAIN_TIMERS_H

struct analysis;
struct group;
struct story;

/*
 * analyze_vain_timers_tell: adds evidence if the group has at least two members, and as long after each one's wait had
 * begun, to within a twentieth, another timer ran out in vain, and few did besides.
 */
void analyze_vain_timers_tell(
	struct analysis *analysis, const struct group *group, struct story *story);

#endif
