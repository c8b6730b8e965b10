/* SPDX-License-Identifier: MIT */
/*
 * The tables of an exported database besides its events: those of a view.
 */
#ifndef EXPORT_SQLITE_TABLES_H
#define EXPORT_SQLITE_TABLES_H

#include <sqlite3.h>

#include "export/batch.h"

/*
 * export_sqlite_tables_create: creates the chosen tables, empty, and the parts of each as SQL views. Returns SQLite's
 * result.
 */
int export_sqlite_tables_create(sqlite3 *database, const struct batch_choice *choice);

/*
 * export_sqlite_tables_fill: inserts the rows of the chosen tables. *ret_result: SQLite's result; any other failure is
 * the returned status.
 */
enum ct_status export_sqlite_tables_fill(sqlite3 *database, struct ct_view *view,
	const struct batch_choice *choice, int *ret_result, struct ct_error *reterr);

#endif
