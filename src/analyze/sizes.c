/* SPDX-License-Identifier: MIT */
/* What the frames of coroutines take that are there at the end, by the function that they run. */
#include <stdlib.h>

#include "analyze/parts.h"

static void count(const struct model_coro *coro, struct ct_frame_sizes *sizes)
{
	uint64_t bytes = coro->rare->frame_bytes;

	if (sizes->nr_coros++ == 0) {
		sizes->site = coro->rare->function_site;
		sizes->process = coro->process;
		sizes->least_bytes = bytes;
	}
	sizes->bytes += bytes;
	if (bytes < sizes->least_bytes)
		sizes->least_bytes = bytes;
	if (bytes > sizes->most_bytes)
		sizes->most_bytes = bytes;
}

static int compare(const void *left, const void *right)
{
	const struct ct_frame_sizes *a = left, *b = right;
	int order = (a->bytes < b->bytes) - (a->bytes > b->bytes);

	return order ? order : (a->site > b->site) - (a->site < b->site);
}

/* Equal places of two sites are one. */
static struct ct_frame_sizes *sizes_of(
	const struct analysis *analysis, struct ct_frame_sizes *all, const struct model_coro *coro)
{
	uint32_t site = coro->rare->function_site;

	return &all[site < analysis->tables->nr_sites ? site : 0];
}

void analyze_sizes_export(struct analysis *analysis, struct ct_statistics *statistics)
{
	const struct model *model = analysis->model;
	size_t nr_sites = analysis->tables->nr_sites, i;
	struct ct_frame_sizes *all = arena_array(&analysis->scratch, nr_sites + 1, sizeof(*all));
	struct ct_frame_sizes *used = arena_array(analysis->arena, nr_sites + 1, sizeof(*used));

	if (!all || !used) {
		analysis->is_broken = true;
		return;
	}
	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		if (coro->state != CT_STATE_DESTROYED && coro->rare->frame_bytes)
			count(coro, sizes_of(analysis, all, coro));
	}
	for (i = 0; i < nr_sites; i++)
		if (all[i].nr_coros)
			used[statistics->nr_frames++] = all[i];
	qsort(used, statistics->nr_frames, sizeof(*used), compare);
	statistics->frames = used;
}
