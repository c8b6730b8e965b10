/* SPDX-License-Identifier: MIT */
/*
 * Lines of text into words, and words into values. Texts stay where they are: a word is made a
 * terminated string in the buffer itself, which never gets longer by that.
 */
#ifndef TEXTRACE_WORDS_H
#define TEXTRACE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "corotracer/event.h"

/* One word: NAME, NAME=VALUE, NAME="VALUE" or "VALUE". */
struct textrace_word {
	char *name;  /* NULL for a quoted word */
	char *value; /* NULL for a word without one */
};

/* The rest of a line. */
struct textrace_words {
	char *at;
	char *end;           /* of the line; the byte there may be overwritten */
	const char *trouble; /* set where a word makes no sense */
};

/* textrace_word_take: the next word; false at the end of the line, or with `trouble` set. */
bool textrace_word_take(struct textrace_words *words, struct textrace_word *ret_word);

/* Values; false where the text is none. Numbers are decimal or 0x hexadecimal. */
bool textrace_unsigned(const char *text, uint64_t *ret_value);
bool textrace_unsigned_up_to(const char *text, uint64_t largest, uint64_t *ret_value);
/* textrace_signed: also takes 2^63 and more, as two's complement. */
bool textrace_signed(const char *text, int64_t *ret_value);
/* textrace_time: number and unit, or "none" (CT_NO_TIME). */
bool textrace_time(const char *text, ct_time *ret_time);
/* textrace_id: 32 hexadecimal digits. */
bool textrace_id(const char *text, uint8_t *ret_id);

#endif
