/* SPDX-License-Identifier: MIT */
/*
 * Decides which items of different runs are the same place: those with the same measure, function, file and name. If a
 * function has several such items, lines distinguish them: by the line itself if all lines of one side occur on the
 * other side, which has more; else by their order, because code was moved.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff/diff.h"

/* The lines of one side, ascending, without duplicates. */
struct lines {
	const uint64_t *at;
	uint32_t count;
};

static int compare_places(const struct diff_item *x, const struct diff_item *y)
{
	int order = (x->measure > y->measure) - (x->measure < y->measure);

	order = order ? order : strcmp(x->function, y->function);
	order = order ? order : strcmp(x->file, y->file);
	return order ? order : strcmp(x->name, y->name);
}

static int compare_items(const void *a, const void *b)
{
	const struct diff_item *x = a, *y = b;
	int order = compare_places(x, y);

	order = order ? order : x->is_after - y->is_after;
	order = order ? order : (x->line > y->line) - (x->line < y->line);
	return order ? order : (x->run > y->run) - (x->run < y->run);
}

/* ---------------------------------------------------------------- lines */

/* Lists the lines of one side, whose items stand together in order of lines. */
static bool list_lines(struct ct_diff *diff, const struct diff_item *items, size_t count,
	bool is_after, struct lines *ret_lines)
{
	uint64_t *at = arena_array(&diff->judged, count, sizeof(*at));
	size_t i;

	*ret_lines = (struct lines){.at = at};
	for (i = 0; at && i < count; i++)
		if (items[i].is_after == is_after &&
			(!ret_lines->count || at[ret_lines->count - 1] != items[i].line))
			at[ret_lines->count++] = items[i].line;
	return at != NULL;
}

/* The number of smaller lines: the index of `line` if it is among them. */
static uint32_t nr_before_line(const struct lines *lines, uint64_t line)
{
	return (uint32_t)vec_count_while(lines->count, i, lines->at[i] < line);
}

static bool are_among(const struct lines *few, const struct lines *many)
{
	uint32_t i;

	for (i = 0; i < few->count; i++) {
		uint32_t at = nr_before_line(many, few->at[i]);

		if (at == many->count || many->at[at] != few->at[i])
			return false;
	}
	return true;
}

/* ---------------------------------------------------------------- series */

/* The same place in two processes of one run: times are averaged by their counts, numbers are added. */
static void add_to_run(struct diff_series *series, const struct diff_item *item)
{
	uint64_t *count = &series->counts[item->run];
	double *value = &series->values[item->run];
	uint64_t both = *count + item->count;

	series->is_there[item->run] = true;
	series->nr_going_on[item->run] += item->nr_going_on;
	if (isnan(*value))
		*value = item->value;
	else if (!isnan(item->value) && diff_is_time(item->measure) && both)
		*value += (item->value - *value) * (double)item->count / (double)both;
	else if (!isnan(item->value))
		*value += item->value;
	*count = both;
}

static void add(struct diff_series *series, const struct diff_item *item)
{
	struct ct_difference *difference = &series->difference;
	bool names_itself = !*item->function && !*item->file;

	difference->measure = item->measure;
	difference->function = item->function;
	difference->file = item->file;
	difference->place = item->place;
	difference->what = names_itself || item->measure == CT_MEASURE_FINDING ? item->name : "";
	*(item->is_after ? &difference->line_after : &difference->line_before) = item->line;
	*(item->is_after ? &difference->count_after : &difference->count_before) += item->count;
	*(item->is_after ? &difference->nr_after : &difference->nr_before) +=
		!series->is_there[item->run];
	add_to_run(series, item);
}

static bool push_series(struct ct_diff *diff)
{
	struct diff_series series = {.difference.change = CT_CHANGE_NONE};
	size_t i;

	series.counts = arena_array(&diff->judged, diff->runs.count, sizeof(*series.counts));
	series.values = arena_array(&diff->judged, diff->runs.count, sizeof(*series.values));
	series.is_there = arena_array(&diff->judged, diff->runs.count, sizeof(*series.is_there));
	series.nr_going_on =
		arena_array(&diff->judged, diff->runs.count, sizeof(*series.nr_going_on));
	for (i = 0; series.values && i < diff->runs.count; i++)
		series.values[i] = (double)NAN;
	return series.counts && series.values && series.is_there && series.nr_going_on &&
	       vec_push(&diff->series, series);
}

/* Pairs the items that differ only in their line. */
static bool pair_group(struct ct_diff *diff, const struct diff_item *items, size_t count)
{
	size_t first = diff->series.count, i;
	struct lines before, after;
	const struct lines *few, *many;
	bool is_by_line;

	if (!list_lines(diff, items, count, false, &before) ||
		!list_lines(diff, items, count, true, &after))
		return false;
	few = before.count < after.count ? &before : &after;
	many = before.count < after.count ? &after : &before;
	is_by_line = few->count < many->count && are_among(few, many);
	for (i = 0; i < many->count; i++)
		if (!push_series(diff))
			return false;
	for (i = 0; i < count; i++) {
		const struct lines *own = items[i].is_after ? &after : &before;

		add(&diff->series
				.at[first + nr_before_line(is_by_line ? many : own, items[i].line)],
			&items[i]);
	}
	return true;
}

/* ---------------------------------------------------------------- waits at the end */

static bool has_waiting(const struct ct_diff *diff, const struct diff_series *series)
{
	size_t i;

	if (series->difference.measure != CT_MEASURE_WAIT)
		return false;
	for (i = 0; i < diff->runs.count; i++)
		if (series->nr_going_on[i])
			return true;
	return false;
}

/* In a run without the place no coroutine waits there, so every value is known. */
static void fill_waiting(
	const struct ct_diff *diff, const struct diff_series *waits, struct diff_series *series)
{
	struct ct_difference *difference = &series->difference;
	size_t i;

	*difference = waits->difference;
	difference->measure = CT_MEASURE_WAITING;
	difference->count_before = difference->count_after = 0;
	difference->nr_before = difference->nr_after = 0;
	for (i = 0; i < diff->runs.count; i++) {
		bool is_after = diff->runs.at[i];
		uint64_t count = waits->nr_going_on[i];

		series->counts[i] = count;
		series->values[i] = (double)count;
		series->is_there[i] = count > 0;
		*(is_after ? &difference->count_after : &difference->count_before) += count;
		*(is_after ? &difference->nr_after : &difference->nr_before) += count > 0;
	}
}

static bool add_waiting(struct ct_diff *diff)
{
	size_t count = diff->series.count, i;

	for (i = 0; i < count; i++) {
		if (!has_waiting(diff, &diff->series.at[i]))
			continue;
		if (!push_series(diff))
			return false;
		fill_waiting(diff, &diff->series.at[i], &diff->series.at[diff->series.count - 1]);
	}
	return true;
}

bool diff_pair(struct ct_diff *diff)
{
	const struct diff_item *items = diff->items.at;
	size_t from = 0, until;

	diff->series.count = 0;
	if (diff->items.count)
		qsort(diff->items.at, diff->items.count, sizeof(*items), compare_items);
	for (; from < diff->items.count; from = until) {
		for (until = from + 1; until < diff->items.count; until++)
			if (compare_places(&items[from], &items[until]) != 0)
				break;
		if (!pair_group(diff, &items[from], until - from))
			return false;
	}
	return add_waiting(diff);
}
