/* SPDX-License-Identifier: MIT */
/*
 * Queries of what watchers have recorded.
 */
#include "analyze/parts.h"
#include "analyze/watched_places.h"

const struct model_watch *analyze_watch_by(
	const struct analysis *analysis, const struct model_watcher *watcher)
{
	size_t i = 0;

	while (analysis->model->watches.at[i]->watcher != watcher)
		i++;
	return analysis->model->watches.at[i];
}

const struct model_watch *analyze_watch_of(const struct analysis *analysis, const struct rule *rule)
{
	return analyze_watch_by(analysis, &rule->watcher);
}

void *analyze_watch_wait(const struct analysis *analysis, const struct model_watcher *watcher,
	const struct model_coro *coro)
{
	return model_watch_place(analyze_watch_by(analysis, watcher), coro->wait_site);
}

void *analyze_watch_rare(const struct analysis *analysis, const struct model_watcher *watcher,
	const struct model_coro *coro)
{
	return model_watch_rare(
		analyze_watch_by(analysis, watcher), model_index(analysis->model, coro));
}

static const uint32_t *find_last(struct analysis *analysis, const struct model_watch *watch,
	bool (*is_meant)(const void *place))
{
	uint32_t *all = analyze_array(analysis, analysis->model->nr_processes, sizeof(*all));
	uint32_t site;

	for (site = 1; all && site < watch->nr_places; site++) {
		const struct watch_last *place = model_watch_place(watch, site);
		uint32_t *last = &all[place->process];
		const struct watch_last *best = model_watch_place(watch, *last);

		if (is_meant(place) && (!*last || place->time > best->time))
			*last = site;
	}
	return all;
}

uint32_t analyze_watch_last(struct analysis *analysis, const struct model_watch *watch,
	bool (*is_meant)(const void *place), uint32_t process, const uint32_t **memory)
{
	if (!*memory)
		*memory = find_last(analysis, watch, is_meant);
	return *memory ? (*memory)[process] : 0;
}
