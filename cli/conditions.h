/* SPDX-License-Identifier: MIT */
/*
 * What help and man pages say of all conditions.
 */
#ifndef CLI_CONDITIONS_H
#define CLI_CONDITIONS_H

static const char condition_rules[] = "Statistics are p50, p90, p95, p99, p99.9, p99.99 and max; "
				      "of a whole trace mean, total and count instead of p95. "
				      "Comparisons are <, <=, >, >=, == and !=. Times take ns, us, "
				      "ms, s, min or h, counts k or M, shares %; grades are "
				      "suspect, likely and proven. A place is a function, FILE, "
				      "FILE:LINE or a name that the program gave it, and a rule "
				      "one of those that reports name, both with * and ?. "
				      "'findings >= likely == 0' counts findings of that grade and "
				      "above.";

#endif
