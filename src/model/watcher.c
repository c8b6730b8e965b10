/* SPDX-License-Identifier: MIT */
/*
 * Watchers of a model: the callbacks of each moment, and the memory of each watcher.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/release.h"

/* The watcher's own memory stands behind the watch: many small traces are judged, each with all watchers. */
#define WATCH_ALIGNED _Alignof(max_align_t)
#define WATCH_BYTES \
	((sizeof(struct model_watch) + WATCH_ALIGNED - 1) / WATCH_ALIGNED * WATCH_ALIGNED)

/* Makes room for this many coroutines. */
static bool reserve(struct model_watch *watch, size_t count)
{
	return area_reach(&watch->of_coros, count * watch->nr_coro_bytes) &&
	       area_reach(&watch->rare, count * watch->nr_rare_bytes);
}

/* The number of coroutines for which each watcher has room. */
static size_t room_of(const struct model *model)
{
	return model->nr_watched_coros > model->coros.count ? model->nr_watched_coros
							    : model->coros.count;
}

static bool begin(struct model_watch *watch, const void *settings)
{
	const struct model_watcher *watcher = watch->watcher;
	unsigned moment;

	for (moment = 0; moment < MODEL_NR_MOMENTS; moment++) {
		struct model_looker looker = {watcher->looks[moment], watch};

		if (looker.look && !vec_push(&watch->model->lookers[moment], looker))
			return false;
	}
	if (watcher->keeps && !vec_push(&watch->model->keepers, watch))
		return false;
	if (watcher->gone && !vec_push(&watch->model->followers, watch))
		return false;
	if (watcher->nr_place_bytes)
		watch->nr_places = watch->model->tables->nr_sites;
	if (watch->nr_places)
		watch->of_places = calloc(watch->nr_places, watcher->nr_place_bytes);
	return (!watch->nr_places || watch->of_places) && reserve(watch, room_of(watch->model)) &&
	       (!watcher->begin || watcher->begin(watch, settings));
}

struct model_watch *model_watch(
	struct model *model, const struct model_watcher *watcher, const void *settings)
{
	struct model_watch *watch = calloc(1, WATCH_BYTES + watcher->nr_bytes);

	if (!watch || !vec_push(&model->watches, watch)) {
		free(watch);
		return NULL;
	}
	watch->watcher = watcher;
	watch->model = model;
	watch->memory = (char *)watch + WATCH_BYTES;
	watch->nr_coro_bytes = watcher->nr_coro_bytes;
	watch->nr_rare_bytes = watcher->nr_rare_bytes;
	watch->nr_place_bytes = watcher->nr_place_bytes;
	model->nr_watched_bytes += watcher->nr_coro_bytes + watcher->nr_rare_bytes;
	return begin(watch, settings) ? watch : NULL;
}

void model_watch_refuse(struct model_watch *watch)
{
	watch->model->nr_tallies_refused++;
}

bool model_watch_add_coro(struct model *model)
{
	size_t count = model->coros.count, room = count + count / 2, i;

	if (count <= model->nr_watched_coros)
		return true;
	for (i = 0; i < model->watches.count; i++)
		if (!reserve(model->watches.at[i], room))
			return false;
	model->nr_watched_coros = room;
	return true;
}

void model_watch_visit(struct release *release, model_visitor *visit)
{
	struct model *model = release->model;
	size_t i;

	for (i = 0; i < model->watches.count; i++)
		if (model->watches.at[i]->watcher->visit)
			model->watches.at[i]->watcher->visit(model->watches.at[i], release, visit);
}

bool model_watch_keeps(const struct model *model, uint32_t coro)
{
	size_t i;

	for (i = 0; i < model->keepers.count; i++)
		if (model->keepers.at[i]->watcher->keeps(model->keepers.at[i], coro))
			return true;
	return false;
}

bool model_watch_gone(const struct model *model, uint32_t coro)
{
	bool is_taken = true;
	size_t i;

	for (i = 0; i < model->followers.count; i++)
		is_taken &= model->followers.at[i]->watcher->gone(model->followers.at[i], coro);
	return is_taken;
}

void model_tell(struct model *model, enum model_moment moment, struct model_sight sight)
{
	model_tell_often(model, moment, sight);
}

void model_watch_narrow(struct model *model, enum model_moment moment, unsigned kind)
{
	struct model_narrowed *narrowed =
		moment == MODEL_WAKE ? &model->wake_lookers[kind] : &model->wait_lookers[kind];
	size_t i;

	narrowed->is_made = true;
	for (i = 0; i < model->lookers[moment].count; i++) {
		struct model_looker looker = model->lookers[moment].at[i];
		uint32_t kinds = moment == MODEL_WAKE ? looker.watch->watcher->wakes_from
						      : looker.watch->watcher->waits_for;

		if ((!kinds || kinds >> kind & 1) && !vec_push(&narrowed->lookers, looker))
			model->has_no_memory = true;
	}
}

#define PIECE ((size_t)1 << 10)

/* What is equal is not written: zeros over zeros would take memory. */
static void move_run(unsigned char *to, const unsigned char *from, size_t nr_bytes)
{
	size_t at, piece;

	for (at = 0; at < nr_bytes; at += piece) {
		piece = nr_bytes - at < PIECE ? nr_bytes - at : PIECE;
		if (memcmp(to + at, from + at, piece) != 0)
			memmove(to + at, from + at, piece);
	}
}

static void move_area(const struct release *release, struct area *area, size_t each)
{
	size_t i;

	if (!each)
		return;
	for (i = 0; i < release->runs.count; i++) {
		const struct release_run *run = &release->runs.at[i];

		move_run(area->at + run->to * each, area->at + run->from * each, run->count * each);
	}
	area_cut(area, release->nr_stay * each, release->model->coros.count * each);
}

void model_watch_move(struct release *release)
{
	struct model *model = release->model;
	size_t i;

	for (i = 0; i < model->watches.count; i++) {
		struct model_watch *watch = model->watches.at[i];

		move_area(release, &watch->of_coros, watch->nr_coro_bytes);
		move_area(release, &watch->rare, watch->nr_rare_bytes);
	}
}

static void end(struct model_watch *watch)
{
	if (watch->watcher->end)
		watch->watcher->end(watch);
	area_fini(&watch->of_coros);
	area_fini(&watch->rare);
	free(watch->of_places);
	free(watch);
}

void model_watch_fini(struct model *model)
{
	unsigned moment;
	size_t i;

	for (i = 0; i < model->watches.count; i++)
		end(model->watches.at[i]);
	vec_fini(&model->watches);
	vec_fini(&model->keepers);
	vec_fini(&model->followers);
	for (moment = 0; moment < MODEL_NR_MOMENTS; moment++)
		vec_fini(&model->lookers[moment]);
	for (i = 0; i < MODEL_NR_WAITED; i++) {
		vec_fini(&model->wake_lookers[i].lookers);
		vec_fini(&model->wait_lookers[i].lookers);
	}
}
