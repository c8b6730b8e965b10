/* SPDX-License-Identifier: MIT */
/*
 * The axis of a picture: which moments have a place on it, and the distance between them.
 *
 * The width of a stretch between two moments is proportional to its length, and scaled so that the stretch of median
 * length has a fixed width; but a stretch is no narrower than the words in it, and has a greatest width. A stretch
 * several times as wide as that is folded, unless it tells the story: then it is only shortened.
 */
#include <stdlib.h>
#include <string.h>

#include "render/scene.h"
#include "say/say.h"

#define FOLD_FROM 6 /* times the greatest width: a stretch that would be wider is folded */
#define NARROWEST 10
#define SUBJECT_TIMES \
	2 /* times the greatest width: a stretch that would be folded, but is what the finding is about */
#define MARK_ROOM 24
#define LABEL_ROOM 18 /* room beside the label of an arrow */
#define ROWS 3

/* Lengths that depend on the width of the screen. */
static const struct measure {
	int middle_width; /* of the stretch of median length */
	int widest;
	int folded_width; /* room for "... 1.20 s ..." */
	int end_room;     /* room for words in the last stretch: of bars that last until the end */
	int at_least;     /* the least width of the axis */
	int roomy;        /* a wider axis gives the longest stretch no more room than others */
	int at_most;      /* the greatest, unless marks need more; 0: no limit */
	size_t moments; /* the most in a picture: steps, ends, and those changes between them that are farthest apart */
} wide = {44, 150, 112, 150, 700, 860, 0, 12}, narrow = {30, 90, 72, 72, 254, 254, 254, 6},
  narrow_without_ends = {30, 90, 72, 72, 336, 336, 336, 7};

static const struct measure *measure_of(const struct scene *scene)
{
	if (!scene->is_narrow)
		return &wide;
	return scene->nr_ends ? &narrow : &narrow_without_ends;
}

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

/* ---------------------------------------------------------------- the choice of moments */

/* Collects all moments that could have a place, in order, without duplicates. Returns their number. */
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

/* The moment that belongs to no step and whose neighbours are closest together; 0: there is none. */
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

