/* SPDX-License-Identifier: MIT */
/* What the frames of coroutines take, by the function that they run: at the end, at most, and over time. */
#include <stdlib.h>

#include "analyze/parts.h"

/* Windows are told of so many functions, which had the most: a report stays small. */
#define FUNCTIONS_OF_WINDOWS 64u

static void count(const struct model_coro *coro, struct ct_frame_sizes *sizes)
{
	uint64_t bytes = coro->rare->frame_bytes;

	if (sizes->nr_coros++ == 0) {
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

	if (!order)
		order = (a->peak_bytes < b->peak_bytes) - (a->peak_bytes > b->peak_bytes);
	return order ? order : (a->site > b->site) - (a->site < b->site);
}

static uint32_t function_of(const struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t site = coro->rare->function_site;

	return site < analysis->tables->nr_sites ? site : 0;
}

static void count_at_end(const struct analysis *analysis, struct ct_frame_sizes *all)
{
	const struct model *model = analysis->model;
	size_t i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		if (coro->state != CT_STATE_DESTROYED && coro->rare->frame_bytes)
			count(coro, &all[function_of(analysis, coro)]);
	}
}

static ct_time begin_of(const struct model *model, uint32_t window)
{
	return model->footprint_from + (int64_t)window * model_footprint_width(model);
}

static uint32_t process_of_site(const struct analysis *analysis, uint32_t site)
{
	return site < analysis->tables->nr_sites ? analysis->tables->sites[site].process : 0;
}

static void note_most(const struct analysis *analysis, struct ct_frame_sizes *all)
{
	const struct model *model = analysis->model;
	size_t i;

	for (i = 1; i < model->footprints.count; i++) {
		const struct model_footprint *of = &model->footprints.at[i];
		struct ct_frame_sizes *sizes =
			&all[of->site < analysis->tables->nr_sites ? of->site : 0];

		if (of->site)
			sizes->process = process_of_site(analysis, of->site);
		sizes->half_bytes = of->last_bytes[of->present / 2];
		sizes->peak_bytes = of->most_bytes;
		sizes->peak_time = of->most_time;
	}
}

static struct ct_frame_window export_window(
	const struct analysis *analysis, const struct model_footprint *of, uint32_t window)
{
	ct_time until = begin_of(analysis->model, window + 1);

	return (struct ct_frame_window){
		.site = of->site,
		.process = process_of_site(analysis, of->site),
		.from = begin_of(analysis->model, window),
		.until = until < analysis->model->now ? until : analysis->model->now,
		.nr_coros = of->last_coros[window],
		.bytes = of->last_bytes[window],
		.most_bytes = of->most_bytes_of[window],
	};
}

static int compare_most(const void *left, const void *right)
{
	const struct model_footprint *a = *(const struct model_footprint *const *)left;
	const struct model_footprint *b = *(const struct model_footprint *const *)right;
	int order = (a->most_bytes < b->most_bytes) - (a->most_bytes > b->most_bytes);

	return order ? order : (a->site > b->site) - (a->site < b->site);
}

static int compare_sites(const void *left, const void *right)
{
	const struct model_footprint *a = *(const struct model_footprint *const *)left;
	const struct model_footprint *b = *(const struct model_footprint *const *)right;

	return (a->site > b->site) - (a->site < b->site);
}

/* The functions of which windows are told, by site. */
static const struct model_footprint **choose(struct analysis *analysis, size_t *ret_count)
{
	const struct model *model = analysis->model;
	size_t count = model->footprints.count - 1, i;
	const struct model_footprint **chosen =
		analyze_scratch(analysis, count + 1, sizeof(*chosen));

	if (!chosen)
		return NULL;
	for (i = 0; i < count; i++)
		chosen[i] = &model->footprints.at[i + 1];
	qsort(chosen, count, sizeof(*chosen), compare_most);
	*ret_count = count < FUNCTIONS_OF_WINDOWS ? count : FUNCTIONS_OF_WINDOWS;
	qsort(chosen, *ret_count, sizeof(*chosen), compare_sites);
	return chosen;
}

static void export_windows(struct analysis *analysis, struct ct_statistics *statistics)
{
	uint32_t nr_windows = analysis->model->footprint_window + 1, window;
	size_t count = 0, i;
	const struct model_footprint **chosen = choose(analysis, &count);
	struct ct_frame_window *windows =
		analyze_array(analysis, (count + 1) * nr_windows, sizeof(*windows));

	for (window = 0; chosen && windows && window < nr_windows; window++)
		for (i = 0; i < count; i++)
			if (chosen[i]->most_bytes_of[window])
				windows[statistics->nr_frame_windows++] =
					export_window(analysis, chosen[i], window);
	statistics->frame_windows = windows;
}

void analyze_sizes_export(struct analysis *analysis, struct ct_statistics *statistics)
{
	const struct model *model = analysis->model;
	uint32_t nr_sites = analysis->tables->nr_sites, i;
	struct ct_frame_sizes *all, *used;

	statistics->frames_peak_time = CT_NO_TIME;
	if (model->footprints.count == 0)
		return;
	statistics->frames_peak_bytes = model->footprints.at[0].most_bytes;
	statistics->frames_peak_time = model->footprints.at[0].most_time;
	all = analyze_scratch(analysis, nr_sites + 1, sizeof(*all));
	used = analyze_array(analysis, nr_sites + 1, sizeof(*used));
	if (!all || !used)
		return;
	count_at_end(analysis, all);
	note_most(analysis, all);
	for (i = 0; i < nr_sites; i++) {
		if (!all[i].nr_coros && !all[i].peak_bytes)
			continue;
		/* A function that was not followed over time. */
		if (!all[i].peak_bytes) {
			all[i].peak_bytes = all[i].bytes;
			all[i].peak_time = CT_NO_TIME;
		}
		all[i].site = i;
		used[statistics->nr_frames++] = all[i];
	}
	qsort(used, statistics->nr_frames, sizeof(*used), compare);
	statistics->frames = used;
	export_windows(analysis, statistics);
}
