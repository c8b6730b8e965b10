/* SPDX-License-Identifier: MIT */
/*
 * The layout of a finding's picture, from which each form draws: the places of lanes, bars, arrows, open ends and
 * marks.
 *
 * Time runs to the right and is not to scale: each moment of a step has room for its mark, and a long stretch in which
 * nothing happens is folded and labelled with its length. Above the axis stands what was done at the place to look at
 * first. A narrow scene is for the width of a telephone: the names of lanes stand above their bars, and fewer moments
 * have a place. The number of parts is bounded, so a scene allocates nothing. Lengths are pixels. A scene borrows the
 * report.
 */
#ifndef RENDER_SCENE_H
#define RENDER_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "corotracer/ct.h"

#define SCENE_TICKS 40u /* at least enough for the steps and the first and the last time */
#define SCENE_BARS (CT_LANES * CT_LANE_BARS)
#define SCENE_SAMPLES (CT_BAR_FREE + 1u)
#define SCENE_SAMPLE_WIDTH 26
#define SCENE_LABEL_WIDTH 200 /* of the words at an arrow, at most */
#define SCENE_CAPTION_LINE 15
#define SCENE_LETTER_TENTHS 61 /* the average width of a letter, in tenths of a pixel */

/* A moment that has a place on the axis. */
struct scene_tick {
	ct_time time;
	int x;
	int row;      /* the row of its label, from the top; -1: no label */
	bool is_told; /* a step happened then, or the picture begins or ends there */
};

/* The time between two ticks. */
struct scene_gap {
	int x;
	int width;
	int64_t ns;
	bool is_folded;    /* drawn much shorter than to scale */
	bool is_shortened; /* likewise, but wide, with no fold across the lanes: it tells the story */
};

struct scene_bar {
	const struct ct_bar *bar;
	uint32_t lane; /* from 0 */
	int x;
	int width;
	bool is_plain_end; /* destroyed after it had returned, as each coroutine is: nothing is wrong with that */
	/* The stretch of the bar in which words fit, because no mark, arrow or fold lies on it. */
	int room_x;
	int room_width;
};

/* A step: its number on its lane, and an arrow to the other lane. */
struct scene_mark {
	const struct ct_step *step;
	uint32_t number;
	uint32_t lane; /* from 1, like that of ct_picture_mark */
	uint32_t other;
	uint8_t kind;  /* enum ctp_kind; 0: unknown */
	bool is_cause; /* the place to look at first */
	bool has_arrow;
	bool has_loop; /* an arrow that leads back to its own lane: "woke itself" */
	int x;
	int y;
	int other_y;
};

/* The open end of a lane: the event that never came. */
struct scene_end {
	uint32_t lane;
	int x;
	int y;
	const char *words; /* "no wake came" */
	bool is_other;     /* of a coroutine that waits as well, and is no member */
	bool is_unknown;   /* it may have come, and not been recorded */
};

/* A shape that the picture contains, with its meaning. */
struct scene_sample {
	enum ct_bar_state state;
	int x;
	int y;
	bool is_plain_end;
};

struct scene {
	const struct ct_report *report;
	const struct ct_finding *finding;
	bool is_narrow;
	int names_width; /* room for the names of lanes: on the left, or above the bars of a narrow scene */
	int lane_height;
	int lane_middle; /* from the upper edge of a lane to the middle of its bars */
	int caption_lines;
	int width;
	int height;
	int axis_y;
	ct_time begin; /* bars that ended before this time are not drawn */
	int begin_x;   /* where the axis begins */
	int end_x;
	int end_room; /* behind that, at least */
	struct scene_tick ticks[SCENE_TICKS];
	struct scene_gap gaps[SCENE_TICKS];
	struct scene_bar bars[SCENE_BARS];
	struct scene_mark marks[CT_PICTURE_STEPS];
	struct scene_end ends[CT_LANES];
	struct scene_sample legend[SCENE_SAMPLES];
	uint32_t nr_ticks; /* one more than the number of gaps */
	uint32_t nr_bars;
	uint32_t nr_marks;
	uint32_t nr_ends;
	uint32_t nr_samples;
	bool is_broken; /* memory ran out while words were measured: the drawing cannot be used */
};

/*
 * render_scene_init: lays out the picture of a finding. False: the finding has no picture, because it has no lane, or
 * no step has a time. render_scene_init_narrow: the same for a narrow screen.
 */
