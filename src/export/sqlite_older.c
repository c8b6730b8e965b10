/* SPDX-License-Identifier: MIT */
/*
 * The table that queries for the older form name. Ids are text there: SQLite's integers have a sign.
 */
#include <inttypes.h>
#include <stdio.h>

#include "export/sqlite_older.h"

static int perform(sqlite3 *database, char *sql)
{
	int result = sql ? sqlite3_exec(database, sql, NULL, NULL, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return result;
}

int export_sqlite_older_create(sqlite3 *database, const char *table)
{
	return perform(database,
		sqlite3_mprintf(
			"CREATE TABLE \"%w\" (id INTEGER PRIMARY KEY AUTOINCREMENT, "
			"probe_id TEXT NOT NULL, tid INTEGER NOT NULL, addr TEXT NOT NULL, "
			"seq INTEGER NOT NULL, is_active INTEGER NOT NULL, ts INTEGER NOT NULL)",
			table));
}

void export_sqlite_older_insert(struct sqlite_insert *insert, const struct export_cell *cells)
{
	char probe_id[24];

	snprintf(probe_id, sizeof(probe_id), "%" PRIu64, (uint64_t)cells[EXPORT_PROBE_ID].number);
	export_sqlite_insert_null(insert);
	export_sqlite_insert_text(insert, probe_id);
	export_sqlite_insert_number(insert, cells[EXPORT_TID].number);
	export_sqlite_insert_text(insert, cells[EXPORT_ADDR].text);
	export_sqlite_insert_number(insert, cells[EXPORT_SEQ].number);
	export_sqlite_insert_number(insert, cells[EXPORT_IS_ACTIVE].number);
	export_sqlite_insert_number(insert, cells[EXPORT_TS].number);
	export_sqlite_insert_row(insert);
}

int export_sqlite_older_finish(sqlite3 *database, const char *table)
{
	return perform(
		database, sqlite3_mprintf("CREATE INDEX \"%w_probe_id\" ON \"%w\" (probe_id);"
					  "CREATE INDEX \"%w_tid\" ON \"%w\" (tid);"
					  "CREATE INDEX \"%w_ts\" ON \"%w\" (ts)",
				  table, table, table, table, table, table));
}
