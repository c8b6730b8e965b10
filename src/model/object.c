/* SPDX-License-Identifier: MIT */
/*
 * Objects that coroutines hand to each other (locks, semaphores, channels, conditions): who holds an object, when it
 * was released, and whether a notify was in vain. Only recorded changes count.
 */
#include "model/parts.h"

/* Adds the object. 0: out of memory. */
static uint32_t add(struct model *model, uint32_t process, uint64_t handle)
{
	struct model_object fresh = {
		.handle = handle,
		.process = process,
		.released = CT_NO_TIME,
		.vain = {.time = CT_NO_TIME},
		.found = {.time = CT_NO_TIME},
	};
	uint32_t index;

	if (model->objects.count >= UINT32_MAX || !vec_push(&model->objects, fresh))
		return 0;
	index = (uint32_t)(model->objects.count - 1);
	return map_put(&process_at(model, process)->objects, handle, index) ? index : 0;
}

static uint32_t get(struct model *model, uint32_t process, uint64_t handle)
{
	uint32_t index = model_find_object(model, process, handle);

	return index ? index : add(model, process, handle);
}

static void note_change(struct model *model, struct model_object *object, uint32_t coro,
	const struct ct_event *event)
{
	object->changed = event->time;
	object->changed_how = event->kind;
	object->changed_at = event->site;
	object->changed_by_thread = event->thread;
	object->changed_by_coro = event->coro || event->kind != CTP_KIND_NOTIFY
					  ? coro
					  : model_thread_doer(model, event->thread);
	object->change_event = event->sequence;
}

static void own(struct model_object *object, uint32_t owner, const struct ct_event *event)
{
	object->owner = owner;
	object->owner_site = event->site;
	object->owner_thread = event->thread;
	object->owner_event = event->sequence;
	object->owned = event->time;
	object->is_handed = object->is_of_thread = false;
	object->taken_within = 0;
	object->giver = 0;
	object->cut = 0;
}

static void acquire(struct model *model, struct model_object *object, const struct ct_event *event)
{
	own(object, object->changed_by_coro ? object->changed_by_coro : MODEL_OWNER_UNKNOWN, event);
	if (!event->coro)
		object->taken_within = coro_at(model, thread_at(model, event->thread)->top)->id;
	object->is_of_thread = !event->coro && !object->taken_within;
	object->has_takers = true;
	if (object->nr_left)
		object->nr_left--;
	process_at(model, event->process)->tells_takings |=
		UINT32_C(1) << CTP_HANDLE_RESOURCE(object->handle) % 32;
}

static void keep_site_before(struct model *model, struct model_coro *taker)
{
	if (taker->suspended != CT_NO_TIME &&
		CTP_HANDLE_RESOURCE(taker->wait_object) != CTP_RESOURCE_LOCK)
		model_rare_of(model, taker)->site_before = taker->wait_site;
}

/* A known coroutine holds the lock from now on. */
static void hold(struct model *model, uint32_t index, uint32_t coro, const struct ct_event *event)
{
	struct model_object *object = &model->objects.at[index];

	if (!coro || CTP_HANDLE_RESOURCE(object->handle) != CTP_RESOURCE_LOCK)
		return;
	object->is_held = true;
	keep_site_before(model, coro_at(model, coro));
	model_series_move(model, object->process, MODEL_SERIES_LOCKS, event->time, 1);
	model_tell(model, MODEL_TAKE,
		(struct model_sight){.object = index, .coro = coro, .event = event});
}

/* For how long it had the lock: whoever lets go of it, the habit is the owner's. */
static void count_held(struct model *model, struct model_object *object, ct_time time)
{
	int64_t held = time - object->owned;
	struct model_rare *rare;

	if (held > object->longest_held)
		object->longest_held = held;
	if (!object->owner || object->owner == MODEL_OWNER_UNKNOWN)
		return;
	rare = model_rare_of(model, coro_at(model, object->owner));
	rare->nr_let_go++;
	if (held > rare->longest_held)
		rare->longest_held = held;
}

static void let_go(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_object *object = &model->objects.at[index];

	if (!object->is_held)
		return;
	object->is_held = false;
	count_held(model, object, event->time);
	model_series_move(model, object->process, MODEL_SERIES_LOCKS, event->time, -1);
	model_tell(model, MODEL_DROP, (struct model_sight){.object = index, .event = event});
}

static void notify(struct model *model, struct model_object *object, const struct ct_event *event)
{
	struct model_waking notify = {
		.time = event->time,
		.sequence = event->sequence,
		.coro = object->changed_by_coro,
		.thread = event->thread,
		.site = event->site,
		.is_leaving = !event->coro && !thread_at(model, event->thread)->top,
		.is_unkept = event->flags & CTP_NOTIFY_UNKEPT,
	};

	object->nr_left++;
	object->nr_vain = event->argument ? 0 : object->nr_vain + 1;
	if (event->argument)
		object->found = notify;
	else
		object->vain = notify;
}

void model_object_cut(struct model *model, uint32_t index)
{
	struct model_coro *coro = coro_at(model, index);
	uint32_t object = model_find_object(model, coro->process, coro->wait_object);

	if (object && coro->turns->wake.time != CT_NO_TIME &&
		coro->turns->wake.time >= coro->suspended)
		model->objects.at[object].cut = index;
}

