/* SPDX-License-Identifier: MIT */
/* The effects of wakes. */
#ifndef EVENT_WAKES_H
#define EVENT_WAKES_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ctp.h"

/* event_makes_ready: returns whether a wake with this outcome makes its target ready. */
static inline bool event_makes_ready(uint8_t outcome)
{
	return outcome == CTP_OUTCOME_QUEUED || outcome == CTP_OUTCOME_ALREADY_QUEUED ||
	       outcome == CTP_OUTCOME_RESUMED;
}

#endif
