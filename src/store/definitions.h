/* SPDX-License-Identifier: MIT */
/*
 * Converts definitions to bytes and back: the payload of a DEFINITIONS block is a sequence of definitions, each with
 * its type, its length and its fields (store/fields.def).
 */
#ifndef STORE_DEFINITIONS_H
#define STORE_DEFINITIONS_H

#include "base/arena.h"
#include "stream/stream.h"
#include "base/text.h"

#include "store/varint.h"

/*
 * store_definition_add: appends one definition to the bytes in `text` (text_status says whether that worked). Texts
 * longer than STORE_TEXT_MAX are cut and end in "...".
 */
void store_definition_add(struct text *text, const struct ct_definition *definition);

/*
 * store_definition_take: takes the next definition. CT_OK; CT_END at the end of the bytes; CT_AGAIN for a type that
 * this version does not know (the definition was skipped); CT_ERR_CORRUPT if a length makes no sense; CT_ERR_NO_MEMORY.
 * Texts are copied into the arena and never NULL.
 */
enum ct_status store_definition_take(
	struct store_bytes *bytes, struct arena *arena, struct ct_definition *ret_definition);

#endif
