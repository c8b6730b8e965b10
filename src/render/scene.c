/* SPDX-License-Identifier: MIT */
/*
 * The layout of a finding's picture: lanes, bars, marks and open ends.
 */
#include <stdlib.h>
#include <string.h>

#include "render/scene.h"

#define AXIS_Y 16 /* below the edge of the picture and the rows of times */
#define ROW_HEIGHT 13
#define LANES_Y 30      /* from the axis to the first lane's upper edge */
#define MARK_WIDTH 20   /* the least distance between marks of a lane */
#define LABEL_MARGIN 16 /* the room behind an arrow's label */
#define ALIKE_HEIGHT 22

/* The room that depends on the width of the screen. */
static const struct shape {
	int names_width;
	int begin_x;
	int lane_height;
	int lane_middle;
	int end_width; /* an arrow that leads nowhere, and its words */
	int no_end_width;
} wide = {204, 204, 62, 31, 132, 40}, narrow = {340, 16, 70, 46, 96, 14};

int render_scene_columns(int pixels)
{
	return pixels > 0 ? pixels * 10 / SCENE_LETTER_TENTHS : 0;
}

int render_scene_pixels(size_t columns)
{
	return (int)(columns * SCENE_LETTER_TENTHS / 10) + 1;
}

int render_scene_y(const struct scene *scene, uint32_t lane)
{
	return render_scene_top(scene, lane) + scene->lane_middle;
}

int render_scene_top(const struct scene *scene, uint32_t lane)
{
	return scene->axis_y + LANES_Y + (int)lane * scene->lane_height;
}

/* ---------------------------------------------------------------- bars */

static void place_bars(struct scene *scene)
{
	uint32_t i;

	for (i = 0; i < scene->nr_bars; i++) {
		struct scene_bar *bar = &scene->bars[i];

		bar->x = render_scene_x(scene, bar->bar->from);
		bar->width = render_scene_x(scene, bar->bar->until) - bar->x;
	}
}

static ct_time first_step(const struct scene *scene)
{
	ct_time first = scene->marks[0].step->time;
	uint32_t i;

	for (i = 1; i < scene->nr_marks; i++)
		if (scene->marks[i].step->time < first)
			first = scene->marks[i].step->time;
	return first;
}

/* The last change before the first step: only the state of each lane at that time matters. */
static void choose_begin(struct scene *scene)
{
	const struct ct_picture *picture = &scene->finding->picture;
	ct_time first = first_step(scene), begin = CT_NO_TIME;
	uint32_t lane, i;

	for (lane = 0; lane < picture->nr_lanes; lane++)
		for (i = 0; i < picture->lanes[lane].nr_bars; i++) {
			ct_time from = picture->lanes[lane].bars[i].from;

			if (from < first && from > begin)
				begin = from;
		}
	scene->begin = begin == CT_NO_TIME ? first : begin;
}

static bool is_plain_end(const struct ct_lane *lane, uint32_t index)
{
	return index && lane->bars[index].state == CT_BAR_DESTROYED &&
	       !lane->bars[index].nr_before && lane->bars[index - 1].state == CT_BAR_DONE;
}

static void add_bars(struct scene *scene)
{
	const struct ct_picture *picture = &scene->finding->picture;
	uint32_t lane, i;

	for (lane = 0; lane < picture->nr_lanes; lane++)
		for (i = 0; i < picture->lanes[lane].nr_bars; i++) {
			const struct ct_bar *bar = &picture->lanes[lane].bars[i];

			if (bar->until > scene->begin || bar->from >= scene->begin)
				scene->bars[scene->nr_bars++] = (struct scene_bar){.bar = bar,
					.lane = lane,
					.is_plain_end = is_plain_end(&picture->lanes[lane], i)};
		}
}

/* ---------------------------------------------------------------- marks */

static uint32_t mark_at(const struct ct_finding *finding, uint32_t site)
{
	const struct ct_picture *picture = &finding->picture;
	uint32_t i, last = 0;

	for (i = 0; site && i < picture->nr_marks; i++) {
		if (finding->steps[picture->marks[i].step - 1].site != site)
			continue;
		last = i + 1;
		if (finding->rule != CT_RULE_MUTEX_DEADLOCK)
			break;
	}
	return last;
}

/*
 * The mark, from 1, at the place to look at first, or else at the cause inside of that: the first one there; of a
 * circle the last one, which closes it.
 */
