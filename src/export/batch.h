/* SPDX-License-Identifier: MIT */
/*
 * Rows of a table in batches, column by column: nulls are bits, and texts are numbers of words in a dictionary. A
 * writer gets the batches table by table. Private to src/export.
 */
#ifndef EXPORT_BATCH_H
#define EXPORT_BATCH_H

#include "base/interning.h"
#include "base/map.h"
#include "base/vec.h"
#include "export/export.h"

#define BATCH_ROWS (128u << 10) /* of a batch, at most */
/* a batch whose words take this many bytes gets no further rows */
#define BATCH_WORD_BYTES (16u << 20)
#define BATCH_COLUMNS (2 * COLUMN_MOST)
#define BATCH_NAME_BYTES 64u
#define BATCH_KEY_BYTES 256u

enum batch_type {
	BATCH_BOOLEAN,
	BATCH_ROW,      /* a row of another table: 32 bits, from 1 */
	BATCH_NUMBER,   /* 64 bits, signed */
	BATCH_UNSIGNED, /* 64 bits, unsigned */
	BATCH_MOMENT,   /* nanoseconds since 1970, UTC */
	BATCH_TEXT,     /* the number of a word */
};

/* The texts of a column's cells, each text once. A cell that has occurred before is not formatted again. */
struct batch_words {
	struct interning texts;
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
	enum ct_view_type of; /* the type of the column in the view */
	uint32_t from;        /* the column's number in the view */
	bool is_nullable;
	uint32_t nr_nulls;
	uint64_t *is_set; /* a bit for each row, the first row in the least significant bit */
	int64_t *values;  /* one for each row; 0 for a null */
	struct batch_words words;
};

struct batch {
	struct ct_view *view;
	struct ct_view_scan *scan;
	enum ct_view_table table;
	/* each time column NAME_ns is followed by NAME_at, the same as a point in time */
	bool has_moments;
	struct batch_column *columns;
	uint32_t nr_columns;
	uint32_t nr_rows;
	uint32_t nr_room; /* rows for which the columns have memory */
	bool is_broken;   /* out of memory */
	struct text cell;
	struct text clean;
};

/* batch_type_of: the type in a batch of a column that has this type in the view. */
enum batch_type batch_type_of(enum ct_view_type type);

/*
 * A writer of tables. `begin`: the table's columns are known, but no rows yet; CT_END: the writer does not want the
 * table, and neither `rows` nor `end` is called. `rows`: some rows, at least one. `end`: with CT_OK the table is
 * complete; with another status the writer discards what it began and returns that status.
 */
struct batch_writer {
	bool has_moments;
	enum ct_status (*begin)(void *context, const struct batch *batch, struct ct_error *reterr);
	enum ct_status (*rows)(void *context, const struct batch *batch, struct ct_error *reterr);
	enum ct_status (*end)(void *context, const struct batch *batch, enum ct_status status,
		struct ct_error *reterr);
};

/* The chosen tables. */
struct batch_choice {
	bool has[CT_VIEW_NR_TABLES];
};

/*
 * batch_choose: chooses the tables of a list of names that ends with NULL. NULL or an empty list: all tables except
 * waits, runs and delays, which are parts of states. batch_choose_for_database: instead of a part, chooses the table
 * that it is a part of, and also chooses the tables that rows of other tables refer to. batch_only_name: the one name
 * of the list; that of events if the list is empty. CT_ERR_USAGE: no table has this name, and the error lists the
 * names; or the list has several names where only one is possible.
 */
enum ct_status batch_choose(
	const char *const *names, struct batch_choice *ret_choice, struct ct_error *reterr);
enum ct_status batch_choose_for_database(
	const char *const *names, struct batch_choice *ret_choice, struct ct_error *reterr);
enum ct_status batch_only_name(
	const char *const *names, const char **ret_name, struct ct_error *reterr);

/* batch_write: writes the chosen tables, one after the other. */
enum ct_status batch_write(struct ct_view *view, const struct batch_choice *choice,
	const struct batch_writer *writer, void *context, struct ct_error *reterr);

/* The origin of the trace, as a file states it. */
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

/* batch_keys_of: the origin for the table of a batch. The end of a long host name is cut off. */
void batch_keys_of(const struct batch *batch, struct batch_keys *ret_keys);

static inline bool batch_is_set(const struct batch_column *column, uint32_t row)
{
	return column->is_set[row / 64] >> row % 64 & 1;
}

#endif
