/* SPDX-License-Identifier: MIT */
/*
 * Wakes of coroutines that had been woken already. It costs nothing where each is woken once.
 */
#include "model/parts.h"

static struct model_repeat *repeat_of(struct model *model, uint32_t site, bool *ret_is_out)
{
	uint32_t index = 0;

	if (map_get(&model->repeat_at, site, &index))
		return &model->repeats.at[index];
	if (model->repeats.count >= MODEL_REPEATS) {
		model->nr_tallies_refused++;
		return NULL;
	}
	index = (uint32_t)model->repeats.count;
	*ret_is_out = !vec_push(&model->repeats, (struct model_repeat){.site = site}) ||
		      !map_put(&model->repeat_at, site, index);
	return *ret_is_out ? NULL : &model->repeats.at[index];
}

/* The rarest one gives way, with its count, so that nobody who wakes often is missed. */
static void count_waker(struct model_repeat *repeat, uint32_t site)
{
	struct model_repeat_waker *place = &repeat->wakers[0];
	unsigned i;

	for (i = 0; i < MODEL_REPEAT_WAKERS; i++) {
		if (repeat->wakers[i].site == site && repeat->wakers[i].count) {
			place = &repeat->wakers[i];
			break;
		}
		if (repeat->wakers[i].count < place->count)
			place = &repeat->wakers[i];
	}
	place->site = site;
	place->count++;
}

/* Was it woken since it waits, by a wake and not by a queue alone? */
static bool was_woken(const struct model_coro *coro)
{
	return coro->state == CT_STATE_READY && coro->wake_time != CT_NO_TIME &&
	       coro->wake_time >= coro->suspended && coro->wake_outcome == CTP_OUTCOME_QUEUED;
}

bool model_repeat_wake(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_coro *coro = coro_at(model, index);
	struct model_repeat *repeat;
	bool is_out = false;

	if (!was_woken(coro) || event->argument != CTP_OUTCOME_QUEUED)
		return true;
	repeat = repeat_of(model, coro->wait_site, &is_out);
	if (!repeat)
		return !is_out;
	repeat->nr_waits += !(coro->flags & MODEL_CORO_WAS_WOKEN_AGAIN);
	repeat->nr_wakes++;
	repeat->coro = index;
	repeat->thread = event->thread;
	repeat->event = event->sequence;
	repeat->time = event->time;
	count_waker(repeat, event->site);
	coro->flags |= MODEL_CORO_WAS_WOKEN_AGAIN;
	return true;
}

static bool keep_twice(
	struct model *model, const struct model_coro *coro, const struct ct_event *event)
{
	struct model_twice twice = {
		.coro = (uint32_t)(coro - model->coros.at),
		.wait_thread = coro->thread,
		.wait_site = coro->wait_site,
		.wait_object = coro->wait_object,
		.suspended = coro->suspended,
		.wait_event = coro->wait_event,
		.resumed = coro->resumed,
		.resume_event = coro->resume_event,
		.thread = event->thread,
		.time = event->time,
		.sequence = event->sequence,
		.has_deadline = coro->deadline != CT_NO_TIME,
		.is_yield = coro->point != CTP_POINT_AWAIT,
		.wakes = {coro->wake_before, model_wake_last(coro)},
	};

	return model->twices.count >= MODEL_GHOSTS || vec_push(&model->twices, twice);
}

bool model_repeat_run(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_coro *coro = coro_at(model, index);
	bool is_unwoken = coro->state == CT_STATE_WAITING && coro->wake_time < coro->suspended;
	bool had_spare_wake = coro->has_spare_wake;

	if (is_unwoken)
		model_times_unwoken(model, coro);
	coro->has_spare_wake = coro->flags & MODEL_CORO_WAS_WOKEN_AGAIN;
	if (event->flags & CT_FLAG_ORDER_UNKNOWN)
		return true;
	return !had_spare_wake || !is_unwoken || keep_twice(model, coro, event);
}

void model_repeat_explain(struct model *model, uint32_t index)
{
	size_t i;

	for (i = model->twices.count; i-- > 0;) {
		struct model_twice *twice = &model->twices.at[i];

		if (!is_near(model, twice->time, coro_at(model, index)->changed))
			return;
		twice->is_explained |= twice->coro == index;
	}
}

void model_repeat_fini(struct model *model)
{
	vec_fini(&model->twices);
	vec_fini(&model->repeats);
	map_fini(&model->repeat_at);
}
