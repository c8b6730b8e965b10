/* SPDX-License-Identifier: MIT */
/*
 * The tables of an exported database beside its events: those of a view.
 */
#ifndef EXPORT_SQLITE_TABLES_H
#define EXPORT_SQLITE_TABLES_H

#include <sqlite3.h>

#include "export/batch.h"

/* export_sqlite_tables_create: the chosen ones, empty, and what is a part of one as a view of it. SQLite's result. */
int export_sqlite_tables_create(sqlite3 *database, const struct batch_choice *choice);

/* export_sqlite_tables_fill: their rows. *ret_result: SQLite's; what else fails is the function's own. */
enum ct_status export_sqlite_tables_fill(sqlite3 *database, struct ct_view *view,
	const struct batch_choice *choice, int *ret_result, struct ct_error *reterr);

#endif