static uint32_t cause_of(const struct ct_finding *finding)
{
	uint32_t mark = mark_at(finding, finding->look_site);

	return mark ? mark : mark_at(finding, finding->cause_site);
}

static void add_marks(struct scene *scene)
{
	const struct ct_finding *finding = scene->finding;
	const struct ct_picture *picture = &finding->picture;
	uint32_t cause = cause_of(finding), i;

	for (i = 0; i < picture->nr_marks; i++) {
		const struct ct_picture_mark *from = &picture->marks[i];
		struct scene_mark *mark = &scene->marks[scene->nr_marks++];

		mark->step = &finding->steps[from->step - 1];
		mark->number = from->step;
		mark->kind = from->kind;
		mark->has_arrow = from->lane && from->other && from->lane != from->other;
		mark->has_loop = from->lane && from->lane == from->other;
		mark->lane = from->lane;
		mark->other = from->other;
		mark->is_cause = i + 1 == cause;
	}
}

static int lower_of(const struct scene_mark *mark)
{
	return mark->has_arrow && mark->other_y > mark->y ? mark->other_y : mark->y;
}

static int upper_of(const struct scene_mark *mark)
{
	return mark->has_arrow && mark->other_y < mark->y ? mark->other_y : mark->y;
}

/* How far a mark reaches to the right, with the words beside it. In a narrow scene later marks may cover these. */
static int reach_of(struct scene *scene, const struct scene_mark *mark)
{
	return (mark->has_arrow || mark->has_loop) && !scene->is_narrow
		       ? LABEL_MARGIN + render_scene_label_pixels(scene, mark)
		       : MARK_WIDTH;
}

/* Marks that would overlap are put side by side. */
static void place_marks(struct scene *scene)
{
	uint32_t i, k;

	for (i = 0; i < scene->nr_marks; i++) {
		struct scene_mark *mark = &scene->marks[i];

		mark->x = render_scene_x(scene, mark->step->time);
		mark->y = mark->lane ? render_scene_y(scene, mark->lane - 1) : scene->axis_y;
		mark->other_y = mark->other ? render_scene_y(scene, mark->other - 1) : mark->y;
		for (k = 0; k < i; k++) {
			const struct scene_mark *before = &scene->marks[k];
			bool is_apart = upper_of(mark) > lower_of(before) ||
					lower_of(mark) < upper_of(before);

			if (!is_apart && mark->x < before->x + reach_of(scene, before))
				mark->x = before->x + reach_of(scene, before);
		}
	}
}

/* ---------------------------------------------------------------- room for words */

/* A narrow scene has no room for the words if another arrow begins within them. */
bool render_scene_has_label(const struct scene *scene, const struct scene_mark *mark)
{
	int width = render_scene_pixels(strlen(render_scene_say_arrow(mark->kind))) * 8 / 7 + 12;
	uint32_t i;

	for (i = 0; scene->is_narrow && i < scene->nr_marks; i++)
		if (scene->marks[i].has_arrow && scene->marks[i].x > mark->x &&
			scene->marks[i].x < mark->x + width)
			return false;
	return true;
}

#define MOST_OBSTACLES (CT_PICTURE_STEPS + SCENE_TICKS)

struct obstacle {
	int from;
	int until;
};

static int compare_obstacles(const void *left, const void *right)
{
	const struct obstacle *a = left, *b = right;

	return (a->from > b->from) - (a->from < b->from);
}

/* A bar that is only a line has its words below it. */
static bool has_words_below(const struct scene_bar *bar)
{
	switch (bar->bar->state) {
	case CT_BAR_RUNNING:
	case CT_BAR_HELD:
	case CT_BAR_CALL:
	case CT_BAR_WAITING:
	case CT_BAR_OPEN:
		return false;
	default:
		return true;
	}
}

/* How far a mark reaches to either side; the one to look at first has a ring. */
static int half_width(const struct scene_mark *mark)
{
	return MARK_WIDTH / 2 + (mark->is_cause ? 6 : 4);
}

/* How far a mark, and in a narrow scene the words of its arrow below the bars beside it, reach to the right. */
static int until_of(const struct scene *scene, const struct scene_bar *bar,
	const struct scene_mark *mark, int half)
{
	const char *words = render_scene_say_arrow(mark->kind);

	if (!mark->has_arrow || mark->other_y < mark->y || !scene->is_narrow ||
		!has_words_below(bar) || !render_scene_has_label(scene, mark))
		return mark->x + half;
	return mark->x + MARK_WIDTH / 2 + render_scene_pixels(strlen(words)) * 8 / 7;
}

