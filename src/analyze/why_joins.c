/* SPDX-License-Identifier: MIT */
/*
 * The coroutines that a coroutine awaits, and those that would go on if it did.
 *
 * The model keeps how many coroutines a coroutine awaits, and their ids combined by exclusive or. Those that it started
 * and that live are these exactly if both numbers agree.
 */
#include <inttypes.h>

#include "analyze/why_joins.h"

#define NAMED 8u

struct joined {
	uint32_t count;
	uint64_t ids;   /* combined by exclusive or */
	uint32_t named; /* how many `words` names */
	uint32_t slowest;
	const char *words;
};

static bool waits_longer(const struct model_coro *coro, const struct model_coro *other)
{
	if (coro->state != CT_STATE_WAITING || other->state != CT_STATE_WAITING)
		return coro->state == CT_STATE_WAITING;
	return coro->suspended < other->suspended;
}

static void add(struct analysis *analysis, struct joined *joined, uint32_t index)
{
	const struct model_coro *at = analysis->model->coros.at;

	joined->ids ^= at[index].id;
	if (!joined->count++ || waits_longer(&at[index], &at[joined->slowest]))
		joined->slowest = index;
	if (joined->named == NAMED)
		return;
	joined->words = analyze_say(analysis, "%s%s%s", joined->words, joined->named++ ? ", " : "",
		analyze_words_coro(analysis, &at[index]));
}

static bool is_child(const struct model_coro *coro, uint32_t parent)
{
	return coro->parent == parent && coro->state != CT_STATE_DESTROYED &&
	       (coro->flags & MODEL_CORO_WAS_AWAITED);
}

uint32_t analyze_why_joins(struct analysis *analysis, struct story *story, uint32_t index)
{
	const struct model *model = analysis->model;
	const struct model_rare *rare = model->coros.at[index].rare;
	struct joined joined = {.words = ""};
	uint32_t i;

	if (rare->nr_awaits < 2 || model->coros.at[index].state != CT_STATE_WAITING)
		return 0;
	for (i = 1; i < model->coros.count; i++)
		if (is_child(&model->coros.at[i], index))
			add(analysis, &joined, i);
	if (joined.count != rare->nr_awaits || joined.ids != rare->awaited)
		return 0;
	analyze_story_fact(analysis, story, "it waits for the ends of %" PRIu32 " coroutines: %s%s",
		joined.count, joined.words, joined.named < joined.count ? ", and others" : "");
	return joined.slowest;
}

static bool waits_for(const struct analysis *analysis, uint32_t waiter, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[waiter];

	if (waiter == index || coro->state != CT_STATE_WAITING)
		return false;
	return analyze_ties_next(analysis, waiter) == index ||
	       (coro->rare->nr_awaits > 1 && is_child(&analysis->model->coros.at[index], waiter));
}

void analyze_why_joins_back(struct analysis *analysis, struct story *story, uint32_t index)
{
	const struct model *model = analysis->model;
	uint64_t count = 0, first = 0;
	uint32_t i;

	for (i = 1; i < model->coros.count; i++)
		if (waits_for(analysis, i, index))
			first = count++ ? first : model->coros.at[i].id;
	if (count == 1)
		analyze_story_fact(analysis, story, "coroutine %" PRIu64 " waits for it", first);
	else if (count)
		analyze_story_fact(analysis, story,
			"%" PRIu64 " coroutines wait for it, coroutine %" PRIu64 " among them",
			count, first);
}
