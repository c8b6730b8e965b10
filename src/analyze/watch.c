/* SPDX-License-Identifier: MIT */
/*
 * Watchers, asked what they have kept.
 */
#include "analyze/parts.h"

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
