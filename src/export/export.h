/* SPDX-License-Identifier: MIT */
/*
 * A trace handed on to other programs: as comma-separated values, as an SQLite database.
 *
 * All forms have the same rows, with the columns of export/columns.def: one row for each event, in the order
 * of the trace; two for a switch, which suspends one coroutine and resumes another. Each function reads a
 * source from where it stands to its end. The output appears whole or not at all. Texts are UTF-8: a byte
 * that is none becomes U+FFFD. Failures name the output. A pass says which events are wanted (NULL: all of them).
 */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include "corotracer/ct.h"
#include "stream/pass.h"
#include "stream/stream.h"

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
 * its numbers have no sign. "-" is standard output.
 */
enum ct_status export_csv(struct ct_source *source, struct pass *pass, enum export_form form,
	const char *path, struct ct_error *reterr);

/*
 * export_sqlite: a database with the rows in `table` (NULL: coro_trace_events), the tables of
 * export/tables.def beside it, and the views `events` and `coroutines`. The report is the trace's own.
 * CT_ERR_UNSUPPORTED where this build is without SQLite; CT_ERR_USAGE where `path` is no place for a file.
 */
enum ct_status export_sqlite(struct ct_source *source, struct pass *pass,
	const struct ct_report *report, const char *table, const char *path,
	struct ct_error *reterr);

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

#endif
