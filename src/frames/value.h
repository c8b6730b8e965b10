/* SPDX-License-Identifier: MIT */
/* Values in memory that can be said in a word: numbers, truth values, enumerations, pointers, and texts. */
#ifndef FRAMES_VALUE_H
#define FRAMES_VALUE_H

#include <elfutils/libdw.h>

#include "base/text.h"
#include "frames/code.h"

#define VALUE_TOLD_MAX 8u /* values of one function */
#define VALUE_WORDS_MAX_BYTES \
	320u               /* of one coroutine: no further value, or function, begins behind them */
#define VALUE_TEXT_MAX 40u /* bytes of a text, of Python characters */

/* value_take: fills in form and size by the type; size 0: values of this type are not said. False: out of memory. */
bool value_take(struct arena *arena, Dwarf_Die *type, struct code_value *value);

/*
 * value_take_text: fills in form and places for a std::string or std::string_view, as libstdc++ lays them out, or for a
 * reference to one; changes nothing where the type is another one. value_is_text: did it?
 */
void value_take_text(Dwarf_Die *type, struct code_value *value);
bool value_is_text(const struct code_value *value);

/*
 * value_is_plain: are all bytes of the text those of characters with a shape, in UTF-8? value_put_quoted: writes such a
 * text of at most VALUE_TEXT_MAX characters in quotes, with a backslash before a quote or a backslash in it, and "..."
 * at the end if it has more. value_quote: does so with the characters at an address, up to VALUE_TEXT_MAX bytes, in "".
 * False: they cannot be read, or are not plain, as where memory is used for something else by now.
 */
#define VALUE_QUOTED_BYTES 176
bool value_is_plain(const char *text);
void value_put_quoted(char quoted[VALUE_QUOTED_BYTES], char quote, const char *text, bool has_more);
bool value_quote(const struct image *image, uint64_t address, uint64_t nr_bytes,
	char quoted[VALUE_QUOTED_BYTES]);

/* value_tell: appends "name = value" behind the words, of a value in the frame; nothing, if it cannot be read. */
void value_tell(struct text *text, const char *words, const struct image *image, uint64_t frame,
	const struct code_value *value);

/* value_add: appends a value, whose bytes are the first ones of the word: "-2", "true", "0x7f30". */
void value_add(struct text *text, const struct code_value *value, uint64_t word);

#endif
