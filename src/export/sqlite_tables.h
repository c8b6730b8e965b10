/* SPDX-License-Identifier: MIT */
/*
 * The tables of an exported database beside its events: those of a view.
 */
#ifndef EXPORT_SQLITE_TABLES_H
#define EXPORT_SQLITE_TABLES_H

#include <sqlite3.h>

#include "view/view.h"

/* export_sqlite_tables_create: all of them, empty, and what is a part of one as a view of it. SQLite's result. */
int export_sqlite_tables_create(sqlite3 *database);

/* export_sqlite_tables_fill: their rows. *ret_result: SQLite's; what else fails is the function's own. */
enum ct_status export_sqlite_tables_fill(
	sqlite3 *database, struct ct_view *view, int *ret_result, struct ct_error *reterr);

#endif
