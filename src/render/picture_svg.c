/* SPDX-License-Identifier: MIT */
/*
 * The picture of a finding as SVG. The shape of a bar and its words show the state; colour repeats it. Texts in bars
 * are nested svg elements, which clip the text whatever font the reader has.
 */
#include <inttypes.h>
#include <string.h>

#include "render/facts.h"
#include "render/picture.h"
#include "say/safe.h"
#include "say/say.h"

#define BAR_HALF 11 /* half the height of the bar of a running coroutine */
#define THIN_HALF 7 /* half the height of the bar of a waiting coroutine */
#define MARK_RADIUS 9
#define MANY_LEFT_OUT 100 /* so many states are a band, not dots */

static void escaped(struct text *text, const char *safe)
{
	say_html(text, safe, strlen(safe));
}

/* A line of text; `safe` is clipped to the width. */
static void label(struct text *text, const char *class, int x, int y, const char *safe, int width)
{
	struct text words = {0};

	/* Bold letters are wider. */
	render_scene_clip(&words, safe,
		render_scene_columns(strcmp(class, "strong") == 0 ? width * 7 / 8 : width));
	text_format(text, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, x, y);
	escaped(text, text_peek(&words));
	text_add(text, "</text>\n");
	render_facts_drop(text, &words);
}

void render_picture_line(struct text *text, const char *class, int x1, int y1, int x2, int y2)
{
	text_format(text, "<path class=\"%s\" d=\"M%d %dL%d %d\"/>\n", class, x1, y1, x2, y2);
}

/* ---------------------------------------------------------------- lanes */

static int bottom_of(const struct scene *scene)
{
	return render_scene_top(scene, scene->finding->picture.nr_lanes);
}

/* A disc for a coroutine, a square for a thread, a diamond for a thing waited for. */
static void draw_lane_sign(struct text *text, const struct ct_lane *lane, int y)
{
	const char *class = lane->is_member ? "tip" : "mark";

	if (lane->kind == CT_LANE_COROUTINE)
		text_format(text, "<circle class=\"%s\" cx=\"12\" cy=\"%d\" r=\"5\"/>\n", class, y);
	else if (lane->kind == CT_LANE_THREAD)
		text_format(text,
			"<rect class=\"mark\" x=\"7\" y=\"%d\" width=\"10\" height=\"10\"/>\n",
			y - 5);
	else
		text_format(text, "<path class=\"mark\" d=\"M12 %dl6 6l-6 6l-6 -6z\"/>\n", y - 6);
}

#define LEAST_PLACE 8 /* columns; less of a place says nothing */

/* A place that has no room after the name loses its beginning: its end says the line. */
static void add_place(struct text *name, const char *place, size_t columns)
{
	size_t length = strlen(place), taken = say_columns(name->at ? name->at : "", name->length);
	const char *rest = place;

	if (taken + LEAST_PLACE < columns && taken + say_columns(place, length) > columns) {
		while (*rest && taken + 1 + say_columns(rest, strlen(rest)) > columns)
			for (rest++; ((unsigned char)*rest & 0xc0) == 0x80; rest++)
				;
		text_add(name, "\xe2\x80\xa6");
	}
	text_add(name, rest);
}

/*
 * Above the bars: the name and the place in one line. What crosses the line, arrows and folds, passes behind the words.
 */
static void draw_name_above(struct text *text, const struct scene *scene, uint32_t number)
{
	const struct ct_lane *lane = &scene->finding->picture.lanes[number];
	int y = render_scene_top(scene, number) + 13, width = scene->names_width - 24, needed;
	struct text name = {0}, place = {0};

	say_safe(&name, lane->name);
	if (say_peek_site(scene->report->tables, lane->site)->file[0])
		text_add(&name, ", ");
	render_scene_short_place(&place, scene->report->tables, lane->site);
	add_place(&name, text_peek(&place), (size_t)render_scene_columns(width));
	name.is_broken |= place.is_broken;
	text_fini(&place);
	/* Bold letters are wider. */
	needed = render_scene_pixels(say_columns(text_peek(&name), name.length)) * 8 / 7;
	text_format(text, "<rect class=\"%s\" x=\"4\" y=\"%d\" width=\"%d\" height=\"14\"/>\n",
		lane->is_member ? "stripe" : "ground", y - 5,
		24 + (needed < width ? needed : width));
	draw_lane_sign(text, lane, y + 2);
	label(text, "strong halo", 24, y + 6, text_peek(&name), width);
	render_facts_drop(text, &name);
}

