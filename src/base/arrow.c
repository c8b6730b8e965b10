/* SPDX-License-Identifier: MIT */
/*
 * A message is a mark, a length, and a FlatBuffer, whose tables are those of Arrow's Message.fbs and Schema.fbs.
 */
#include "base/arrow.h"
#include "base/flatbuffer.h"

enum message {
	MESSAGE_SCHEMA = 1,
	MESSAGE_DICTIONARY = 2,
	MESSAGE_ROWS = 3,
};

enum type {
	TYPE_INT = 2,
	TYPE_FLOAT = 3,
	TYPE_BINARY = 4,
	TYPE_UTF8 = 5,
	TYPE_BOOL = 6,
	TYPE_TIMESTAMP = 10,
};

#define VERSION 4u /* metadata version 5 */
#define LITTLE_ENDIAN_BYTES 0u
#define NANOSECONDS 3u
#define DOUBLE_PRECISION 2u
#define MARK UINT32_C(0xffffffff)
#define NODE_BYTES 16u
#define INDEX_BITS 32u
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

void arrow_pad(struct text *text)
{
	while (!text->is_broken && text->length % 8)
		text_char(text, 0);
}

/* ---------------------------------------------------------------- messages */

/* Begins a message. The caller writes the message's table next; returns where its offset must be put. */
static size_t begin_message(struct text *buffer, enum message type, uint64_t nr_bytes)
{
	const struct flatbuffer_field fields[] = {
		{2, VERSION}, {1, type}, FLATBUFFER_OFFSET, {8, nr_bytes}};
	size_t places[COUNT(fields)];

	flatbuffer_begin(buffer);
	flatbuffer_point(buffer, 0, flatbuffer_table(buffer, fields, COUNT(fields), places));
	return places[2];
}

/* Appends the message to the text and frees the buffer. */
static void end_message(struct text *text, struct text *buffer)
{
	flatbuffer_align(buffer, 8);
	text_little_endian(text, MARK, 4);
	text_little_endian(text, buffer->length, 4);
	text_append(text, text_peek(buffer), buffer->length);
	text->is_broken |= buffer->is_broken;
	text_fini(buffer);
}

void arrow_say_end(struct text *text)
{
	text_little_endian(text, MARK, 4);
	text_little_endian(text, 0, 4);
}

/* ---------------------------------------------------------------- columns */

static size_t put_int(struct text *buffer, unsigned nr_bits, bool is_signed)
{
	const struct flatbuffer_field fields[] = {{4, nr_bits}, {1, is_signed}};

	return flatbuffer_table(buffer, fields, COUNT(fields), NULL);
}

static size_t put_timestamp(struct text *buffer)
{
	const struct flatbuffer_field fields[] = {{2, NANOSECONDS}, FLATBUFFER_OFFSET};
	size_t places[COUNT(fields)];
	size_t table = flatbuffer_table(buffer, fields, COUNT(fields), places);

	flatbuffer_point(buffer, places[1], flatbuffer_text(buffer, "UTC"));
	return table;
}

static size_t put_double(struct text *buffer)
{
	const struct flatbuffer_field fields[] = {{2, DOUBLE_PRECISION}};

	return flatbuffer_table(buffer, fields, COUNT(fields), NULL);
}

static enum type type_of(enum arrow_type type)
{
	switch (type) {
	case ARROW_BOOLEAN:
		return TYPE_BOOL;
	case ARROW_DOUBLE:
		return TYPE_FLOAT;
	case ARROW_MOMENT:
		return TYPE_TIMESTAMP;
	case ARROW_TEXT:
	case ARROW_WORDS:
		return TYPE_UTF8;
	case ARROW_BYTES:
		return TYPE_BINARY;
	default:
		return TYPE_INT;
	}
}

