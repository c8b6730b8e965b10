/* SPDX-License-Identifier: MIT */
/* Events that hooks write: before the run, or after it, when another thread may run the coroutine already (P-36). */
#ifndef EVENT_AROUND_H
#define EVENT_AROUND_H

#include "corotracer/ctp.h"
#include "corotracer/event.h"

/*
 * Returns whether a hook around the run wrote the event. In events other than resume and suspend the bit has another
 * meaning.
 */
static inline bool event_is_told_around(const struct ct_event *event)
{
	return (event->kind == CTP_KIND_RESUME || event->kind == CTP_KIND_SUSPEND) &&
	       event->flags & CTP_TOLD_AROUND;
}

#endif
