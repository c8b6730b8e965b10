/* SPDX-License-Identifier: MIT */
/* Properties of definitions, for code that copies them or passes them on, and definitions of what tables have. */
#ifndef STREAM_DEFINITION_H
#define STREAM_DEFINITION_H

#include <stdbool.h>

#include "stream/stream.h"

#define DEFINITION_TEXTS_MAX 5

/*
 * definition_texts: returns where the definition's texts stand, each NULL or NUL-terminated, and their number. The
 * places lie in the definition itself.
 */
size_t definition_texts(
	struct ct_definition *definition, const char **ret_texts[DEFINITION_TEXTS_MAX]);

/*
 * definition_speaks_of_events: returns whether the definition says that nothing is missing up to a time, or up to the
 * end. Such a definition must stay after the events that it speaks of.
 */
bool definition_speaks_of_events(const struct ct_definition *definition);

/*
 * definition_of_site: makes the definition of a site that tables have, as number `id` of a segment.
 * definition_of_stack: the same for a call on a stack; its site and its caller keep their numbers. Texts are those of
 * the tables.
 */
struct ct_definition definition_of_site(const struct ct_site *site, uint32_t segment, uint32_t id);
struct ct_definition definition_of_stack(
	const struct ct_stack *stack, uint32_t segment, uint32_t id);

#endif
