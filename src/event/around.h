/* SPDX-License-Identifier: MIT */
/*
 * Runs that hooks tell: in front of the run, or behind it, when others may run the coroutine already (P-36).
 */
#ifndef EVENT_AROUND_H
#define EVENT_AROUND_H

#include "corotracer/ctp.h"
#include "corotracer/event.h"

/* Whether a hook around the run told the event. In events other than resume and suspend the bit says nothing. */
static inline bool event_is_told_around(const struct ct_event *event)
{
	return (event->kind == CTP_KIND_RESUME || event->kind == CTP_KIND_SUSPEND) &&
	       event->flags & CTP_TOLD_AROUND;
}

#endif
