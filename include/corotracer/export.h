/* SPDX-License-Identifier: MIT */
/* Passing a trace on to other programs (docs/exports.md). A part of ct.h. */
#ifndef COROTRACER_EXPORT_H
#define COROTRACER_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/error.h"
#include "corotracer/event.h"
#include "corotracer/thresholds.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

struct ct_trace;
struct ct_view;

/* The table uses these macros: a caller's own are saved here and restored after the table. */
#pragma push_macro("FORM")
#pragma push_macro("OLDER")
#pragma push_macro("ALSO")
#pragma push_macro("ADDRESS")
#pragma push_macro("ENDING")
#pragma push_macro("NO_FILE")
#undef FORM
#undef OLDER
#undef ALSO
#undef ADDRESS
#undef ENDING
#undef NO_FILE

/*
 * The forms in which other programs read a trace: CT_EXPORT_CSV ..., from def/exports.def (docs/exports.md describes
 * their columns). A form of tables has the tables of a view.
 *
 * POSTGRESQL and MYSQL load into a server, in one transaction, with a column `run` in each row. Their output is the
 * address of the database: a connection string of libpq or "mysql://USER@HOST:PORT/DATABASE?socket=PATH"; "": the
 * default of the client library. OTLP: an output of "http://..." is a collector. CT_EXPORT_OLDER_CSV ...: only suspends
 * and resumes, with the six columns of coroTracer's JSON lines; in a database a number of the row precedes them.
 */
enum ct_export_format {
#define FORM(NAME, folder, file, holds, word, ending, meaning) CT_EXPORT_##NAME,
#define OLDER(NAME, file, word, ending) CT_EXPORT_##NAME,
#define ALSO(NAME, word, ending)
#define ADDRESS(NAME, scheme)
#include "corotracer/def/exports.def"
};

#pragma pop_macro("FORM")
#pragma pop_macro("OLDER")
#pragma pop_macro("ALSO")
#pragma pop_macro("ADDRESS")
#pragma pop_macro("ENDING")
#pragma pop_macro("NO_FILE")

/* How to reach a database server, besides its address; NULL or "": not specified. No message contains the password. */
struct ct_database {
	size_t size;
	const char *host;
	const char *port;
	const char *user;
	const char *password;
	const char *name;     /* name of the database, which is created if it is missing */
	const char *socket;   /* MySQL only */
	const char *ssl_mode; /* PostgreSQL only, as libpq has it */
	/* database from which a missing one is created; NULL: postgres */
	const char *maintenance_name;
};

/*
 * The part of a trace that is exported; zero or NULL: everything. A thing that lasts (a state, a region, a coroutine)
 * is exported whole if it touches the interval. A row that does not have the column in question is exported, too: a
 * value of a counter, for example, has no place. The report, and the tables that rows refer to, are exported whole.
 */
struct ct_selection {
	size_t size;
	bool has_from;
	bool has_until;
	ct_time from;
	ct_time until; /* an event at exactly this time is left out */
	/* only events of this coroutine, or about it (ct_event_is_about); 0: of any */
	uint64_t coroutine;
	/* Lists that end with NULL. Kinds of events: suspend, wake ... */
	const char *const *kinds;
	/* Patterns with * and ?, one of which must match: a function, FILE, FILE:LINE or the place's name. */
	const char *const *places;
};

/* What became of a part. */
struct ct_exported {
	uint64_t nr_rows;     /* rows of the whole trace */
	uint64_t nr_left_out; /* of these, rows that were not asked for */
	/* events whose coroutines have no row in it: ct_view_nr_without_room */
	uint64_t nr_without_room;
};

struct ct_export_options {
	size_t size;
	enum ct_export_format format;
	/* name of the events' table in a database; NULL: coro_trace_events, on servers events */
	const char *events_table;
	/* for the findings in a database or a timeline; NULL: all defaults */
	const struct ct_thresholds *thresholds;
	/* how to reach a database server, besides the address in the output; NULL: nothing */
	const struct ct_database *database;
	const struct ct_selection *selection; /* NULL: the whole trace; CTRACE is always whole */
	/* CTRACE: names, paths, messages and values become tokens, so that the copy can be given to others */
	bool is_sanitised;
	/* set on success; NULL: not asked for */
	struct ct_exported *exported;
	/*
	 * The names of the tables that are wanted, for forms that hold tables, in a list that ends with NULL. NULL or
	 * empty: all tables, or events for a form with a single table. A database also gets the tables that these refer
	 * to: trace, processes, threads, sites, and states for the tables that are parts of it.
	 */
	const char *const *tables;
	/*
	 * NULL, or a function that is called from time to time on the caller's thread: `done` of `total` steps (0: not
	 * known) of a phase are done. The phase is "reading", "judging", "writing", or the name of a table; each phase
	 * begins at 0, and its name lives as long as the library.
	 */
	void (*progress)(void *context, const char *phase, uint64_t done, uint64_t total);
	void *context;
};

/*
 * ct_export: writes a trace, or the part that is asked for, for another program, whole or not at all; "-" is standard
 * output, to which a database cannot be written (CT_ERR_USAGE). CT_ERR_UNSUPPORTED if this build lacks the database's
 * library.
 */
enum ct_status ct_export(struct ct_trace *trace, const struct ct_export_options *options,
	const char *path, struct ct_error *reterr);

/*
 * ct_view_export: writes tables of an open view, in the forms CSV, DATAFRAME, PARQUET and ARROW, as ct_export does,
 * without reading the trace again. CT_ERR_USAGE: another form, or a selection.
 */
enum ct_status ct_view_export(struct ct_view *view, const struct ct_export_options *options,
	const char *path, struct ct_error *reterr);

/*
 * ct_export_sanitised: returns what a sanitised copy replaces, and what remains in it: one sentence a line, each with a
 * newline. The text lives as long as the library.
 */
const char *ct_export_sanitised(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
