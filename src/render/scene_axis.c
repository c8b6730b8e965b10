/* SPDX-License-Identifier: MIT */
/*
 * The axis of a picture: which moments have a place on it, and how far they lie from each other.
 *
 * A stretch between two moments is as wide as it is long, by the stretch of middle length; but no narrower than what is
 * written in it, and no wider than a hand. What would be several times wider is folded.
 */
#include <stdlib.h>
#include <string.h>

#include "render/scene.h"
#include "say/say.h"

#define MIDDLE_WIDTH 44 /* of the stretch of middle length */
#define WIDEST 150
#define FOLDED_WIDTH 112 /* room for "... 1.20 s ..." */
#define FOLD_FROM 6      /* times as long as the widest one that is drawn as long as it is */
#define NARROWEST 10
#define MARK_ROOM 24
#define LABEL_ROOM 18 /* beside a label, at an arrow */
#define END_ROOM 150  /* in the last stretch: what lasts until the end has words */
#define AT_LEAST 700  /* the axis is */
#define ROWS 3

static int compare_times(const void *left, const void *right)
{
	ct_time a = *(const ct_time *)left, b = *(const ct_time *)right;

	return (a > b) - (a < b);
}

static bool is_told(const struct scene *scene, ct_time time)
{
	uint32_t i;

	for (i = 0; i < scene->nr_marks; i++)
		if (scene->marks[i].step->time == time)
			return true;
	return time == scene->finding->picture.end;
}

/* ---------------------------------------------------------------- which moments */

/* All moments that could have a place, in order, each once. Returns how many. */
static size_t moments_of(const struct scene *scene, ct_time *times)
{
	size_t count = 0, kept = 0, i;

	for (i = 0; i < scene->nr_marks; i++)
		times[count++] = scene->marks[i].step->time;
	for (i = 0; i < scene->nr_bars; i++) {
		if (scene->bars[i].bar->from >= scene->begin)
			times[count++] = scene->bars[i].bar->from;
		times[count++] = scene->bars[i].bar->until;
	}
	times[count++] = scene->finding->picture.end;
	qsort(times, count, sizeof(*times), compare_times);
	for (i = 0; i < count; i++)
		if (!kept || times[i] != times[kept - 1])
			times[kept++] = times[i];
	return kept;
}

/* The moment between whose neighbours least time lies, of those that no step tells of; 0: there is none. */
static size_t least_of(const struct scene *scene, const ct_time *times, size_t count)
{
	size_t least = 0, i;

	for (i = 1; i + 1 < count; i++) {
		if (is_told(scene, times[i]))
			continue;
		if (!least || times[i + 1] - times[i - 1] < times[least + 1] - times[least - 1])
			least = i;
	}
	return least;
}

/* So many that the picture stays one: steps, ends, and what changed in between where it lasted longest. */
#define MOST_MOMENTS 12u

static void choose_ticks(struct scene *scene)
{
	ct_time times[CT_PICTURE_STEPS + 2 * SCENE_BARS + 1];
	size_t count = moments_of(scene, times), i, out;

	while (count > MOST_MOMENTS) {
		out = least_of(scene, times, count);
		if (!out)
			break;
		count--;
		memmove(times + out, times + out + 1, (count - out) * sizeof(*times));
	}
	for (i = 0; i < count && i < SCENE_TICKS; i++)
		scene->ticks[scene->nr_ticks++] = (struct scene_tick){
			.time = times[i], .row = -1, .is_told = is_told(scene, times[i])};
}

/* ---------------------------------------------------------------- how far apart */

/* What stands at a moment needs this much room behind it. */
static int room_behind(struct scene *scene, const struct scene_tick *tick)
{
	int room = NARROWEST;
	uint32_t i;

	for (i = 0; i < scene->nr_marks; i++) {
		const struct scene_mark *mark = &scene->marks[i];

		if (mark->step->time != tick->time)
			continue;
		room += mark->has_arrow ? LABEL_ROOM + render_scene_label_pixels(scene, mark)
					: MARK_ROOM;
	}
	return room;
}

