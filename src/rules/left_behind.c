/* SPDX-License-Identifier: MIT */
/*
 * Coroutines left behind: where a trace tells neither what is waited for nor who wakes, as those of version 1 do, no
 * more can be said than that one waits far longer than any has waited there, while others go on.
 */
#include "rules/parts.h"

#define LEAST_WAITS 10u /* of fewer it cannot be told how long one takes */
#define TIMES_LONGER 10

/* Do others run on, as they did? */
static bool do_others_go_on(
	const struct analysis *analysis, const struct model_coro *coro, int64_t waited_ns)
{
	ct_time last = analysis->model->processes[coro->process].last_run;

	return last != CT_NO_TIME &&
	       analysis->parties[coro->process].end - last < waited_ns / TIMES_LONGER;
}

/*
 * The missing events may be those in which it went on. Rows tell whose they are that are missing; other forms
 * do not.
 */
static bool may_have_gone_on(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct ct_tables *tables = analysis->tables;
	uint32_t i;

	if (!tables->has_no_end)
		return model_lost_between(analysis->model, coro->process, coro->suspended,
			       analysis->parties[coro->process].end) > 0;
	for (i = 0; i < tables->nr_losses; i++) {
		const struct ct_loss *loss = &tables->losses[i];

		if (loss->process == coro->process && loss->last > coro->suspended &&
			(loss->coro == 0 || loss->coro == coro->id))
			return true;
	}
	return false;
}

bool rules_left_behind_is(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_place_times *times = model_times_at(analysis->model, coro->wait_site);
	const struct histogram *waits = model_histogram(times ? times->waits : NULL);
	int64_t waited_ns = analysis->parties[coro->process].end - coro->suspended;

	if (coro->wait_object || coro->descriptor || coro->nr_wakes || coro->nr_resumes == 0 ||
		!times || waits->count < LEAST_WAITS || times->nr_unwoken < waits->count)
		return false;
	return waited_ns > LIMIT(analysis, STANDSTILL_TIME) &&
	       (uint64_t)waited_ns / TIMES_LONGER > waits->max &&
	       do_others_go_on(analysis, coro, waited_ns) && !may_have_gone_on(analysis, coro);
}
