/* SPDX-License-Identifier: MIT */
/*
 * Writing FlatBuffers (https://flatbuffers.dev/internals) into a text, which must be empty before. The target of an
 * offset lies after the offset: a table is written with room for its offsets, and each offset is filled in when its
 * target has been written.
 *
 *	struct flatbuffer_field fields[] = {{2, 7}, FLATBUFFER_OFFSET};
 *	size_t places[2];
 *
 *	flatbuffer_begin(&text);
 *	flatbuffer_point(&text, 0, flatbuffer_table(&text, fields, 2, places));
 *	flatbuffer_point(&text, places[1], flatbuffer_text(&text, "name"));
 *
 * No function fails: a text that runs out of memory reports that itself. Not thread-safe.
 */
#ifndef BASE_FLATBUFFER_H
#define BASE_FLATBUFFER_H

#include "base/text.h"

#define FLATBUFFER_FIELDS 8u /* most fields of a table */

/* A field of a table, of 1 to 8 bytes; 0 bytes: the field is left out. */
struct flatbuffer_field {
	unsigned nr_bytes;
	uint64_t value;
};

#define FLATBUFFER_NONE ((struct flatbuffer_field){0, 0})
#define FLATBUFFER_OFFSET ((struct flatbuffer_field){4, 0}) /* flatbuffer_point fills it in */

/* flatbuffer_begin: leaves room for the offset of the outermost table, at place 0. */
void flatbuffer_begin(struct text *text);

/*
 * flatbuffer_table: appends a table; returns its place, and the place of each of its fields (0: left out). `ret_places`
 * may be NULL.
 */
size_t flatbuffer_table(struct text *text, const struct flatbuffer_field *fields,
	unsigned nr_fields, size_t *ret_places);

/* flatbuffer_text: appends a text; returns its place. */
size_t flatbuffer_text(struct text *text, const char *value);

/*
 * flatbuffer_vector: appends `count` elements of `nr_bytes` bytes, all zero; returns the vector's place. The first
 * element lies FLATBUFFER_FIRST bytes after that place.
 */
#define FLATBUFFER_FIRST 4u
size_t flatbuffer_vector(struct text *text, uint32_t count, unsigned nr_bytes);

/*
 * flatbuffer_put: writes a number at a place that was written before. flatbuffer_point: writes the offset from there to
 * a target.
 */
void flatbuffer_put(struct text *text, size_t place, uint64_t value, unsigned nr_bytes);
void flatbuffer_point(struct text *text, size_t place, size_t target);

/* flatbuffer_align: appends zeros up to the next multiple. */
void flatbuffer_align(struct text *text, size_t multiple);

#endif
