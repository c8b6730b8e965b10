/* SPDX-License-Identifier: MIT */
/*
 * A trace handed on to other programs: as comma-separated values, as an SQLite database.
 *
 * Rows of events have the columns of export/columns.def, those of the view's tables among them. Each function reads a
 * source from where it stands to its end. The output appears whole or not at all. Texts are UTF-8: a byte that is none
 * becomes U+FFFD. Failures name the output. A pass says which events are wanted (NULL: all of them).
 */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include "corotracer/ct.h"
#include "stream/pass.h"
#include "stream/stream.h"
#include "view/view.h"

#define EXPORT_DEFAULT_TABLE "coro_trace_events"

enum export_form {
	EXPORT_FOR_PEOPLE,
	EXPORT_FOR_DATA_FRAMES,
	EXPORT_OLDER, /* suspends and resumes only, with the older form's six columns */
};

/*
 * export_csv: RFC 4180 with lines that end in a single newline; the first one names the columns. Texts are
 * quoted, numbers are not. A cell that does not apply is left empty; for data frames it is 0, false or "", since
 * readers that guess a column's type would otherwise make whole numbers inexact. A name of the traced program
 * that begins like a formula has an apostrophe before it, but for data frames. The older form quotes nothing, and
 * its numbers have no sign. "-" is standard output. A switch, which suspends one coroutine and resumes another, has a
 * row for each, with the same number, or is one row as any event. export_csv_table: a table of a view, likewise.
 * CT_ERR_USAGE: there is no such table.
 */
enum ct_status export_csv(struct ct_source *source, struct pass *pass, enum export_form form,
	bool is_by_event, const char *path, struct ct_error *reterr);
enum ct_status export_csv_table(struct ct_view *view, enum export_form form, const char *table,
	const char *path, struct ct_error *reterr);

/*
 * export_sqlite: a database with the tables of a view. Events are a view of it, `events`, and again as `table` (NULL:
 * coro_trace_events), where a switch has a row for each coroutine. CT_ERR_UNSUPPORTED where this build is without
 * SQLite; CT_ERR_USAGE where `path` is no place for a file.
 */
enum ct_status export_sqlite(
	struct ct_view *view, const char *table, const char *path, struct ct_error *reterr);

/*
 * export_sqlite_older: a database with nothing but `table` (NULL: coro_trace_events): the older form's six columns
 * behind an `id`, and an index each on probe_id, tid and ts. Fails as export_sqlite does.
 */
enum ct_status export_sqlite_older(struct ct_source *source, struct pass *pass, const char *table,
	const char *path, struct ct_error *reterr);

/*
 * export_ctf: a folder of this name, with the events as a trace of the Common Trace Format 1.8, one event each, also
 * for a switch. CT_ERR_USAGE: something has that name already, or it is "-".
 */
enum ct_status export_ctf(
	struct ct_source *source, struct pass *pass, const char *path, struct ct_error *reterr);

/*
 * export_told: JSON lines with the six keys, and in further ones all that the trace holds (docs/spec/jsonl.md, R-13).
 * A trace without a suspend or resume makes an empty file.
 */
enum ct_status export_told(struct ct_source *source, enum ct_row_numbers numbers, const char *path,
	struct ct_error *reterr);

/* ---------------------------------------------------------------- tables of a view */

/*
 * A table has the columns of the view's (view.def): numbers of 64 bits, texts for words, nothing for what a cell does
 * not hold. In Parquet and Arrow, ids of coroutines and tasks are unsigned, rows of processes, threads and sites have
 * 32 bits, and behind each time NAME_ns stands NAME_at, the same as a point in time by the traced machine's clock:
 * nothing where the trace does not tell that. What any of these needs of memory beside the view's does not depend on
 * how long the trace is.
 *
 * export_parquet: a folder with a file for each table but waits, runs and delays, which are parts of states; with
 * `table`, which may be one of these, for that one alone. The folder appears whole or not at all. CT_ERR_USAGE: there
 * is no such table, or the path is "-", or something has that name already.
 *
 * export_arrow: one table (NULL: events) in the streaming format; "-" is standard output. A file appears whole or
 * not at all. CT_ERR_USAGE: there is no such table.
 */
enum ct_status export_parquet(
	struct ct_view *view, const char *table, const char *path, struct ct_error *reterr);
enum ct_status export_arrow(
	struct ct_view *view, const char *table, const char *path, struct ct_error *reterr);

/* ---------------------------------------------------------------- database servers */

#define EXPORT_DEFAULT_DATABASE "coro_tracer"

/*
 * A server, reached through its own client library, and loaded in its way of loading in bulk. Databases and tables that
 * are missing are created. A table has the columns of the view's behind `run`, which says of which run a row is: rows
 * of the same run are replaced. The older form has the six columns of JSON lines in one table, and adds to what is
 * there, also where another program made it with further columns. An existing table of another shape is refused. All
 * rows are loaded in one transaction: others see them all, or none.
 */
struct export_server {
	/* "": what the client library takes as its default */
	const char *address;
	const struct ct_database *database; /* beside the address; NULL: nothing */
	/* Takes the events; NULL: events, or of the older form EXPORT_DEFAULT_TABLE. */
	const char *table;
};

/*
 * export_postgresql: the address is a connection string of libpq, "postgresql://..." or "host=... dbname=...".
 * export_mysql: "mysql://USER@HOST:PORT/DATABASE?socket=PATH"; also for MariaDB. One of view and source is given: the
 * source is for the older form, read from where it stands.
 *
 * CT_ERR_UNSUPPORTED: this build is without the client library. CT_ERR_USAGE: the address cannot be read, a name cannot
 * be one, or a table has another shape. CT_ERR_SYSTEM: what the server, or the way to it, says.
 * No message has a password.
 */
enum ct_status export_postgresql(struct ct_view *view, struct ct_source *source,
	const struct export_server *server, struct ct_error *reterr);
enum ct_status export_mysql(struct ct_view *view, struct ct_source *source,
	const struct export_server *server, struct ct_error *reterr);

#endif
