/* SPDX-License-Identifier: MIT */
/*
 * Splits lines of text into words, and converts words into values. Words are terminated in place in the buffer, so a
 * word never takes more room than in the line.
 */
#ifndef TEXTRACE_WORDS_H
#define TEXTRACE_WORDS_H

#include <stdbool.h>

#include "corotracer/event.h"

/* One word: NAME, NAME=VALUE, NAME="VALUE" or "VALUE". */
struct textrace_word {
	char *name;  /* NULL for a quoted word */
	char *value; /* NULL for a word without one */
};

/* The rest of a line. */
struct textrace_words {
	char *at;
	char *end;           /* end of the line; the byte there may be overwritten */
	const char *trouble; /* set if a word is malformed */
};

/* textrace_word_take: takes the next word; false at the end of the line, or if `trouble` is set. */
bool textrace_word_take(struct textrace_words *words, struct textrace_word *ret_word);

/* Conversions of values; false if the text is not such a value. Numbers are decimal or 0x hexadecimal. */
bool textrace_unsigned(const char *text, uint64_t *ret_value);
bool textrace_unsigned_up_to(const char *text, uint64_t largest, uint64_t *ret_value);
/* textrace_signed: also accepts 2^63 and more, as two's complement. */
bool textrace_signed(const char *text, int64_t *ret_value);
/* textrace_time: a number with a unit, or "none" (CT_NO_TIME). */
bool textrace_time(const char *text, ct_time *ret_time);
/* textrace_id: 32 hexadecimal digits. */
bool textrace_id(const char *text, uint8_t *ret_id);

#endif
