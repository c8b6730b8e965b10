/* SPDX-License-Identifier: MIT */
/* Properties of definitions, for code that copies them or passes them on. */
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

#endif
