/* SPDX-License-Identifier: MIT */
/*
 * Lengths of time as people write them: "12.5s", "300ms", "2min".
 */
#ifndef BASE_DURATION_H
#define BASE_DURATION_H

#include <stdbool.h>
#include <stdint.h>

#define DURATION_UNITS "ns, us, ms, s, min or h" /* for sentences */

/*
 * duration_read: digits, with a fraction or without, and one of the units; all of the text. False where it is
 * something else, no whole number of nanoseconds, or more of them than fit (292 years).
 */
bool duration_read(const char *text, int64_t *ret_ns);

#endif
