/* SPDX-License-Identifier: MIT */
/*
 * The judgement's view of the public thresholds. The judgement changes nothing in them.
 */
#ifndef ANALYZE_THRESHOLDS_H
#define ANALYZE_THRESHOLDS_H

#include "corotracer/ct.h"
#include "base/vec.h"

struct ct_thresholds {
	int64_t values[CT_NR_THRESHOLDS];
	VEC(char *) allowed; /* patterns of places */
};

#endif
