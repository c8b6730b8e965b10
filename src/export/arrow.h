/* SPDX-License-Identifier: MIT */
/*
 * Messages of Arrow's streaming format: what stands before the columns. Private to src/export.
 */
#ifndef EXPORT_ARROW_H
#define EXPORT_ARROW_H

#include "export/batch.h"

/* What a message says of a column, or of a dictionary: how long each of its parts is. */
#define ARROW_BUFFERS 3u

struct arrow_lengths {
	uint64_t nr_rows;
	uint64_t nr_nulls;
	uint64_t nr_bytes[ARROW_BUFFERS];
	unsigned nr_buffers;
};

/* arrow_padded: a part takes a multiple of eight bytes. */
static inline uint64_t arrow_padded(uint64_t nr_bytes)
{
	return (nr_bytes + 7) / 8 * 8;
}

/*
 * arrow_say_schema: a message with the columns of a table, and where it comes from. arrow_say_rows: one that the
 * parts of all columns follow. arrow_say_words: one that the words of a column follow, in place of those before.
 * arrow_say_end: there are no further ones. Each is appended to the text, which is empty.
 */
void arrow_say_schema(struct text *text, const struct batch *batch);
void arrow_say_rows(struct text *text, const struct arrow_lengths *columns, uint32_t nr_columns);
void arrow_say_words(struct text *text, uint32_t column, const struct arrow_lengths *words);
void arrow_say_end(struct text *text);

#endif
