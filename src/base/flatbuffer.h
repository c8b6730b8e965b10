/* SPDX-License-Identifier: MIT */
/*
 * Writing FlatBuffers (https://flatbuffers.dev/internals) into a text, which begins with the buffer and has nothing
 * else before it. What is pointed at lies behind what points at it: a table is written with room for its offsets, and
 * each is filled in when its target stands.
 *
 *	struct flatbuffer_field fields[] = {{2, 7}, FLATBUFFER_OFFSET};
 *	size_t places[2];
 *
 *	flatbuffer_begin(&text);
 *	flatbuffer_point(&text, 0, flatbuffer_table(&text, fields, 2, places));
 *	flatbuffer_point(&text, places[1], flatbuffer_text(&text, "name"));
 *
 * Nothing fails: a text that runs out of memory says so itself. Not thread-safe.
 */
#ifndef BASE_FLATBUFFER_H
#define BASE_FLATBUFFER_H

#include "base/text.h"

#define FLATBUFFER_FIELDS 8u /* of a table, at most */

/* A field of a table: so many bytes, 1 to 8; none: it is left out. */
struct flatbuffer_field {
	unsigned nr_bytes;
	uint64_t value;
};

#define FLATBUFFER_NONE ((struct flatbuffer_field){0, 0})
#define FLATBUFFER_OFFSET ((struct flatbuffer_field){4, 0}) /* filled in by flatbuffer_point */

/* flatbuffer_begin: room for the offset of the outermost table, at place 0. */
void flatbuffer_begin(struct text *text);

/*
 * flatbuffer_table: appends a table; returns where it stands, and where each of its fields does (0: it is left out).
 * `ret_places` may be NULL.
 */
size_t flatbuffer_table(struct text *text, const struct flatbuffer_field *fields,
	unsigned nr_fields, size_t *ret_places);

/* flatbuffer_text: appends a text; returns where it stands. */
size_t flatbuffer_text(struct text *text, const char *value);

/*
 * flatbuffer_vector: appends so many elements of so many bytes, all zero; returns where the vector stands. The first
 * element is FLATBUFFER_FIRST bytes behind that.
 */
#define FLATBUFFER_FIRST 4u
size_t flatbuffer_vector(struct text *text, uint32_t count, unsigned nr_bytes);

/* flatbuffer_put: a number at a place that was written before. flatbuffer_point: the offset from there to a target. */
void flatbuffer_put(struct text *text, size_t place, uint64_t value, unsigned nr_bytes);
void flatbuffer_point(struct text *text, size_t place, size_t target);

/* flatbuffer_align: zeros up to the next multiple. */
void flatbuffer_align(struct text *text, size_t multiple);

#endif
