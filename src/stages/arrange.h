/* SPDX-License-Identifier: MIT */
/*
 * A source that puts the events of another source into a possible order.
 *
 * A time-stamp may be earlier than its event, by at most the reach, but never later (docs/design/order.md). So events
 * of two threads that lie within the reach may come in the wrong order: a resume before the suspend that it follows. If
 * a step of a coroutine or a lock does not fit the state before it, this source searches for an order of the subject's
 * steps in which every step fits, within the reach and without changing the order of any thread. The time of an event
 * that is moved after another one is raised to the other's time; `order` of the source counts such events. If no such
 * order is found, the events stay as they came. An event that contradicts the events before it, although some order may
 * be free of the contradiction, is marked with CT_FLAG_ORDER_UNKNOWN; a contradicting event without the mark
 * contradicts in every order.
 */
#ifndef STAGES_ARRANGE_H
#define STAGES_ARRANGE_H

#include "stream/stream.h"

/* A reader's room of this size is used directly; with a smaller room events are copied. */
#define ARRANGE_ROOM_EVENTS 12288u

/*
 * arrange_open: opens a source in front of `inner`, which must not grow and is closed with this source; on failure
 * `inner` stays the caller's. For a trace with one thread, or a trace that is ordered already, *ret_source is `inner`
 * itself. At most some thousand events are held back. One thread at a time uses the source. CT_ERR_NO_MEMORY.
 */
enum ct_status arrange_open(
	struct ct_source *inner, struct ct_source **ret_source, struct ct_error *reterr);

#endif