static size_t put_type(struct text *buffer, enum arrow_type type)
{
	switch (type) {
	case ARROW_INT32:
		return put_int(buffer, 32, true);
	case ARROW_INT64:
		return put_int(buffer, 64, true);
	case ARROW_UINT64:
		return put_int(buffer, 64, false);
	case ARROW_DOUBLE:
		return put_double(buffer);
	case ARROW_MOMENT:
		return put_timestamp(buffer);
	default:
		return flatbuffer_table(buffer, NULL, 0, NULL);
	}
}

/* A dictionary has the number of its column as its id. */
static size_t put_dictionary(struct text *buffer, uint32_t column)
{
	const struct flatbuffer_field fields[] = {{8, column}, FLATBUFFER_OFFSET};
	size_t places[COUNT(fields)];
	size_t table = flatbuffer_table(buffer, fields, COUNT(fields), places);

	flatbuffer_point(buffer, places[1], put_int(buffer, INDEX_BITS, true));
	return table;
}

static size_t put_field(struct text *buffer, const struct arrow_field *field, uint32_t number)
{
	bool has_words = field->type == ARROW_WORDS;
	const struct flatbuffer_field fields[] = {FLATBUFFER_OFFSET, {1, field->is_nullable},
		{1, type_of(field->type)}, FLATBUFFER_OFFSET,
		has_words ? FLATBUFFER_OFFSET : FLATBUFFER_NONE, FLATBUFFER_OFFSET};
	size_t places[COUNT(fields)];
	size_t table = flatbuffer_table(buffer, fields, COUNT(fields), places);

	flatbuffer_point(buffer, places[0], flatbuffer_text(buffer, field->name));
	flatbuffer_point(buffer, places[3], put_type(buffer, field->type));
	if (has_words)
		flatbuffer_point(buffer, places[4], put_dictionary(buffer, number));
	/* Readers require the list of child columns, although it is empty. */
	flatbuffer_point(buffer, places[5], flatbuffer_vector(buffer, 0, 4));
	return table;
}

static size_t put_key(struct text *buffer, const struct arrow_key *key)
{
	const struct flatbuffer_field fields[] = {FLATBUFFER_OFFSET, FLATBUFFER_OFFSET};
	size_t places[COUNT(fields)];
	size_t table = flatbuffer_table(buffer, fields, COUNT(fields), places);

	flatbuffer_point(buffer, places[0], flatbuffer_text(buffer, key->name));
	flatbuffer_point(buffer, places[1], flatbuffer_text(buffer, key->value));
	return table;
}

/* The position of an offset in a vector of offsets. */
static size_t element(size_t vector, uint32_t number)
{
	return vector + FLATBUFFER_FIRST + 4 * (size_t)number;
}

static size_t put_keys(struct text *buffer, const struct arrow_schema *schema)
{
	size_t vector = flatbuffer_vector(buffer, schema->nr_keys, 4);
	uint32_t i;

	for (i = 0; i < schema->nr_keys; i++)
		flatbuffer_point(buffer, element(vector, i), put_key(buffer, &schema->keys[i]));
	return vector;
}

static size_t put_fields(struct text *buffer, const struct arrow_schema *schema)
{
	size_t vector = flatbuffer_vector(buffer, schema->nr_fields, 4);
	uint32_t i;

	for (i = 0; i < schema->nr_fields; i++)
		flatbuffer_point(
			buffer, element(vector, i), put_field(buffer, &schema->fields[i], i));
	return vector;
}

void arrow_say_schema(struct text *text, const struct arrow_schema *schema)
{
	const struct flatbuffer_field fields[] = {
		{2, LITTLE_ENDIAN_BYTES}, FLATBUFFER_OFFSET, FLATBUFFER_OFFSET};
	struct text buffer = {0};
	size_t places[COUNT(fields)];
	size_t place = begin_message(&buffer, MESSAGE_SCHEMA, 0);

	flatbuffer_point(&buffer, place, flatbuffer_table(&buffer, fields, COUNT(fields), places));
	flatbuffer_point(&buffer, places[1], put_fields(&buffer, schema));
	flatbuffer_point(&buffer, places[2], put_keys(&buffer, schema));
	end_message(text, &buffer);
}

