/* SPDX-License-Identifier: MIT */
/* FlatBuffers, written from front to back: a table's layout comes before the table, and everything else after it. */
#include <assert.h>
#include <string.h>

#include "base/flatbuffer.h"

#define TABLE_ALIGNMENT 8u
#define OFFSET_BYTES 4u

void flatbuffer_align(struct text *text, size_t multiple)
{
	while (!text->is_broken && text->length % multiple)
		text_char(text, 0);
}

void flatbuffer_begin(struct text *text)
{
	text_little_endian(text, 0, OFFSET_BYTES);
}

void flatbuffer_put(struct text *text, size_t place, uint64_t value, unsigned nr_bytes)
{
	unsigned i;

	if (text->is_broken)
		return;
	assert(place + nr_bytes <= text->length);
	for (i = 0; i < nr_bytes; i++)
		text->at[place + i] = (char)(value >> 8 * i);
}

void flatbuffer_point(struct text *text, size_t place, size_t target)
{
	flatbuffer_put(text, place, target - place, OFFSET_BYTES);
}

/* Computes where each field lies in its table, after the offset of the layout; returns the size of the table. */
static unsigned lay(const struct flatbuffer_field *fields, unsigned nr_fields,
	unsigned offsets[FLATBUFFER_FIELDS])
{
	unsigned at = OFFSET_BYTES, i;

	for (i = 0; i < nr_fields; i++) {
		offsets[i] = 0;
		if (!fields[i].nr_bytes)
			continue;
		at = (at + fields[i].nr_bytes - 1) / fields[i].nr_bytes * fields[i].nr_bytes;
		offsets[i] = at;
		at += fields[i].nr_bytes;
	}
	return at;
}

static void put_fields(struct text *text, size_t table, const struct flatbuffer_field *fields,
	unsigned nr_fields, const unsigned offsets[FLATBUFFER_FIELDS])
{
	unsigned i;

	for (i = 0; i < nr_fields; i++)
		flatbuffer_put(text, table + offsets[i], fields[i].value, fields[i].nr_bytes);
}

size_t flatbuffer_table(struct text *text, const struct flatbuffer_field *fields,
	unsigned nr_fields, size_t *ret_places)
{
	unsigned offsets[FLATBUFFER_FIELDS], nr_bytes, i;
	size_t layout, table;

	assert(nr_fields <= FLATBUFFER_FIELDS);
	nr_bytes = lay(fields, nr_fields, offsets);
	flatbuffer_align(text, 2);
	layout = text->length;
	text_little_endian(text, 4 + 2 * nr_fields, 2);
	text_little_endian(text, nr_bytes, 2);
	for (i = 0; i < nr_fields; i++)
		text_little_endian(text, offsets[i], 2);
	flatbuffer_align(text, TABLE_ALIGNMENT);
	table = text->length;
	text_little_endian(text, table - layout, OFFSET_BYTES);
	for (i = OFFSET_BYTES; i < nr_bytes; i++)
		text_char(text, 0);
	put_fields(text, table, fields, nr_fields, offsets);
	for (i = 0; ret_places && i < nr_fields; i++)
		ret_places[i] = offsets[i] ? table + offsets[i] : 0;
	return table;
}

size_t flatbuffer_text(struct text *text, const char *value)
{
	size_t length = strlen(value), place;

	flatbuffer_align(text, OFFSET_BYTES);
	place = text->length;
	text_little_endian(text, length, OFFSET_BYTES);
	text_append(text, value, length);
	text_char(text, 0);
	return place;
}

size_t flatbuffer_vector(struct text *text, uint32_t count, unsigned nr_bytes)
{
	size_t place, i;

	flatbuffer_align(text, OFFSET_BYTES);
	/* Elements of eight bytes, or of a multiple of eight, must be aligned to eight bytes. */
	if (nr_bytes % 8 == 0 && (text->length + FLATBUFFER_FIRST) % 8)
		text_little_endian(text, 0, OFFSET_BYTES);
	place = text->length;
	text_little_endian(text, count, OFFSET_BYTES);
	for (i = 0; i < (size_t)count * nr_bytes; i++)
		text_char(text, 0);
	return place;
}
