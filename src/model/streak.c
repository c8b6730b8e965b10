/* SPDX-License-Identifier: MIT */
/*
 * Streaks of wakes by oneself: a coroutine makes itself ready, waits, runs, and makes itself ready again.
 * A streak ends with anything else that it does: taking, giving, waking others, transfers, children. A
 * voluntary yield begins none.
 */
#include "model/parts.h"

void model_coro_try(struct model *model, uint32_t index)
{
	uint32_t streak = index ? coro_at(model, index)->streak : 0;

	if (streak)
		model->streaks.at[streak].count = 0;
}

void model_coro_progress(struct model *model, uint32_t index)
{
	if (index)
		model_spin_break(model, coro_at(model, index)->process);
	model_herd_progress(model, index);
	model_coro_try(model, index);
}

static bool begin(struct model *model, struct model_coro *coro, uint32_t index)
{
	if (coro->streak || model->streaks.count >= UINT32_MAX)
		return true;
	if (!vec_push(&model->streaks, (struct model_streak){.coro = index}))
		return false;
	coro->streak = (uint32_t)(model->streaks.count - 1);
	return true;
}

bool model_coro_woke_itself(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_coro *coro = coro_at(model, index);
	struct model_streak *streak;

	if (coro->point == CTP_POINT_YIELD)
		return true;
	if (!begin(model, coro, index))
		return false;
	streak = &model->streaks.at[coro->streak];
	if (streak->count++ == 0)
		streak->first = event->time;
	streak->last = event->time;
	/* What it writes while it runs is its own doing; a scheduler may repeat it afterwards. */
	if (coro->state == CT_STATE_RUNNING || !streak->was_running)
		streak->site = event->site;
	streak->was_running |= coro->state == CT_STATE_RUNNING;
	streak->nr_self_wakes++;
	if (streak->count <= streak->longest)
		return true;
	streak->longest = streak->count;
	streak->longest_first = streak->first;
	streak->longest_last = streak->last;
	streak->wait_site = coro->wait_site;
	return true;
}
