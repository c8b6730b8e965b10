/* SPDX-License-Identifier: MIT */
/*
 * A source that puts events of another one into an order that can be.
 *
 * A time-stamp may be earlier than its event, by the reach at most, and never later (docs/design/order.md). So events
 * of two threads that lie within the reach may come in the wrong order: a resume before the suspend that it follows.
 * Where a step of a coroutine or a lock does not lead on from where that is, this source looks for an order of its
 * steps, within the reach and with each thread's own order kept, in which they do. An event that is put behind another
 * one has its time raised to that one's; `order` of the source counts it. Where no such order is found the events stay
 * as they came. One that contradicts what came before it, though perhaps some order would be free of that, is marked
 * with CT_FLAG_ORDER_UNKNOWN; one without the mark contradicts in every order.
 */
#ifndef STAGES_ARRANGE_H
#define STAGES_ARRANGE_H

#include "stream/stream.h"

/* A reader's room of so many events is used as it is; for a smaller one they are copied. */
#define ARRANGE_ROOM_EVENTS 12288u

/*
 * arrange_open: before `inner`, a source that does not grow, which is closed with it; on failure `inner` stays the
 * caller's. For a trace with one thread, or one that is ordered, *ret_source is `inner` itself. Some thousand events
 * are held back at most. Used on one thread at a time. CT_ERR_NO_MEMORY.
 */
enum ct_status arrange_open(
	struct ct_source *inner, struct ct_source **ret_source, struct ct_error *reterr);

#endif
