/* SPDX-License-Identifier: MIT */
/*
 * Coroutines held up by one that does not release its thread: its ancestors that wait, coroutines that wait for what
 * it holds, and coroutines that it made ready in its present run and that no thread has run since. Its own thread may
 * in turn wait for one of the last kind.
 */
#include <inttypes.h>

#include "rules/parts.h"

bool rules_behind_is_waiting(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	return model_is_awaiting(coro) && !coro->mark &&
	       !analyze_wait_is_until_later(coro, analysis->parties[coro->process].end);
}

/* Did the blocker wake or start this coroutine in its present run, and has no thread run the coroutine since? */
static bool is_left_ready(const struct analysis *analysis, uint32_t index, uint32_t blocker)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	return is_ready(coro) && (coro->turns->wake.coro == blocker || coro->parent == blocker) &&
	       ready_since(coro) >= analysis->model->coros.at[blocker].changed;
}

/* A coroutine that is started lazily stays unseen until somebody asks for its result. */
static bool is_left_unseen(const struct analysis *analysis, uint32_t index, uint32_t blocker)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	return coro->state == CT_STATE_UNSEEN && coro->parent == blocker &&
	       coro->suspended == CT_NO_TIME && coro->created != CT_NO_TIME &&
	       coro->created >= analysis->model->coros.at[blocker].changed;
}

bool rules_behind_is(const struct analysis *analysis, uint32_t index, uint32_t blocker)
{
	if (index == blocker)
		return false;
	if (!rules_behind_is_waiting(analysis, index))
		return is_left_ready(analysis, index, blocker);
	return analyze_ties_next(analysis, index) == blocker ||
	       (analyze_ties_may_be_for_end(&analysis->model->coros.at[index]) &&
		       analyze_ties_comes_from(analysis->model, blocker, index));
}

bool rules_behind_is_not_begun(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	return coro->state == CT_STATE_UNSEEN && coro->flags & MODEL_CORO_WAS_CREATED &&
	       coro->suspended == CT_NO_TIME && !coro->mark;
}

static bool is_long_ready(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	return is_ready(coro) && !coro->mark &&
	       analysis->parties[coro->process].end - ready_since(coro) >
		       LIMIT(analysis, BLOCKED_TIME);
}

struct rules_waiting rules_behind_count(const struct analysis *analysis, uint32_t blocker)
{
	uint32_t process = analysis->model->coros.at[blocker].process, i;
	struct rules_waiting waiting = {0};

	for (i = 1; i < analysis->model->coros.count; i++) {
		if (analysis->model->coros.at[i].process != process || i == blocker)
			continue;
		if (rules_behind_is(analysis, i, blocker))
			waiting.nr_behind++;
		else if (rules_behind_is_waiting(analysis, i))
			waiting.nr_others++;
		else if (is_long_ready(analysis, i))
			waiting.nr_ready++;
		else if (rules_behind_is_not_begun(analysis, i))
			waiting.nr_not_begun++;
	}
	return waiting;
}

void rules_behind_tell_left(struct analysis *analysis, struct story *story, uint32_t blocker)
{
	const struct model *model = analysis->model;
	const struct model_coro *of = &model->coros.at[blocker], *coro;
	bool is_child;
	uint32_t i = 1;

	while (i < model->coros.count && !is_left_unseen(analysis, i, blocker) &&
		!is_left_ready(analysis, i, blocker))
		i++;
	if (!blocker || i == model->coros.count)
		return;
	coro = &model->coros.at[i];
	is_child = coro->parent == blocker && coro->created >= of->changed;
	analyze_story_evidence(analysis, story,
		"%s, which coroutine %" PRIu64 " %s %s into its run, at %s, has not run since: it "
		"may be what that run waits for",
		analyze_words_coro(analysis, coro), of->id, is_child ? "started" : "woke",
		analyze_words_duration(
			analysis, (is_child ? coro->created : ready_since(coro)) - of->changed),
		analyze_words_place(analysis, is_child ? coro->spawn_site : coro->wait_site));
}
