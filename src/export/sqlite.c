/* SPDX-License-Identifier: MIT */
/*
 * A trace as an SQLite database, made under a temporary name and renamed when it is complete.
 *
 * No other program sees the file before it is complete, so SQLite needs no journal: everything is one transaction with
 * prepared statements, and the index is made last.
 */
#include <inttypes.h>
#include <stdio.h>

#include "export/export.h"
#include "export/rows.h"
#include "base/io.h"
#include "export/sqlite_events.h"
#include "export/sqlite_insert.h"
#include "export/sqlite_tables.h"

/* The version of the tables, in `PRAGMA user_version`. */
#define BEGIN_DATABASE \
	"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA user_version=2; BEGIN"

static enum ct_status fail(sqlite3 *database, int result, struct ct_error *reterr)
{
	if (result == SQLITE_OK)
		return CT_OK;
	if (result == SQLITE_NOMEM)
		return ct_fail_memory(reterr);
	return ct_fail(reterr, CT_ERR_SYSTEM, "%s", sqlite3_errmsg(database));
}

/* ---------------------------------------------------------------- the older form */

#define OLDER_COLUMNS 7u /* `id`, and the six columns */

static int perform(sqlite3 *database, char *sql)
{
	int result = sql ? sqlite3_exec(database, sql, NULL, NULL, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return result;
}

/* Ids are text in the older form, because SQLite's integers are signed. */
static int create_older(sqlite3 *database, const char *table)
{
	return perform(database,
		sqlite3_mprintf(
			"CREATE TABLE \"%w\" (id INTEGER PRIMARY KEY AUTOINCREMENT, "
			"probe_id TEXT NOT NULL, tid INTEGER NOT NULL, addr TEXT NOT NULL, "
			"seq INTEGER NOT NULL, is_active INTEGER NOT NULL, ts INTEGER NOT NULL)",
			table));
}

/* Inserts the cells of a suspend or resume. */
static void insert_older(struct sqlite_insert *insert, const struct export_cell *cells)
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

static int finish_older(sqlite3 *database, const char *table)
{
	return perform(
		database, sqlite3_mprintf("CREATE INDEX \"%w_probe_id\" ON \"%w\" (probe_id);"
					  "CREATE INDEX \"%w_tid\" ON \"%w\" (tid);"
					  "CREATE INDEX \"%w_ts\" ON \"%w\" (ts)",
				  table, table, table, table, table, table));
}

/* ---------------------------------------------------------------- both */

/* The content of a database. The older form has only the tables and indexes that its queries name. */
struct content {
	struct ct_view *view;
	bool is_older;
	const char *events; /* the name of the table of events */
	struct batch_choice choice;
};

static enum ct_status fill_older(
	sqlite3 *database, const struct content *content, struct ct_error *reterr)
{
	struct sqlite_insert insert;
	struct export_rows rows;
	enum ct_status status = CT_OK;
	int result;

	export_rows_init(&rows, content->view->source, content->view->pass);
	export_sqlite_insert_open(&insert, database, content->events, OLDER_COLUMNS);
	while (status == CT_OK && insert.result == SQLITE_OK) {
		status = export_rows_next(&rows, reterr);
		if (status == CT_OK && rows.cells[EXPORT_PROBE_ID].is_set)
			insert_older(&insert, rows.cells);
	}
	export_rows_fini(&rows);
	result = export_sqlite_insert_close(&insert);
	return status < 0 ? status : fail(database, result, reterr);
}

static enum ct_status fill_events(
	sqlite3 *database, const struct content *content, struct ct_error *reterr)
{
	struct sqlite_events events;
	struct export_rows rows;
	enum ct_status status = CT_OK;
	bool is_second_half;
	int result;

	export_rows_init(&rows, content->view->source, content->view->pass);
	export_sqlite_events_open(&events, database);
	while (status == CT_OK && events.rows.result == SQLITE_OK) {
		is_second_half = rows.has_second_half;
		status = export_rows_next(&rows, reterr);
		if (status == CT_OK)
			export_sqlite_events_add(&events, &rows, is_second_half);
	}
	export_rows_fini(&rows);
	result = export_sqlite_events_close(&events);
	return status < 0 ? status : fail(database, result, reterr);
}

static enum ct_status fill_tables(
	sqlite3 *database, const struct content *content, struct ct_error *reterr)
{
	int result = SQLITE_OK;
	enum ct_status status = export_sqlite_tables_fill(
		database, content->view, &content->choice, &result, reterr);

	if (status == CT_OK)
		status = fail(database, result, reterr);
	return status ? status : source_reset(content->view->source, reterr);
}

static int begin(sqlite3 *database, const struct content *content)
{
	int result = sqlite3_exec(database, BEGIN_DATABASE, NULL, NULL, NULL);

	if (result == SQLITE_OK && content->is_older)
		return create_older(database, content->events);
	if (result == SQLITE_OK)
		result = export_sqlite_tables_create(database, &content->choice);
	if (result == SQLITE_OK && content->choice.has[CT_VIEW_EVENTS])
		result = export_sqlite_events_create(database, content->events);
	return result;
}

static enum ct_status fill_all(
	sqlite3 *database, const struct content *content, struct ct_error *reterr)
{
	enum ct_status status;

	if (content->is_older)
		return fill_older(database, content, reterr);
	status = fill_tables(database, content, reterr);
	if (status || !content->choice.has[CT_VIEW_EVENTS])
		return status;
	return fill_events(database, content, reterr);
}

static enum ct_status fill(
	sqlite3 *database, const struct content *content, struct ct_error *reterr)
{
	enum ct_status status = fail(database, begin(database, content), reterr);
	int result;

	if (status == CT_OK)
		status = fill_all(database, content, reterr);
	if (status)
		return status;
	result = content->is_older ? finish_older(database, content->events) : SQLITE_OK;
	if (result == SQLITE_OK)
		result = sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
	return fail(database, result, reterr);
}

/*
 * SQLite takes a name that begins with "file:" for a URI, and a name that begins with a colon for a database in memory.
 */
static int open_database(const char *path, sqlite3 **ret_database)
{
	char *name = sqlite3_mprintf("%s%s", *path == '/' ? "" : "./", path);
	int result = name ? sqlite3_open_v2(name, ret_database,
				    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL)
			  : SQLITE_NOMEM;

	sqlite3_free(name);
	return result;
}

static enum ct_status make(
	const struct io_output *output, const struct content *content, struct ct_error *reterr)
{
	sqlite3 *database = NULL;
	int result = open_database(output->partial_path, &database);
	enum ct_status status = fail(database, result, reterr);

	if (status == CT_OK)
		status = fill(database, content, reterr);
	sqlite3_close(database);
	return status ? ct_context(reterr, status, "writing '%s'", output->path) : CT_OK;
}

static enum ct_status make_file(
	const char *path, const struct content *content, struct ct_error *reterr)
{
	struct io_output output;
	enum ct_status status = io_output_open(&output, path, reterr);

	if (status)
		return status;
	if (output.is_in_place)
		status = ct_fail(reterr, CT_ERR_USAGE,
			"a database needs a file of its own: '%s' is none", path);
	else
		status = make(&output, content, reterr);
	return io_output_end(&output, status, reterr);
}

static enum ct_status write_job(
	const struct export_job *job, bool is_older, struct ct_error *reterr)
{
	const char *events = job->options->events_table;
	struct content content = {.view = job->view,
		.is_older = is_older,
		.events = events ? events : EXPORT_DEFAULT_TABLE};
	enum ct_status status =
		batch_choose_for_database(job->options->tables, &content.choice, reterr);

	return status ? status : make_file(job->path, &content, reterr);
}

enum ct_status export_sqlite(const struct export_job *job, struct ct_error *reterr)
{
	return write_job(job, false, reterr);
}

enum ct_status export_older_sqlite(const struct export_job *job, struct ct_error *reterr)
{
	return write_job(job, true, reterr);
}
