/* SPDX-License-Identifier: MIT */
/*
 * The layout of a finding's picture, from which each form draws: where lanes, bars, arrows, open ends and marks lie.
 *
 * Time runs to the right, and is not to scale: each moment that a step tells of has room for its mark, and a stretch in
 * which nothing happens for long is folded, with its length told. Everything is bounded (picture.h), so a scene
 * allocates nothing. Lengths are pixels. A scene borrows the report.
 */
#ifndef RENDER_SCENE_H
#define RENDER_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "corotracer/ct.h"

#define SCENE_TICKS 40u /* at least the steps, the first time and the last */
#define SCENE_BARS (CT_LANES * CT_LANE_BARS)
#define SCENE_LANE_HEIGHT 62
#define SCENE_NAMES_WIDTH 204  /* on the left, for the lanes' names */
#define SCENE_LABEL_WIDTH 200  /* at most, of an arrow's words */
#define SCENE_LETTER_TENTHS 61 /* the width of a letter in the mean, in tenths of a pixel */

/* A moment to which a place on the axis is given. */
struct scene_tick {
	ct_time time;
	int x;
	int row;      /* of its label, from the top; -1: it has none */
	bool is_told; /* a step happened then, or the picture begins or ends there */
};

/* The time between two ticks. */
struct scene_gap {
	int x;
	int width;
	int64_t ns;
	bool is_folded; /* it is drawn much shorter than it is */
};

struct scene_bar {
	const struct ct_bar *bar;
	uint32_t lane; /* from 0 */
	int x;
	int width;
	/* A stretch of it that no mark, arrow or fold lies on: there is room for words. */
	int room_x;
	int room_width;
};

/* A step: its number on its lane, and an arrow to the other one. */
struct scene_mark {
	const struct ct_step *step;
	uint32_t number;
	uint32_t lane; /* from 1, as of ct_picture_mark */
	uint32_t other;
	uint8_t kind;  /* enum ctp_kind; 0: not known */
	bool is_cause; /* the place to look at first */
	bool has_arrow;
	int x;
	int y;
	int other_y;
};

/* What never came. */
struct scene_end {
	uint32_t lane;
	int x;
	int y;
	const char *words; /* "no wake came" */
};

struct scene {
	const struct ct_report *report;
	const struct ct_finding *finding;
	int width;
	int height;
	int axis_y;
	ct_time begin; /* what had ended by then is not drawn */
	int begin_x;   /* of the axis */
	int end_x;
	struct scene_tick ticks[SCENE_TICKS];
	struct scene_gap gaps[SCENE_TICKS];
	struct scene_bar bars[SCENE_BARS];
	struct scene_mark marks[CT_PICTURE_STEPS];
	struct scene_end ends[CT_LANES];
	uint32_t nr_ticks; /* one more than gaps */
	uint32_t nr_bars;
	uint32_t nr_marks;
	uint32_t nr_ends;
	bool is_broken; /* memory ran out while words were measured: the drawing is of no use */
};

/* render_scene_init: false where the finding has no picture: nobody has a lane in it, or no step has a time. */
bool render_scene_init(
	struct scene *scene, const struct ct_report *report, const struct ct_finding *finding);

/*
 * render_scene_axis: ticks and gaps, of a scene that has its marks and its bars; returns in how many rows its times
 * stand. A part of render_scene_init.
 */
int render_scene_axis(struct scene *scene);

/* render_scene_x: where a time lies; outside of the picture, at its edge. */
int render_scene_x(const struct scene *scene, ct_time time);

/* render_scene_y: the middle of a lane, from 0. */
int render_scene_y(const struct scene *scene, uint32_t lane);

/* render_scene_columns: so many letters fit into this width. render_scene_pixels: what so many take. */
int render_scene_columns(int pixels);
int render_scene_pixels(size_t columns);

/* ---------------------------------------------------------------- words (scene_words.c) */

/*
 * render_scene_say_bar: what a bar says, safe, in at most so many columns: the longest of its wordings that fits;
 * nothing where none does. render_scene_say_bar_whole: all of it, with its times.
 */
void render_scene_say_bar(
	struct text *text, const struct scene *scene, const struct scene_bar *bar, int columns);
void render_scene_say_bar_whole(
	struct text *text, const struct scene *scene, const struct scene_bar *bar);

/* render_scene_bar_pixels: what all that a bar says would take. render_scene_label_pixels: what an arrow's words do. */
int render_scene_bar_pixels(struct scene *scene, const struct scene_bar *bar);
int render_scene_label_pixels(struct scene *scene, const struct scene_mark *mark);

/* render_scene_say_arrow: what the one lane did to the other: "woke", "closed". */
const char *render_scene_say_arrow(uint8_t kind);

/* render_scene_say_end: what never came to this lane, which is one of a member; NULL: nothing that is told. */
const char *render_scene_say_end(const struct scene *scene, const struct ct_lane *lane);

/* render_scene_say_step: a step in one sentence, safe: time, words, who and where. */
void render_scene_say_step(
	struct text *text, const struct scene *scene, const struct ct_step *step);

/* render_scene_say_whole: the picture in words, safe, for whoever does not see it. */
void render_scene_say_whole(struct text *text, const struct scene *scene);

/* render_scene_clip: at most so many columns of a safe text; what is left out is shown by an ellipsis. */
void render_scene_clip(struct text *text, const char *safe, int columns);

/* render_scene_short_place: file and line alone: "server.cpp:120"; nothing where the site has none. */
void render_scene_short_place(struct text *text, const struct ct_tables *tables, uint32_t site);

#endif
