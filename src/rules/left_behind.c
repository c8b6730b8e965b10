/* SPDX-License-Identifier: MIT */
/*
 * Coroutines left behind: one waits far longer than any has waited there. Where a trace tells neither what is waited
 * for nor who wakes, as those of version 1 do, others have to go on meanwhile. Where coroutines ended all these waits,
 * none may be left that did, nor any that could start such ones (analyze/wakers.h).
 */
#include "analyze/wakers.h"
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

/* The outside may bring what consumers wait for, by coroutines that are not there yet. */
static bool may_be_idle(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct stillness *still = &analysis->stills[coro->process];

	return (still->outside_descriptor || still->waits_for_network) &&
	       analyze_wakers_come_back(analysis, coro);
}

/* Nobody is left of those that ended such waits. */
static bool is_forsaken(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model *model = analysis->model;
	ct_time end = analysis->parties[coro->process].end;

	return end - coro->suspended > LIMIT(analysis, STANDSTILL_TIME) &&
	       !model_lost_between(model, coro->process, model->from, end) &&
	       analyze_party_is_at_work(analysis, coro->process, coro->suspended, end) &&
	       !may_be_idle(analysis, coro) && analyze_wakers_are_gone(analysis, coro);
}

/* Nothing is told but that it waits. */
static bool is_slow(const struct analysis *analysis, const struct model_coro *coro)
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

bool rules_left_behind_is(const struct analysis *analysis, const struct model_coro *coro)
{
	return is_slow(analysis, coro) || is_forsaken(analysis, coro);
}

const char *rules_left_behind_words(const struct analysis *analysis, const struct model_coro *coro)
{
	return is_slow(analysis, coro)
		       ? "ten times longer than any wait there has taken, while others go on"
		       : "ten times longer than any wait there has taken; all that ended those "
			 "have ended, or wait themselves";
}
