/* SPDX-License-Identifier: MIT */
/*
 * Names of coroutines: their ids in pages, and the addresses of their frames and tracing states. Pages of which all
 * coroutines are gone go, too.
 */
#include <stdlib.h>

#include "model/release.h"

/* ---------------------------------------------------------------- ids */

static bool is_page_over(const struct model_page *page)
{
	unsigned i;

	for (i = 0; i < MODEL_PAGE_IDS; i++)
		if (page->coro[i] && page->coro[i] != MODEL_GONE)
			return false;
	return true;
}

static struct model_gone gone_of(const struct model_page *page, uint64_t key)
{
	struct model_gone gone = {.page = key, .count = 1};
	unsigned i;

	for (i = 0; i < MODEL_PAGE_IDS; i++)
		gone.ids |= (uint64_t)(page->coro[i] == MODEL_GONE) << i;
	return gone;
}

static int compare_pages(const void *left, const void *right)
{
	const struct model_gone *a = left, *b = right;

	return (a->page > b->page) - (a->page < b->page);
}

static void move_ids(struct release *release)
{
	struct model *model = release->model;
	uint32_t i, page = 0;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = coro_at(model, i);

		page = model_find_page(model, coro->process, coro->id);
		model->pages.at[page].coro[coro->id % MODEL_PAGE_IDS] =
			release->to[i] ? release->to[i] : MODEL_GONE;
	}
}

/* Adds the page to the free pages, from which the next new page is taken. */
static void free_page(struct model *model, struct model_process *process, uint64_t key)
{
	uint32_t page = 0;

	map_get(&process->pages, key, &page);
	map_remove(&process->pages, key);
	model->pages.at[page].coro[0] = model->free_page;
	model->free_page = page;
}

static bool free_pages(struct model *model, struct model_process *process)
{
	VEC(struct model_gone) over = {0};
	bool is_done = true;
	size_t i;

	for (i = 0; is_done && i < process->pages.capacity; i++) {
		const struct map_entry *entry = &process->pages.entries[i];
		const struct model_page *page = &model->pages.at[entry->value];

		if (entry->is_used && is_page_over(page))
			is_done = vec_push(&over, gone_of(page, entry->key));
	}
	if (is_done && over.count) {
		qsort(over.at, over.count, sizeof(*over.at), compare_pages);
		is_done = model_gone_merge(process, over.at, over.count);
		for (i = 0; i < over.count; i++)
			free_page(model, process, over.at[i].page);
	}
	process->cached_page = 0;
	vec_fini(&over);
	return is_done;
}

/* ---------------------------------------------------------------- addresses */

static void move_frames(struct release *release, struct map *frames)
{
	struct model *model = release->model;
	size_t i;

	for (i = 0; i < frames->capacity; i++) {
		struct map_entry *entry = &frames->entries[i];
		bool was_reused;

		if (!entry->is_used || entry->value >= MODEL_GONE_REUSED)
			continue;
		was_reused = coro_at(model, entry->value)->flags & MODEL_CORO_IS_FRAME_REUSED;
		entry->value = release->to[entry->value];
		if (!entry->value)
			entry->value = was_reused ? MODEL_GONE_REUSED : MODEL_GONE;
	}
}

/* Only living coroutines are looked up there. */
static bool move_addresses(struct release *release, struct map *addresses)
{
	VEC(uint64_t) over = {0};
	bool is_done = true;
	size_t i;

	for (i = 0; is_done && i < addresses->capacity; i++) {
		struct map_entry *entry = &addresses->entries[i];

		if (!entry->is_used)
			continue;
		entry->value = release->to[entry->value];
		if (!entry->value)
			is_done = vec_push(&over, entry->key);
	}
	for (i = 0; i < over.count; i++)
		map_remove(addresses, over.at[i]);
	vec_fini(&over);
	return is_done;
}

bool model_release_move_names(struct release *release)
{
	struct model *model = release->model;
	bool is_done = true;
	uint32_t i;

	move_ids(release);
	for (i = 0; i < model->nr_processes; i++) {
		struct model_process *process = process_at(model, i);

		move_frames(release, &process->frames);
		is_done &= move_addresses(release, &process->addresses);
		is_done &= free_pages(model, process);
	}
	return is_done;
}