/* On the left: a long name is split at its parenthesis, and continues on a second line. */
static void draw_name_beside(struct text *text, const struct scene *scene, uint32_t number)
{
	const struct ct_lane *lane = &scene->finding->picture.lanes[number];
	const struct ct_tables *tables = scene->report->tables;
	int y = render_scene_y(scene, number), width = scene->names_width - 36;
	struct text name = {0}, place = {0};
	char *rest;

	say_safe(&name, lane->name);
	render_scene_short_place(&place, tables, lane->site);
	rest = name.at ? strstr(name.at, " (") : NULL;
	if (rest)
		*rest++ = '\0';
	draw_lane_sign(text, lane, y - (rest || place.length ? 6 : 0));
	y += rest && place.length ? -10 : rest || place.length ? -2 : 4;
	label(text, "strong", 24, y, text_peek(&name), width);
	if (rest)
		label(text, "quiet", 24, y += 14, rest, width);
	if (place.length)
		label(text, "quiet", 24, y += 14, text_peek(&place), width);
	render_facts_drop(text, &name);
	render_facts_drop(text, &place);
}

static void draw_lane(struct text *text, const struct scene *scene, uint32_t number)
{
	int y = render_scene_top(scene, number);

	if (scene->finding->picture.lanes[number].is_member)
		text_format(text,
			"<rect class=\"stripe\" x=\"0\" y=\"%d\" width=\"%d\" height=\"%d\" "
			"rx=\"4\"/>\n",
			y + 2, scene->width, scene->lane_height - 4);
	if (!scene->is_narrow)
		draw_name_beside(text, scene, number);
}

/* ---------------------------------------------------------------- bars */

static void draw_box(struct text *text, const struct scene_bar *bar, int y, int half)
{
	text_format(text,
		"<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\"/>\n",
		ct_bar_name(bar->bar->state), bar->x, y - half, bar->width > 2 ? bar->width : 2,
		2 * half);
}

/* Slanted strokes: the coroutine is ready, but does not run. */
static void draw_hatch(struct text *text, const struct scene_bar *bar, int y)
{
	int x;

	text_add(text, "<path class=\"hatch\" d=\"");
	for (x = bar->x + 8; x + 8 < bar->x + bar->width; x += 10)
		text_format(text, "M%d %dl8 %d", x, y + THIN_HALF, -2 * THIN_HALF);
	text_add(text, "\"/>\n");
}

static void draw_cross(struct text *text, const char *class, int x, int y)
{
	text_format(text, "<path class=\"%s\" d=\"M%d %dl12 12m0 -12l-12 12\"/>\n", class, x - 6,
		y - 6);
}

static void draw_shape(struct text *text, const struct scene_bar *bar, int y)
{
	int end = bar->x + bar->width;

	switch (bar->bar->state) {
	case CT_BAR_RUNNING:
	case CT_BAR_HELD:
		draw_box(text, bar, y, BAR_HALF);
		break;
	case CT_BAR_READY:
		draw_box(text, bar, y, THIN_HALF);
		draw_hatch(text, bar, y);
		break;
	case CT_BAR_WAITING:
	case CT_BAR_CALL:
	case CT_BAR_OPEN:
		draw_box(text, bar, y, THIN_HALF);
		break;
	case CT_BAR_DESTROYED:
	case CT_BAR_CLOSED:
	case CT_BAR_CRASHED:
		render_picture_line(
			text, bar->is_plain_end ? "closed plain" : "closed", bar->x, y, end, y);
		draw_cross(text, bar->is_plain_end ? "cross plain" : "cross", bar->x, y);
		break;
	case CT_BAR_DONE:
	case CT_BAR_ENDED:
		render_picture_line(text, "thread", bar->x, y - 9, bar->x, y + 9);
		break;
	case CT_BAR_NEW:
	case CT_BAR_IDLE:
		render_picture_line(text, "dots", bar->x, y, end, y);
		break;
	default:
		render_picture_line(text, "thread", bar->x, y, end, y);
		break;
	}
}

