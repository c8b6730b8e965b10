/* SPDX-License-Identifier: MIT */
/*
 * Told before: what a coroutine waits for was announced just before it began to wait, while nobody waited.
 */
#include "rules/parts.h"

/* A notify and a wait that race lie close together. */
#define RACE_NS INT64_C(10000000)

/* A condition does not keep a notify, but who waits has looked before: only the first wait there may have missed it. */
static bool may_have_missed(const struct analysis *analysis, const struct model_coro *coro)
{
	return CTP_HANDLE_RESOURCE(coro->wait_object) != CTP_RESOURCE_CONDITION ||
	       !model_waits_at(analysis->model, coro->wait_site)->count;
}

#define ON_ITS_WAY_NS INT64_C(1000000000)

/* Was the notify lost, of which nothing is kept, and was the coroutine on its way to the first of all such waits? */
static bool was_on_its_way(const struct model_coro *coro, const struct model_object *object)
{
	return object->vain.is_unkept && object->found.time == CT_NO_TIME &&
	       coro->created != CT_NO_TIME && coro->created < object->changed;
}

/* An event that was set long before may have been cleared on purpose: to hold others up until it is set again. */
bool rules_told_before_is(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_object *object = analyze_ties_object(analysis, coro);

	return rules_last_change_came_before(analysis, coro) &&
	       rules_left_behind_is_longest(analysis, coro) && may_have_missed(analysis, coro) &&
	       coro->suspended - object->changed <
		       (was_on_its_way(coro, object) ? ON_ITS_WAY_NS : RACE_NS);
}
