/* SPDX-License-Identifier: MIT */
/*
 * Who waits for whom: for a child to end, or for a lock that another coroutine holds. Where the trace does
 * not tell, there is no tie.
 */
#include <inttypes.h>

#include "analyze_parts.h"

/* A chain of coroutines that wait for each other is followed this far. */
#define CHAIN_MAX 64u

/* The only child that it awaits, where the suspend itself says nothing. */
static uint32_t awaited_child(const struct model_coro *coro)
{
	return coro->nr_awaits == 1 && !coro->wait_object ? coro->awaited : 0;
}

uint32_t ties_child(struct analysis *analysis, const struct model_coro *coro)
{
	struct model *model = analysis->model;
	uint64_t identity = CTP_HANDLE_IDENTITY(coro->wait_object);
	uint32_t child = awaited_child(coro);

	if (CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_COROUTINE)
		child = model_find(model, coro->process, identity);
	else if (CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_FRAME)
		child = model_find_frame(model, coro->process, identity);
	/* The frame serves another one by now. */
	if (child && model->coros.at[child].created != CT_NO_TIME &&
		model->coros.at[child].created > coro->suspended)
		return 0;
	return child;
}

const struct model_object *ties_object(
	const struct analysis *analysis, const struct model_coro *coro)
{
	return &analysis->model->objects
			.at[model_find_object(analysis->model, coro->process, coro->wait_object)];
}

static uint32_t owner_of(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	const struct model_object *object = ties_object(analysis, coro);

	if (!object->handle || object->owner == MODEL_OWNER_UNKNOWN)
		return 0;
	/* Handed to itself while it waits: that is no wait for itself. */
	if (object->owner == index && (object->is_handed || object->owned >= coro->suspended))
		return 0;
	return object->owner;
}

uint32_t ties_next(struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	if (coro->state != CT_STATE_WAITING)
		return 0;
	if (CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_LOCK)
		return owner_of(analysis, index);
	return ties_child(analysis, coro);
}

bool ties_is_victim(struct analysis *analysis, uint32_t index)
{
	unsigned depth;

	for (depth = 0; depth < CHAIN_MAX; depth++) {
		index = ties_next(analysis, index);
		if (!index)
			return false;
		if (analysis->is_told[index])
			return true;
	}
	return false;
}

bool ties_is_shutting_down(const struct analysis *analysis, uint32_t process, ct_time time)
{
	ct_time from = analysis->model->processes[process].shutdown_from;

	return from != CT_NO_TIME && time >= from;
}

uint32_t ties_nr_waiters(const struct analysis *analysis, const struct model_object *object)
{
	const struct model *model = analysis->model;
	uint32_t count = 0;
	size_t i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		count += coro->state == CT_STATE_WAITING && coro->wait_object == object->handle &&
			 coro->process == object->process;
	}
	return count;
}

static bool is_lock_of(const struct model_object *object, uint32_t owner)
{
	return object->owner == owner &&
	       CTP_HANDLE_RESOURCE(object->handle) == CTP_RESOURCE_LOCK;
}

bool ties_holds_lock(const struct analysis *analysis, uint32_t coro)
{
	const struct model *model = analysis->model;
	size_t i;

	for (i = 1; i < model->objects.count; i++)
		if (is_lock_of(&model->objects.at[i], coro))
			return true;
	return false;
}

/* ---------------------------------------------------------------- telling it */

void story_suspended(struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	struct ct_step step = {
		.time = coro->suspended,
		.site = coro->wait_site,
		.thread = coro->thread,
		.coro = coro->id,
		.sequence = coro->wait_event,
		.text = say(analysis, "suspended, to wait for %s",
			words_resource(analysis, coro->wait_object, coro->descriptor)),
	};

	story_step(analysis, story, &step);
}

void story_destroyed(struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct model_coro *by = &analysis->model->coros.at[coro->destroy_coro];
	struct ct_step step = {
		.time = coro->destroyed,
		.thread = coro->destroy_thread,
		.coro = by->id,
		.sequence = coro->destroy_event,
		.text = say(analysis, "destroyed coroutine %" PRIu64 "%s", coro->id,
			coro->flags & MODEL_CORO_WAS_DESTROYED_WAITING ? ", which was suspended"
								       : ""),
	};

	if (coro->state == CT_STATE_DESTROYED)
		story_step(analysis, story, &step);
}

void story_held(struct analysis *analysis, struct story *story, uint32_t index)
{
	const struct model *model = analysis->model;
	size_t i;

	for (i = 1; i < model->objects.count; i++) {
		const struct model_object *object = &model->objects.at[i];
		uint32_t count;

		if (!is_lock_of(object, index))
			continue;
		count = ties_nr_waiters(analysis, object);
		story_evidence(analysis, story,
			say(analysis,
				"coroutine %" PRIu64 " never gave back %s, which it took at %s; "
				"waiting for that: %u",
				model->coros.at[index].id,
				words_resource(analysis, object->handle, 0),
				words_place(analysis, object->owner_site), count));
	}
}