/* Dark letters on light bars, light letters on dark bars; above a bar that is only a line. */
static void draw_bar_words(
	struct text *text, const struct scene *scene, const struct scene_bar *bar, int y)
{
	enum ct_bar_state state = bar->bar->state;
	bool is_solid = render_scene_is_solid(bar);
	bool is_box = is_solid || state == CT_BAR_WAITING || state == CT_BAR_OPEN;
	bool is_stroke = state == CT_BAR_DONE || state == CT_BAR_ENDED;
	struct text words = {0};

	/* Beside another stroke, or behind a fold, the words would not be read as those of this one. */
	if (is_stroke && bar->room_x > bar->x + SCENE_SAMPLE_WIDTH)
		return;
	render_scene_say_bar(&words, scene, bar);
	if (words.length) {
		text_format(text,
			"<svg x=\"%d\" y=\"%d\" width=\"%d\" height=\"16\"><text class=\"%s\" "
			"x=\"%d\" "
			"y=\"12\">",
			bar->room_x, is_box ? y - 8 : y + 4, bar->room_width,
			is_solid ? "inside"
			: is_box ? "words"
				 : "quiet",
			is_box ? 6 : 10);
		escaped(text, text_peek(&words));
		text_add(text, "</text></svg>\n");
	}
	render_facts_drop(text, &words);
}

static void draw_bar(struct text *text, const struct scene *scene, const struct scene_bar *bar)
{
	int y = render_scene_y(scene, bar->lane);
	struct text whole = {0};

	render_scene_say_bar_whole(&whole, scene, bar);
	text_add(text, "<g><title>");
	escaped(text, text_peek(&whole));
	text_add(text, "</title>\n");
	render_facts_drop(text, &whole);
	draw_shape(text, bar, y);
	draw_bar_words(text, scene, bar, y);
	if (bar->bar->nr_before)
		render_picture_line(text,
			bar->bar->nr_before < MANY_LEFT_OUT ? "left-out" : "left-out dense",
			render_picture_left_out_from(scene, bar) + 2, y, bar->x - 2, y);
	text_add(text, "</g>\n");
}

/* ---------------------------------------------------------------- marks and ends */

static void draw_tip(struct text *text, const char *class, int x, int y, int direction)
{
	text_format(
		text, "<path class=\"%s\" d=\"M%d %dl-5 %dh10z\"/>\n", class, x, y, -9 * direction);
}

/* What the lane did to the other one; the place to look at first also shows its source place. */
static void draw_label(
	struct text *text, const struct scene *scene, const struct scene_mark *mark, int direction)
{
	int y = render_picture_label_y(scene, mark, direction);
	struct text place = {0};

	text_format(text, "<text class=\"halo strong\" x=\"%d\" y=\"%d\">%s</text>\n", mark->x + 6,
		y, render_scene_say_arrow(mark->kind));
	if (mark->is_cause && !scene->is_narrow)
		render_scene_short_place(&place, scene->report->tables, mark->step->site);
	if (place.length)
		label(text, "halo", mark->x + 6, y + 13, text_peek(&place), SCENE_LABEL_WIDTH);
	render_facts_drop(text, &place);
}

static void draw_arrow(struct text *text, const struct scene *scene, const struct scene_mark *mark)
{
	bool is_wish = mark->kind == CTP_KIND_SUSPEND || mark->kind == CTP_KIND_AWAIT ||
		       mark->kind == CTP_KIND_BLOCK_BEGIN;
	int direction = mark->other_y > mark->y ? 1 : -1;
	int end = mark->other_y - direction * (BAR_HALF + 1);

	render_picture_line(
		text, is_wish ? "wish" : "arrow", mark->x, mark->y, mark->x, end - direction * 8);
	draw_tip(text, is_wish ? "wish-tip" : "tip", mark->x, end, direction);
	if (render_scene_has_label(scene, mark))
		draw_label(text, scene, mark, direction);
}

/* Above the bar, from the mark and back to the lane. */
static void draw_loop(struct text *text, const struct scene *scene, const struct scene_mark *mark)
{
	int x = mark->x + 5, y = mark->y - BAR_HALF;

	text_format(text, "<path class=\"arrow\" d=\"M%d %dc0 -16 22 -16 22 -7\"/>\n", x, y);
	draw_tip(text, "tip", x + 22, y + 1, 1);
	if (!scene->is_narrow)
		label(text, "halo strong", x + 30, y - 4, SCENE_LOOP, SCENE_LABEL_WIDTH);
}

