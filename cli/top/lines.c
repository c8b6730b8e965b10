/* SPDX-License-Identifier: MIT */
/*
 * Lines of text.
 */
#include <stdlib.h>
#include <string.h>

#include "top/lines.h"

#define STEP 64u

static struct top_line *add_room(struct top_lines *lines)
{
	struct top_line *grown = lines->at;

	if (lines->nr_lines % STEP == 0)
		grown = reallocarray(lines->at, lines->nr_lines + STEP, sizeof(*grown));
	if (!grown)
		return NULL;
	lines->at = grown;
	return &grown[lines->nr_lines];
}

static void add_part(struct top_lines *lines, unsigned style, const struct top_link *link,
	uint32_t indent, const char *text, size_t nr_bytes)
{
	struct top_line *line = add_room(lines);
	char *copy = line ? strndup(text, nr_bytes) : NULL;

	if (!copy) {
		lines->is_broken = true;
		return;
	}
	*line = (struct top_line){.text = copy, .indent = indent, .style = style};
	if (link)
		line->link = *link;
	lines->nr_lines++;
}

void top_lines_add(struct top_lines *lines, unsigned style, const struct top_link *link,
	uint32_t hang, const char *text)
{
	uint32_t indent = 0, width = lines->width;
	const char *next = text;

	do {
		size_t nr_bytes = top_text_fit(text, width, lines->has_unicode, &next);

		add_part(lines, style, link, indent, text, nr_bytes);
		text = next;
		indent = hang < lines->width / 2 ? hang : 2;
		width = lines->width - indent;
	} while (*next && !lines->is_broken);
}

void top_lines_heading(struct top_lines *lines, const char *text)
{
	if (lines->nr_lines)
		top_lines_add(lines, TOP_PLAIN, NULL, 0, "");
	top_lines_add(lines, TOP_STRONG, NULL, 0, text);
}

void top_lines_fini(struct top_lines *lines)
{
	uint32_t i;

	for (i = 0; i < lines->nr_lines; i++)
		free(lines->at[i].text);
	free(lines->at);
	*lines = (struct top_lines){.at = NULL};
}

const struct top_link *top_link_to_coroutine(
	uint32_t process, uint64_t id, struct top_link *ret_link)
{
	*ret_link = (struct top_link){id != 0, TOP_COROUTINE, {process, id}};
	return id ? ret_link : NULL;
}
