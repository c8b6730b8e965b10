/* SPDX-License-Identifier: MIT */
/*
 * Rows of a table on their way out: some at a time, column by column, with nulls as bits and texts as numbers of words
 * in a dictionary. A writer is handed them table by table. Private to src/export.
 */
#ifndef EXPORT_BATCH_H
#define EXPORT_BATCH_H

#include "base/map.h"
#include "base/vec.h"
#include "export/export.h"

#define BATCH_ROWS (128u << 10)      /* of a batch, at most */
#define BATCH_WORD_BYTES (16u << 20) /* a batch with so many bytes of words takes no further rows */
#define BATCH_COLUMNS (2 * COLUMN_MOST)
#define BATCH_NAME_BYTES 64u
#define BATCH_KEY_BYTES 256u

enum batch_type {
	BATCH_BOOLEAN,
	BATCH_ROW,      /* of another table: 32 bits, from 1 */
	BATCH_NUMBER,   /* 64 bits, with a sign */
	BATCH_UNSIGNED, /* 64 bits, without */
	BATCH_MOMENT,   /* nanoseconds since 1970, UTC */
	BATCH_TEXT,     /* the number of a word */
};

/* What cells say, each word once; a cell that was met before is not put into words again. */
struct batch_words {
	struct text bytes;  /* all words, one behind the other */
	VEC(uint32_t) ends; /* of each word */
	struct map by_hash;
	VEC(struct batch_cell) cells;
	struct map by_cell;
};

struct batch_cell {
	int64_t number;
	unsigned kind;
	uint32_t word;
};

struct batch_column {
	char name[BATCH_NAME_BYTES];
	enum batch_type type;
	enum ct_view_type of; /* in the view: */
	uint32_t from;        /* the column's number */
	bool is_nullable;
	uint32_t nr_nulls;
	uint64_t *is_set; /* a bit for each row, the first one in the least significant bit */
	int64_t *values;  /* of each row; 0 where it is null */
	struct batch_words words;
};

struct batch {
	struct ct_view *view;
	struct ct_view_scan *scan;
	enum ct_view_table table;
	bool has_moments; /* behind each time NAME_ns, NAME_at: the point in time */
	struct batch_column *columns;
	uint32_t nr_columns;
	uint32_t nr_rows;
	uint32_t nr_room; /* rows that the columns have memory for */
	bool is_broken;   /* out of memory */
	struct text cell;
	struct text clean;
};

/* batch_open: of all rows of a table; empty. batch_close: also after a failure. */
enum ct_status batch_open(struct batch *batch, struct ct_view *view, enum ct_view_table table,
	bool has_moments, struct ct_error *reterr);
void batch_close(struct batch *batch);

/* batch_next: fills it with the next rows, in place of those that it has; CT_END: there are none. */
enum ct_status batch_next(struct batch *batch, struct ct_error *reterr);

/* batch_type_of: how cells of a view's type are handed on. */
enum batch_type batch_type_of(enum ct_view_type type);

/* batch_word: one word, valid until the next batch. */
const char *batch_word(const struct batch_words *words, uint32_t word, uint32_t *ret_nr_bytes);

/*
 * What becomes of a table. `begin`: its columns are known, and none of its rows; CT_END: it is not wanted, and
 * neither of the other two is called. `rows`: some of them, at least one. `end`: with CT_OK there were no further ones;
 * else the writer gives up what it began, and returns what it is handed.
 */
struct batch_writer {
	bool has_moments;
	enum ct_status (*begin)(void *context, const struct batch *batch, struct ct_error *reterr);
	enum ct_status (*rows)(void *context, const struct batch *batch, struct ct_error *reterr);
	enum ct_status (*end)(void *context, const struct batch *batch, enum ct_status status,
		struct ct_error *reterr);
};

/* The tables that are wanted. */
struct batch_choice {
	bool has[CT_VIEW_NR_TABLES];
};

/*
 * batch_choose: the tables of these names, in a list that ends with NULL; NULL or empty: all but waits, runs and
 * delays, which are parts of states. batch_choose_for_database: in place of a part the table that it is a part of, and
 * what rows of others refer to. batch_only_name: the one name of the list, or that of events. CT_ERR_USAGE: there is no
 * such table, and the message names those there are; or several, where only one can be.
 */
enum ct_status batch_choose(
	const char *const *names, struct batch_choice *ret_choice, struct ct_error *reterr);
enum ct_status batch_choose_for_database(
	const char *const *names, struct batch_choice *ret_choice, struct ct_error *reterr);
enum ct_status batch_only_name(
	const char *const *names, const char **ret_name, struct ct_error *reterr);

/* batch_write: the chosen tables, one after the other. */
enum ct_status batch_write(struct ct_view *view, const struct batch_choice *choice,
	const struct batch_writer *writer, void *context, struct ct_error *reterr);

/* What a file says of where it comes from. */
enum batch_key {
	BATCH_KEY_TABLE,
	BATCH_KEY_RUN,
	BATCH_KEY_HOST,
	BATCH_KEY_VERSION,
	BATCH_NR_KEYS,
};

struct batch_keys {
	char values[BATCH_NR_KEYS][BATCH_KEY_BYTES];
};

extern const char *const batch_key_names[BATCH_NR_KEYS];

/* batch_keys_of: of the table of a batch. A host whose name is longer is cut off. */
void batch_keys_of(const struct batch *batch, struct batch_keys *ret_keys);

static inline bool batch_is_set(const struct batch_column *column, uint32_t row)
{
	return column->is_set[row / 64] >> row % 64 & 1;
}

#endif
