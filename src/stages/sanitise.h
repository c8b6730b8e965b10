/* SPDX-License-Identifier: MIT */
/*
 * A source in front of another one: the same events and tables, in which names, paths, messages and values are replaced
 * by tokens (sanitised.def). A token is a word and a number, counted in the order in which texts come: equal texts have
 * equal tokens everywhere, and the text cannot be guessed from the token.
 */
#ifndef STAGES_SANITISE_H
#define STAGES_SANITISE_H

#include "stream/stream.h"

/*
 * sanitise_open: opens a source in front of `inner`, which must not grow, stays the caller's, and is read by nobody
 * else until this source is closed. CT_ERR_NO_MEMORY.
 */
enum ct_status sanitise_open(
	struct ct_source *inner, struct ct_source **ret_source, struct ct_error *reterr);

/* sanitise_words: what is replaced, and what remains: one line each, with a newline. */
extern const char sanitise_words[];

#endif
