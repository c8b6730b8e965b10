/* SPDX-License-Identifier: MIT */
/*
 * Lengths of time as people write them: "12.5s", "300ms", "2min".
 */
#ifndef BASE_DURATION_H
#define BASE_DURATION_H

#include <stdbool.h>
#include <stdint.h>

#define DURATION_UNITS "ns, us, ms, s, min or h" /* for messages */

/*
 * duration_read: reads digits, with or without a fraction, and one of the units, of which min may be written m; the
 * whole text must match. Returns false if the text is not of this form, is not a whole number of nanoseconds, or does
 * not fit (292 years).
 */
bool duration_read(const char *text, int64_t *ret_ns);

#endif
