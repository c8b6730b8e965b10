/* SPDX-License-Identifier: MIT */
/*
 * The tables and views of an exported database.
 */
#ifndef EXPORT_SQLITE_TABLES_H
#define EXPORT_SQLITE_TABLES_H

#include <sqlite3.h>

#include "corotracer/ct.h"

/* export_sqlite_tables_create: all tables, empty; `events` is the name of the events' own. Returns SQLite's result. */
int export_sqlite_tables_create(sqlite3 *database, const char *events);

/* export_sqlite_tables_fill: all of them but the events' own. */
int export_sqlite_tables_fill(sqlite3 *database, const struct ct_report *report);

/* export_sqlite_tables_finish: the views, and an index by coroutine, when everything is in. */
int export_sqlite_tables_finish(sqlite3 *database, const char *events);

#endif
