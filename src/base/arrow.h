/* SPDX-License-Identifier: MIT */
/*
 * Messages of Arrow's streaming format
 * (https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc): the bytes
 * before the columns. A stream is a schema, then batches of rows, each after the dictionaries of its columns of words.
 */
#ifndef BASE_ARROW_H
#define BASE_ARROW_H

#include "base/text.h"

enum arrow_type {
	ARROW_BOOLEAN,
	ARROW_INT32,
	ARROW_INT64,
	ARROW_UINT64,
	ARROW_DOUBLE,
	ARROW_MOMENT, /* nanoseconds since 1970, UTC, in 64 bits */
	ARROW_TEXT,   /* UTF-8: the ends of the texts as 32 bits, then the texts */
	ARROW_BYTES,  /* any bytes, otherwise as a text */
	ARROW_WORDS,  /* the number of a text in the column's dictionary, in 32 bits */
};

struct arrow_field {
	const char *name;
	enum arrow_type type;
	bool is_nullable;
};

/* What a stream tells about itself. */
struct arrow_key {
	const char *name;
	const char *value;
};

struct arrow_schema {
	const struct arrow_field *fields;
	uint32_t nr_fields;
	const struct arrow_key *keys;
	uint32_t nr_keys;
};

/* The lengths of the parts of a column or of a dictionary, as a message states them. */
#define ARROW_BUFFERS 3u

struct arrow_lengths {
	uint64_t nr_rows;
	uint64_t nr_nulls;
	uint64_t nr_bytes[ARROW_BUFFERS];
	unsigned nr_buffers;
};

/* arrow_padded: the length of a part rounded up to a multiple of eight bytes. */
static inline uint64_t arrow_padded(uint64_t nr_bytes)
{
	return (nr_bytes + 7) / 8 * 8;
}

/* arrow_pad: appends zeros up to the next multiple of eight bytes, at which every part of a stream begins. */
void arrow_pad(struct text *text);

/*
 * Each function appends a message to the text, whose length must be a multiple of eight; a text that runs out of memory
 * reports that itself. arrow_say_schema: the columns of a table. The dictionary of a column has the column's number.
 * arrow_say_rows: a batch of `nr_rows` rows; the parts of all columns follow the message. arrow_say_words: the
 * dictionary of a column, which replaces the previous one; its words follow the message. arrow_say_end: the end of the
 * stream.
 */
void arrow_say_schema(struct text *text, const struct arrow_schema *schema);
void arrow_say_rows(struct text *text, uint64_t nr_rows, const struct arrow_lengths *columns,
	uint32_t nr_columns);
void arrow_say_words(struct text *text, uint32_t column, const struct arrow_lengths *words);
void arrow_say_end(struct text *text);

#endif
