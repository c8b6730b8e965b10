/* SPDX-License-Identifier: MIT */
/*
 * Watchdogs (watchdog.h): for each coroutine, whether it ever did more than sleep.
 */
#include "rules/watchdog.h"
#include "rules/parts.h"

#define LEAST_SLEPT_NS INT64_C(500000000)

static bool note(struct model_watch *watch, uint32_t coro)
{
	bool *has_worked = model_watch_coro(watch, coro);

	if (coro && !*has_worked)
		*has_worked = true;
	return true;
}

bool rules_watchdog_look(struct model_watch *watch, const struct model_sight *sight)
{
	return note(watch, sight->coro);
}

/* Is it not recorded what the wait is for? */
static bool is_untold(const struct model_coro *coro)
{
	return !coro->wait_object && coro->rare->deadline == CT_NO_TIME;
}

/*
 * A wait that another coroutine ends is no sleep; nor is one for something untold that a thread ends: it may have been
 * for a reply.
 */
bool rules_watchdog_look_by(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	bool is_awaited = sight->by || (coro->state == CT_STATE_WAITING && is_untold(coro));

	return note(watch, sight->by) && (!is_awaited || note(watch, sight->coro));
}

bool rules_watchdog_look_at_begin(struct model_watch *watch, const struct model_sight *sight)
{
	return note(watch, sight->by);
}

bool rules_watchdog_look_at_wait(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];

	return is_untold(coro) || analyze_wait_is_timed(coro) || note(watch, sight->coro);
}

bool rules_watchdog_is(const struct analysis *analysis, const struct model_crash *crash)
{
	const struct model_coro *coro = &analysis->model->coros.at[crash->coro];
	const struct model_watch *watch = analyze_watch_of(analysis, &rules_crash);
	ct_time since = coro->suspended != CT_NO_TIME ? coro->suspended : coro->created;
	int64_t slept_ns;

	if (!crash->coro || !crash->is_raised || since == CT_NO_TIME ||
		coro->state != CT_STATE_RUNNING || coro->resumed == CT_NO_TIME ||
		!(coro->flags & MODEL_CORO_WAS_CREATED) ||
		*(const bool *)model_watch_coro(watch, crash->coro))
		return false;
	slept_ns = ct_time_between(since, coro->resumed);
	return slept_ns >= LEAST_SLEPT_NS &&
	       ct_time_between(coro->resumed, crash->time) < slept_ns / TIMES_LONGER;
}