static void draw_number(struct text *text, uint32_t number, bool is_cause, int x, int y)
{
	text_format(text,
		"<circle class=\"mark%s\" cx=\"%d\" cy=\"%d\" r=\"%d\"/>\n"
		"<text class=\"%s\" text-anchor=\"middle\" x=\"%d\" y=\"%d\">%" PRIu32 "</text>",
		is_cause ? " cause" : "", x, y, MARK_RADIUS, is_cause ? "inside" : "strong", x,
		y + 4, number);
}

static void draw_mark(struct text *text, const struct scene *scene, const struct scene_mark *mark)
{
	struct text words = {0};

	render_scene_say_step(&words, scene, mark->step);
	text_add(text, "<g><title>");
	escaped(text, text_peek(&words));
	text_add(text, "</title>\n");
	render_facts_drop(text, &words);
	if (mark->has_arrow)
		draw_arrow(text, scene, mark);
	else if (mark->has_loop)
		draw_loop(text, scene, mark);
	if (mark->is_cause)
		text_format(text, "<circle class=\"ring\" cx=\"%d\" cy=\"%d\" r=\"%d\"/>\n",
			mark->x, mark->y, MARK_RADIUS + 4);
	draw_number(text, mark->number, mark->is_cause, mark->x, mark->y);
	text_add(text, "</g>\n");
}

static int end_length(const struct scene *scene)
{
	return scene->is_narrow ? 80 : 104;
}

static void draw_end(struct text *text, const struct scene *scene, const struct scene_end *end)
{
	int length = end_length(scene);
	const char *class = end->is_other || end->is_unknown ? "quiet halo" : "alarm halo";

	render_picture_line(text,
		end->is_unknown ? "never unknown"
		: end->is_other ? "never other"
				: "never",
		end->x, end->y, end->x + length - (end->is_unknown ? 12 : 0), end->y);
	if (end->is_unknown)
		text_format(text, "<text class=\"quiet strong halo\" x=\"%d\" y=\"%d\">?</text>\n",
			end->x + length - 6, end->y + 4);
	else
		text_format(text, "<path class=\"never-tip%s\" d=\"M%d %dl8 6l-8 6\"/>\n",
			end->is_other ? " other" : "", end->x + length - 6, end->y - 6);
	if (scene->is_narrow)
		text_format(text,
			"<text class=\"%s\" text-anchor=\"end\" x=\"%d\" "
			"y=\"%d\">%s</text>\n",
			class, scene->width - 2, render_picture_end_y(scene, end), end->words);
	else
		label(text, class, end->x + 8, render_picture_end_y(scene, end), end->words, 140);
}

/* What did not happen has no time: its number stands at the open end. */
static void draw_untimed(struct text *text, const struct scene *scene)
{
	const struct ct_finding *finding = scene->finding;
	const struct scene_end *end = &scene->ends[0];
	int x = end->x + MARK_RADIUS + 6;
	uint32_t i;

	for (i = 0; scene->nr_ends && i < finding->nr_steps; i++) {
		struct text words = {0};

		if (finding->steps[i].time != CT_NO_TIME ||
			x > end->x + end_length(scene) - 2 * MARK_RADIUS)
			continue;
		render_scene_say_step(&words, scene, &finding->steps[i]);
		text_add(text, "<g><title>");
		escaped(text, text_peek(&words));
		text_add(text, "</title>\n");
		render_facts_drop(text, &words);
		draw_number(text, i + 1, false, x, end->y);
		text_add(text, "</g>\n");
		x += 2 * MARK_RADIUS + 4;
	}
}

/* The number and the words of the step that is the place to look at first. */
static void draw_caption(struct text *text, const struct scene *scene)
{
	struct text words = {0};
	const char *at;
	uint32_t i;
	int y = 3;

	render_scene_say_caption(&words, scene);
	for (i = 0; words.length && i < scene->nr_marks; i++)
		if (scene->marks[i].is_cause)
			text_format(text,
				"<circle class=\"mark cause\" cx=\"12\" cy=\"11\" r=\"%d\"/>\n"
				"<text class=\"inside\" text-anchor=\"middle\" x=\"12\" "
				"y=\"15\">%" PRIu32 "</text>\n",
				MARK_RADIUS, scene->marks[i].number);
	for (at = text_peek(&words); *at;) {
		size_t length = render_scene_next_line(scene, at);

		text_format(text, "<text class=\"alarm\" x=\"26\" y=\"%d\">",
			y += SCENE_CAPTION_LINE - (y == 3 ? 3 : 0));
		say_html(text, at, length);
		text_add(text, "</text>\n");
		at += length + (at[length] == ' ');
	}
	render_facts_drop(text, &words);
}