/* Collects what lies on a bar's lane: its own marks, arrows that cross it, and folds. */
static size_t obstacles_of(
	const struct scene *scene, const struct scene_bar *bar, struct obstacle *obstacles)
{
	int y = render_scene_y(scene, bar->lane);
	size_t count = 0;
	uint32_t i;

	for (i = 0; i < scene->nr_marks; i++) {
		const struct scene_mark *mark = &scene->marks[i];
		int half = mark->y == y ? half_width(mark) : mark->other_y == y ? 7 : 4;

		/* An arrow that ends here touches only words on the side from which it comes. */
		if (upper_of(mark) <= y && lower_of(mark) >= y &&
			(mark->y == y || mark->other_y != y ||
				(mark->y > y && has_words_below(bar))))
			obstacles[count++] = (struct obstacle){mark->x - half,
				mark->y == y ? until_of(scene, bar, mark, half) : mark->x + half};
	}
	for (i = 0; i + 1 < scene->nr_ticks; i++) {
		int x = scene->gaps[i].x + scene->gaps[i].width / 2;

		if (scene->gaps[i].is_folded)
			obstacles[count++] = (struct obstacle){x - 8, x + 8};
	}
	qsort(obstacles, count, sizeof(*obstacles), compare_obstacles);
	return count;
}

static void take_room(struct scene_bar *bar, int from, int until)
{
	if (from < bar->x)
		from = bar->x;
	if (until > bar->x + bar->width)
		until = bar->x + bar->width;
	if (until - from <= bar->room_width)
		return;
	bar->room_x = from;
	bar->room_width = until - from;
}

/* Finds the first stretch with room for all the words, or else the widest stretch. */
static void find_room(struct scene *scene, struct scene_bar *bar)
{
	struct obstacle obstacles[MOST_OBSTACLES];
	size_t count = obstacles_of(scene, bar, obstacles), i;
	int wanted = render_scene_bar_pixels(scene, bar), from = bar->x;

	for (i = 0; i < count && bar->room_width < wanted; i++) {
		take_room(bar, from, obstacles[i].from);
		if (obstacles[i].until > from)
			from = obstacles[i].until;
	}
	if (bar->room_width < wanted)
		take_room(bar, from, bar->x + bar->width);
}

/* ---------------------------------------------------------------- ends */

static void add_end(struct scene *scene, uint32_t lane, const char *words, bool is_other)
{
	if (words)
		scene->ends[scene->nr_ends++] = (struct scene_end){.lane = lane,
			.words = words,
			.is_other = is_other,
			.is_unknown = render_scene_is_unknown(words)};
}

static bool is_at_end(const struct ct_lane *lane, enum ct_bar_state state)
{
	return lane->nr_bars && lane->bars[lane->nr_bars - 1].state == state;
}

/* The ends of others stand behind those of members that wait, too: a finding about the past has none. */
static void add_ends(struct scene *scene)
{
	const struct ct_picture *picture = &scene->finding->picture;
	bool are_waits;
	uint32_t lane;

	for (lane = 0; lane < picture->nr_lanes; lane++)
		add_end(scene, lane, render_scene_say_end(scene, &picture->lanes[lane]), false);
	if (!scene->nr_ends)
		return;
	are_waits = is_at_end(&picture->lanes[scene->ends[0].lane], CT_BAR_WAITING);
	for (lane = 0; lane < picture->nr_lanes; lane++)
		if (are_waits || is_at_end(&picture->lanes[lane], CT_BAR_CALL))
			add_end(scene, lane,
				render_scene_say_other_end(scene, &picture->lanes[lane]), true);
}

static void place_ends(struct scene *scene)
{
	uint32_t i;

	for (i = 0; i < scene->nr_ends; i++) {
		scene->ends[i].x = scene->end_x;
		scene->ends[i].y = render_scene_y(scene, scene->ends[i].lane);
	}
}

/* Marks at the last moment reach beyond the axis, because of their words and because several stand side by side. */
static int right_of(struct scene *scene)
{
	int right = scene->end_x;
	uint32_t i;

	for (i = 0; i < scene->nr_marks; i++) {
		const struct scene_mark *mark = &scene->marks[i];
		int reach = mark->x + reach_of(scene, mark);

		if (mark->x >= scene->end_x && reach > right)
			right = reach;
	}
	return right;
}

