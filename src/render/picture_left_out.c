/* SPDX-License-Identifier: MIT */
/*
 * The words above the dots that stand for states that a picture leaves out. The words often lie over a fold, and are
 * moved aside where an arrow, its words or an open end would touch them.
 */
#include <stdlib.h>
#include <string.h>

#include "render/facts.h"
#include "render/picture.h"
#include "say/safe.h"
#include "say/say.h"

#define ABOVE 16 /* from the middle of the lane up to the base of the words */
#define ABOVE_NARROW 14
#define LINE 13
#define END_ABOVE 13 /* from an open end up to the base of its words */
#define END_BELOW 21
#define MOST_TAKEN (2u * CT_PICTURE_STEPS + 1u)
#define MOST_PLACED 64u /* words that others keep away from */

/* A stretch that the words must not touch. */
struct taken {
	int from;
	int until;
};

/* Words that are drawn already, in their lines. */
struct placed {
	struct {
		int y;
		struct taken taken;
	} at[MOST_PLACED];
	size_t count;
};

int render_picture_label_y(const struct scene *scene, const struct scene_mark *mark, int direction)
{
	if (scene->is_narrow)
		return mark->y + (direction > 0 ? 22 : -14);
	return mark->y + direction * scene->lane_height / 2 + 4;
}

int render_picture_left_out_from(const struct scene *scene, const struct scene_bar *bar)
{
	const struct scene_bar *before =
		bar > scene->bars && bar[-1].lane == bar->lane ? bar - 1 : NULL;

	return before ? before->x + before->width : bar->x - 14;
}

/* How far the words at a mark reach. */
static int reach_of(const struct scene *scene, const struct scene_mark *mark)
{
	const char *words = mark->has_loop ? SCENE_LOOP : render_scene_say_arrow(mark->kind);
	int from = mark->has_loop ? 30 : 6;

	if (scene->is_narrow && mark->has_loop)
		return mark->x + 34;
	if (mark->is_cause && !scene->is_narrow && !mark->has_loop)
		return mark->x + from + SCENE_LABEL_WIDTH;
	/* Bold letters are wider. */
	return mark->x + from + render_scene_pixels(strlen(words)) * 8 / 7 + 4;
}

/* Do the words of an arrow stand in the line of words at `y`? The place to look at first has a second line. */
static bool is_beside(const struct scene *scene, const struct scene_mark *mark, int y)
{
	int at = render_picture_label_y(scene, mark, mark->other_y > mark->y ? 1 : -1);

	if (!render_scene_has_label(scene, mark))
		return false;
	return abs(at - y) < LINE ||
	       (mark->is_cause && !scene->is_narrow && abs(at + LINE - y) < LINE);
}

/* How far the words at a mark reach as they are, in letters that may be wider than the average. */
static int words_until(const struct scene *scene, const struct scene_mark *mark)
{
	int until = reach_of(scene, mark), place_until;
	struct text place = {0};

	if (!mark->is_cause || scene->is_narrow || mark->has_loop)
		return until;
	render_scene_short_place(&place, scene->report->tables, mark->step->site);
	place_until = mark->x + 6 +
		      render_scene_pixels(say_columns(text_peek(&place), place.length)) * 8 / 7;
	text_fini(&place);
	return place_until < until ? place_until : until;
}

int render_picture_end_y(const struct scene *scene, const struct scene_end *end)
{
	int above = end->y - END_ABOVE, from = end->x + 8;
	uint32_t i;

	if (scene->is_narrow)
		from = scene->width - 2 - render_scene_pixels(strlen(end->words)) * 8 / 7;
	for (i = 0; i < scene->nr_marks; i++) {
		const struct scene_mark *mark = &scene->marks[i];

		if ((mark->has_loop ? mark->y == end->y
				    : mark->has_arrow && is_beside(scene, mark, above)) &&
			words_until(scene, mark) > from)
			return end->y + END_BELOW;
	}
	return above;
}

static bool is_between(int y, int one, int other)
{
	return (one < y) != (other < y);
}

