/* SPDX-License-Identifier: MIT */
/*
 * Lines of text, wrapped to a width, some of which lead to a coroutine: the content of screens that are not tables. One
 * thread uses it.
 */
#ifndef CLI_TOP_LINES_H
#define CLI_TOP_LINES_H

#include "top/frame.h"
#include "top/state.h"

struct top_link {
	bool leads; /* the line has a target */
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
	bool is_broken; /* memory ran out: lines are missing */
};

/* top_lines_add: adds one line, or several if it is too wide; the further ones begin `hang` columns to the right. */
void top_lines_add(struct top_lines *lines, unsigned style, const struct top_link *link,
	uint32_t hang, const char *text);

/* top_lines_heading: adds the heading of a section, with an empty line before it. */
void top_lines_heading(struct top_lines *lines, const char *text);

/* top_lines_fini: frees the lines; a zeroed struct is allowed. */
void top_lines_fini(struct top_lines *lines);

/* top_link_to_coroutine: fills in *ret_link and returns it; NULL if id is 0, which means no coroutine. */
const struct top_link *top_link_to_coroutine(
	uint32_t process, uint64_t id, struct top_link *ret_link);

#endif