bool model_object_receiver(struct model *model, const struct ct_event *event)
{
	struct model_thread *thread = thread_at(model, event->thread);
	struct model_object *object = &model->objects.at[thread->last_handed];
	uint32_t receiver = model_coro_find(model, event->process, event->object);

	bool is_given = thread->last_handed && object->owner == MODEL_OWNER_UNKNOWN && receiver;
	uint32_t index = thread->last_handed;

	thread->last_handed = 0;
	if (!is_given)
		return true;
	object->owner = receiver;
	hold(model, index, receiver, event);
	return true;
}

/* ---------------------------------------------------------------- the content of channels */

static bool is_channel(uint64_t handle)
{
	return CTP_HANDLE_RESOURCE(handle) == CTP_RESOURCE_CHANNEL;
}

/* Somebody takes from the channel, or waits for it: what was put there has lain for so long. */
static void note_attended(struct model_takers *takers, ct_time time)
{
	int64_t ns = takers->nr_puts ? ct_time_between(takers->put, time) : 0;

	takers->longest_ns = ns > takers->longest_ns ? ns : takers->longest_ns;
	takers->nr_puts = 0;
}

static void note_taker(
	struct model *model, struct model_object *object, const struct ct_event *event)
{
	struct model_takers *takers = &object->takers;
	uint32_t site = coro_at(model, object->changed_by_coro)->spawn_site;

	if (event->kind == CTP_KIND_NOTIFY && takers->nr_takes && !takers->nr_puts++)
		takers->put = event->time;
	if (event->kind != CTP_KIND_ACQUIRE)
		return;
	takers->has_others |= !site || (takers->nr_takes && site != takers->spawn_site);
	takers->spawn_site = site;
	takers->nr_takes++;
	note_attended(takers, event->time);
}

/* Counts the content of a channel. False: out of memory. */
static bool count_content(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_object *object = &model->objects.at[index];

	note_taker(model, object, event);
	if (event->kind == CTP_KIND_NOTIFY) {
		object->content++;
		object->put_site = event->site;
	} else if (event->kind == CTP_KIND_ACQUIRE && object->content) {
		object->content--;
	}
	if (!object->content_series && object->content < MODEL_CONTENT)
		return true;
	return model_series_content(model, index, event->time);
}

/*
 * A coroutine that waits for something from a channel finds it empty, whatever was counted: some takings are not
 * recorded, or the memory has another channel now. A coroutine that waits for room shows that the channel is bounded.
 * In both cases the count begins again.
 */
void model_object_wait(struct model *model, uint32_t index)
{
	const struct model_coro *coro = coro_at(model, index);
	struct model_object *object;

	if (!is_channel(coro->wait_object))
		return;
	object = &model->objects.at[model_find_object(model, coro->process, coro->wait_object)];
	object->content = 0;
	note_attended(&object->takers, coro->suspended);
	if (object->content_series)
		model_series_content(
			model, (uint32_t)(object - model->objects.at), coro->suspended);
}

static bool is_giving(unsigned kind)
{
	return kind == CTP_KIND_RELEASE || kind == CTP_KIND_HAND_OVER;
}

/* What comes from outside of coroutines, perhaps just after one has suspended, is of nobody known. */
static void note_giver(
	struct model *model, struct model_object *object, const struct ct_event *event)
{
	struct model_givers *givers = &object->givers;
	bool is_known = event->coro || thread_at(model, event->thread)->top;
	uint64_t by = is_known ? coro_at(model, object->changed_by_coro)->id : 0;
	unsigned i;

	if (event->kind == CTP_KIND_ACQUIRE) {
		givers->had_stock |= !object->nr_left && !givers->was_handed;
		return;
	}
	givers->was_handed |= event->kind == CTP_KIND_HAND_OVER;
	givers->count += givers->count < UINT32_MAX;
	for (i = 0; i < MODEL_GIVERS && givers->by[i] && givers->by[i] != by; i++)
		;
	if (i == MODEL_GIVERS || !by)
		givers->has_others = true;
	else
		givers->by[i] = by;
}

bool model_object_change(struct model *model, uint32_t coro, const struct ct_event *event)
{
	uint32_t index = get(model, event->process, event->object);
	struct model_object *object = &model->objects.at[index];

	if (!index)
		return false;
	note_change(model, object, coro, event);
	note_giver(model, object, event);
	if (event->kind == CTP_KIND_ACQUIRE && !model_holding_take(model, index, event))
		return false;
	if (object->holding && is_giving(event->kind) && model_holding_release(model, index, event))
		return true;
	if (event->kind != CTP_KIND_NOTIFY)
		let_go(model, index, event);
	switch (event->kind) {
	case CTP_KIND_ACQUIRE:
		acquire(model, object, event);
		hold(model, index, object->changed_by_coro, event);
		model_permit_take(model, index, object->changed_by_coro, event);
		break;
	case CTP_KIND_HAND_OVER:
		own(object, MODEL_OWNER_UNKNOWN, event);
		object->giver = object->changed_by_coro;
		object->is_handed = true;
		thread_at(model, event->thread)->last_handed = index;
		break;
	case CTP_KIND_RELEASE:
		object->owner = 0;
		object->is_of_thread = false;
		object->released = event->time;
		model_permit_give(model, index, object->changed_by_coro, event);
		break;
	default: /* notify */
		notify(model, object, event);
		break;
	}
	return !is_channel(event->object) || count_content(model, index, event);
}
