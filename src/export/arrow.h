/* SPDX-License-Identifier: MIT */
/*
 * Messages of Arrow's streaming format: the bytes before the columns. Private to src/export.
 */
#ifndef EXPORT_ARROW_H
#define EXPORT_ARROW_H

#include "export/batch.h"

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

/*
 * Each function appends a message to the text, which must be empty. arrow_say_schema: the columns of a table, and the
 * trace's origin. arrow_say_rows: a batch of rows; the parts of all columns follow the message. arrow_say_words: the
 * dictionary of a column, which replaces the previous one; its words follow the message. arrow_say_end: the end of the
 * stream.
 */
void arrow_say_schema(struct text *text, const struct batch *batch);
void arrow_say_rows(struct text *text, const struct arrow_lengths *columns, uint32_t nr_columns);
void arrow_say_words(struct text *text, uint32_t column, const struct arrow_lengths *words);
void arrow_say_end(struct text *text);

#endif
