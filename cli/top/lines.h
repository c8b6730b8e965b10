/* SPDX-License-Identifier: MIT */
/*
 * Lines of text, wrapped to a width, of which some lead to a coroutine: the screens that are no table. Used by one
 * thread.
 */
#ifndef CLI_TOP_LINES_H
#define CLI_TOP_LINES_H

#include "top/frame.h"
#include "top/state.h"

struct top_link {
	bool leads; /* somewhere */
	enum top_screen screen;
	struct top_subject subject;
};

struct top_line {
	char *text;
	uint32_t indent;
	unsigned style;
	struct top_link link;
};

struct top_lines {
	struct top_line *at;
	uint32_t nr_lines;
	uint32_t width;
	bool has_unicode;
	bool is_broken; /* memory was out: lines are missing */
};

/* top_lines_add: one line, or several where it is too wide; the further ones start `hang` columns to the right. */
void top_lines_add(struct top_lines *lines, unsigned style, const struct top_link *link,
	uint32_t hang, const char *text);

/* top_lines_heading: a line above a section, with an empty one before it. */
void top_lines_heading(struct top_lines *lines, const char *text);

/* top_lines_fini: frees the lines; all zero is allowed. */
void top_lines_fini(struct top_lines *lines);

/* top_link_to_coroutine: NULL where id is 0: nobody is meant. Else ret_link. */
const struct top_link *top_link_to_coroutine(
	uint32_t process, uint64_t id, struct top_link *ret_link);

#endif
