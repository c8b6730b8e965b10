/* SPDX-License-Identifier: MIT */
/*
 * Characters in cells. Texts are decoded by the locale only if it is UTF-8; else byte by byte.
 */
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "top/frame.h"

#define ELLIPSIS 0x2026u
#define MOST_BYTES 4u /* the longest character in UTF-8 */

bool top_frame_init(struct top_frame *frame, uint32_t width, uint32_t height, bool has_unicode)
{
	frame->width = width;
	frame->height = height;
	frame->has_unicode = has_unicode;
	frame->cells = calloc((size_t)width * height + 1, sizeof(*frame->cells));
	if (!frame->cells)
		return false;
	top_frame_clear(frame);
	return true;
}

void top_frame_fini(struct top_frame *frame)
{
	free(frame->cells);
	frame->cells = NULL;
}

void top_frame_clear(struct top_frame *frame)
{
	size_t i;

	for (i = 0; i < (size_t)frame->width * frame->height; i++)
		frame->cells[i] = (struct top_cell){' ', TOP_PLAIN};
}

/* ---------------------------------------------------------------- characters */

struct character {
	uint32_t code;
	uint32_t width; /* columns */
	size_t nr_bytes;
};

/* Characters that are invisible or change the direction of text could make a line look different. */
static bool is_treacherous(wchar_t code)
{
	return wcwidth(code) <= 0 || (code >= 0x200b && code <= 0x200f) ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f);
}

static struct character read_character(const char *text, bool has_unicode)
{
	struct character unknown = {'?', 1, 1};
	mbstate_t state = {0};
	size_t nr_bytes;
	wchar_t code;

	if ((unsigned char)*text < 0x80) {
		if (*text >= ' ' && *text < 0x7f)
			unknown.code = (uint32_t)*text;
		return unknown;
	}
	if (!has_unicode) {
		/* One '?' for each character, not for each byte. */
		while (((unsigned char)text[unknown.nr_bytes] & 0xc0) == 0x80)
			unknown.nr_bytes++;
		return unknown;
	}
	nr_bytes = mbrtowc(&code, text, MOST_BYTES, &state);
	if (nr_bytes == 0 || nr_bytes > MOST_BYTES)
		return unknown;
	unknown.nr_bytes = nr_bytes;
	if (is_treacherous(code))
		return unknown;
	return (struct character){(uint32_t)code, (uint32_t)wcwidth(code), nr_bytes};
}

uint32_t top_text_width(const char *text, bool has_unicode)
{
	struct character character;
	uint32_t width = 0;

	for (; *text; text += character.nr_bytes) {
		character = read_character(text, has_unicode);
		width += character.width;
	}
	return width;
}

size_t top_text_fit(const char *text, uint32_t width, bool has_unicode, const char **ret_next)
{
	struct character character;
	const char *at = text, *blank = NULL;
	uint32_t used = 0;

	for (; *at; at += character.nr_bytes) {
		character = read_character(at, has_unicode);
		if (used + character.width > width)
			break;
		used += character.width;
		if (*at == ' ')
			blank = at;
	}
	if (*at && *at != ' ' && blank && blank > text)
		at = blank;
	if (at == text && *at)
		at += read_character(at, has_unicode).nr_bytes;
	*ret_next = at + strspn(at, " ");
	return (size_t)(at - text);
}

/* ---------------------------------------------------------------- drawing */

static struct top_cell *cell_at(struct top_frame *frame, uint32_t line, uint32_t column)
{
	return &frame->cells[(size_t)line * frame->width + column];
}

static void put(struct top_frame *frame, uint32_t line, uint32_t column, struct character character,
	unsigned style)
{
	*cell_at(frame, line, column) = (struct top_cell){character.code, (uint8_t)style};
	if (character.width == 2)
		*cell_at(frame, line, column + 1) = (struct top_cell){0, (uint8_t)style};
}

uint32_t top_frame_text(struct top_frame *frame, uint32_t line, uint32_t column, uint32_t width,
	unsigned style, const char *text)
{
	struct character character, cut = {frame->has_unicode ? ELLIPSIS : '~', 1, 0};
	uint32_t end, last = column;

	if (line >= frame->height || column >= frame->width || width == 0)
		return column;
	end = width > frame->width - column ? frame->width : column + width;
	for (; *text; text += character.nr_bytes) {
		character = read_character(text, frame->has_unicode);
		if (column + character.width > end) {
			put(frame, line, column < end ? column : last, cut, style);
			return end;
		}
		put(frame, line, column, character, style);
		last = column;
		column += character.width;
	}
	return column;
}

void top_frame_right(struct top_frame *frame, uint32_t line, uint32_t column, uint32_t width,
	unsigned style, const char *text)
{
	uint32_t used = top_text_width(text, frame->has_unicode);
	uint32_t indent = used < width ? width - used : 0;

	top_frame_text(frame, line, column + indent, width - indent, style, text);
}

uint32_t top_frame_repeat(struct top_frame *frame, uint32_t line, uint32_t column, uint32_t times,
	unsigned style, uint32_t character, char ascii)
{
	struct character drawn = {frame->has_unicode ? character : (uint32_t)ascii, 1, 0};

	for (; times && line < frame->height && column < frame->width; times--)
		put(frame, line, column++, drawn, style);
	return column;
}

void top_frame_reverse(struct top_frame *frame, uint32_t line)
{
	uint32_t column;

	for (column = 0; line < frame->height && column < frame->width; column++)
		cell_at(frame, line, column)->style |= TOP_REVERSED;
}