/* Collects what lies in the line of words at `y`, which is above the bars at `middle`. */
static size_t taken_in(const struct scene *scene, int middle, int y, struct taken *taken)
{
	size_t count = 0;
	uint32_t i;

	for (i = 0; i < scene->nr_marks; i++) {
		const struct scene_mark *mark = &scene->marks[i];

		if (mark->has_arrow && is_between(y - 4, mark->y, mark->other_y))
			taken[count++] = (struct taken){mark->x - 7, mark->x + 7};
		if (mark->has_loop ? mark->y == middle
				   : mark->has_arrow && is_beside(scene, mark, y))
			taken[count++] = (struct taken){mark->x, reach_of(scene, mark)};
	}
	for (i = 0; i < scene->nr_ends; i++)
		if (scene->ends[i].y == middle)
			taken[count++] = (struct taken){
				scene->is_narrow ? scene->width - 6 -
							   render_scene_pixels(
								   strlen(scene->ends[i].words)) *
								   8 / 7
						 : scene->ends[i].x + 4,
				scene->width};
	return count;
}

static bool is_free(
	const struct scene *scene, const struct taken *taken, size_t count, int x, int half)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (x - half < taken[i].until && x + half > taken[i].from)
			return false;
	return x - half >= 0 && x + half <= scene->width;
}

/* The free place that is nearest to `wanted`; if there is none, one within the picture. */
static int place_words(
	const struct scene *scene, const struct taken *taken, size_t count, int wanted, int half)
{
	int least = wanted < half ? half : wanted, best = -1, side;
	size_t i;

	least = least > scene->width - half ? scene->width - half : least;
	if (is_free(scene, taken, count, least, half))
		return least;
	for (i = 0; i < count; i++)
		for (side = 0; side < 2; side++) {
			int x = side ? taken[i].until + half : taken[i].from - half;

			if (is_free(scene, taken, count, x, half) &&
				(best < 0 || abs(x - wanted) < abs(best - wanted)))
				best = x;
		}
	return best < 0 ? least : best;
}

static size_t placed_in(const struct placed *placed, int y, struct taken *taken)
{
	size_t i, count = 0;

	for (i = 0; i < placed->count; i++)
		if (abs(placed->at[i].y - y) < LINE)
			taken[count++] = placed->at[i].taken;
	return count;
}

static void draw_words(struct text *text, const struct scene *scene, const struct scene_bar *bar,
	struct placed *placed)
{
	int middle = render_scene_y(scene, bar->lane), x, half,
	    y = middle - (scene->is_narrow ? ABOVE_NARROW : ABOVE);
	const char *ground =
		scene->finding->picture.lanes[bar->lane].is_member ? "stripe" : "ground";
	struct taken taken[MOST_TAKEN + CT_LANES + MOST_PLACED];
	struct text words = {0};
	size_t count;

	say_count(&words, bar->bar->nr_before, "more state", "more states");
	half = render_scene_pixels(words.length) / 2 + 3;
	count = taken_in(scene, middle, y, taken);
	count += placed_in(placed, y, taken + count);
	x = place_words(
		scene, taken, count, (render_picture_left_out_from(scene, bar) + bar->x) / 2, half);
	if (placed->count < MOST_PLACED) {
		placed->at[placed->count].y = y;
		placed->at[placed->count++].taken = (struct taken){x - half, x + half};
	}
	/* A fold would be seen between the words. */
	text_format(text, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
		ground, x - half, y - LINE + 3, 2 * half, LINE);
	text_format(text,
		"<text class=\"quiet halo\" text-anchor=\"middle\" x=\"%d\" y=\"%d\">%s</text>\n",
		x, y, text_peek(&words));
	render_facts_drop(text, &words);
}

void render_picture_left_out(struct text *text, const struct scene *scene)
{
	struct placed placed = {.count = 0};
	uint32_t i;

	for (i = 0; i < scene->nr_bars; i++)
		if (scene->bars[i].bar->nr_before)
			draw_words(text, scene, &scene->bars[i], &placed);
}
