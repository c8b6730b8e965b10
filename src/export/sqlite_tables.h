/* SPDX-License-Identifier: MIT */
/*
 * The tables of an exported database beside its events.
 */
#ifndef EXPORT_SQLITE_TABLES_H
#define EXPORT_SQLITE_TABLES_H

#include <sqlite3.h>

#include "corotracer/ct.h"

/* export_sqlite_tables_create: all of them, empty; export_sqlite_tables_fill: their rows. SQLite's result. */
int export_sqlite_tables_create(sqlite3 *database);
int export_sqlite_tables_fill(sqlite3 *database, const struct ct_report *report);

#endif
