/* SPDX-License-Identifier: MIT */
/*
 * Inserting into one table.
 */
#include "export/sqlite_insert.h"

int export_sqlite_perform(sqlite3 *database, sqlite3_str *sql)
{
	char *terminated = sqlite3_str_finish(sql);
	int result =
		terminated ? sqlite3_exec(database, terminated, NULL, NULL, NULL) : SQLITE_NOMEM;

	sqlite3_free(terminated);
	return result;
}

void export_sqlite_insert_open(
	struct sqlite_insert *insert, sqlite3 *database, const char *table, unsigned nr_columns)
{
	sqlite3_str *sql = sqlite3_str_new(database);
	char *terminated;
	unsigned i;

	*insert = (struct sqlite_insert){.result = SQLITE_NOMEM};
	sqlite3_str_appendf(sql, "INSERT INTO \"%w\" VALUES (", table);
	for (i = 0; i < nr_columns; i++)
		sqlite3_str_appendall(sql, i ? ", ?" : "?");
	sqlite3_str_appendchar(sql, 1, ')');
	terminated = sqlite3_str_finish(sql);
	if (terminated)
		insert->result =
			sqlite3_prepare_v2(database, terminated, -1, &insert->statement, NULL);
	sqlite3_free(terminated);
}

static void keep(struct sqlite_insert *insert, int result)
{
	if (insert->result == SQLITE_OK)
		insert->result = result;
}

void export_sqlite_insert_null(struct sqlite_insert *insert)
{
	insert->column++;
	if (insert->result == SQLITE_OK)
		keep(insert, sqlite3_bind_null(insert->statement, insert->column));
}

void export_sqlite_insert_same(struct sqlite_insert *insert)
{
	insert->column++;
}

void export_sqlite_insert_number(struct sqlite_insert *insert, int64_t number)
{
	insert->column++;
	if (insert->result == SQLITE_OK)
		keep(insert, sqlite3_bind_int64(insert->statement, insert->column, number));
}

static void insert_bytes(struct sqlite_insert *insert, const char *bytes, size_t nr_bytes,
	sqlite3_destructor_type is_kept)
{
	insert->column++;
	if (insert->result == SQLITE_OK)
		keep(insert, sqlite3_bind_text(insert->statement, insert->column, bytes,
				     (int)nr_bytes, is_kept));
}

void export_sqlite_insert_word(struct sqlite_insert *insert, const char *word, size_t nr_bytes)
{
	insert_bytes(insert, word, nr_bytes, SQLITE_STATIC);
}

void export_sqlite_insert_text(struct sqlite_insert *insert, const char *text)
{
	if (!text || !*text) {
		export_sqlite_insert_null(insert);
		return;
	}
	text_clear(&insert->clean);
	text_utf8(&insert->clean, text);
	if (insert->clean.is_broken)
		keep(insert, SQLITE_NOMEM);
	insert_bytes(insert, text_peek(&insert->clean), insert->clean.length, SQLITE_TRANSIENT);
}

void export_sqlite_insert_row(struct sqlite_insert *insert)
{
	int result;

	insert->column = 0;
	if (insert->result != SQLITE_OK)
		return;
	result = sqlite3_step(insert->statement);
	if (result == SQLITE_DONE)
		result = sqlite3_reset(insert->statement);
	keep(insert, result);
}

int export_sqlite_insert_close(struct sqlite_insert *insert)
{
	sqlite3_finalize(insert->statement);
	text_fini(&insert->clean);
	return insert->result;
}
