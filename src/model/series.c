/* SPDX-License-Identifier: MIT */
/*
 * Numbers over time, in memory that does not grow: the least value in each of at most MODEL_WINDOWS windows of one
 * width. When time has passed the last window, each two windows become one.
 */
#include "model/parts.h"

#define FIRST_WIDTH_NS (INT64_C(1) << 20)

void model_series_init(struct model_series *series)
{
	series->from = series->until = CT_NO_TIME;
}

static bool begin(struct model *model, struct model_series about, uint32_t *ret_index)
{
	model_series_init(&about);
	*ret_index = (uint32_t)model->series.count;
	return vec_push(&model->series, about);
}

/* The series of processes exist from the beginning, so that a change of state needs no memory. */
bool model_series_reserve(struct model *model)
{
	uint32_t process, kind, none;

	if (!begin(model, (struct model_series){0}, &none))
		return false;
	for (process = 0; process < model->nr_processes; process++)
		for (kind = 0; kind < MODEL_NR_SERIES_OF_PROCESS; kind++) {
			struct model_series about = {.kind = (uint8_t)kind, .process = process};

			if (model->series.count + MODEL_NR_SERIES_OF_PROCESS <= MODEL_SERIES &&
				!begin(model, about, &process_at(model, process)->series[kind]))
				return false;
		}
	return true;
}

void model_series_fini(struct model *model)
{
	vec_fini(&model->series);
}

static void halve(struct model_series *series)
{
	uint64_t falls = series->falls;
	uint32_t i;

	series->falls = 0;
	for (i = 0; i < MODEL_WINDOWS / 2; i++) {
		int64_t a = series->least[2 * i], b = series->least[2 * i + 1];

		series->least[i] = a < b || 2 * i + 1 > series->present ? a : b;
		series->nr_rises[i] = series->nr_rises[2 * i] + series->nr_rises[2 * i + 1];
		series->nr_rises[2 * i + 1] = 0;
		series->falls |= (uint64_t)((falls >> 2 * i & 3) != 0) << i;
	}
	for (i = MODEL_WINDOWS / 2; i < MODEL_WINDOWS; i++)
		series->nr_rises[i] = 0;
	series->present /= 2;
	series->width_ns *= 2;
}

/* A window in which nothing changed has the value before it. */
static void advance(struct model_series *series, ct_time time)
{
	uint32_t target;

	if (series->from == CT_NO_TIME) {
		series->from = time;
		series->width_ns = FIRST_WIDTH_NS;
		series->least[0] = series->value;
		series->until = time + FIRST_WIDTH_NS;
		return;
	}
	while ((time - series->from) / series->width_ns >= (int64_t)MODEL_WINDOWS)
		halve(series);
	target = (uint32_t)((time - series->from) / series->width_ns);
	while (series->present < target)
		series->least[++series->present] = series->value;
	series->until = series->from + (int64_t)(target + 1) * series->width_ns;
}

static void change(struct model_series *series, ct_time time, int64_t value)
{
	if (time >= series->until)
		advance(series, time);
	series->nr_rises[series->present] += value > series->value;
	series->falls |= (uint64_t)(value < series->value) << series->present;
	series->value = value;
	if (value < series->least[series->present])
		series->least[series->present] = value;
}

void model_series_change(struct model_series *series, ct_time time, int64_t by)
{
	change(series, time, series->value + by);
}

void model_series_join(struct model_series *series, struct model_series *later)
{
	uint32_t i;

	if (later->from == CT_NO_TIME)
		return;
	for (i = 0; i <= later->present; i++)
		change(series, later->from + (int64_t)i * later->width_ns, later->least[i]);
	model_series_init(later);
	later->present = 0;
}

void model_series_move(struct model *model, uint32_t process, enum model_series_kind kind,
	ct_time time, int64_t by)
{
	uint32_t index = process_at(model, process)->series[kind];

	if (index)
		model_series_change(&model->series.at[index], time, by);
	else
		model->nr_tallies_refused++;
}

/*
 * Makes a series that begins with its first value. `about` is large, so the caller builds it only if there is no
 * series yet. If the table is full, *series stays 0, and that is counted.
 */
static bool begin_with(struct model *model, struct model_series about, uint32_t *series)
{
	if (model->series.count <= MODEL_SERIES)
		return begin(model, about, series);
	model->nr_tallies_refused++;
	return true;
}

static void follow(struct model *model, uint32_t series, ct_time time, int64_t value)
{
	if (series)
		change(&model->series.at[series], time, value);
}

static __attribute__((noinline)) bool begin_count(struct model *model, uint32_t span, int64_t value)
{
	struct model_span *of = &model->spans.at[span];
	struct model_series about = {
		.kind = MODEL_SERIES_COUNTER, .process = of->process, .span = span, .value = value};

	return begin_with(model, about, &of->series);
}

bool model_series_count(struct model *model, uint32_t span, ct_time time, int64_t value)
{
	if (!model->spans.at[span].series && !begin_count(model, span, value))
		return false;
	follow(model, model->spans.at[span].series, time, value);
	return true;
}

static __attribute__((noinline)) bool begin_content(struct model *model, uint32_t object)
{
	struct model_object *of = &model->objects.at[object];
	struct model_series about = {
		.kind = MODEL_SERIES_CONTENT,
		.process = of->process,
		.object = object,
		.value = (int64_t)of->content,
	};

	return begin_with(model, about, &of->content_series);
}

bool model_series_content(struct model *model, uint32_t object, ct_time time)
{
	if (!model->objects.at[object].content_series && !begin_content(model, object))
		return false;
	follow(model, model->objects.at[object].content_series, time,
		(int64_t)model->objects.at[object].content);
	return true;
}
