/* SPDX-License-Identifier: MIT */
/*
 * The program's own line: a coroutine of C++ that stands in a header is mostly a library's, made for one that the
 * program wrote, which awaits it. People know the line of that one.
 */
#ifndef ANALYZE_OWN_LINE_H
#define ANALYZE_OWN_LINE_H

#include <stdint.h>

struct analysis;
struct group;

/*
 * analyze_own_line: returns the place, in no header, at which a coroutine awaits the first member of the group, itself
 * or through coroutines that stand in headers; 0: the member waits in no header, or no such place is known.
 */
uint32_t analyze_own_line(const struct analysis *analysis, const struct group *group);

/*
 * analyze_words_own_line: returns words for where the group waits: its own line first, if there is one, "co_await work
 * in serve, main.cpp:45; inside of that, at co_await ...".
 */
const char *analyze_words_own_line(struct analysis *analysis, const struct group *group);

#endif
