/* SPDX-License-Identifier: MIT */
/*
 * The list of reasons for a lower grade, and the bit of each reason.
 */
#ifndef ANALYZE_REASON_H
#define ANALYZE_REASON_H

#include <stdint.h>

/* Why a grade is lower than it could be. */
enum reason {
#define X(name, sentence) REASON_##name,
#include "analyze/reasons.def"
#undef X
	NR_REASONS,
};

_Static_assert(NR_REASONS <= 64, "each reason is a bit");

#define REASON(name) (UINT64_C(1) << REASON_##name)

#endif