/* ---------------------------------------------------------------- the caption */

static int caption_lines(struct scene *scene)
{
	struct text words = {0};
	const char *at;
	int count = 0;

	render_scene_say_caption(&words, scene);
	for (at = text_peek(&words); *at; count++) {
		at += render_scene_next_line(scene, at);
		at += *at == ' ';
	}
	scene->is_broken |= words.is_broken;
	text_fini(&words);
	return count;
}

/* ---------------------------------------------------------------- the legend */

#define LEGEND_ROW 22
#define LEGEND_FOOT 40 /* the room for a legend of one row */
#define SAMPLE_ROOM (SCENE_SAMPLE_WIDTH + 7)

/* Whether the shape of a bar can be seen: an end is a stroke, and dots need some room. */
static bool is_seen(const struct scene_bar *bar)
{
	enum ct_bar_state state = bar->bar->state;

	return bar->width > 2 ||
	       (state != CT_BAR_NEW && state != CT_BAR_IDLE && state != CT_BAR_OUTSIDE);
}

static bool are_plain_ends(const struct scene *scene, enum ct_bar_state state)
{
	uint32_t i;

	for (i = 0; i < scene->nr_bars; i++)
		if (scene->bars[i].bar->state == state && !scene->bars[i].is_plain_end)
			return false;
	return true;
}

/* Puts the samples side by side, from the lower edge of the lanes; returns the height of the whole. */
#define LEGEND_EDGE 6 /* letters may be wider than the average */

static int place_legend(struct scene *scene, int top)
{
	int x = scene->begin_x, y = top + LEGEND_FOOT - 16, width;
	bool is_told[SCENE_SAMPLES] = {false};
	uint32_t i;

	for (i = 0; i < scene->nr_bars; i++) {
		enum ct_bar_state state = scene->bars[i].bar->state;

		if (is_told[state] || !is_seen(&scene->bars[i]))
			continue;
		is_told[state] = true;
		width = SAMPLE_ROOM + render_scene_pixels(strlen(render_scene_bar_word(
					      state, are_plain_ends(scene, state))));
		if (x + width > scene->width - LEGEND_EDGE) {
			x = scene->begin_x;
			y += LEGEND_ROW;
		}
		scene->legend[scene->nr_samples++] =
			(struct scene_sample){state, x, y, are_plain_ends(scene, state)};
		x += width + (scene->is_narrow ? 10 : 20);
	}
	return y + 16 - top;
}

static void take_shape(struct scene *scene, const struct shape *shape)
{
	scene->names_width = shape->names_width;
	scene->begin_x = shape->begin_x;
	scene->lane_height = shape->lane_height;
	scene->lane_middle = shape->lane_middle;
}

static bool lay_out(struct scene *scene, const struct shape *shape)
{
	const struct ct_picture *picture = &scene->finding->picture;
	uint32_t i;

	if (!picture->nr_lanes || !picture->nr_marks)
		return false;
	take_shape(scene, shape);
	add_marks(scene);
	choose_begin(scene);
	add_bars(scene);
	add_ends(scene);
	scene->end_room = scene->nr_ends ? shape->end_width : shape->no_end_width;
	scene->caption_lines = caption_lines(scene);
	scene->axis_y = AXIS_Y + scene->caption_lines * SCENE_CAPTION_LINE;
	scene->axis_y += render_scene_axis(scene) * ROW_HEIGHT;
	place_bars(scene);
	place_marks(scene);
	for (i = 0; i < scene->nr_bars; i++)
		find_room(scene, &scene->bars[i]);
	place_ends(scene);
	scene->width = scene->end_x + scene->end_room;
	if (scene->width < right_of(scene) + MARK_WIDTH)
		scene->width = right_of(scene) + MARK_WIDTH;
	scene->height =
		render_scene_top(scene, picture->nr_lanes) + (picture->nr_alike ? ALIKE_HEIGHT : 0);
	scene->height += place_legend(scene, scene->height);
	return true;
}

bool render_scene_init(
	struct scene *scene, const struct ct_report *report, const struct ct_finding *finding)
{
	*scene = (struct scene){.report = report, .finding = finding};
	return lay_out(scene, &wide);
}

bool render_scene_init_narrow(
	struct scene *scene, const struct ct_report *report, const struct ct_finding *finding)
{
	*scene = (struct scene){.report = report, .finding = finding, .is_narrow = true};
	return lay_out(scene, &narrow);
}
