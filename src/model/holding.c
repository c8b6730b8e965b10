/* SPDX-License-Identifier: MIT */
/*
 * Holdings: locks that one coroutine takes while another one holds them, according to the trace. The first holder's
 * hold lasts until it records its release. What it does until then shows whether it really had the lock, or had
 * released it before and recorded that late.
 *
 * The search costs nothing if each lock is recorded as free before it is taken.
 */
#include "model/parts.h"

bool model_holding_reserve(struct model *model)
{
	return vec_push(&model->holdings, (struct model_holding){0});
}

void model_holding_fini(struct model *model)
{
	vec_fini(&model->holdings);
}

static struct model_waking taking(const struct model_object *object)
{
	return (struct model_waking){
		.time = object->owned,
		.sequence = object->owner_event,
		.coro = object->owner,
		.thread = object->owner_thread,
		.site = object->owner_site,
	};
}

static void close(struct model *model, struct model_object *object)
{
	struct model_holding *holding = &model->holdings.at[object->holding];

	model_set_rare(model, coro_at(model, holding->first.coro), holding, 0);
	object->holding = 0;
}

static void withdraw(struct model *model, struct model_object *object)
{
	model->holdings.at[object->holding].is_withdrawn = true;
	close(model, object);
}

static bool is_alive(const struct model_coro *coro)
{
	return coro->state != CT_STATE_DONE && coro->state != CT_STATE_DESTROYED;
}

/* Is the lock held by another coroutine, which is still alive? */
static bool is_second(const struct model *model, const struct model_object *object, uint32_t second)
{
	uint32_t first = object->owner;

	return first && first != MODEL_OWNER_UNKNOWN && second && second != first &&
	       CTP_HANDLE_RESOURCE(object->handle) == CTP_RESOURCE_LOCK &&
	       is_alive(&model->coros.at[first]) && !model->coros.at[first].rare->holding;
}

static struct model_holding describe(
	const struct model *model, uint32_t index, const struct ct_event *event)
{
	const struct model_object *object = &model->objects.at[index];
	const struct model_coro *coro = &model->coros.at[object->owner];
	struct model_holding holding = {
		.object = index,
		.first = taking(object),
		.second = {.time = event->time,
			.sequence = event->sequence,
			.coro = object->changed_by_coro,
			.thread = event->thread,
			.site = event->site},
		.ended = {.time = CT_NO_TIME},
		.resumed = CT_NO_TIME,
		.second_ended = CT_NO_TIME,
		.tells_releases = object->released != CT_NO_TIME,
	};

	if (coro->suspended != CT_NO_TIME && coro->suspended >= object->owned) {
		holding.has_waited = true;
		holding.waits_for[0] = coro->wait_object;
		holding.is_yield[0] = coro->point != CTP_POINT_AWAIT;
	}
	return holding;
}

bool model_holding_take(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_object *object = &model->objects.at[index];
	uint32_t second = object->changed_by_coro;

	object->nr_takes++;
	/* The first holder takes the lock again: it had released it unrecorded. */
	if (object->holding && model->holdings.at[object->holding].first.coro == second)
		withdraw(model, object);
	if (!is_second(model, object, second) ||
		(event->flags & (CT_FLAG_ORDER_UNKNOWN | CT_FLAG_ORDER_CHOSEN)))
		return true;
	object->nr_overlaps++;
	if (object->holding || model->holdings.count >= MODEL_HOLDINGS)
		return true;
	if (!vec_push(&model->holdings, describe(model, index, event)))
		return false;
	object->holding = (uint32_t)(model->holdings.count - 1);
	model_set_rare(model, coro_at(model, object->owner), holding, object->holding);
	return true;
}

void model_holding_wait(struct model *model, uint32_t index)
{
	const struct model_coro *coro = coro_at(model, index);
	struct model_holding *holding = &model->holdings.at[coro->rare->holding];

	if (holding->has_moved)
		return;
	holding->has_moved = true;
	holding->waits_for[1] = coro->wait_object;
	holding->is_yield[1] = coro->point != CTP_POINT_AWAIT;
}

/*
 * Does the second one wait for the lock? A coroutine that recorded the taking before it took the lock still waits for
 * it. A coroutine that has released the lock in between had it, and waits for the next time.
 */
static bool waits_for_it(const struct model *model, const struct model_holding *holding)
{
	const struct model_coro *second = &model->coros.at[holding->second.coro];

	return second->suspended != CT_NO_TIME && second->suspended >= holding->second.time &&
	       (holding->second_ended == CT_NO_TIME ||
		       second->suspended <= holding->second_ended) &&
	       second->wait_object == model->objects.at[holding->object].handle;
}

/* The first holder releases the lock. The lock stays the second one's, unless the second one has released it before. */
static bool end_first(
	struct model *model, struct model_object *object, const struct ct_event *event)
{
	struct model_holding *holding = &model->holdings.at[object->holding];
	const struct model_coro *first = coro_at(model, holding->first.coro);

	holding->ended = (struct model_waking){.time = event->time,
		.sequence = event->sequence,
		.coro = holding->first.coro,
		.thread = event->thread,
		.site = event->site};
	holding->resumed = first->resumed;
	holding->is_withdrawn = waits_for_it(model, holding);
	close(model, object);
	return event->kind == CTP_KIND_RELEASE && object->owner == holding->second.coro;
}

bool model_holding_release(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_object *object = &model->objects.at[index];
	struct model_holding *holding = &model->holdings.at[object->holding];

	if (!object->holding)
		return false;
	if (object->changed_by_coro == holding->first.coro)
		return end_first(model, object, event);
	if (object->changed_by_coro == holding->second.coro)
		holding->second_ended =
			holding->second_ended == CT_NO_TIME ? event->time : holding->second_ended;
	else if (!object->changed_by_coro || object->changed_by_coro != object->owner)
		withdraw(model,
			/* released for an unknown holder, whose taking was not recorded */
			object);
	return false;
}
