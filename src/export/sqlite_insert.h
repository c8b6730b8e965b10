/* SPDX-License-Identifier: MIT */
/*
 * Rows into one table of an SQLite database, value by value, through one prepared statement:
 *
 *	sqlite_insert_open(&insert, database, "threads", 3);
 *	sqlite_insert_number(&insert, 1); sqlite_insert_text(&insert, "worker-0"); sqlite_insert_null(&insert);
 *	sqlite_insert_row(&insert);
 *	result = sqlite_insert_close(&insert);
 *
 * The first failure is kept, and what follows it does nothing.
 */
#ifndef EXPORT_SQLITE_INSERT_H
#define EXPORT_SQLITE_INSERT_H

#include <sqlite3.h>

#include "corotracer/event.h"
#include "text.h"

struct sqlite_insert {
	sqlite3_stmt *statement;
	int column; /* the last one that has a value */
	int result; /* SQLITE_OK, or the first failure */
	struct text clean;
};

void sqlite_insert_open(
	struct sqlite_insert *insert, sqlite3 *database, const char *table, unsigned nr_columns);

void sqlite_insert_null(struct sqlite_insert *insert);
void sqlite_insert_number(struct sqlite_insert *insert, int64_t number);
/* sqlite_insert_reference: 0 is NULL. sqlite_insert_time: CT_NO_TIME is NULL. */
void sqlite_insert_reference(struct sqlite_insert *insert, uint64_t number);
void sqlite_insert_time(struct sqlite_insert *insert, ct_time time);
/* sqlite_insert_text: any bytes; "" is NULL. The text is copied. */
void sqlite_insert_text(struct sqlite_insert *insert, const char *text);

/* sqlite_insert_row: the row is complete. */
void sqlite_insert_row(struct sqlite_insert *insert);

/* sqlite_insert_close: releases the statement; SQLITE_OK, or the first failure. */
int sqlite_insert_close(struct sqlite_insert *insert);

#endif
