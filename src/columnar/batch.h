/* SPDX-License-Identifier: MIT */
/*
 * Rows of a table on their way into a file: some at a time, column by column, with nulls as bits and texts as numbers
 * of words in a dictionary. Private to src/columnar.
 */
#ifndef COLUMNAR_BATCH_H
#define COLUMNAR_BATCH_H

#include "base/map.h"
#include "base/vec.h"
#include "columnar/columnar.h"

#define COLUMNAR_ROWS (128u << 10) /* of a batch, at most */
#define COLUMNAR_WORD_BYTES \
	(16u << 20) /* a batch with so many bytes of words takes no further rows */
#define COLUMNAR_COLUMNS (2 * COLUMN_MOST)
#define COLUMNAR_NAME_BYTES 64u
#define COLUMNAR_KEY_BYTES 256u

enum columnar_type {
	COLUMNAR_BOOLEAN,
	COLUMNAR_ROW,      /* of another table: 32 bits, from 1 */
	COLUMNAR_NUMBER,   /* 64 bits, with a sign */
	COLUMNAR_UNSIGNED, /* 64 bits, without */
	COLUMNAR_MOMENT,   /* nanoseconds since 1970, UTC */
	COLUMNAR_TEXT,     /* the number of a word */
};

/* What cells say, each word once; a cell that was met before is not put into words again. */
struct columnar_words {
	struct text bytes;  /* all words, one behind the other */
	VEC(uint32_t) ends; /* of each word */
	struct map by_hash;
	VEC(struct columnar_cell) cells;
	struct map by_cell;
};

struct columnar_cell {
	int64_t number;
	unsigned kind;
	uint32_t word;
};

struct columnar_column {
	char name[COLUMNAR_NAME_BYTES];
	enum columnar_type type;
	enum ct_view_type of; /* in the view: */
	uint32_t from;        /* the column's number */
	bool is_nullable;
	uint32_t nr_nulls;
	uint64_t *is_set; /* a bit for each row, the first one in the least significant bit */
	int64_t *values;  /* of each row; 0 where it is null */
	struct columnar_words words;
};

struct columnar_batch {
	struct ct_view *view;
	struct ct_view_scan *scan;
	enum ct_view_table table;
	struct columnar_column *columns;
	uint32_t nr_columns;
	uint32_t nr_rows;
	bool is_broken; /* out of memory */
	struct text cell;
	struct text clean;
};

/* columnar_batch_open: of all rows of a table; empty. columnar_batch_close: also after a failure. */
enum ct_status columnar_batch_open(struct columnar_batch *batch, struct ct_view *view,
	enum ct_view_table table, struct ct_error *reterr);
void columnar_batch_close(struct columnar_batch *batch);

/* columnar_batch_next: fills it with the next rows, in place of those that it has; CT_END: there are none. */
enum ct_status columnar_batch_next(struct columnar_batch *batch, struct ct_error *reterr);

/* columnar_words_at: one word, valid until the next batch. */
const char *columnar_words_at(
	const struct columnar_words *words, uint32_t word, uint32_t *ret_nr_bytes);

/* columnar_find: the table of this name. CT_ERR_USAGE: there is none; the message names those there are. */
enum ct_status columnar_find(
	const char *name, enum ct_view_table *ret_table, struct ct_error *reterr);

/* What a file says of where it comes from. */
enum columnar_key {
	COLUMNAR_KEY_TABLE,
	COLUMNAR_KEY_RUN,
	COLUMNAR_KEY_HOST,
	COLUMNAR_KEY_VERSION,
	COLUMNAR_NR_KEYS,
};

struct columnar_keys {
	char values[COLUMNAR_NR_KEYS][COLUMNAR_KEY_BYTES];
};

extern const char *const columnar_key_names[COLUMNAR_NR_KEYS];

/* columnar_keys_of: of the table of a batch. A host whose name is longer is cut off. */
void columnar_keys_of(const struct columnar_batch *batch, struct columnar_keys *ret_keys);

static inline bool columnar_is_set(const struct columnar_column *column, uint32_t row)
{
	return column->is_set[row / 64] >> row % 64 & 1;
}

#endif
