/* SPDX-License-Identifier: MIT */
/*
 * The flags of an event as recorded, without the flags that the reader adds about the order of steps. The added flags
 * are for judging this reading, and not for files or tables that are made from it.
 */
#ifndef EVENT_FLAGS_H
#define EVENT_FLAGS_H

#include "corotracer/ctp.h"
#include "corotracer/event.h"

/* event_has_order: returns whether the event is a step of a coroutine or a lock, whose order readers examine. */
static inline bool event_has_order(const struct ct_event *event)
{
	switch (event->kind) {
	case CTP_KIND_CREATE:
	case CTP_KIND_RESUME:
	case CTP_KIND_SUSPEND:
	case CTP_KIND_SWITCH:
	case CTP_KIND_CANCEL:
	case CTP_KIND_WAKE:
	case CTP_KIND_ENQUEUE:
	case CTP_KIND_RETURN:
	case CTP_KIND_DESTROY:
	case CTP_KIND_SYSCALL_END:
	case CTP_KIND_ACQUIRE:
	case CTP_KIND_RELEASE:
	case CTP_KIND_HAND_OVER:
		return true;
	default:
		return false;
	}
}

/* event_flags_told: returns the recorded flags of the event, without the flags that the reader adds. */
static inline unsigned event_flags_told(const struct ct_event *event)
{
	unsigned added = CT_FLAG_ORDER_UNKNOWN | CT_FLAG_ORDER_CHOSEN;

	return event_has_order(event) ? event->flags & ~added : event->flags;
}

#endif
