/* SPDX-License-Identifier: MIT */
/*
 * Coroutines kept waiting: one coroutine has run for long, and others of its thread, which runs all coroutines of the
 * process, wait ten times longer than such waits ever took. All would have gone on in the first half of that run, and
 * none of them has. Their thread has acts on record, such as what it reads from a descriptor, so that the run is not
 * silent; the kernel's accounts must say that it hardly slept.
 */
#include "analyze/rounds.h"
#include "rules/parts.h"

#define LEAST_WAITS 10u /* fewer do not show how long such a wait takes */

static int64_t run_ns(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_party_working_until(analysis, coro->process) - coro->changed;
}

/* Did it wait as the run began, and would it have gone on in the run's first half? */
static bool is_due(const struct analysis *analysis, uint32_t index, const struct model_coro *runner)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	const struct histogram *waits = model_waits_at(analysis->model, coro->wait_site);
	int64_t waited_ns;

	if (coro->state != CT_STATE_WAITING || coro->mark || coro->suspended == CT_NO_TIME ||
		coro->suspended > runner->changed)
		return false;
	waited_ns = analyze_party_working_until(analysis, coro->process) - coro->suspended;
	if (run_ns(analysis, runner) < waited_ns / 2)
		return false;
	return (waits->count >= LEAST_WAITS && (uint64_t)waited_ns / TIMES_LONGER > waits->max) ||
	       analyze_rounds_is_overdue(analysis, index);
}

/* Has this coroutine run on another thread, or since the runner's run began? A runner may itself be a scheduler. */
static bool runs_elsewhere(const struct model_coro *coro, const struct model_coro *runner)
{
	return coro->nr_resumes &&
	       (coro->thread != runner->thread ||
		       (coro->resumed != CT_NO_TIME && coro->resumed > runner->changed));
}

/* Was the thread at work, or only without a processor? Half of an endless time at least must be its own. */
static bool is_at_work(const struct analysis *analysis, const struct model_coro *runner)
{
	struct model_account account;
	ct_time from;
	int64_t span;

	if (!model_account_since(analysis->model, runner->thread, runner->changed, &account, &from))
		return false;
	span = account.time - from;
	return span > run_ns(analysis, runner) / 2 &&
	       (int64_t)account.ran_ns > LIMIT(analysis, ENDLESS_TIME) / 2 &&
	       (int64_t)(account.ran_ns + account.waited_ns) > span / 4 * 3;
}

uint32_t rules_kept_waiting_count(
	const struct analysis *analysis, uint32_t runner, uint32_t *ret_first)
{
	const struct model *model = analysis->model;
	const struct model_coro *of = &model->coros.at[runner];
	uint32_t count = 0, i;

	*ret_first = 0;
	if (!is_at_work(analysis, of))
		return 0;
	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		if (i == runner || coro->process != of->process)
			continue;
		if (runs_elsewhere(coro, of))
			return 0;
		if (!is_due(analysis, i, of))
			continue;
		count++;
		if (!*ret_first || coro->suspended < model->coros.at[*ret_first].suspended)
			*ret_first = i;
	}
	return count;
}
