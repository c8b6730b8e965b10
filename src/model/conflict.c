/* SPDX-License-Identifier: MIT */
/*
 * Conflicts: steps that cannot follow from the state of the coroutine. Each is kept with that state, and with the
 * time at which the state began; the later event is believed nevertheless. What a conflict means is not decided here.
 */
#include "model/parts.h"

static bool keep(struct model *model, uint32_t index, struct model_conflict conflict)
{
	struct model_coro *coro = coro_at(model, index);

	model_set_rare(model, coro, conflict, 0);
	if (model->conflicts.count >= MODEL_GHOSTS)
		return true;
	if (!vec_push(&model->conflicts, conflict))
		return false;
	model_set_rare(model, coro, conflict, (uint32_t)(model->conflicts.count - 1));
	return true;
}

/* Could the coroutine's last step and this one, or an earlier pair, have happened in another order? */
static bool is_order_doubtful(
	const struct model *model, const struct model_coro *coro, const struct ct_event *event)
{
	if (coro->flags & MODEL_CORO_HAS_DOUBTFUL_ORDER)
		return true;
	return model_is_coarse(model) && coro->thread != event->thread &&
	       model_is_near(model, coro->changed, event->time);
}

bool model_coro_conflict(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_coro *coro = coro_at(model, index);
	struct model_conflict conflict = {
		.coro = index,
		.thread = event->thread,
		.site = event->site,
		.thread_before = coro->thread,
		.by = model_resumer(model, event),
		.by_before = coro->rare->resumer,
		.kind = event->kind,
		.state = coro->state,
		.was_idle = coro->state == CT_STATE_RUNNING && !(coro->flags & MODEL_CORO_ON_STACK),
		.had_spare_wake = coro->has_spare_wake,
		.time = event->time,
		.before = coro->changed,
		.sequence = event->sequence,
		.sequence_before = coro->last_event,
		.run_event = coro->resume_event,
		.wakes = {coro->turns->wake_before, model_wake_ready(coro)},
		.is_order_unknown = model_is_order_doubtful(coro),
	};

	if (!event_makes_ready(coro->turns->wake.outcome))
		conflict.wakes[0].time = CT_NO_TIME;
	/* Wakes before the coroutine's last wait have had their resume. */
	if (coro->suspended != CT_NO_TIME && conflict.wakes[0].time < coro->suspended)
		conflict.wakes[0].time = CT_NO_TIME;

	/* The step from the one state to the other is known to be missing. */
	if (event->flags & CT_FLAG_AFTER_GAP) {
		coro->last_event = event->sequence & MODEL_SEQUENCES;
		model_set_rare(model, coro, conflict, 0);
		return true;
	}
	/*
	 * The next event will show whether the thread that ran the coroutine has gone idle, so that a suspend is
	 * missing.
	 */
	if (coro->state == CT_STATE_RUNNING && coro->thread != event->thread &&
		(event->kind == CTP_KIND_RESUME || event->kind == CTP_KIND_SWITCH)) {
		coro->flags |= MODEL_CORO_EARLY_RESUME;
		conflict.is_explained = true;
	} else if (is_order_doubtful(model, coro, event)) {
		coro->flags |= MODEL_CORO_HAS_DOUBTFUL_ORDER;
		conflict.is_explained = true;
		model_put_in_order(model, 0);
	} else {
		model->nr_broken++;
	}
	coro->last_event = event->sequence & MODEL_SEQUENCES;
	return keep(model, index, conflict);
}

/* The coroutine that did this: woke the other one, put it into a queue, or resumed it. */
static uint32_t doer_of(struct model *model, const struct ct_event *event)
{
	if (event->kind == CTP_KIND_RESUME || event->kind == CTP_KIND_SWITCH)
		return model_resumer(model, event);
	return event->kind == CTP_KIND_WAKE && event->coro
		       ? model_coro_find(model, event->process, event->coro)
		       : model_thread_doer(model, event->thread);
}

bool model_coro_ghost(struct model *model, uint32_t coro, const struct ct_event *event)
{
	struct model_ghost ghost = {
		.coro = coro,
		.thread = event->thread,
		.site = event->site,
		.kind = event->kind,
		.argument = event->argument,
		.is_order_unknown = model_is_order_doubtful(coro_at(model, coro)),
		.by = doer_of(model, event),
		.is_by_frame = event->kind == CTP_KIND_WAKE &&
			       CTP_HANDLE_RESOURCE(event->object) == CTP_RESOURCE_FRAME,
		.time = event->time,
		.sequence = event->sequence,
	};
	uint32_t *wake = &model_rare_of(model, coro_at(model, coro))->ghost_wake;

	ghost.has_wake = *wake != 0;
	ghost.wake = *wake ? *wake - 1 : 0;
	if (event->kind == CTP_KIND_WAKE && event_makes_ready(event->argument) &&
		model->ghosts.count < MODEL_GHOSTS)
		*wake = (uint32_t)model->ghosts.count + 1;
	/*
	 * A step of a destroyed coroutine is broken; a wake changes no state by itself. So many wakes are for others
	 * that have its address now, and are not traced.
	 */
	if (event->kind != CTP_KIND_WAKE)
		model->nr_broken++;
	else if (model->ghosts.count >= MODEL_GHOSTS)
		model->nr_unmatched_wakes++;
	return model->ghosts.count >= MODEL_GHOSTS || vec_push(&model->ghosts, ghost);
}
