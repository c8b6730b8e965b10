/* SPDX-License-Identifier: MIT */
/*
 * Splits lines into words and converts words into values. All arithmetic is checked: a number that does not fit is
 * refused.
 */
#include <string.h>

#include "base/duration.h"
#include "textrace/words.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static bool take_hex_escape(struct textrace_words *words, char *ret_byte)
{
	int high, low;

	if (words->end - words->at < 2)
		return false;
	high = hex_digit(words->at[0]);
	low = hex_digit(words->at[1]);
	words->at += 2;
	if (high < 0 || low < 0)
		return false;
	*ret_byte = (char)(high << 4 | low);
	return *ret_byte != '\0';
}

/* Takes an escape sequence, behind its backslash. */
static bool take_escape(struct textrace_words *words, char *ret_byte)
{
	if (words->at == words->end)
		return false;
	*ret_byte = *words->at++;
	switch (*ret_byte) {
	case 'n':
		*ret_byte = '\n';
		return true;
	case 't':
		*ret_byte = '\t';
		return true;
	case 'x':
		return take_hex_escape(words, ret_byte);
	case '"':
	case '\\':
		return true;
	default:
		return false;
	}
}

/* Takes a quoted word, from behind the opening quote; the unescaped text is never longer than the original. */
static char *take_quoted(struct textrace_words *words)
{
	char *start = words->at, *to = words->at, byte;

	while (words->at < words->end) {
		byte = *words->at++;
		if (byte == '"') {
			*to = '\0';
			return start;
		}
		if (byte == '\\' && !take_escape(words, &byte)) {
			words->trouble = "an escape is none of \\\" \\\\ \\n \\t \\xHH";
			return NULL;
		}
		*to++ = byte;
	}
	words->trouble = "a quote is not closed";
	return NULL;
}

/* Takes a word up to a blank or the end; a terminator is written there. */
static char *take_bare(struct textrace_words *words)
{
	char *start = words->at;

	while (words->at < words->end && !is_blank(*words->at) && *words->at != '"')
		words->at++;
	if (words->at < words->end && *words->at == '"') {
		words->trouble = "a quote stands in the middle of a word";
		return NULL;
	}
	*words->at = '\0';
	if (words->at < words->end)
		words->at++;
	return start;
}

static bool is_behind_word(struct textrace_words *words)
{
	if (words->at < words->end && !is_blank(*words->at))
		words->trouble = "a blank is missing behind a quote";
	return !words->trouble;
}

bool textrace_word_take(struct textrace_words *words, struct textrace_word *ret_word)
{
	while (words->at < words->end && is_blank(*words->at))
		words->at++;
	*ret_word = (struct textrace_word){0};
	if (words->at == words->end || *words->at == '#')
		return false;
	if (*words->at == '"') {
		words->at++;
		ret_word->value = take_quoted(words);
		return ret_word->value && is_behind_word(words);
	}
	ret_word->name = words->at;
	while (words->at < words->end && !is_blank(*words->at) && *words->at != '=' &&
		*words->at != '"')
		words->at++;
	if (words->at == words->end || *words->at != '=') {
		words->at = ret_word->name;
		return take_bare(words) != NULL;
	}
	*words->at++ = '\0';
	if (words->at == words->end || *words->at != '"') {
		ret_word->value = take_bare(words);
		return ret_word->value != NULL;
	}
	words->at++;
	ret_word->value = take_quoted(words);
	return ret_word->value && is_behind_word(words);
}

/* --------------------------------------------------------------------- numbers */

static bool take_digits(const char **at, unsigned base, uint64_t *ret_value)
{
	const char *start = *at;
	int digit;

	*ret_value = 0;
	while ((digit = hex_digit(**at)) >= 0 && (unsigned)digit < base) {
		if (__builtin_mul_overflow(*ret_value, (uint64_t)base, ret_value) ||
			__builtin_add_overflow(*ret_value, (uint64_t)digit, ret_value))
			return false;
		(*at)++;
	}
	return *at != start;
}

bool textrace_unsigned(const char *text, uint64_t *ret_value)
{
	bool is_hex = text[0] == '0' && text[1] == 'x';

	text += is_hex ? 2 : 0;
	return take_digits(&text, is_hex ? 16 : 10, ret_value) && !*text;
}

bool textrace_unsigned_up_to(const char *text, uint64_t largest, uint64_t *ret_value)
{
	return textrace_unsigned(text, ret_value) && *ret_value <= largest;
}

bool textrace_signed(const char *text, int64_t *ret_value)
{
	bool is_negative = *text == '-';
	uint64_t value;

	if (!textrace_unsigned(text + is_negative, &value))
		return false;
	if (is_negative && value > (uint64_t)INT64_MAX + 1)
		return false;
	*ret_value = (int64_t)(is_negative ? 0 - value : value);
	return true;
}

bool textrace_time(const char *text, ct_time *ret_time)
{
	bool is_negative = *text == '-';
	uint64_t value;
	int64_t ns;

	if (strcmp(text, "none") == 0) {
		*ret_time = CT_NO_TIME;
		return true;
	}
	text += is_negative;
	if (!duration_read(text, &ns)) {
		if (!take_digits(&text, 10, &value) || *text || value > INT64_MAX)
			return false;
		ns = (int64_t)value;
	}
	*ret_time = is_negative ? -ns : ns;
	return true;
}

bool textrace_id(const char *text, uint8_t *ret_id)
{
	size_t i;

	if (strlen(text) != 32)
		return false;
	for (i = 0; i < 16; i++) {
		int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		ret_id[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}
