/* SPDX-License-Identifier: MIT */
/*
 * A lock of a coroutine that has ended. Another one may be meant to give it back, as who started the one that took it:
 * therefore it counts only if it was taken much longer ago than any other that had it took to let it go again.
 */
#include "rules/parts.h"

#define LEAST_TAKES 10u /* fewer do not show for how long it is had */

static bool has_ended(const struct model_coro *coro)
{
	return (coro->state == CT_STATE_DONE || coro->state == CT_STATE_DESTROYED) &&
	       !coro->is_presumed_done;
}

bool rules_kept_lock_is(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_object *object = analyze_ties_object(analysis, coro);
	ct_time end = analyze_party_working_until(analysis, coro->process);

	if (!object->is_held || !object->owner || object->owner == MODEL_OWNER_UNKNOWN ||
		object->is_handed || object->is_of_thread || object->nr_takes < LEAST_TAKES ||
		object->nr_overlaps || CTP_HANDLE_RESOURCE(object->handle) != CTP_RESOURCE_LOCK)
		return false;
	return has_ended(&analysis->model->coros.at[object->owner]) &&
	       analyze_waited_ns(analysis, coro) > LIMIT(analysis, NOTIFIED_TIME) &&
	       (end - object->owned) / TIMES_LONGER > object->longest_held &&
	       !model_lost_between(analysis->model, coro->process, object->owned, end);
}
