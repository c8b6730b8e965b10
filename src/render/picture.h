/* SPDX-License-Identifier: MIT */
/*
 * Pictures of findings, each form from one layout (scene.h). Everything that a trace contains is escaped; a picture
 * refers to nothing outside itself, and holds no script.
 */
#ifndef RENDER_PICTURE_H
#define RENDER_PICTURE_H

#include "base/text.h"
#include "corotracer/ct.h"
#include "render/scene.h"

/* The style of all pictures of a page: light, dark where the reader's screen is, and light in print. */
extern const char render_picture_style[];

/*
 * render_picture_inline: an svg element for a page of HTML, which has the style, and says title and steps itself;
 * `number` tells the pictures of a page apart. render_picture_alone: a whole file, with style, title and steps.
 */
void render_picture_inline(struct text *text, const struct scene *scene, uint32_t number);
void render_picture_alone(struct text *text, const struct scene *scene);

/*
 * render_picture_begin: the element, open, with what a screen reader says; number 0: of a file of its own.
 * render_picture_draw: what is in it, in the scene's own lengths. Parts of the two.
 */
void render_picture_begin(
	struct text *text, const struct scene *scene, int width, int height, uint32_t number);
void render_picture_draw(struct text *text, const struct scene *scene);

/* render_picture_none: a whole file that says why there is no picture. */
void render_picture_none(struct text *text, const char *words);

/* render_picture_mermaid: a sequence diagram as mermaid reads it, which hosts of code draw, without its fence. */
void render_picture_mermaid(struct text *text, const struct scene *scene);

#endif
