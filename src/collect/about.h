/* SPDX-License-Identifier: MIT */
/*
 * A segment's facts about its process (P-85), as lines: read by an engine where the process is gone, and from a flight
 * recorder's file.
 */
#ifndef COLLECT_ABOUT_H
#define COLLECT_ABOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/proto.h"
#include "stream/stream.h"

/* Zeroed it says nothing. */
struct about {
	char *lines; /* each with a NUL behind it */
	size_t nr_bytes;
};

/* collect_about_copy: takes over what the segment says. False: out of memory. collect_about_fini: gives it back. */
bool collect_about_copy(
	const struct proto_layout *layout, const void *base, struct about *ret_about);
void collect_about_fini(struct about *about);

/* collect_about_next_line: the line behind `line` (NULL: the first one); NULL: there is none. */
char *collect_about_next_line(const struct about *about, char *line);

/* collect_about_value: what stands behind the word that a line begins with; NULL: it begins with another. */
char *collect_about_value(char *line, const char *word);

/*
 * collect_about_next_code: the next piece of code. *line is NULL at first; false: there is no more. Texts live until
 * collect_about_fini; each piece can be read once.
 */
bool collect_about_next_code(
	const struct about *about, char **line, struct ct_define_mapping *ret_mapping);

struct segment;

/* collect_about_map: defines the code that the segment tells of: its process is gone, and /proc with it. */
void collect_about_map(struct segment *segment);

#endif
