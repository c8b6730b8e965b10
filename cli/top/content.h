/* SPDX-License-Identifier: MIT */
/*
 * The content of the present screen: rows of a table or lines of text, taken from a snapshot for one frame. One thread
 * uses it.
 */
#ifndef CLI_TOP_CONTENT_H
#define CLI_TOP_CONTENT_H

#include "top/pages.h"
#include "top/rows.h"
#include "top/source.h"

struct top_content {
	struct top_extent extent;
	bool is_table;
	struct top_rows rows;   /* for a table: the rows from the first visible line on */
	struct top_lines lines; /* for a screen of text */
	/* for the findings: the text of the selected finding, below the list */
	struct top_lines below;
	/* why there is no content, one sentence; "": there is content */
	char trouble[TOP_COMPLAINT_BYTES];
};

/*
 * top_content_make: makes the content for this many columns and lines, and adjusts the state to the number of lines.
 * After success and failure alike, the caller calls top_content_fini.
 */
void top_content_make(struct top_content *content, struct top_state *state,
	const struct top_snapshot *snapshot, const struct top_chain *chain, uint32_t width,
	uint32_t height, bool has_unicode);
void top_content_fini(struct top_content *content);

/*
 * top_content_open: opens the target of the selected line: a screen of text, or the coroutines of a place, a thread or
 * a resource. False: the line has no target.
 */
bool top_content_open(const struct top_content *content, struct top_state *state);

#endif
