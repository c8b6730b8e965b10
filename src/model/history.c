/* SPDX-License-Identifier: MIT */
/*
 * The last states of all coroutines, in a ring, each linked to the coroutine's state before.
 */
#include "model/parts.h"

void model_history_fini(struct model_history *history)
{
	vec_fini(&history->ring);
	vec_fini(&history->last);
}

const struct model_interval *model_history_at(const struct model_history *history, uint64_t number)
{
	if (!number || number + MODEL_HISTORY <= history->count)
		return NULL;
	return &history->ring.at[(number - 1) % MODEL_HISTORY];
}

/* ---------------------------------------------------------------- the waker */

static uint32_t runs_there(const struct model *model, const struct ct_event *event, uint32_t coro)
{
	uint32_t top = model->threads[event->thread].top;

	return top == coro ? 0 : top;
}

/*
 * The waker of a coroutine that was resumed without a wake: the coroutine that runs on that thread or switches to it,
 * or the awaited child that has ended.
 */
static uint32_t resumer_of(struct model *model, const struct model_coro *coro)
{
	const struct ct_event *event = model->history->event;
	uint32_t top = runs_there(model, event, model_index(model, coro));

	if (event->kind == CTP_KIND_SWITCH)
		return model_find(model, event->process, event->coro);
	if (!top && coro->rare->nr_awaits == 1)
		return model_find(model, coro->process, coro->rare->awaited);
	return top;
}

static void note_waker(
	struct model *model, const struct model_coro *coro, struct model_interval *interval)
{
	const struct ct_event *event = model->history->event;

	interval->waker_thread = event->thread;
	interval->waker_site = event->site;
	/* Any worker may start a new coroutine out of a queue: that is no waker. */
	if (interval->state == CT_STATE_WAITING ||
		(interval->state == CT_STATE_UNSEEN && !coro->turns->queue_event)) {
		if (event->kind == CTP_KIND_WAKE)
			interval->waker = coro->turns->wake.coro
						  ? coro->turns->wake.coro
						  : runs_there(model, event, interval->coro);
		else if (event->kind == CTP_KIND_ENQUEUE)
			interval->waker = runs_there(model, event, interval->coro);
		else
			interval->waker = resumer_of(model, coro);
	}
	if (interval->waker == interval->coro)
		interval->waker = 0;
}

/* The holder is the coroutine that released the object last or, if it has not been released, its owner. */
static void note_holder(
	const struct model *model, const struct model_coro *coro, struct model_interval *interval)
{
	uint32_t index = model_find_object(model, coro->process, coro->wait_object);
	const struct model_object *object = &model->objects.at[index];
	bool is_free = object->changed_how == CTP_KIND_RELEASE;

	if (!index || interval->state != CT_STATE_WAITING)
		return;
	if (object->changed_how == CTP_KIND_HAND_OVER) {
		interval->holder = object->giver;
		interval->holder_site = object->changed_at;
	} else if (is_free || object->owner) {
		interval->holder = is_free ? object->changed_by_coro : object->owner;
		interval->holder_site = object->owner_site;
	}
	if (interval->holder == MODEL_OWNER_UNKNOWN || interval->holder == interval->coro)
		interval->holder = 0;
}

/* ---------------------------------------------------------------- the ring */

/* Is the last suspend a yield, or had the coroutine woken itself before? */
static bool has_yielded(const struct model *model, const struct model_coro *coro)
{
	bool was_by_itself =
		coro->turns->wake.coro == model_index(model, coro) && model_was_woken(coro);

	if (coro->suspended == CT_NO_TIME ||
		(coro->state != CT_STATE_READY && coro->state != CT_STATE_WAITING))
		return false;
	return coro->point == CTP_POINT_YIELD || was_by_itself;
}

struct model_interval model_interval_open(const struct model *model, uint32_t index)
{
	const struct model_coro *coro = &model->coros.at[index];
	struct model_interval interval = {
		.coro = index,
		.thread = coro->thread,
		.from = coro->changed,
		.until = INT64_MAX,
		.task = model_work_of(model, index)->task,
		.object = coro->state == CT_STATE_WAITING ? coro->wait_object : 0,
		.site = coro->suspended == CT_NO_TIME ? coro->spawn_site : coro->wait_site,
		.state = coro->state,
		.next = coro->state,
		.has_yielded = has_yielded(model, coro),
	};

	note_holder(model, coro, &interval);
	return interval;
}

static bool put(struct model_history *history, const struct model_interval *interval)
{
	if (!vec_reach(&history->last, interval->coro))
		return false;
	if (history->ring.count < MODEL_HISTORY) {
		if (!vec_push(&history->ring, *interval))
			return false;
	} else {
		history->ring.at[history->count % MODEL_HISTORY] = *interval;
	}
	history->last.at[interval->coro] = ++history->count;
	return true;
}

void model_history_note(
	struct model *model, const struct model_coro *coro, enum ct_state next, ct_time time)
{
	struct model_history *history = model->history;
	uint32_t index = model_index(model, coro);
	struct model_interval interval;

	if (time <= history->from || !history->event)
		return;
	interval = model_interval_open(model, index);
	interval.until = time;
	interval.next = (uint8_t)next;
	note_waker(model, coro, &interval);
	if (history->take) {
		history->is_broken |= !history->take(history->context, model, &interval);
		return;
	}
	interval.before = index < history->last.count ? history->last.at[index] : 0;
	history->is_broken |= !put(history, &interval);
}
