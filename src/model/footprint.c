/* SPDX-License-Identifier: MIT */
/* What the frames of coroutines take over time (footprint.h). */
#include "model/parts.h"

#define FIRST_WIDTH_NS (INT64_C(1) << 20)

static void halve(struct model_footprint *of)
{
	uint32_t i;

	for (i = 0; 2 * i <= of->present; i++) {
		uint32_t last = 2 * i + 1 < of->present ? 2 * i + 1 : of->present;

		of->last_coros[i] = of->last_coros[last];
		of->last_bytes[i] = of->last_bytes[last];
		of->most_bytes_of[i] = of->most_bytes_of[2 * i] > of->most_bytes_of[last]
					       ? of->most_bytes_of[2 * i]
					       : of->most_bytes_of[last];
	}
	of->present /= 2;
	of->nr_halved++;
}

/* Windows in which nothing changed have what was there before. */
static void advance(struct model_footprint *of, const struct model *model)
{
	while (of->nr_halved < model->footprint_halved)
		halve(of);
	while (of->present < model->footprint_window) {
		of->present++;
		of->last_coros[of->present] = of->nr_coros;
		of->last_bytes[of->present] = of->most_bytes_of[of->present] = of->bytes;
	}
}

static void advance_time(struct model *model, ct_time time)
{
	int64_t since;
	uint32_t window;

	if (model->footprint_from == CT_NO_TIME)
		model->footprint_from = model->from == CT_NO_TIME ? time : model->from;
	since = time > model->footprint_from ? time - model->footprint_from : 0;
	while (since / model_footprint_width(model) >= (int64_t)MODEL_WINDOWS) {
		model->footprint_halved++;
		model->footprint_window /= 2;
	}
	window = (uint32_t)(since / model_footprint_width(model));
	if (window > model->footprint_window)
		model->footprint_window = window;
}

int64_t model_footprint_width(const struct model *model)
{
	return FIRST_WIDTH_NS << model->footprint_halved;
}

static void change(struct model *model, uint32_t index, int32_t coros, uint64_t bytes, ct_time time)
{
	struct model_footprint *of = &model->footprints.at[index];

	advance(of, model);
	of->nr_coros += (uint64_t)(int64_t)coros;
	of->bytes += bytes;
	of->last_coros[of->present] = of->nr_coros;
	of->last_bytes[of->present] = of->bytes;
	if (of->bytes > of->most_bytes_of[of->present])
		of->most_bytes_of[of->present] = of->bytes;
	if (of->bytes <= of->most_bytes)
		return;
	of->most_bytes = of->bytes;
	of->most_time = time;
}

static bool begin(struct model *model, uint32_t site)
{
	return vec_push(&model->footprints,
		((struct model_footprint){.site = site, .most_time = CT_NO_TIME}));
}

/* The function's index; 0: it is not followed, which counts once for each coroutine that begins. */
static bool find(struct model *model, uint32_t site, int32_t coros, uint32_t *ret_index)
{
	*ret_index = 0;
	if (model->footprints.count == 0 && !begin(model, 0))
		return false;
	if (map_get(&model->footprint_of, site, ret_index))
		return true;
	if (model->footprints.count > MODEL_FOOTPRINTS) {
		model->nr_tallies_refused += coros > 0;
		return true;
	}
	*ret_index = (uint32_t)model->footprints.count;
	return begin(model, site) && map_put(&model->footprint_of, site, *ret_index);
}

static bool move(struct model *model, uint32_t site, int32_t coros, uint64_t bytes, ct_time time)
{
	uint32_t index;

	if (!find(model, site, coros, &index))
		return false;
	advance_time(model, time);
	change(model, 0, coros, bytes, time);
	if (index)
		change(model, index, coros, bytes, time);
	return true;
}

bool model_footprint_tell(
	struct model *model, struct model_coro *coro, uint64_t nr_bytes, ct_time time)
{
	uint64_t before = coro->rare->frame_bytes;

	if (nr_bytes == before || nr_bytes > MODEL_FRAME_BYTES)
		return true;
	model_set_rare(model, coro, frame_bytes, nr_bytes);
	return coro->state == CT_STATE_DESTROYED ||
	       move(model, coro->rare->function_site,
		       (int32_t)(nr_bytes != 0) - (int32_t)(before != 0), nr_bytes - before, time);
}

/* A change of what is followed already takes no memory. */
void model_footprint_state(
	struct model *model, const struct model_coro *coro, enum ct_state state, ct_time time)
{
	bool was_freed = coro->state == CT_STATE_DESTROYED, is_freed = state == CT_STATE_DESTROYED;
	uint64_t nr_bytes = coro->rare->frame_bytes;

	if (nr_bytes && was_freed != is_freed)
		move(model, coro->rare->function_site, is_freed ? -1 : 1,
			is_freed ? 0 - nr_bytes : nr_bytes, time);
}

bool model_footprint_frame(
	struct model *model, struct model_coro *coro, const struct ct_event *event)
{
	const struct ct_tables *tables = model->tables;
	uint32_t nr_bytes =
		event->site < tables->nr_sites ? tables->sites[event->site].frame_bytes : 0;

	if (coro->rare->frame_bytes && coro->rare->function_site != event->site) {
		model_footprint_state(model, coro, CT_STATE_DESTROYED, event->time);
		model_set_rare(model, coro, frame_bytes, 0);
	}
	model_set_rare(model, coro, function_site, event->site);
	return !nr_bytes || model_footprint_tell(model, coro, nr_bytes, event->time);
}

void model_footprint_finish(struct model *model)
{
	size_t i;

	if (model->footprints.count && model->now != CT_NO_TIME)
		advance_time(model, model->now);
	for (i = 0; i < model->footprints.count; i++)
		advance(&model->footprints.at[i], model);
}

void model_footprint_fini(struct model *model)
{
	vec_fini(&model->footprints);
	map_fini(&model->footprint_of);
}
