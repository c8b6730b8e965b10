/* SPDX-License-Identifier: MIT */
/* Code objects of CPython, their lines, texts and numbers (python.h). */
#include <stdlib.h>

#include "frames/python.h"

#define TEXT_MAX 4096u /* characters */
#define TABLE_MAX_BYTES 1048576u
#define VALUES_BEFORE_LINE 4u /* bytes before the first line: the size of the stack */
#define BYTES_START 32        /* of a bytes object: its first byte */
#define CODE_READ_BYTES 192
#define NAMES_BEFORE_FILE 16u /* bytes before a code's file: the names of its locals */
#define NAME_MAX_BYTES 80u

/* PyASCIIObject: length, and two bytes further a bit field: kind in bits 2 to 4, compact 5, ASCII 6. */
#define TEXT_LENGTH 16
#define TEXT_STATE 32
/* An int: digits of 30 bits; before them how many there are, and a sign, which 3.11 has in the count itself. */
#define INT_TAG 16
#define INT_DIGITS 24
#define INT_TAG_NEGATIVE 2u
#define INT_READ_DIGITS 3u
#define INT_LAST_DIGIT 7u   /* greater ones do not fit into 63 bits */
#define TEXT_READ_BYTES 128 /* of most texts, with their characters */
#define KIND(state) ((state) >> 2 & 7)
#define IS_COMPACT(state) ((state) >> 5 & 1)
#define IS_ASCII(state) ((state) >> 6 & 1)

/* ---------------------------------------------------------------- texts */

static uint32_t character_at(const uint8_t *bytes, size_t at, unsigned kind)
{
	uint32_t character = 0;

	memcpy(&character, bytes + at * kind, kind);
	return character;
}

