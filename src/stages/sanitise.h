/* SPDX-License-Identifier: MIT */
/*
 * A source before a source: the same events and tables, in which names, paths, messages and values are tokens
 * (sanitised.def). A token is a word and a number, counted in the order in which texts come: the same text has the
 * same one wherever it stands, and nothing can be guessed from it.
 */
#ifndef STAGES_SANITISE_H
#define STAGES_SANITISE_H

#include "stream/stream.h"

/*
 * sanitise_open: of a source that does not grow, which stays the caller's, and is read by nobody else until this one is
 * closed. CT_ERR_NO_MEMORY.
 */
enum ct_status sanitise_open(
	struct ct_source *inner, struct ct_source **ret_source, struct ct_error *reterr);

/* sanitise_words: what is replaced, and what remains: a line each, with a newline behind it. */
extern const char sanitise_words[];

#endif
