/* SPDX-License-Identifier: MIT */
/*
 * Makes text from a trace safe to display: on a terminal, in Markdown, and in HTML.
 */
#include <inttypes.h>
#include <string.h>

#include "say/safe.h"

/* The length in bytes of the well-formed UTF-8 character at `at`; 0: there is none. */
static size_t decode(const unsigned char *at, uint32_t *ret_character)
{
	size_t length = at[0] < 0x80 ? 1 : text_utf8_length(at), i;
	uint32_t character = length == 1 ? at[0] : at[0] & (0x7fu >> length);

	for (i = 1; i < length; i++)
		character = character << 6 | (at[i] & 0x3f);
	*ret_character = character;
	return length;
}

/* Characters that a terminal would obey, or that would be invisible. */
static bool is_treacherous(uint32_t character)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{0x00, 0x1f},
		{0x7f, 0x9f},
		{0xad, 0xad},
		{0x61c, 0x61c},
		{0x180e, 0x180e},
		{0x200b, 0x200f},
		{0x2028, 0x202e},
		{0x2060, 0x206f},
		{0xfeff, 0xfeff},
		{0xfff9, 0xfffb},
		{0xfffe, 0xffff}, /* not allowed in XML */
		{0xe0000, 0xe007f},
	};
	size_t i;

	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		if (character >= ranges[i].first && character <= ranges[i].last)
			return true;
	}
	return false;
}

void say_safe(struct text *text, const char *value)
{
	const unsigned char *at = (const unsigned char *)value;
	uint32_t character;
	size_t length;

	for (; *at; at += length) {
		length = decode(at, &character);
		if (length == 0) {
			text_format(text, "\\x%02x", *at);
			length = 1;
		} else if (!is_treacherous(character)) {
			text_append(text, (const char *)at, length);
		} else if (character < 0x80) {
			text_format(text, "\\x%02x", (unsigned)character);
		} else {
			text_format(text, "\\u{%" PRIx32 "}", character);
		}
	}
}

void say_command_word(struct text *text, const char *word)
{
	static const char harmless[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%";
	struct text quoted = {0};

	if (*word && *word != '-' && word[strspn(word, harmless)] == '\0') {
		text_add(text, word);
		return;
	}
	text_char(&quoted, '\'');
	for (; *word; word++)
		text_format(&quoted, *word == '\'' ? "'\\''" : "%c", *word);
	text_char(&quoted, '\'');
	say_safe(text, text_peek(&quoted));
	text->is_broken |= quoted.is_broken;
	text_fini(&quoted);
}

void say_markdown(struct text *text, const char *safe)
{
	/* These characters would begin a list. */
	if (*safe == '-' || *safe == '+')
		text_char(text, '\\');
	for (; *safe; safe++) {
		if (*safe == '@') {
			/* A mention would notify the user of that name. */
			text_add(text, "`@`");
			continue;
		}
		if (strchr("\\`*_{}[]<>#|~&!$", *safe))
			text_char(text, '\\');
		text_char(text, *safe);
	}
}

/* The text for a character that has a meaning in HTML; NULL: the character itself. */
static const char *html_entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void say_html(struct text *text, const char *safe, size_t nr_bytes)
{
	const char *entity;
	size_t i;

	for (i = 0; i < nr_bytes; i++) {
		entity = html_entity(safe[i]);
		if (entity)
			text_add(text, entity);
		else
			text_char(text, safe[i]);
	}
}

size_t say_columns(const char *safe, size_t nr_bytes)
{
	size_t columns = 0, i;

	for (i = 0; i < nr_bytes; i++)
		columns += ((unsigned char)safe[i] & 0xc0) != 0x80;
	return columns;
}
