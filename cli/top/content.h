/* SPDX-License-Identifier: MIT */
/*
 * What the present screen shows: rows of a table or lines of text, asked of a snapshot for one frame. Used by one
 * thread.
 */
#ifndef CLI_TOP_CONTENT_H
#define CLI_TOP_CONTENT_H

#include "top/pages.h"
#include "top/rows.h"
#include "top/source.h"

struct top_content {
	struct top_extent extent;
	bool is_table;
	struct top_rows rows;   /* of a table: from state's first line on */
	struct top_lines lines; /* of a screen of text */
	struct top_lines below; /* of the findings: what the selected one says, under the list */
	char trouble[TOP_COMPLAINT_BYTES]; /* why there is nothing, one sentence; "": there is */
};

/*
 * top_content_make: for so many columns and lines; the state is fitted to what there is. On success and failure the
 * caller ends with top_content_fini.
 */
void top_content_make(struct top_content *content, struct top_state *state,
	const struct top_snapshot *snapshot, const struct top_chain *chain, uint32_t width,
	uint32_t height, bool has_unicode);
void top_content_fini(struct top_content *content);

/*
 * top_content_open: opens what the selected line leads to: a screen of text, or the coroutines of a place, a thread
 * or a resource. False: it leads nowhere.
 */
bool top_content_open(const struct top_content *content, struct top_state *state);

#endif
