/* SPDX-License-Identifier: MIT */
/*
 * Calls that held a coroutine and its thread for at least a millisecond, or at the end: a row of the states says that
 * the coroutine ran meanwhile, and lanes show that it did not.
 */
#ifndef VIEW_LANE_CALLS_H
#define VIEW_LANE_CALLS_H

#include "view/folding.h"

/*
 * view_calls_end: adds the call that ends with this event, before the model applies that. view_calls_finish: adds
 * those that go on; call after model_finish. False: out of memory.
 */
bool view_calls_end(struct fold *fold, const struct ct_event *event);
bool view_calls_finish(struct fold *fold);

/* view_calls_next: returns the first call of the thread that ends after `from`; NULL: there is none. */
const struct view_call *view_calls_next(const struct ct_view *view, uint32_t thread, ct_time from);

#endif
