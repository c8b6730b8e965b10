/* SPDX-License-Identifier: MIT */
/* Parsing a segment's text about its process. The text is copied first, then examined. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collect/about.h"
#include "collect/collector.h"

#define ABOUT_BYTES_MAX ((size_t)1 << 20)

bool collect_about_copy(
	const struct proto_layout *layout, const void *base, struct about *ret_about)
{
	size_t i;

	ret_about->nr_bytes = layout->about_bytes < ABOUT_BYTES_MAX ? (size_t)layout->about_bytes
								    : ABOUT_BYTES_MAX;
	ret_about->lines = calloc(1, ret_about->nr_bytes + 1);
	if (!ret_about->lines)
		return false;
	memcpy(ret_about->lines, (const char *)base + layout->about_offset, ret_about->nr_bytes);
	for (i = 0; i < ret_about->nr_bytes; i++)
		if (ret_about->lines[i] == '\n')
			ret_about->lines[i] = '\0';
	return true;
}

void collect_about_fini(struct about *about)
{
	free(about->lines);
	*about = (struct about){NULL, 0};
}

char *collect_about_next_line(const struct about *about, char *line)
{
	char *next = line ? line + strlen(line) + 1 : about->lines;

	return next && next < about->lines + about->nr_bytes && *next ? next : NULL;
}

char *collect_about_value(char *line, const char *word)
{
	size_t length = strlen(word);

	return strncmp(line, word, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

/* Takes one number and the blank after it from *at. Returns false if there is no number. */
static bool take_number(char **at, uint64_t *ret_number)
{
	char *end;

	errno = 0;
	*ret_number = strtoull(*at, &end, 16);
	if (end == *at || *end != ' ' || errno)
		return false;
	*at = end + 1;
	return true;
}

bool collect_about_next_code(
	const struct about *about, char **line, struct ct_define_mapping *ret_mapping)
{
	while ((*line = collect_about_next_line(about, *line))) {
		char *at = collect_about_value(*line, "code");
		char *blank;

		if (!at || !take_number(&at, &ret_mapping->start) ||
			!take_number(&at, &ret_mapping->end) ||
			!take_number(&at, &ret_mapping->offset))
			continue;
		blank = strchr(at, ' ');
		if (!blank)
			continue;
		/* Each piece is read once: the rest of the line begins with the path from now on. */
		*blank = '\0';
		ret_mapping->build_id = *at == '-' ? "" : at;
		ret_mapping->path = blank + 1;
		*line = blank + 1;
		return true;
	}
	return false;
}

void collect_about_map(struct segment *segment)
{
	struct process *process = segment->process;
	struct ct_define_mapping mapping = {.process = process->number};
	struct about about;
	char *line = NULL;

	if (!collect_about_copy(&segment->layout, segment->memory.base, &about))
		return;
	while (collect_about_next_code(&about, &line, &mapping)) {
		collect_mappings_add(
			&segment->collect->mappings, &mapping, &segment->collect->output);
		process->was_mapped = true;
		process->wants_mappings = false;
	}
	collect_about_fini(&about);
}
