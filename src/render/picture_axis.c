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

static void draw_tick(struct text *text, const struct scene *scene, const struct scene_tick *tick)
{
	int y = scene->axis_y - 13 - tick->row * 13, x = tick->x, half;
	struct text words = {0};

	if (tick->row < 0)
		return;
	render_picture_line(text, "guide", tick->x, y + 3, tick->x, bottom_of(scene));
	say_time(&words, tick->time);
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

static void draw_gap(struct text *text, const struct scene *scene, const struct scene_gap *gap)
{
	struct text words = {0};
	int room;

	text_add(&words, gap->is_folded ? "\xe2\x8b\xaf " : "");
	text_duration(&words, gap->ns);
	text_add(&words, gap->is_folded ? " \xe2\x8b\xaf" : "");
	room = render_scene_pixels(say_columns(text_peek(&words), words.length));
	if (gap->is_folded || room + (is_ringed(scene, gap) ? 30 : 10) < gap->width)
		text_format(text,
			"<text class=\"%s\" text-anchor=\"middle\" x=\"%d\" y=\"%d\">%s</text>\n",
			gap->is_folded ? "strong" : "quiet", gap->x + gap->width / 2,
			scene->axis_y + 17, text_peek(&words));
	render_facts_drop(text, &words);
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

void render_picture_axis(struct text *text, const struct scene *scene)
{
	uint32_t i;

	for (i = 0; i < scene->nr_ticks; i++)
		draw_tick(text, scene, &scene->ticks[i]);
	render_picture_line(
		text, "axis", scene->begin_x, scene->axis_y, scene->end_x, scene->axis_y);
	/* The lengths below the axis are those from stroke to stroke. */
	for (i = 0; i < scene->nr_ticks; i++)
		render_picture_line(text, "axis", scene->ticks[i].x, scene->axis_y - 3,
			scene->ticks[i].x, scene->axis_y + 3);
	for (i = 0; i + 1 < scene->nr_ticks; i++)
		draw_gap(text, scene, &scene->gaps[i]);
}

void render_picture_folds(struct text *text, const struct scene *scene)
{
	uint32_t i;

	for (i = 0; i + 1 < scene->nr_ticks; i++)
		if (scene->gaps[i].is_folded)
			draw_fold(text, scene, &scene->gaps[i]);
}
