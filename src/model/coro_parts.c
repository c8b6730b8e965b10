/* SPDX-License-Identifier: MIT */
/*
 * The parts that not all coroutines have, in the model's arena. A part that was given back is reused.
 */

#include "model/parts.h"

/* A part that was given back. */
struct model_part {
	struct model_part *next;
};

const struct model_turns model_no_turns = {
	.wake = {.time = CT_NO_TIME}, .wake_before = {.time = CT_NO_TIME}};
const struct model_rare model_nothing_rare = {
	.deadline = CT_NO_TIME, .held = CT_NO_TIME, .destroyed = CT_NO_TIME};

static void *take(struct model *model, struct model_part **free, size_t nr_bytes)
{
	struct model_part *part = *free;

	if (!part)
		return arena_alloc(&model->parts, nr_bytes);
	*free = part->next;
	model->free_bytes -= nr_bytes;
	return part;
}

struct model_turns *model_turns_make(struct model *model, struct model_coro *coro)
{
	struct model_turns *turns = take(model, &model->free_turns, sizeof(*turns));

	model->has_no_memory |= !turns;
	if (!turns)
		return &model->spare_turns;
	*turns = model_no_turns;
	turns->spent[CT_STATE_UNSEEN] = model_spent(model, coro, CT_STATE_UNSEEN);
	turns->spent[CT_STATE_RUNNING] = model_spent(model, coro, CT_STATE_RUNNING);
	coro->turns = turns;
	return turns;
}

struct model_rare *model_rare_make(struct model *model, struct model_coro *coro)
{
	struct model_rare *rare = take(model, &model->free_rare, sizeof(*rare));

	model->has_no_memory |= !rare;
	if (!rare)
		return &model->spare_rare;
	*rare = model_nothing_rare;
	coro->rare = rare;
	return rare;
}

static void give_back(struct model *model, struct model_part **free, void *at, size_t nr_bytes)
{
	struct model_part *part = at;

	model->free_bytes += nr_bytes;
	part->next = *free;
	*free = part;
}

void model_parts_give_back(struct model *model, struct model_coro *coro)
{
	if (coro->turns != &model_no_turns)
		give_back(model, &model->free_turns, model_turns_of(model, coro),
			sizeof(struct model_turns));
	if (coro->rare != &model_nothing_rare)
		give_back(model, &model->free_rare, model_rare_of(model, coro),
			sizeof(struct model_rare));
	coro->turns = &model_no_turns;
	coro->rare = &model_nothing_rare;
}

static void note_failed(struct model *model, struct model_coro *coro, uint32_t site)
{
	struct model_failed *failed = &process_at(model, coro->process)->failed;

	*failed = (struct model_failed){.count = failed->count + 1,
		.site = coro->spawn_site,
		.failed = site,
		.id = coro->id};
	model_set_rare(model, coro, failed_site, site ? site : coro->spawn_site);
}

void model_coro_note_outcome(
	struct model *model, struct model_coro *coro, const struct ct_event *event)
{
	uint32_t site = coro->wait_site ? coro->wait_site : coro->spawn_site;

	if (event->flags & CTP_RETURN_FAILED)
		note_failed(model, coro, event->site);
	else if (event->flags & CTP_RETURN_CANCELLED)
		model_set_rare(model, coro, cancelled_site, event->site ? event->site : site);
}

void model_coro_held(struct model *model, struct model_coro *coro, const struct ct_event *event)
{
	bool is_known =
		!event->object || CTP_HANDLE_RESOURCE(event->object) == CTP_RESOURCE_COROUTINE;

	if (coro->state != CT_STATE_WAITING)
		return;
	model_set_rare(model, coro, held, is_known ? event->time : CT_NO_TIME);
	model_set_rare(model, coro, held_by, CTP_HANDLE_IDENTITY(event->object));
}