/* ---------------------------------------------------------------- rows */

static uint64_t bytes_of(const struct arrow_lengths *columns, uint32_t nr_columns)
{
	uint64_t sum = 0;
	uint32_t i, k;

	for (i = 0; i < nr_columns; i++)
		for (k = 0; k < columns[i].nr_buffers; k++)
			sum += arrow_padded(columns[i].nr_bytes[k]);
	return sum;
}

/* The number of rows of each column, and the number of its nulls. */
static size_t put_nodes(
	struct text *buffer, const struct arrow_lengths *columns, uint32_t nr_columns)
{
	size_t vector = flatbuffer_vector(buffer, nr_columns, NODE_BYTES);
	size_t at = vector + FLATBUFFER_FIRST;
	uint32_t i;

	for (i = 0; i < nr_columns; i++, at += NODE_BYTES) {
		flatbuffer_put(buffer, at, columns[i].nr_rows, 8);
		flatbuffer_put(buffer, at + 8, columns[i].nr_nulls, 8);
	}
	return vector;
}

/* The position of each part behind the message, and its length. */
static size_t put_buffers(
	struct text *buffer, const struct arrow_lengths *columns, uint32_t nr_columns)
{
	uint32_t nr_buffers = 0, i, k;
	uint64_t offset = 0;
	size_t vector, at;

	for (i = 0; i < nr_columns; i++)
		nr_buffers += columns[i].nr_buffers;
	vector = flatbuffer_vector(buffer, nr_buffers, NODE_BYTES);
	at = vector + FLATBUFFER_FIRST;
	for (i = 0; i < nr_columns; i++) {
		for (k = 0; k < columns[i].nr_buffers; k++, at += NODE_BYTES) {
			flatbuffer_put(buffer, at, offset, 8);
			flatbuffer_put(buffer, at + 8, columns[i].nr_bytes[k], 8);
			offset += arrow_padded(columns[i].nr_bytes[k]);
		}
	}
	return vector;
}

static size_t put_rows(struct text *buffer, uint64_t nr_rows, const struct arrow_lengths *columns,
	uint32_t nr_columns)
{
	const struct flatbuffer_field fields[] = {
		{8, nr_rows}, FLATBUFFER_OFFSET, FLATBUFFER_OFFSET};
	size_t places[COUNT(fields)];
	size_t table = flatbuffer_table(buffer, fields, COUNT(fields), places);

	flatbuffer_point(buffer, places[1], put_nodes(buffer, columns, nr_columns));
	flatbuffer_point(buffer, places[2], put_buffers(buffer, columns, nr_columns));
	return table;
}

void arrow_say_rows(struct text *text, uint64_t nr_rows, const struct arrow_lengths *columns,
	uint32_t nr_columns)
{
	struct text buffer = {0};
	size_t place = begin_message(&buffer, MESSAGE_ROWS, bytes_of(columns, nr_columns));

	flatbuffer_point(&buffer, place, put_rows(&buffer, nr_rows, columns, nr_columns));
	end_message(text, &buffer);
}

void arrow_say_words(struct text *text, uint32_t column, const struct arrow_lengths *words)
{
	const struct flatbuffer_field fields[] = {{8, column}, FLATBUFFER_OFFSET};
	struct text buffer = {0};
	size_t places[COUNT(fields)];
	size_t place = begin_message(&buffer, MESSAGE_DICTIONARY, bytes_of(words, 1));

	flatbuffer_point(&buffer, place, flatbuffer_table(&buffer, fields, COUNT(fields), places));
	flatbuffer_point(&buffer, places[1], put_rows(&buffer, words->nr_rows, words, 1));
	end_message(text, &buffer);
}
