/* SPDX-License-Identifier: MIT */
/*
 * The one table of a database in the older form.
 */
#ifndef EXPORT_SQLITE_OLDER_H
#define EXPORT_SQLITE_OLDER_H

#include "export/rows.h"
#include "export/sqlite_insert.h"

#define SQLITE_OLDER_COLUMNS 7u /* id, and the six */

/* export_sqlite_older_create: the table, empty. Returns SQLite's result. */
int export_sqlite_older_create(sqlite3 *database, const char *table);

/* export_sqlite_older_insert: a row of the cells, which are those of a suspend or resume. */
void export_sqlite_older_insert(struct sqlite_insert *insert, const struct export_cell *cells);

/* export_sqlite_older_finish: the indexes, when everything is in. */
int export_sqlite_older_finish(sqlite3 *database, const char *table);

#endif
