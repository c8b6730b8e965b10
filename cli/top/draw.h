/* SPDX-License-Identifier: MIT */
/*
 * One frame of `corotracer top`: a header, which always shows losses and the age of the data, the screens' names, the
 * present screen, and a line of hints. One thread uses it.
 */
#ifndef CLI_TOP_DRAW_H
#define CLI_TOP_DRAW_H

#include "top/content.h"

#define TOP_BODY_LINE 3u /* the first line of the screen itself */

struct top_scene {
	struct top_state *state;
	const struct top_snapshot *snapshot; /* NULL: there is none yet */
	const struct top_chain *chain;
	const char *subject; /* the file, or "process 4711" */
	uint64_t now_ns;     /* CLOCK_MONOTONIC */
	const char *trouble; /* why there is no newer snapshot; NULL: no trouble */
};

/* top_draw: makes the content, and draws everything. The caller calls top_content_fini. */
void top_draw(
	const struct top_scene *scene, struct top_frame *frame, struct top_content *ret_content);

/* top_draw_summary: the header's words without the age of the data, as one line of text. */
void top_draw_summary(const struct top_snapshot *snapshot, char *buffer, size_t nr_bytes);

#endif
