/* SPDX-License-Identifier: MIT */
/*
 * Pictures of findings: every form draws from the same layout (scene.h). All words from the trace are escaped; a
 * picture refers to nothing outside itself and contains no script.
 */
#ifndef RENDER_PICTURE_H
#define RENDER_PICTURE_H

#include "base/text.h"
#include "corotracer/ct.h"
#include "render/scene.h"

/* The style of all pictures of a page: light, dark if the reader's screen is dark, and always light in print. */
extern const char render_picture_style[];

/*
 * render_picture_inline: an svg element for an HTML page; the page itself has the style, the title and the steps.
 * `number` distinguishes the pictures of a page. render_picture_alone: a whole file with style, title and steps.
 */
void render_picture_inline(struct text *text, const struct scene *scene, uint32_t number);
void render_picture_alone(struct text *text, const struct scene *scene);

/*
 * Parts of the two functions above. render_picture_begin: the opening tag of the element, with the words for a screen
 * reader; number 0: the picture is a file of its own. render_picture_draw: the content of the element, in the scene's
 * own lengths.
 */
void render_picture_begin(
	struct text *text, const struct scene *scene, int width, int height, uint32_t number);
void render_picture_draw(struct text *text, const struct scene *scene);

/*
 * render_picture_axis, render_picture_folds: parts of render_picture_draw; folds lie over what crosses them.
 * render_picture_line: a straight stroke.
 */
void render_picture_axis(struct text *text, const struct scene *scene);
void render_picture_folds(struct text *text, const struct scene *scene);
void render_picture_line(struct text *text, const char *class, int x1, int y1, int x2, int y2);

/*
 * render_picture_left_out: how many states were left out, above the dots where they lie. Call it behind
 * render_picture_folds. render_picture_left_out_from: where the dots before a bar begin.
 */
void render_picture_left_out(struct text *text, const struct scene *scene);
int render_picture_left_out_from(const struct scene *scene, const struct scene_bar *bar);

/*
 * render_picture_label_y: the base of the first line of words at an arrow; `direction` is 1 for an arrow that leads
 * down, and -1 for one that leads up.
 */
int render_picture_label_y(const struct scene *scene, const struct scene_mark *mark, int direction);

/* The base of the words at an open end: above its arrow, or below if the words of a mark before it reach that far. */
int render_picture_end_y(const struct scene *scene, const struct scene_end *end);

/* render_picture_none: a whole file that says why there is no picture. */
void render_picture_none(struct text *text, const char *words);

/*
 * render_picture_mermaid: a sequence diagram in the syntax of mermaid, which code hosts draw; the Markdown fence is not
 * included.
 */
void render_picture_mermaid(struct text *text, const struct scene *scene);

#endif
