/* SPDX-License-Identifier: MIT */
/*
 * A trace handed on to other programs: a form is a function, which corotracer/def/exports.def names.
 *
 * Rows of events have the columns of export/columns.def, those of the view's tables among them. The output appears
 * whole or not at all. Texts are UTF-8: a byte that is none becomes U+FFFD. Failures name the output. The view's pass
 * says which rows are wanted.
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
 * The writers of all forms (corotracer/def/exports.def), those of src/slices and src/lib among them:
 *
 * export_csv: RFC 4180 with lines that end in a single newline; the first one names the columns. Texts are quoted,
 * numbers are not. A cell that does not apply is left empty; export_dataframe: it is 0, false or "", since readers that
 * guess a column's type would otherwise make whole numbers inexact. A name of the traced program that begins like a
 * formula has an apostrophe before it in CSV. The older form quotes nothing, and its numbers have no sign. "-" is
 * standard output. As the table coro_trace_events, a switch has a row for each coroutine, with the same number; as
 * events, it is one row as any event.
 *
 * export_sqlite: a database. Events are a view of it, `events`, and again as the events_table of the options (NULL:
 * coro_trace_events), where a switch has a row for each coroutine. The older form: this table alone, with six columns
 * behind an `id`, and an index each on probe_id, tid and ts. CT_ERR_UNSUPPORTED where this build is without SQLite;
 * CT_ERR_USAGE where the path is no place for a file.
 *
 * export_ctf: a folder of this name, with the events as a trace of the Common Trace Format 1.8, one event each, also
 * for a switch. CT_ERR_USAGE: something has that name already, or it is "-".
 *
 * export_parquet: a folder with a file for each table, which appears whole or not at all; CT_ERR_USAGE as of CTF.
 * export_arrow: one table in the streaming format; "-" is standard output.
 *
 * A table has the columns of the view's (view.def): numbers of 64 bits, texts for words, nothing for what a cell does
 * not hold. In Parquet and Arrow, ids of coroutines and tasks are unsigned, rows of processes, threads and sites have
 * 32 bits, and behind each time NAME_ns stands NAME_at, the same as a point in time by the traced machine's clock:
 * nothing where the trace does not tell that. What any of these needs of memory beside the view's does not depend on
 * how long the trace is. Without a choice of tables, waits, runs and delays, which are parts of states, are no files,
 * and views in a database. CT_ERR_USAGE: there is no such table, or the form has one table and more are named.
 *
 * export_postgresql: the path is a connection string of libpq, "postgresql://..." or "host=... dbname=...".
 * export_mysql: "mysql://USER@HOST:PORT/DATABASE?socket=PATH"; also for MariaDB. The server is reached through its own
 * client library, and loaded in its way of loading in bulk. Databases and tables that are missing are created. A table
 * has the columns of the view's behind `run`, which says of which run a row is: rows of the same run are replaced. The
 * older form has the six columns of JSON lines in one table, and adds to what is there, also where another program
 * made it with further columns. An existing table of another shape is refused. All rows are loaded in one transaction:
 * others see them all, or none. CT_ERR_UNSUPPORTED: this build is without the client library. CT_ERR_USAGE: the address
 * cannot be read, a name cannot be one, or a table has another shape. CT_ERR_SYSTEM: what the server, or the way to it,
 * says. No message has a password.
 */
#define FORM(NAME, folder, file, holds, word, ending, meaning) \
	enum ct_status folder##_##file(const struct export_job *job, struct ct_error *reterr);
#define OLDER(NAME, file, word, ending) \
	enum ct_status export_older_##file(const struct export_job *job, struct ct_error *reterr);
#define ALSO(NAME, word, ending)
#define ADDRESS(NAME, scheme)
#include "corotracer/def/exports.def"

/*
 * export_told: JSON lines with the six keys, and in further ones all that the trace holds (docs/spec/jsonl.md, R-13).
 * A trace without a suspend or resume makes an empty file.
 */
enum ct_status export_told(struct ct_source *source, enum ct_row_numbers numbers, const char *path,
	struct ct_error *reterr);

#define EXPORT_DEFAULT_DATABASE "coro_tracer"

#endif
