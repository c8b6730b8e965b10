/* SPDX-License-Identifier: MIT */
/*
 * Reasons for a grade: a list, and a bit of each.
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

#define REASON(name) (UINT64_C(1) << REASON_##name)

#endif