/* Writes one to four bytes; half a pair of surrogates, and what is no character, becomes a question mark. */
static size_t put_character(char *to, uint32_t character)
{
	if (character < 0x80) {
		*to = (char)character;
		return 1;
	}
	if (character < 0x800) {
		to[0] = (char)(0xc0 | character >> 6);
		to[1] = (char)(0x80 | (character & 0x3f));
		return 2;
	}
	if (character > 0x10ffff || (character >= 0xd800 && character < 0xe000)) {
		*to = '?';
		return 1;
	}
	if (character < 0x10000) {
		to[0] = (char)(0xe0 | character >> 12);
		to[1] = (char)(0x80 | (character >> 6 & 0x3f));
		to[2] = (char)(0x80 | (character & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | character >> 18);
	to[1] = (char)(0x80 | (character >> 12 & 0x3f));
	to[2] = (char)(0x80 | (character >> 6 & 0x3f));
	to[3] = (char)(0x80 | (character & 0x3f));
	return 4;
}

static const char *keep_characters(
	struct python *python, const uint8_t *bytes, uint64_t length, unsigned kind)
{
	char text[TEXT_MAX * 4 + 1];
	size_t i, nr = 0;

	for (i = 0; i < length; i++)
		nr += put_character(text + nr, character_at(bytes, i, kind));
	text[nr] = '\0';
	return found_text(python->found, text);
}

const char *python_text_within(
	struct python *python, uint64_t object, const uint8_t *bytes, size_t nr_bytes)
{
	uint8_t read[TEXT_MAX * 4];
	uint64_t length;
	uint32_t state, offset;
	unsigned kind;

	if (nr_bytes < TEXT_STATE + sizeof(state))
		return "";
	memcpy(&length, bytes + TEXT_LENGTH, sizeof(length));
	memcpy(&state, bytes + TEXT_STATE, sizeof(state));
	kind = KIND(state);
	if (!IS_COMPACT(state) || length > TEXT_MAX || (kind != 1 && kind != 2 && kind != 4))
		return "";
	offset = IS_ASCII(state) ? python->layout->ascii : python->layout->characters;
	if (offset + length * kind <= nr_bytes)
		return keep_characters(python, bytes + offset, length, kind);
	if (image_read(python->image, object + offset, read, length * kind) != length * kind)
		return "";
	return keep_characters(python, read, length, kind);
}

const char *python_text(struct python *python, uint64_t object)
{
	uint8_t bytes[TEXT_READ_BYTES];

	if (python_type_of(python, object) != PYTHON_TEXT)
		return "";
	return python_text_within(
		python, object, bytes, image_read(python->image, object, bytes, sizeof(bytes)));
}

/* ---------------------------------------------------------------- numbers */

bool python_int_within(const struct python *python, const uint8_t *bytes, int64_t *ret_number)
{
	uint32_t digits[INT_READ_DIGITS] = {0};
	uint64_t tag = python_word(bytes, INT_TAG), nr_digits = tag >> 3;
	bool is_negative = (tag & 3) == INT_TAG_NEGATIVE;

	if (python->layout->has_signed_sizes) {
		is_negative = (int64_t)tag < 0;
		nr_digits = is_negative ? -tag : tag;
	}
	if (nr_digits > INT_READ_DIGITS)
		return false;
	memcpy(digits, bytes + INT_DIGITS, nr_digits * sizeof(*digits));
	if (digits[INT_READ_DIGITS - 1] > INT_LAST_DIGIT)
		return false;
	*ret_number = (int64_t)digits[0] | (int64_t)digits[1] << 30 | (int64_t)digits[2] << 60;
	if (is_negative)
		*ret_number = -*ret_number;
	return true;
}

/* ---------------------------------------------------------------- code */

static uint32_t number_at(const uint8_t *bytes, size_t offset)
{
	uint32_t number;

	memcpy(&number, bytes + offset, sizeof(number));
	return number;
}

static void read_table(struct python *python, uint64_t object, struct python_code *code)
{
	uint64_t length;
	uint8_t *table;

	if (!image_read_word(python->image, object + PYTHON_OBJECT_SIZE, &length) || length == 0 ||
		length > TABLE_MAX_BYTES)
		return;
	table = arena_alloc(python->found->arena, length);
	if (!table) {
		python->is_out_of_memory = true;
		return;
	}
	code->table = table;
	code->table_bytes =
		(uint32_t)image_read(python->image, object + BYTES_START, table, length);
}

static const char *short_text(struct python *python, uint64_t object)
{
	struct arena_mark mark = arena_mark(python->found->arena);
	const char *text = python_text(python, object);

	if (strlen(text) <= NAME_MAX_BYTES)
		return text;
	arena_reset(python->found->arena, mark);
	return "";
}

/* A tuple, of which a code has as many locals as names. */
static void read_names(struct python *python, uint64_t object, struct python_code *code)
{
	uint32_t count = code->nr_locals < PYTHON_NAMES_MAX ? code->nr_locals : PYTHON_NAMES_MAX, i;
	uint64_t name;

	if (count == 0 || python_type_of(python, object) != PYTHON_TUPLE)
		return;
	code->local_names = arena_array(python->found->arena, count, sizeof(*code->local_names));
	if (!code->local_names) {
		python->is_out_of_memory = true;
		return;
	}
	for (i = 0; i < count; i++)
		code->local_names[i] =
			image_read_word(python->image,
				object + python->layout->items + i * sizeof(name), &name)
				? short_text(python, name)
				: "";
	code->nr_names = count;
}

static bool read_code(struct python *python, uint64_t address, struct python_code *code)
{
	const struct python_layout *layout = python->layout;
	uint8_t bytes[CODE_READ_BYTES];

	if (python_type_of(python, address) != PYTHON_CODE ||
		image_read(python->image, address, bytes, sizeof(bytes)) != sizeof(bytes))
		return false;
	memset(code, 0, sizeof(*code));
	code->first_line = number_at(bytes, layout->first_line);
	code->nr_locals = number_at(bytes, layout->nr_locals);
	code->nr_values = number_at(bytes, layout->first_line - VALUES_BEFORE_LINE);
	code->file = python_text(python, python_word(bytes, layout->file));
	code->name = python_text(python, python_word(bytes, layout->name));
	read_names(python, python_word(bytes, layout->file - NAMES_BEFORE_FILE), code);
	read_table(python, python_word(bytes, layout->lines), code);
	return true;
}

const struct python_code *python_code_at(struct python *python, uint64_t address)
{
	struct python_code code;
	uint32_t index = (uint32_t)python->codes.count;

	if (map_get(&python->by_code, address, &index))
		return &python->codes.at[index];
	if (!read_code(python, address, &code))
		return NULL;
	if (!vec_push(&python->codes, code) || !map_put(&python->by_code, address, index)) {
		python->is_out_of_memory = true;
		return NULL;
	}
	return &python->codes.at[index];
}

/* ---------------------------------------------------------------- lines */

/* Six bits a byte, the lowest first; bit 6: another byte follows. */
static uint32_t take_number(const uint8_t *table, size_t nr_bytes, size_t *at)
{
	uint32_t number = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		if (*at >= nr_bytes || shift > 30)
			return number;
		byte = table[(*at)++];
		number |= (uint32_t)(byte & 0x3f) << shift;
		shift += 6;
	} while (byte & 0x40);
	return number;
}

/* How far the line of an entry is from that before it; its kind is in bits 3 to 6 of its first byte. */
static uint32_t take_difference(unsigned kind, const uint8_t *table, size_t nr_bytes, size_t *at)
{
	uint32_t number;

	switch (kind) {
	case 10:
	case 11:
	case 12:
		return kind - 10;
	case 13:
	case 14:
		number = take_number(table, nr_bytes, at);
		return number & 1 ? -(number >> 1) : number >> 1;
	default:
		return 0;
	}
}

uint32_t python_code_line(
	const uint8_t *table, size_t nr_bytes, uint32_t first_line, uint64_t offset)
{
	uint32_t line = first_line;
	uint64_t reached = 0;
	size_t at = 0;

	while (at < nr_bytes) {
		uint8_t first = table[at++];

		line += take_difference(first >> 3 & 15, table, nr_bytes, &at);
		reached += ((first & 7u) + 1) * 2;
		if (offset < reached)
			return line;
		/* Only the first byte of an entry has the highest bit. */
		while (at < nr_bytes && !(table[at] & 0x80))
			at++;
	}
	return first_line;
}
