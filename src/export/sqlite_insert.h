/* SPDX-License-Identifier: MIT */
/*
 * Inserts rows into one table of an SQLite database, value by value, through one prepared statement:
 *
 *	export_sqlite_insert_open(&insert, database, "threads", 3);
 *	export_sqlite_insert_number(&insert, 1);
 *	export_sqlite_insert_text(&insert, "worker-0");
 *	export_sqlite_insert_null(&insert);
 *	export_sqlite_insert_row(&insert);
 *	result = export_sqlite_insert_close(&insert);
 *
 * The first failure is kept; calls after it do nothing.
 */
#ifndef EXPORT_SQLITE_INSERT_H
#define EXPORT_SQLITE_INSERT_H

#include <sqlite3.h>

#include "corotracer/event.h"
#include "base/text.h"

struct sqlite_insert {
	sqlite3_stmt *statement;
	int column; /* the last column that has a value */
	int result; /* SQLITE_OK, or the first failure */
	struct text clean;
};

void export_sqlite_insert_open(
	struct sqlite_insert *insert, sqlite3 *database, const char *table, unsigned nr_columns);

void export_sqlite_insert_null(struct sqlite_insert *insert);
void export_sqlite_insert_number(struct sqlite_insert *insert, int64_t number);
/* export_sqlite_insert_same: gives the next column the value that it had in the previous row. */
void export_sqlite_insert_same(struct sqlite_insert *insert);
/* export_sqlite_insert_word: inserts UTF-8, which must stay valid until the row is complete. */
void export_sqlite_insert_word(struct sqlite_insert *insert, const char *word, size_t nr_bytes);
/* export_sqlite_insert_text: inserts any bytes, as a copy; NULL and "" become NULL. */
void export_sqlite_insert_text(struct sqlite_insert *insert, const char *text);

/* export_sqlite_insert_row: ends the row. */
void export_sqlite_insert_row(struct sqlite_insert *insert);

/* export_sqlite_insert_close: frees the statement; returns SQLITE_OK, or the first failure. */
int export_sqlite_insert_close(struct sqlite_insert *insert);

/* export_sqlite_perform: runs the statements of `sql` and frees it; returns SQLite's result. */
int export_sqlite_perform(sqlite3 *database, sqlite3_str *sql);

#endif
