/* SPDX-License-Identifier: MIT */
/*
 * The program's own line: a coroutine of C++ that stands in a header is mostly a library's, made for one that the
 * program wrote, which awaits it. People know the line of that one.
 */
#ifndef ANALYZE_OWN_LINE_H
#define ANALYZE_OWN_LINE_H

#include <stdint.h>

struct analysis;
struct ct_finding;
struct group;

/*
 * analyze_own_step: returns the place of something that a coroutine did to itself, of which it is known where it waits:
 * that place, if the other one stands in a header and this one does not.
 */
uint32_t analyze_own_step(const struct analysis *analysis, uint32_t site, uint32_t waits);

/*
 * analyze_own_look: returns the place to look at first of a finding that has one: if that stands in a header, the own
 * line of the member that waits there or did it, or the function of the coroutine that did it to others.
 */
uint32_t analyze_own_look(const struct analysis *analysis, const struct group *group,
	const struct ct_finding *finding);

/*
 * analyze_words_own_line: returns words for where the group waits: its own line first, if there is one, "co_await work
 * in serve, main.cpp:45; inside of that, at co_await ...".
 */
const char *analyze_words_own_line(struct analysis *analysis, const struct group *group);

#endif