bool render_scene_init(
	struct scene *scene, const struct ct_report *report, const struct ct_finding *finding);
bool render_scene_init_narrow(
	struct scene *scene, const struct ct_report *report, const struct ct_finding *finding);

/*
 * render_scene_axis: sets ticks and gaps of a scene that has its marks and bars; returns the number of rows that the
 * labels of the times take. A part of render_scene_init.
 */
int render_scene_axis(struct scene *scene);

/*
 * render_scene_say_tick: the label of a tick: its time; or how long after the tick with a label before it, if both
 * times would be written alike.
 */
void render_scene_say_tick(struct text *text, const struct scene *scene, uint32_t number);

/* render_scene_x: the x of a time; a time outside the picture is put at its edge. */
int render_scene_x(const struct scene *scene, ct_time time);

/* render_scene_y: the y of the middle of a lane's bars; lanes count from 0. render_scene_top: of its upper edge. */
int render_scene_y(const struct scene *scene, uint32_t lane);
int render_scene_top(const struct scene *scene, uint32_t lane);

/* render_scene_has_label: are there words at this arrow? */
bool render_scene_has_label(const struct scene *scene, const struct scene_mark *mark);

/* render_scene_columns: how many letters fit into this width. render_scene_pixels: the width of this many letters. */
int render_scene_columns(int pixels);
int render_scene_pixels(size_t columns);

/* ---------------------------------------------------------------- words (scene_words.c) */

/*
 * render_scene_say_bar: the words of a bar, safe: the longest of its wordings that fits into its room; empty if none
 * fits. render_scene_say_bar_whole: all the words of a bar, with its times. render_scene_is_solid: is the bar dark,
 * with light and bold words?
 */
bool render_scene_is_solid(const struct scene_bar *bar);
void render_scene_say_bar(
	struct text *text, const struct scene *scene, const struct scene_bar *bar);
void render_scene_say_bar_whole(
	struct text *text, const struct scene *scene, const struct scene_bar *bar);

/*
 * render_scene_bar_pixels: the width of all the words of a bar. render_scene_label_pixels: the width of the words at an
 * arrow.
 */
int render_scene_bar_pixels(struct scene *scene, const struct scene_bar *bar);
int render_scene_label_pixels(struct scene *scene, const struct scene_mark *mark);

/*
 * render_scene_bar_word: the state of a bar, as statistics and the page name it: "running", "not begun". To be
 * destroyed after the return is to have ended.
 */
const char *render_scene_bar_word(enum ct_bar_state state, bool is_plain_end);

/* The words of an arrow that leads back to its own lane. */
#define SCENE_LOOP "woke itself"

/* render_scene_say_arrow: what one lane did to the other: "woke", "closed". */
const char *render_scene_say_arrow(uint8_t kind);

/* render_scene_say_end: the event that never came to this lane, which must be a member's; NULL: no words are needed. */
const char *render_scene_say_end(const struct scene *scene, const struct ct_lane *lane);

/* render_scene_is_unknown: do these words of an end say that the event may have come, and not been recorded? */
bool render_scene_is_unknown(const char *words);

/* render_scene_say_other_end: the same for a coroutine that waits, and is no member. */
const char *render_scene_say_other_end(const struct scene *scene, const struct ct_lane *lane);

/* render_scene_say_step: a step in one sentence, safe: its time, its words, its thread or coroutine, and its place. */
void render_scene_say_step(
	struct text *text, const struct scene *scene, const struct ct_step *step);

/*
 * render_scene_say_caption: what was done at the place to look at first, safe, and by whom; nothing if no mark is
 * there.
 * render_scene_next_line: how many bytes of the caption stand in the line that begins with `words`.
 */
void render_scene_say_caption(struct text *text, const struct scene *scene);
size_t render_scene_next_line(const struct scene *scene, const char *words);

/* render_scene_say_whole: the picture in words, safe, for readers who cannot see it. */
void render_scene_say_whole(struct text *text, const struct scene *scene);

/*
 * render_scene_clip: appends at most `columns` columns of a safe text. In a longer text the first long address is cut
 * in the middle, where addresses are alike ("lock 0x7f...6c70"); an ellipsis shows what was cut.
 */
void render_scene_clip(struct text *text, const char *safe, int columns);

/* render_scene_short_place: file and line only: "server.cpp:120"; nothing if the site has none. */
void render_scene_short_place(struct text *text, const struct ct_tables *tables, uint32_t site);

#endif
