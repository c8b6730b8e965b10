/* SPDX-License-Identifier: MIT */
/*
 * A lock of a coroutine that has ended, or that goes on without giving it back. Another one may be meant to do so, as
 * who started the one that took it: therefore it counts only if it was taken much longer ago than any other that had
 * it took to let it go again, and, of one that goes on, only if that one used to let go of locks soon itself, and is
 * back where it had waited before it took this one: a long job under a lock waits elsewhere. One that was cancelled, or
 * failed, took no lock for another one: that alone counts.
 */
#include <inttypes.h>

#include "rules/parts.h"

#define LEAST_TAKES 10u /* fewer do not show for how long it is had */

bool rules_kept_lock_has_ended(const struct model_coro *coro)
{
	return (coro->state == CT_STATE_DONE || coro->state == CT_STATE_DESTROYED) &&
	       !coro->is_presumed_done;
}

static bool was_cut(const struct model_coro *owner)
{
	return rules_kept_lock_has_ended(owner) &&
	       (owner->rare->cancelled_site || owner->rare->failed_site);
}

/* An owner that lets go of locks much sooner, has come back to where it was before, and waits for nothing long. */
static bool goes_on(const struct model_coro *owner, ct_time taken, ct_time end)
{
	int64_t held = end - taken;

	return !rules_kept_lock_has_ended(owner) && owner->rare->nr_let_go >= LEAST_TAKES &&
	       held / TIMES_LONGER > owner->rare->longest_held && owner->suspended != CT_NO_TIME &&
	       owner->resumed != CT_NO_TIME && owner->resumed - taken > held / 2 &&
	       owner->wait_site && owner->wait_site == owner->rare->site_before &&
	       end - owner->changed < held / TIMES_LONGER;
}

bool rules_kept_lock_is(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_object *object = analyze_ties_object(analysis, coro);
	ct_time end = analyze_party_working_until(analysis, coro->process);
	const struct model_coro *owner;

	if (!object->is_held || !object->owner || object->owner == MODEL_OWNER_UNKNOWN ||
		object->is_handed || object->is_of_thread || object->nr_overlaps ||
		CTP_HANDLE_RESOURCE(object->handle) != CTP_RESOURCE_LOCK ||
		analyze_waited_ns(analysis, coro) <= LIMIT(analysis, NOTIFIED_TIME) ||
		model_lost_between(analysis->model, coro->process, object->owned, end))
		return false;
	owner = &analysis->model->coros.at[object->owner];
	if (was_cut(owner))
		return end - owner->changed > LIMIT(analysis, NOTIFIED_TIME);
	return (rules_kept_lock_has_ended(owner) || goes_on(owner, object->owned, end)) &&
	       object->nr_takes >= LEAST_TAKES &&
	       (end - object->owned) / TIMES_LONGER > object->longest_held;
}

const char *rules_kept_lock_words(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_object *object = analyze_ties_object(analysis, coro);

	const struct model_coro *owner = &analysis->model->coros.at[object->owner];

	if (!rules_kept_lock_has_ended(owner))
		return "and who has the lock goes on without giving it back";
	return owner->rare->cancelled_site ? "and who has the lock was cancelled"
	       : owner->rare->failed_site  ? "and who has the lock has failed"
					   : "and who has the lock has ended";
}

void rules_kept_lock_tell(
	struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	const struct model_object *object = analyze_ties_object(analysis, coro);
	const struct model_coro *owner = &analysis->model->coros.at[object->owner];
	ct_time end = analyze_party_working_until(analysis, coro->process);

	if (rules_kept_lock_has_ended(owner))
		return;
	analyze_story_evidence(analysis, story,
		"%s has had the lock for %s; it let go of locks %" PRIu32
		" times before, each after at most %s, and is back where it waited before, at %s",
		analyze_words_coro(analysis, owner),
		analyze_words_duration(analysis, end - object->owned), owner->rare->nr_let_go,
		analyze_words_duration(analysis, owner->rare->longest_held),
		analyze_words_place(analysis, owner->wait_site));
}
