/* SPDX-License-Identifier: MIT */
/*
 * Writes the tables of a view into a database.
 */
#include "export/batch.h"
#include "export/sqlite_insert.h"
#include "export/sqlite_tables.h"

/* ---------------------------------------------------------------- create */

/* Rows of other tables refer to rows of these tables by number. */
static bool has_key(enum ct_view_table table)
{
	return table == CT_VIEW_PROCESSES || table == CT_VIEW_THREADS || table == CT_VIEW_SITES ||
	       table == CT_VIEW_FINDINGS;
}

static void add_part(sqlite3_str *sql, const struct view_table *part)
{
	const struct ct_view_description *of = ct_view_describe(part->log);

	sqlite3_str_appendf(sql, "CREATE VIEW %s AS SELECT * FROM %s WHERE %s = '%s';\n",
		part->description.name, of->name, of->columns[part->part_column].name,
		ct_state_name((enum ct_state)part->part_number));
}

static void add_table(sqlite3_str *sql, enum ct_view_table table)
{
	const struct ct_view_description *of = ct_view_describe(table);
	uint32_t i;

	sqlite3_str_appendf(sql, "CREATE TABLE %s (", of->name);
	for (i = 0; i < of->nr_columns; i++)
		sqlite3_str_appendf(sql, "%s\"%w\" %s", i ? ", " : "", of->columns[i].name,
			batch_type_of(of->columns[i].type) == BATCH_TEXT ? "TEXT"
			: i || !has_key(table)                           ? "INTEGER"
									 : "INTEGER PRIMARY KEY");
	sqlite3_str_appendall(sql, ");\n");
}

int export_sqlite_tables_create(sqlite3 *database, const struct batch_choice *choice)
{
	sqlite3_str *sql = sqlite3_str_new(database);
	enum ct_view_table i;

	for (i = 0; i < CT_VIEW_NR_TABLES; i++) {
		if (!choice->has[view_tables[i].log])
			continue;
		if (view_tables[i].is_part)
			add_part(sql, &view_tables[i]);
		else if (i != CT_VIEW_EVENTS)
			add_table(sql, i);
	}
	return export_sqlite_perform(database, sql);
}

/* ---------------------------------------------------------------- fill */

struct filling {
	sqlite3 *database;
	struct sqlite_insert insert;
};

static enum ct_status begin(void *context, const struct batch *batch, struct ct_error *reterr)
{
	struct filling *filling = context;

	(void)reterr;
	if (batch->table == CT_VIEW_EVENTS)
		return CT_END;
	export_sqlite_insert_open(&filling->insert, filling->database,
		ct_view_describe(batch->table)->name, batch->nr_columns);
	return CT_OK;
}

static void insert_cell(
	struct sqlite_insert *insert, const struct batch_column *column, uint32_t row)
{
	uint32_t nr_bytes;
	const char *word;

	if (row && column->values[row] == column->values[row - 1] &&
		batch_is_set(column, row) == batch_is_set(column, row - 1)) {
		export_sqlite_insert_same(insert);
	} else if (!batch_is_set(column, row)) {
		export_sqlite_insert_null(insert);
	} else if (column->type == BATCH_TEXT) {
		word = interning_bytes(
			&column->words.texts, (uint32_t)column->values[row], &nr_bytes);
		export_sqlite_insert_word(insert, word, nr_bytes);
	} else {
		export_sqlite_insert_number(insert, column->values[row]);
	}
}

static enum ct_status rows(void *context, const struct batch *batch, struct ct_error *reterr)
{
	struct filling *filling = context;
	uint32_t i, k;

	(void)reterr;
	for (i = 0; i < batch->nr_rows && filling->insert.result == SQLITE_OK; i++) {
		for (k = 0; k < batch->nr_columns; k++)
			insert_cell(&filling->insert, &batch->columns[k], i);
		export_sqlite_insert_row(&filling->insert);
	}
	return filling->insert.result == SQLITE_OK ? CT_OK : CT_ERR_SYSTEM;
}

static enum ct_status end(
	void *context, const struct batch *batch, enum ct_status status, struct ct_error *reterr)
{
	struct filling *filling = context;

	(void)batch, (void)reterr;
	export_sqlite_insert_close(&filling->insert);
	return status;
}

enum ct_status export_sqlite_tables_fill(sqlite3 *database, struct ct_view *view,
	const struct batch_choice *choice, int *ret_result, struct ct_error *reterr)
{
	static const struct batch_writer writer = {false, begin, rows, end};
	struct filling filling = {.database = database};
	enum ct_status status = batch_write(view, choice, &writer, &filling, reterr);

	*ret_result = filling.insert.result;
	return filling.insert.result == SQLITE_OK ? status : CT_OK;
}