static void draw_alike(struct text *text, const struct scene *scene)
{
	struct text words = {0};

	if (!scene->finding->picture.nr_alike)
		return;
	text_add(&words, "and ");
	text_count(&words, scene->finding->picture.nr_alike);
	text_add(&words, " more alike");
	label(text, "quiet alike", 24, bottom_of(scene) + 18, text_peek(&words),
		scene->names_width);
	render_facts_drop(text, &words);
}

/* A bar of this state as the legend shows it: an end in the middle of its room, a cross within it. */
static void draw_sample(struct text *text, const struct scene_sample *of)
{
	enum ct_bar_state state = of->state;
	struct ct_bar bar = {.state = state};
	struct scene_bar sample = {.bar = &bar,
		.x = of->x,
		.width = SCENE_SAMPLE_WIDTH,
		.is_plain_end = of->is_plain_end};

	if (state == CT_BAR_DONE || state == CT_BAR_ENDED)
		sample.x += SCENE_SAMPLE_WIDTH / 2;
	if (state == CT_BAR_CLOSED || state == CT_BAR_DESTROYED || state == CT_BAR_CRASHED) {
		sample.x += 6;
		sample.width -= 6;
	}
	draw_shape(text, &sample, of->y);
}

/* The shapes that the picture contains, each with its meaning. */
static void draw_legend(struct text *text, const struct scene *scene)
{
	uint32_t i;

	for (i = 0; i < scene->nr_samples; i++) {
		const struct scene_sample *sample = &scene->legend[i];

		draw_sample(text, sample);
		label(text, "quiet", sample->x + SCENE_SAMPLE_WIDTH + 7, sample->y + 4,
			render_scene_bar_word(sample->state, sample->is_plain_end), 120);
	}
}

void render_picture_draw(struct text *text, const struct scene *scene)
{
	uint32_t i;

	draw_caption(text, scene);
	for (i = 0; i < scene->finding->picture.nr_lanes; i++)
		draw_lane(text, scene, i);
	render_picture_axis(text, scene);
	for (i = 0; i < scene->nr_bars; i++)
		draw_bar(text, scene, &scene->bars[i]);
	render_picture_folds(text, scene);
	render_picture_left_out(text, scene);
	for (i = 0; i < scene->nr_ends; i++)
		draw_end(text, scene, &scene->ends[i]);
	draw_untimed(text, scene);
	for (i = 0; i < scene->nr_marks; i++)
		draw_mark(text, scene, &scene->marks[i]);
	/* Over the folds and the arrows, which would cross the names. */
	for (i = 0; scene->is_narrow && i < scene->finding->picture.nr_lanes; i++)
		draw_name_above(text, scene, i);
	draw_alike(text, scene);
	draw_legend(text, scene);
}

/* ---------------------------------------------------------------- whole pictures */

void render_picture_begin(
	struct text *text, const struct scene *scene, int width, int height, uint32_t number)
{
	struct text words = {0};

	text->is_broken |= scene->is_broken;
	text_format(text,
		"<svg%s class=\"picture%s\" role=\"img\" aria-labelledby=\"cpt%" PRIu32
		" cpd%" PRIu32
		"\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n<title id=\"cpt%" PRIu32
		"\">",
		number ? "" : " xmlns=\"http://www.w3.org/2000/svg\"",
		scene->is_narrow ? " narrow" : "", number, number, width, height, width, height,
		number);
	say_safe(&words, scene->finding->title);
	escaped(text, text_peek(&words));
	text_clear(&words);
	text_format(text, "</title>\n<desc id=\"cpd%" PRIu32 "\">", number);
	render_scene_say_whole(&words, scene);
	escaped(text, text_peek(&words));
	text_add(text, "</desc>\n");
	render_facts_drop(text, &words);
}

void render_picture_inline(struct text *text, const struct scene *scene, uint32_t number)
{
	render_picture_begin(text, scene, scene->width, scene->height, number);
	render_picture_draw(text, scene);
	text_add(text, "</svg>\n");
}
