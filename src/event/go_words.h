/* SPDX-License-Identifier: MIT */
/*
 * Words of Go's runtime (go_words.def).
 */
#ifndef EVENT_GO_WORDS_H
#define EVENT_GO_WORDS_H

#include <stdbool.h>
#include <string.h>

enum go_word {
#define X(name, word) GO_WORD_##name,
#include "event/go_words.def"
#undef X
	NR_GO_WORDS,
};

/* go_words_text: returns the word itself. */
static inline const char *go_words_text(enum go_word word)
{
	static const char *const words[] = {
#define X(name, text) text,
#include "event/go_words.def"
#undef X
	};

	return words[word];
}

/* go_words_is: returns whether the text, which may be NULL, is this word. */
static inline bool go_words_is(const char *text, enum go_word word)
{
	return text && strcmp(text, go_words_text(word)) == 0;
}

/* go_words_has: returns whether the text is one of the words. */
static inline bool go_words_has(const char *text)
{
	unsigned i;

	for (i = 0; i < NR_GO_WORDS; i++)
		if (go_words_is(text, (enum go_word)i))
			return true;
	return false;
}

#endif
