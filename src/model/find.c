/* SPDX-License-Identifier: MIT */
/*
 * Finds records by name. Coroutines are in pages of neighbouring ids. A coroutine that was not known is made; one
 * whose record was given back is asked for. Other objects are found by their handles.
 */
#include "model/parts.h"

uint32_t model_find_page(struct model *model, uint32_t index, uint64_t id)
{
	struct model_process *process = process_at(model, index);
	uint64_t key = id / MODEL_PAGE_IDS;
	uint32_t page = 0;

	if (process->cached_page && process->cached_key == key)
		return process->cached_page;
	if (!map_get(&process->pages, key, &page))
		return 0;
	process->cached_key = key;
	process->cached_page = page;
	return page;
}

/* The page's entry of the id: 0, MODEL_GONE, or an index. */
static inline uint32_t entry_of(struct model *model, uint32_t process, uint64_t id)
{
	uint32_t page =
		id && process < model->nr_processes ? model_find_page(model, process, id) : 0;

	return page ? model->pages.at[page].coro[id % MODEL_PAGE_IDS] : 0;
}

uint32_t model_find(struct model *model, uint32_t process, uint64_t id)
{
	uint32_t index = entry_of(model, process, id);

	return index == MODEL_GONE ? 0 : index;
}

bool model_is_gone(struct model *model, uint32_t process, uint64_t id)
{
	uint32_t page =
		id && process < model->nr_processes ? model_find_page(model, process, id) : 0;

	if (page)
		return model->pages.at[page].coro[id % MODEL_PAGE_IDS] == MODEL_GONE;
	return id && process < model->nr_processes &&
	       (model_gone_ids(process_at(model, process), id / MODEL_PAGE_IDS) >>
			       id % MODEL_PAGE_IDS &
		       1);
}

/* After records were given back: asks for this coroutine if its record, or a record that it named, is gone. */
static __attribute__((noinline)) uint32_t find_what_is_left(
	struct model *model, uint32_t process, uint64_t id, uint32_t entry)
{
	uint32_t index = entry == MODEL_GONE ? 0 : entry;

	if (index ? coro_at(model, index)->is_cut : model_is_gone(model, process, id))
		model_gone_ask(model, process, MODEL_KEPT_CORO, id);
	return index;
}

uint32_t model_coro_find(struct model *model, uint32_t process, uint64_t id)
{
	uint32_t entry = entry_of(model, process, id);

	return has_given_back(model) ? find_what_is_left(model, process, id, entry) : entry;
}

static uint32_t make_page(struct model *model, uint32_t process, uint64_t id)
{
	uint64_t gone = model_gone_ids(process_at(model, process), id / MODEL_PAGE_IDS);
	uint32_t page = model->free_page;
	unsigned i;

	if (page)
		model->free_page = model->pages.at[page].coro[0];
	else if (model->pages.count < UINT32_MAX &&
		 vec_push(&model->pages, (struct model_page){{0}}))
		page = (uint32_t)(model->pages.count - 1);
	else
		return 0;
	model->pages.at[page] = (struct model_page){{0}};
	for (i = 0; gone && i < MODEL_PAGE_IDS; i++)
		if (gone >> i & 1)
			model->pages.at[page].coro[i] = MODEL_GONE;
	return map_put(&process_at(model, process)->pages, id / MODEL_PAGE_IDS, page) ? page : 0;
}

/* Only the destruction of this coroutine is still known. */
static void be_remains(struct model *model, uint32_t process, struct model_coro *fresh)
{
	struct model_rare *rare = model_rare_of(model, fresh);

	model_gone_ask(model, process, MODEL_KEPT_CORO, fresh->id);
	model->nr_unjudged++;
	model->nr_ended++;
	fresh->state = CT_STATE_DESTROYED;
	fresh->is_remains = true;
	rare->destroyed = fresh->changed;
	rare->destroy_event = UINT64_MAX;
	rare->epoch = model->epoch;
}

static __attribute__((noinline)) uint32_t make_coro(
	struct model *model, uint32_t process, uint64_t id, ct_time time)
{
	struct model_coro fresh = {
		.id = id,
		.process = process,
		.changed = time,
		.resumed = CT_NO_TIME,
		.suspended = CT_NO_TIME,
		.turns = &model_no_turns,
		.rare = &model_nothing_rare,
		.created = CT_NO_TIME,
	};
	uint32_t page = model_find_page(model, process, id);
	uint32_t index;

	if (!model_bound_has_room(model))
		return 0;
	if (!page)
		page = make_page(model, process, id);
	if (!page || model->coros.count >= UINT32_MAX || !vec_push(&model->coros, fresh) ||
		!model_watch_add_coro(model))
		return 0;
	index = (uint32_t)(model->coros.count - 1);
	model_coro_alive(model, process, time);
	if (model->pages.at[page].coro[id % MODEL_PAGE_IDS] == MODEL_GONE)
		be_remains(model, process, coro_at(model, index));
	model->pages.at[page].coro[id % MODEL_PAGE_IDS] = index;
	return index;
}

uint32_t model_coro_get(struct model *model, uint32_t process, uint64_t id, ct_time time)
{
	uint32_t page = model_find_page(model, process, id);
	uint32_t index = page ? model->pages.at[page].coro[id % MODEL_PAGE_IDS] : 0;

	if (!index || index == MODEL_GONE)
		return make_coro(model, process, id, time);
	return has_given_back(model) ? find_what_is_left(model, process, id, index) : index;
}

uint32_t model_find_object(const struct model *model, uint32_t process, uint64_t handle)
{
	uint32_t object = 0;

	if (process < model->nr_processes)
		map_get(&model->processes[process].objects, handle, &object);
	return object;
}