static int compare_spans(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

static int64_t middle_of(const struct scene *scene)
{
	int64_t spans[SCENE_TICKS];
	uint32_t i, count = scene->nr_ticks - 1;

	for (i = 0; i < count; i++)
		spans[i] = scene->gaps[i].ns;
	qsort(spans, count, sizeof(*spans), compare_spans);
	return spans[count / 2] > 0 ? spans[count / 2] : 1;
}

static void choose_width(struct scene *scene, struct scene_gap *gap, const struct scene_tick *tick)
{
	double wanted = (double)gap->ns / (double)middle_of(scene) * MIDDLE_WIDTH;
	bool is_last = tick == &scene->ticks[scene->nr_ticks - 2];
	int least = room_behind(scene, tick);

	gap->is_folded = wanted > (double)FOLD_FROM * WIDEST;
	gap->width = gap->is_folded ? FOLDED_WIDTH : wanted > WIDEST ? WIDEST : (int)wanted;
	if (gap->is_folded)
		least += FOLDED_WIDTH - NARROWEST;
	if (is_last && least < END_ROOM)
		least = END_ROOM;
	if (gap->width < least)
		gap->width = least;
}

/* A short story is drawn no smaller than a long one. */
static void widen(struct scene *scene, int total)
{
	uint32_t i;

	if (total >= AT_LEAST)
		return;
	for (i = 0; i + 1 < scene->nr_ticks; i++)
		scene->gaps[i].width = scene->gaps[i].width * AT_LEAST / total;
}

static void place_ticks(struct scene *scene)
{
	int x = scene->begin_x;
	uint32_t i;

	for (i = 0; i < scene->nr_ticks; i++) {
		scene->ticks[i].x = x;
		if (i + 1 == scene->nr_ticks)
			break;
		scene->gaps[i].x = x;
		x += scene->gaps[i].width;
	}
	scene->end_x = x;
}

/* Times that would lie on each other stand in rows, from the axis upwards. Returns how many there are. */
static int place_labels(struct scene *scene)
{
	int right[ROWS] = {0}, half, row, nr_rows = 0;
	struct text words = {0};
	uint32_t i;

	for (i = 0; i < scene->nr_ticks; i++) {
		struct scene_tick *tick = &scene->ticks[i];

		if (!tick->is_told)
			continue;
		text_clear(&words);
		say_time(&words, tick->time);
		half = render_scene_pixels(words.length) / 2 + 4;
		for (row = 0; row < ROWS - 1 && right[row] > tick->x - half; row++)
			;
		tick->row = row;
		right[row] = tick->x + half;
		nr_rows = row >= nr_rows ? row + 1 : nr_rows;
	}
	scene->is_broken |= words.is_broken;
	text_fini(&words);
	return nr_rows;
}

int render_scene_axis(struct scene *scene)
{
	int total = 0;
	uint32_t i;

	choose_ticks(scene);
	for (i = 0; i + 1 < scene->nr_ticks; i++)
		scene->gaps[i].ns = scene->ticks[i + 1].time - scene->ticks[i].time;
	for (i = 0; i + 1 < scene->nr_ticks; i++) {
		choose_width(scene, &scene->gaps[i], &scene->ticks[i]);
		total += scene->gaps[i].width;
	}
	widen(scene, total);
	place_ticks(scene);
	return place_labels(scene);
}

int render_scene_x(const struct scene *scene, ct_time time)
{
	uint32_t i = 0;

	if (time <= scene->ticks[0].time)
		return scene->ticks[0].x;
	while (i + 1 < scene->nr_ticks && scene->ticks[i + 1].time < time)
		i++;
	if (i + 1 >= scene->nr_ticks)
		return scene->end_x;
	return scene->ticks[i].x + (int)((double)(time - scene->ticks[i].time) /
					   (double)scene->gaps[i].ns * scene->gaps[i].width);
}