static void choose_ticks(struct scene *scene)
{
	ct_time times[CT_PICTURE_STEPS + 2 * SCENE_BARS + 1];
	size_t count = moments_of(scene, times), i, out;

	while (count > measure_of(scene)->moments) {
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

/* ---------------------------------------------------------------- distances */

/* The room that the words at a moment need behind it. */
static int room_behind(struct scene *scene, const struct scene_tick *tick)
{
	int room = NARROWEST;
	uint32_t i;

	for (i = 0; i < scene->nr_marks; i++) {
		const struct scene_mark *mark = &scene->marks[i];

		if (mark->step->time != tick->time)
			continue;
		room += (mark->has_arrow || mark->has_loop) && !scene->is_narrow
				? LABEL_ROOM + render_scene_label_pixels(scene, mark)
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

/* Is the stretch what the finding is about: a delay or a run that was over before the end? */
static bool is_subject(const struct scene *scene, const struct scene_tick *tick)
{
	const struct ct_finding *finding = scene->finding;
	uint32_t i;

	for (i = 0; i < finding->nr_members && i < CT_LANES; i++) {
		const struct ct_member *member = &finding->members[i];

		if (member->is_over && tick[0].time >= member->since &&
			tick[1].time <= member->until)
			return true;
	}
	return false;
}

/* What the finding is about is wide, and no fold lies on it; strokes on the axis say that it is longer than drawn. */
static void unfold(const struct scene *scene, struct scene_gap *gap)
{
	gap->is_folded = false;
	gap->is_shortened = true;
	gap->width = SUBJECT_TIMES * measure_of(scene)->widest;
}

static void choose_width(struct scene *scene, struct scene_gap *gap, const struct scene_tick *tick)
{
	const struct measure *measure = measure_of(scene);
	double wanted = (double)gap->ns / (double)middle_of(scene) * measure->middle_width;
	bool is_last = tick == &scene->ticks[scene->nr_ticks - 2];
	int least = room_behind(scene, tick);

	gap->is_folded = wanted > (double)FOLD_FROM * measure->widest;
	gap->width = gap->is_folded             ? measure->folded_width
		     : wanted > measure->widest ? measure->widest
						: (int)wanted;
	if (gap->is_folded && is_subject(scene, tick))
		unfold(scene, gap);
	if (gap->is_folded)
		least += measure->folded_width - NARROWEST;
	if (is_last && least < measure->end_room)
		least = measure->end_room;
	if (gap->width < least)
		gap->width = least;
}

/* If no stretch is known to be the subject, the longest one is: for so long nothing came. */
static void unfold_longest(struct scene *scene)
{
	struct scene_gap *longest = NULL;
	uint32_t i;

	for (i = 0; i + 1 < scene->nr_ticks; i++) {
		if (scene->gaps[i].is_shortened || is_subject(scene, &scene->ticks[i]))
			return;
		if (!longest || scene->gaps[i].ns > longest->ns)
			longest = &scene->gaps[i];
	}
	if (longest && longest->is_folded)
		unfold(scene, longest);
}

/* The longest stretch gives back what makes the letters of a wide picture small. Returns by how much it is narrower. */
static int narrow_longest(struct scene *scene, int total)
{
	int less = total - measure_of(scene)->roomy, most;
	uint32_t i;

	for (i = 0; i + 1 < scene->nr_ticks; i++) {
		struct scene_gap *gap = &scene->gaps[i];

		if (!gap->is_shortened || is_subject(scene, &scene->ticks[i]))
			continue;
		most = gap->width - measure_of(scene)->widest;
		less = less < most ? less : most;
		if (less <= 0)
			return 0;
		gap->width -= less;
		return less;
	}
	return 0;
}

/* A short story is stretched to the least width, and a long one is pressed together where the screen is narrow. */
static void fit(struct scene *scene, int total)
{
	const struct measure *measure = measure_of(scene);
	int wanted = total < measure->at_least                      ? measure->at_least
		     : measure->at_most && total > measure->at_most ? measure->at_most
								    : total;
	uint32_t i;

	for (i = 0; i + 1 < scene->nr_ticks; i++) {
		struct scene_gap *gap = &scene->gaps[i];

		gap->width = gap->width * wanted / total;
		if (wanted < total && gap->width < MARK_ROOM)
			gap->width = MARK_ROOM;
	}
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

void render_scene_say_tick(struct text *text, const struct scene *scene, uint32_t number)
{
	ct_time time = scene->ticks[number].time;
	struct text words = {0}, before = {0};
	uint32_t i = number;

	while (i && !scene->ticks[i - 1].is_told)
		i--;
	say_time(&words, time);
	if (i)
		say_time(&before, scene->ticks[i - 1].time);
	if (i && strcmp(text_peek(&words), text_peek(&before)) == 0) {
		text_char(text, '+');
		text_duration(text, time - scene->ticks[i - 1].time);
	} else {
		text_append(text, text_peek(&words), words.length);
	}
	text->is_broken |= words.is_broken || before.is_broken;
	text_fini(&words);
	text_fini(&before);
}

/* The middle of a label of this half width: at its tick, or as far before it as the edge of the picture needs. */
static int middle_of_label(const struct scene *scene, const struct scene_tick *tick, int half)
{
	int most = scene->ticks[scene->nr_ticks - 1].x + scene->end_room - half;

	return tick->x < most ? tick->x : most;
}

/* Labels that would overlap are put in rows, from the axis upwards. Returns the number of rows. */
static int place_labels(struct scene *scene)
{
	int right[ROWS] = {0}, half, middle, row, nr_rows = 0;
	struct text words = {0};
	uint32_t i;

	for (i = 0; i < scene->nr_ticks; i++) {
		struct scene_tick *tick = &scene->ticks[i];

		if (!tick->is_told)
			continue;
		text_clear(&words);
		render_scene_say_tick(&words, scene, i);
		half = render_scene_pixels(words.length) / 2 + 4;
		middle = middle_of_label(scene, tick, half);
		for (row = 0; row < ROWS - 1 && right[row] > middle - half; row++)
			;
		tick->row = row;
		right[row] = middle + half;
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
	for (i = 0; i + 1 < scene->nr_ticks; i++)
		choose_width(scene, &scene->gaps[i], &scene->ticks[i]);
	unfold_longest(scene);
	for (i = 0; i + 1 < scene->nr_ticks; i++)
		total += scene->gaps[i].width;
	total -= narrow_longest(scene, total);
	fit(scene, total);
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
