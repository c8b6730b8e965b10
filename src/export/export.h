/* SPDX-License-Identifier: MIT */
/*
 * Writes a trace in formats of other programs. Each format is a function named in corotracer/def/exports.def.
 *
 * Rows of events have the columns of export/columns.def, which include those of the view's tables. The output appears
 * complete or not at all. Texts are UTF-8: an invalid byte becomes U+FFFD. An error names the output. The view's pass
 * selects the rows.
 */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include "corotracer/ct.h"
#include "stream/pass.h"
#include "stream/stream.h"
#include "view/view.h"

#define EXPORT_DEFAULT_TABLE "coro_trace_events"

/* One export. */
struct export_job {
	struct ct_view *view; /* of the trace; its source stands at the beginning */
	const struct ct_export_options *options;
	const char *path;
};

/*
 * The writers of all formats (corotracer/def/exports.def), including those in src/slices and src/lib:
 *
 * export_csv: RFC 4180, but each line ends in a single newline; the first line names the columns. Texts are quoted,
 * numbers are not. A cell without a value is empty. export_dataframe: the same, but a cell without a value is 0, false
 * or "", because readers that guess a column's type would turn whole numbers into floating point. A name of the traced
 * program that begins like a formula has an apostrophe before it in CSV. The older form quotes nothing, and its numbers
 * are unsigned. "-" is standard output. In the table coro_trace_events, a switch has a row for each of its two
 * coroutines, with the same event number; in the table events, a switch is one row like any event.
 *
 * export_sqlite: a database. The database has events as the SQL view `events`, and as a second one named by
 * events_table of the options (NULL: coro_trace_events), in which a switch has a row for each coroutine. The older
 * form: only that table, with an `id` and six columns, and an index on each of probe_id, tid and ts.
 * CT_ERR_UNSUPPORTED: this build is without SQLite. CT_ERR_USAGE: no file can be made at the path.
 *
 * export_ctf: a folder of this name with a trace in the Common Trace Format 1.8; each event, including a switch, is one
 * event there. CT_ERR_USAGE: the name exists already, or is "-".
 *
 * export_parquet: a folder with a file for each table, which appears complete or not at all; CT_ERR_USAGE as for CTF.
 * export_arrow: one table in Arrow's streaming format; "-" is standard output.
 *
 * A table has the columns of the view's table (view.def): 64-bit numbers, texts for words, and null for a cell without
 * a value. In Parquet and Arrow, ids of coroutines and tasks are unsigned, row numbers of processes, threads and sites
 * have 32 bits, and each time NAME_ns is followed by NAME_at, the same time by the traced machine's clock, or null if
 * the trace does not have that clock. The memory that these writers need beyond the view's does not depend on the
 * length of the trace. If no tables are chosen, waits, runs and delays, which are parts of states, are not written as
 * files; in a database they are SQL views. CT_ERR_USAGE: an unknown table name, or several names for a format that
 * holds one table.
 *
 * export_postgresql: the path is a connection string of libpq, "postgresql://..." or "host=... dbname=...".
 * export_mysql: "mysql://USER@HOST:PORT/DATABASE?socket=PATH"; also for MariaDB. The writer uses the server's own
 * client library and its bulk load. Missing databases and tables are created. A table has the column `run`, which names
 * the run of a row, and then the columns of the view's table. Rows of the same run are replaced. The older form has one
 * table with the six columns of JSON lines; its rows are added to those in the table, even if another program made the
 * table and it has further columns. An existing table of another shape is refused. All rows are loaded in one
 * transaction: other clients see all of them or none. CT_ERR_UNSUPPORTED: this build is without the client library.
 * CT_ERR_USAGE: the address cannot be read, a name is not allowed, or a table has another shape. CT_ERR_SYSTEM: an
 * error of the server or of the connection. Error messages never contain a password.
 */
#define FORM(NAME, folder, file, holds, word, ending, meaning) \
	enum ct_status folder##_##file(const struct export_job *job, struct ct_error *reterr);
#define OLDER(NAME, file, word, ending) \
	enum ct_status export_older_##file(const struct export_job *job, struct ct_error *reterr);
#define ALSO(NAME, word, ending)
#define ADDRESS(NAME, scheme)
#include "corotracer/def/exports.def"

/*
 * export_told: JSON lines with the six keys, and further keys that hold the rest of the trace (docs/spec/jsonl.md,
 * If the trace has no suspend or resume, the file is empty.
 */
enum ct_status export_told(struct ct_source *source, enum ct_row_numbers numbers, const char *path,
	struct ct_error *reterr);

#define EXPORT_DEFAULT_DATABASE "coro_tracer"

#endif
