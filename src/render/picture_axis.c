/* SPDX-License-Identifier: MIT */
/*
 * The axis of a picture as SVG: its times, the lengths between them, and the folds across the lanes.
 */
#include "render/facts.h"
#include "render/picture.h"
#include "say/safe.h"
#include "say/say.h"

static int bottom_of(const struct scene *scene)
{
	return render_scene_top(scene, scene->finding->picture.nr_lanes);
}

static void draw_tick(struct text *text, const struct scene *scene, uint32_t number)
{
	const struct scene_tick *tick = &scene->ticks[number];
	int y = scene->axis_y - 13 - tick->row * 13, x = tick->x, half;
	struct text words = {0};

	if (tick->row < 0)
		return;
	render_picture_line(text, "guide", tick->x, y + 3, tick->x, bottom_of(scene));
	render_scene_say_tick(&words, scene, number);
	half = render_scene_pixels(words.length) / 2 + 2;
	x = x > scene->width - half ? scene->width - half : x;
	x = x < half ? half : x;
	text_format(text,
		"<text class=\"halo\" text-anchor=\"middle\" x=\"%d\" y=\"%d\">%s</text>\n", x, y,
		text_peek(&words));
	render_facts_drop(text, &words);
}

/* Does a ring on the axis, at either end of the stretch, reach down to the words below it? */
static bool is_ringed(const struct scene *scene, const struct scene_gap *gap)
{
	uint32_t i;

	for (i = 0; i < scene->nr_marks; i++)
		if (scene->marks[i].is_cause && !scene->marks[i].lane &&
			(scene->marks[i].x == gap->x || scene->marks[i].x == gap->x + gap->width))
			return true;
	return false;
}

/* A length in its stretch; the dots of a fold are left out where they would reach into the words before it. */
static void say_gap(struct text *words, const struct scene_gap *gap, bool has_dots)
{
	text_clear(words);
	text_add(words, has_dots ? "\xe2\x8b\xaf " : "");
	text_duration(words, gap->ns);
	text_add(words, has_dots ? " \xe2\x8b\xaf" : "");
}

/* Half the width of the words; those of a fold are bold. */
static int half_of(const struct text *words, bool is_bold)
{
	int pixels = render_scene_pixels(say_columns(text_peek(words), words->length));

	return (is_bold ? pixels * 8 / 7 : pixels) / 2 + 1;
}

/* `end` is where the words before it end. Returns where these do. */
static int draw_gap(
	struct text *text, const struct scene *scene, const struct scene_gap *gap, int end)
{
	bool is_bold = gap->is_folded || gap->is_shortened;
	int middle = gap->x + gap->width / 2, half;
	struct text words = {0};
	bool fits;

	say_gap(&words, gap, gap->is_folded);
	half = half_of(&words, is_bold);
	if (gap->is_folded && middle - half < end) {
		say_gap(&words, gap, false);
		half = half_of(&words, true);
	}
	fits = gap->is_folded ? middle - half >= end
			      : 2 * half + (is_ringed(scene, gap) ? 30 : 10) < gap->width &&
					middle - half >= end;
	if (fits)
		text_format(text,
			"<text class=\"%s\" text-anchor=\"middle\" x=\"%d\" y=\"%d\">%s</text>\n",
			is_bold ? "strong" : "quiet", middle, scene->axis_y + 17,
			text_peek(&words));
	render_facts_drop(text, &words);
	return fits ? middle + half : end;
}

/* Two jagged lines across all lanes: the time between them is folded. */
static void draw_fold(struct text *text, const struct scene *scene, const struct scene_gap *gap)
{
	int x = gap->x + gap->width / 2, top = scene->axis_y + 24, bottom = bottom_of(scene), y;

	text_format(text, "<path class=\"ground\" d=\"M%d %d", x - 4, top);
	for (y = top; y < bottom; y += 12)
		text_add(text, "l5 6l-5 6");
	text_add(text, "h9");
	for (y = top; y < bottom; y += 12)
		text_add(text, "l5 -6l-5 -6");
	text_add(text, "z\"/>\n");
	text_format(text, "<path class=\"axis\" d=\"M%d %d", x - 4, top);
	for (y = top; y < bottom; y += 12)
		text_add(text, "l5 6l-5 6");
	text_format(text, "M%d %d", x + 5, top);
	for (y = top; y < bottom; y += 12)
		text_add(text, "l5 6l-5 6");
	text_add(text, "\"/>\n");
}

/* Two slanted strokes through the axis alone: the stretch is longer than drawn. */
static void draw_break(struct text *text, const struct scene *scene, const struct scene_gap *gap)
{
	int x = gap->x + gap->width / 2, y = scene->axis_y;

	text_format(text, "<path class=\"ground\" d=\"M%d %dh6v4h-6z\"/>\n", x - 3, y - 2);
	text_format(text, "<path class=\"axis\" d=\"M%d %dl4 -10M%d %dl4 -10\"/>\n", x - 5, y + 5,
		x + 1, y + 5);
}

void render_picture_axis(struct text *text, const struct scene *scene)
{
	uint32_t i;
	int end = 0;

	for (i = 0; i < scene->nr_ticks; i++)
		draw_tick(text, scene, i);
	render_picture_line(
		text, "axis", scene->begin_x, scene->axis_y, scene->end_x, scene->axis_y);
	/* The lengths below the axis are those from stroke to stroke. */
	for (i = 0; i < scene->nr_ticks; i++)
		render_picture_line(text, "axis", scene->ticks[i].x, scene->axis_y - 3,
			scene->ticks[i].x, scene->axis_y + 3);
	for (i = 0; i + 1 < scene->nr_ticks; i++) {
		if (scene->gaps[i].is_shortened)
			draw_break(text, scene, &scene->gaps[i]);
		end = draw_gap(text, scene, &scene->gaps[i], end);
	}
}

void render_picture_folds(struct text *text, const struct scene *scene)
{
	uint32_t i;

	for (i = 0; i + 1 < scene->nr_ticks; i++)
		if (scene->gaps[i].is_folded)
			draw_fold(text, scene, &scene->gaps[i]);
}
