/* SPDX-License-Identifier: MIT */
/*
 * Locks that are taken while others are held: in which order, by whom, where. A lock that was handed over counts as
 * taken where its new owner waited for it.
 */
#include <string.h>

#include "model/parts.h"

bool model_nesting_reserve(struct model *model)
{
	return vec_push(&model->helds, (struct model_held){0}) &&
	       vec_push(&model->nestings, (struct model_nesting){0});
}

void model_nesting_fini(struct model *model)
{
	vec_fini(&model->helds);
	vec_fini(&model->held_of);
	vec_fini(&model->nestings);
	map_fini(&model->nesting_at);
}

/* ---------------------------------------------------------------- what is held */

static uint32_t new_held(struct model *model)
{
	uint32_t index = model->free_held;

	if (index) {
		model->free_held = model->helds.at[index].next;
		return index;
	}
	if (model->helds.count >= UINT32_MAX || !vec_push(&model->helds, (struct model_held){0}))
		return 0;
	return (uint32_t)(model->helds.count - 1);
}

static bool reach(struct model *model, uint32_t coro)
{
	while (model->held_of.count <= coro)
		if (!vec_push(&model->held_of, 0))
			return false;
	return true;
}

void model_nesting_drop(struct model *model, uint32_t object, ct_time time)
{
	uint32_t index = model->objects.at[object].held;
	struct model_held *held = &model->helds.at[index];

	if (!index)
		return;
	if (held->before)
		model->helds.at[held->before].next = held->next;
	else
		model->held_of.at[held->coro] = held->next;
	if (held->next)
		model->helds.at[held->next].before = held->before;
	*held = (struct model_held){.next = model->free_held};
	model->free_held = index;
	model->objects.at[object].held = 0;
	model_series_move(model, model->objects.at[object].process, MODEL_SERIES_LOCKS, time, -1);
}

/* ---------------------------------------------------------------- nestings */

static struct model_taking taking_of(const struct model_held *held)
{
	return (struct model_taking){held->time, held->event, held->site, held->thread};
}

static struct model_nesting describe(
	const struct model *model, uint32_t outer, const struct model_held *inner)
{
	const struct model_held *held = &model->helds.at[outer];
	struct model_nesting nesting = {
		.outer = held->object,
		.inner = inner->object,
		.coro = inner->coro,
		.outer_taken = taking_of(held),
		.inner_taken = taking_of(inner),
		.last = inner->time,
	};
	uint32_t gate;

	for (gate = held->next; gate && nesting.nr_gates <= MODEL_GATES;
		gate = model->helds.at[gate].next) {
		if (nesting.nr_gates < MODEL_GATES)
			nesting.gates[nesting.nr_gates] = model->helds.at[gate].object;
		nesting.nr_gates++;
	}
	return nesting;
}

static bool is_same(const struct model_nesting *a, const struct model_nesting *b)
{
	return a->coro == b->coro && a->nr_gates == b->nr_gates &&
	       memcmp(a->gates, b->gates, sizeof(a->gates)) == 0;
}

/* Behind the last one of its pair; where there are too many, in the last one's place. */
static bool append(
	struct model *model, uint32_t first, uint32_t last, struct model_nesting *nesting)
{
	if (model->nestings.at[first].nr_of_pair >= MODEL_NESTINGS_OF_PAIR) {
		model->nestings.at[last] = *nesting;
		return true;
	}
	if (model->nestings.count >= MODEL_NESTINGS) {
		model->nr_tallies_refused++;
		return true;
	}
	model->nestings.at[first].nr_of_pair++;
	model->nestings.at[last].next = (uint32_t)model->nestings.count;
	return vec_push(&model->nestings, *nesting);
}

static bool begin(struct model *model, uint64_t pair, struct model_nesting *nesting)
{
	if (model->nestings.count >= MODEL_NESTINGS) {
		model->nr_tallies_refused++;
		return true;
	}
	nesting->nr_of_pair = 1;
	return vec_push(&model->nestings, *nesting) &&
	       map_put(&model->nesting_at, pair, (uint32_t)(model->nestings.count - 1));
}

static bool note(struct model *model, struct model_nesting *nesting)
{
	uint64_t pair = (uint64_t)nesting->outer << 32 | nesting->inner;
	uint32_t first = 0, last, at;

	if (!map_get(&model->nesting_at, pair, &first))
		return begin(model, pair, nesting);
	for (at = last = first; at; at = model->nestings.at[at].next) {
		if (is_same(&model->nestings.at[at], nesting)) {
			model->nestings.at[at].last = nesting->last;
			return true;
		}
		last = at;
	}
	return append(model, first, last, nesting);
}

static bool note_all(struct model *model, const struct model_held *inner)
{
	uint32_t outer = inner->next, depth;

	for (depth = 0; outer && depth < MODEL_HELD_DEPTH; depth++) {
		struct model_nesting nesting = describe(model, outer, inner);

		if (!note(model, &nesting))
			return false;
		outer = model->helds.at[outer].next;
	}
	return true;
}

bool model_nesting_take(
	struct model *model, uint32_t object, uint32_t coro, const struct ct_event *event)
{
	bool is_handed = event->kind != CTP_KIND_ACQUIRE;
	struct model_held held = {
		.object = object,
		.coro = coro,
		.site = is_handed ? coro_at(model, coro)->wait_site : event->site,
		.thread = event->thread,
		.time = event->time,
		.event = event->sequence,
	};
	uint32_t index;

	if (!coro || CTP_HANDLE_RESOURCE(model->objects.at[object].handle) != CTP_RESOURCE_LOCK)
		return true;
	index = reach(model, coro) ? new_held(model) : 0;
	if (!index)
		return false;
	held.next = model->held_of.at[coro];
	model->helds.at[index] = held;
	if (held.next)
		model->helds.at[held.next].before = index;
	model->held_of.at[coro] = index;
	model->objects.at[object].held = index;
	model_series_move(
		model, model->objects.at[object].process, MODEL_SERIES_LOCKS, event->time, 1);
	return note_all(model, &held);
}
