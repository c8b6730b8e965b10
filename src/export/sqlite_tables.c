/* SPDX-License-Identifier: MIT */
/*
 * The contents of a database beside the events: the tables that they refer to, the findings, and views that put
 * them together.
 */
#include <stdio.h>
#include <string.h>

#include "export/rows.h"
#include "export/sqlite_insert.h"
#include "export/sqlite_tables.h"
#include "textrace/names.h"

#define RUN_BYTES (2 * sizeof(((struct ct_tables *)0)->run_id) + 1)

static const char *run_of(const struct ct_tables *tables, char *run)
{
	size_t i;

	for (i = 0; i < sizeof(tables->run_id); i++)
		snprintf(run + 2 * i, 3, "%02x", tables->run_id[i]);
	return run;
}

static void insert_event(struct sqlite_insert *insert, uint64_t number)
{
	if (number == UINT64_MAX)
		export_sqlite_insert_null(insert);
	else
		export_sqlite_insert_number(insert, (int64_t)number);
}

/* How a column's form is declared, and how its value is inserted. */
#define TYPE_key "INTEGER PRIMARY KEY"
#define TYPE_number "INTEGER"
#define TYPE_reference "INTEGER"
#define TYPE_time "INTEGER"
#define TYPE_event "INTEGER"
#define TYPE_text "TEXT"
#define INSERT_key(value) export_sqlite_insert_number(insert, (int64_t)(value))
#define INSERT_number(value) export_sqlite_insert_number(insert, (int64_t)(value))
#define INSERT_reference(value) export_sqlite_insert_reference(insert, (value))
#define INSERT_time(value) export_sqlite_insert_time(insert, (value))
#define INSERT_event(value) insert_event(insert, (value))
#define INSERT_text(value) export_sqlite_insert_text(insert, (value))

enum table {
#define TABLE(name, text, type, meaning) TABLE_##name,
#define COLUMN(name, form, value)
#define END
#include "export/tables.def"
	NR_TABLES,
};

/* One function for each table: a row of it. */
#define TABLE(name, text, type, meaning)                                                           \
	static void insert_##name(                                                                 \
		struct sqlite_insert *insert, uint32_t finding, uint32_t number, const void *from) \
	{                                                                                          \
		const type *row = from;                                                            \
                                                                                                   \
		(void)finding;                                                                     \
		(void)number;
#define COLUMN(name, form, value) INSERT_##form(value);
#define END                               \
	export_sqlite_insert_row(insert); \
	}
#include "export/tables.def"

static const struct {
	const char *name;
	void (*insert)(
		struct sqlite_insert *insert, uint32_t finding, uint32_t number, const void *row);
} tables_of[NR_TABLES] = {
#define TABLE(name, text, type, meaning) {text, insert_##name},
#define COLUMN(name, form, value)
#define END
#include "export/tables.def"
};

/* Behind a comma stands each column, also the first one. */
static const char *const columns_of[NR_TABLES] = {
#define TABLE(name, text, type, meaning) [TABLE_##name] = ""
#define COLUMN(name, form, value) ", " name " " TYPE_##form
#define END ,
#include "export/tables.def"
};

/* -------------------------------------------------------------------- create */

int export_sqlite_tables_create(sqlite3 *database)
{
	sqlite3_str *sql = sqlite3_str_new(database);
	unsigned i;

	for (i = 0; i < NR_TABLES; i++)
		sqlite3_str_appendf(sql, "CREATE TABLE \"%w\" (%s);\n", tables_of[i].name,
			columns_of[i] + strlen(", "));
	return export_sqlite_perform(database, sql);
}

/* ---------------------------------------------------------------------- fill */

/* Rows of one table: those of an array from the first one on. */
struct rows {
	const void *at;
	size_t size;
	uint32_t first;
	uint32_t end;
};

#define ROWS(array, first, end) ((struct rows){(array), sizeof(*(array)), (first), (end)})

static void begin(struct sqlite_insert *insert, sqlite3 *database, enum table table)
{
	const char *at = columns_of[table];
	unsigned nr_columns = 0;

	for (; *at; at++)
		nr_columns += *at == ',';
	export_sqlite_insert_open(insert, database, tables_of[table].name, nr_columns);
}

static void insert_rows(
	struct sqlite_insert *insert, enum table table, uint32_t finding, struct rows rows)
{
	uint32_t i;

	for (i = rows.first; i < rows.end; i++)
		tables_of[table].insert(insert, finding, i, (const char *)rows.at + i * rows.size);
}

static int fill(sqlite3 *database, enum table table, struct rows rows)
{
	struct sqlite_insert insert;

	begin(&insert, database, table);
	insert_rows(&insert, table, 0, rows);
	return export_sqlite_insert_close(&insert);
}

/* A table that has rows for each finding. */
static int fill_of_findings(sqlite3 *database, const struct ct_report *report, enum table table)
{
	struct sqlite_insert insert;
	uint32_t i;

	begin(&insert, database, table);
	for (i = 0; i < report->nr_findings; i++) {
		const struct ct_finding *finding = &report->findings[i];

		insert_rows(&insert, table, i + 1,
			table == TABLE_FINDING_STEPS
				? ROWS(finding->steps, 0, finding->nr_steps)
				: ROWS(finding->members, 0, finding->nr_members));
	}
	return export_sqlite_insert_close(&insert);
}

int export_sqlite_tables_fill(sqlite3 *database, const struct ct_report *report)
{
	const struct ct_tables *tables = report->tables;
	const struct rows rows[NR_TABLES] = {
		[TABLE_TRACE] = ROWS(report, 0, 1),
		[TABLE_PROCESSES] = ROWS(tables->processes, 1, tables->nr_processes),
		[TABLE_THREADS] = ROWS(tables->threads, 1, tables->nr_threads),
		[TABLE_SITES] = ROWS(tables->sites, 1, tables->nr_sites),
		[TABLE_LOSSES] = ROWS(report->quality.losses, 0, report->quality.nr_losses),
		[TABLE_NOTES] = ROWS(tables->notes, 0, tables->nr_notes),
		[TABLE_FINDINGS] = ROWS(report->findings, 0, report->nr_findings),
		[TABLE_SPANS] = ROWS(report->spans, 0, report->nr_spans),
		[TABLE_COUNTERS] = ROWS(report->counters, 0, report->nr_counters),
	};
	int result = SQLITE_OK;
	enum table table;

	for (table = 0; result == SQLITE_OK && table < NR_TABLES; table++)
		result = table == TABLE_FINDING_COROUTINES || table == TABLE_FINDING_STEPS
				 ? fill_of_findings(database, report, table)
				 : fill(database, table, rows[table]);
	return result;
}
