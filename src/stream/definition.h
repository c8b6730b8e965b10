/* SPDX-License-Identifier: MIT */
/*
 * Definitions as such: for whoever copies them, or passes them on.
 */
#ifndef STREAM_DEFINITION_H
#define STREAM_DEFINITION_H

#include <stdbool.h>

#include "stream/stream.h"

#define DEFINITION_TEXTS_MAX 5

/*
 * definition_texts: where the definition's texts stand, each NULL or ended by a zero byte; returns how many there
 * are. The places lie in the definition itself.
 */
size_t definition_texts(
	struct ct_definition *definition, const char **ret_texts[DEFINITION_TEXTS_MAX]);

/*
 * definition_speaks_of_events: does it say that nothing is missing up to a time, or up to the end? Then it must stay
 * behind the events it speaks of.
 */
bool definition_speaks_of_events(const struct ct_definition *definition);

#endif
