/* SPDX-License-Identifier: MIT */
/*
 * Rows into one table of an SQLite database, value by value, through one prepared statement:
 *
 *	export_sqlite_insert_open(&insert, database, "threads", 3);
 *	export_sqlite_insert_number(&insert, 1);
 *	export_sqlite_insert_text(&insert, "worker-0");
 *	export_sqlite_insert_null(&insert);
 *	export_sqlite_insert_row(&insert);
 *	result = export_sqlite_insert_close(&insert);
 *
 * The first failure is kept, and what follows it does nothing.
 */
#ifndef EXPORT_SQLITE_INSERT_H
#define EXPORT_SQLITE_INSERT_H

#include <sqlite3.h>

#include "corotracer/event.h"
#include "base/text.h"

struct sqlite_insert {
	sqlite3_stmt *statement;
	int column; /* the last one that has a value */
	int result; /* SQLITE_OK, or the first failure */
	struct text clean;
};

void export_sqlite_insert_open(
	struct sqlite_insert *insert, sqlite3 *database, const char *table, unsigned nr_columns);

void export_sqlite_insert_null(struct sqlite_insert *insert);
void export_sqlite_insert_number(struct sqlite_insert *insert, int64_t number);
/* export_sqlite_insert_same: what the row before has. */
void export_sqlite_insert_same(struct sqlite_insert *insert);
/* export_sqlite_insert_word: UTF-8 that stays until the row is complete. */
void export_sqlite_insert_word(struct sqlite_insert *insert, const char *word, size_t nr_bytes);
/* export_sqlite_insert_text: any bytes; NULL and "" are NULL. The text is copied. */
void export_sqlite_insert_text(struct sqlite_insert *insert, const char *text);

/* export_sqlite_insert_row: the row is complete. */
void export_sqlite_insert_row(struct sqlite_insert *insert);

/* export_sqlite_insert_close: frees the statement; SQLITE_OK, or the first failure. */
int export_sqlite_insert_close(struct sqlite_insert *insert);

/* export_sqlite_perform: runs the statements that were put together, and releases them; SQLite's own result. */
int export_sqlite_perform(sqlite3 *database, sqlite3_str *sql);

#endif
