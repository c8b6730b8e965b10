/* SPDX-License-Identifier: MIT */
/*
 * Lost wakeups that a look at memory tells: nothing that can run leads to what could end the wait (src/frames). That
 * cannot change, except by what the look did not see.
 *
 * A coroutine that is alone at its place, and for whose end no other one waits, may be meant to wait for ever, as the
 * main one of a server often is: nothing is said of it.
 */
#include "rules/parts.h"

const char rules_unreached_words[] = "memory was followed from all that can run, and nothing leads "
				     "to what could wake it";

/* What is known of the coroutines of a trace. */
struct unreached {
	struct analysis *analysis;
	uint32_t *nr_at; /* by site: how many wait there so */
	bool *is_awaited; /* by coroutine: another one that waits so waits for its end, or for what it holds */
};

/* The kernel ends a wait for a descriptor that is open. */
static bool is_unreached(const struct model *model, const struct model_coro *coro)
{
	uint32_t descriptor = coro->rare->descriptor;

	return coro->state == CT_STATE_WAITING && coro->flags & MODEL_CORO_IS_UNREACHED &&
	       !coro->mark &&
	       (!descriptor || model->descriptors.at[descriptor].closed != CT_NO_TIME);
}

static void look(struct unreached *unreached)
{
	const struct model *model = unreached->analysis->model;
	uint32_t i, nr_sites = (uint32_t)model->tables->nr_sites;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		if (!is_unreached(model, coro))
			continue;
		unreached->nr_at[coro->wait_site < nr_sites ? coro->wait_site : 0]++;
		unreached->is_awaited[analyze_ties_next(unreached->analysis, i)] = true;
	}
}

/* In a row of coroutines that wait for one another, the last one is told. */
static bool is_told(const struct unreached *unreached, uint32_t index)
{
	const struct model *model = unreached->analysis->model;
	const struct model_coro *coro = &model->coros.at[index];
	uint32_t next = analyze_ties_next(unreached->analysis, index);

	if (!is_unreached(model, coro) || unreached->analysis->is_told[index] ||
		(next && model->coros.at[next].state == CT_STATE_WAITING))
		return false;
	return unreached->is_awaited[index] ||
	       (coro->wait_site < model->tables->nr_sites && unreached->nr_at[coro->wait_site] > 1);
}

void rules_unreached_find(struct analysis *analysis, uint8_t variant)
{
	const struct model *model = analysis->model;
	struct unreached unreached = {.analysis = analysis};
	uint32_t i;

	unreached.nr_at =
		analyze_scratch(analysis, model->tables->nr_sites + 1, sizeof(*unreached.nr_at));
	unreached.is_awaited =
		analyze_scratch(analysis, model->coros.count, sizeof(*unreached.is_awaited));
	if (!unreached.nr_at || !unreached.is_awaited)
		return;
	look(&unreached);
	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];
		struct candidate candidate = {
			.rule = CT_RULE_LOST_WAKEUP,
			.variant = variant,
			.grade = CT_GRADE_LIKELY,
			.process = coro->process,
			.coro = i,
			.wait_site = coro->wait_site,
			.since = coro->suspended,
		};

		if (!is_told(&unreached, i))
			continue;
		analyze_candidate_limit(&candidate, CT_GRADE_SUSPECT, REASON_FOLLOWED_IN_PART);
		analyze_candidate_add(analysis, &candidate);
	}
}
