/* SPDX-License-Identifier: MIT */
/*
 * A segment's facts about its process (P-85), as lines: an engine reads them if the process is gone, and a reader of a
 * flight recorder's file.
 */
#ifndef COLLECT_ABOUT_H
#define COLLECT_ABOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/proto.h"
#include "stream/stream.h"

/* Zeroed: no facts. */
struct about {
	char *lines; /* each line ends in a NUL */
	size_t nr_bytes;
};

/*
 * collect_about_copy: copies the segment's facts. Returns false if out of memory. collect_about_fini: frees the copy.
 */
bool collect_about_copy(
	const struct proto_layout *layout, const void *base, struct about *ret_about);
void collect_about_fini(struct about *about);

/* collect_about_next_line: returns the line after `line` (NULL: the first line); NULL: there is none. */
char *collect_about_next_line(const struct about *about, char *line);

/*
 * collect_about_value: returns the text after the word that the line begins with; NULL: the line begins with another
 * word.
 */
char *collect_about_value(char *line, const char *word);

/*
 * collect_about_next_code: returns the next piece of code. *line is NULL at first; false: there are no more. The texts
 * live until collect_about_fini; each piece can be read once.
 */
bool collect_about_next_code(
	const struct about *about, char **line, struct ct_define_mapping *ret_mapping);

struct segment;

/* collect_about_map: defines the code that the segment describes, for a process that is gone, and /proc with it. */
void collect_about_map(struct segment *segment);

#endif
