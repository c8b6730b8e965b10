/* SPDX-License-Identifier: MIT */
/*
 * Handing a trace on to other programs (docs/exports.md). A part of ct.h.
 */
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

/* The forms in which other programs take a trace (docs/exports.md has their columns). */
enum ct_export_format {
	CT_EXPORT_CSV = 0,   /* one event a line; a column that does not apply is empty */
	CT_EXPORT_DATAFRAME, /* the same without empty cells, for readers that guess types */
	CT_EXPORT_SQLITE,    /* a database: events, tables, findings */

	/* Suspends and resumes only, with the six columns of coroTracer's JSON lines: */
	CT_EXPORT_OLDER_CSV,
	CT_EXPORT_OLDER_SQLITE, /* ids as text, behind a number of each row */

	/* Timelines: what coroutines and threads did, as slices on tracks. */
	CT_EXPORT_PERFETTO, /* a Perfetto trace */
	CT_EXPORT_CHROME,   /* Trace Event JSON, of chrome://tracing */
	/* Tasks and regions as spans of OpenTelemetry; an output of "http://..." is a collector. */
	CT_EXPORT_OTLP,

	/*
	 * Into the tables of a database server, in one transaction, tables of a view beside `run`. The output is the
	 * database's address: a connection string of libpq, or "mysql://USER@HOST:PORT/DATABASE?socket=PATH"; "": what
	 * the client library takes as its default.
	 */
	CT_EXPORT_POSTGRESQL,
	CT_EXPORT_MYSQL,
	CT_EXPORT_OLDER_POSTGRESQL, /* the six columns alone, behind a number of each row */
	CT_EXPORT_OLDER_MYSQL,
	CT_EXPORT_CTF,     /* a folder in the Common Trace Format 1.8: the events */
	CT_EXPORT_PARQUET, /* a folder with a file of Apache Parquet for each table of a view */
	CT_EXPORT_ARROW,   /* one of these tables in Apache Arrow's streaming format */
	CT_EXPORT_CTRACE,  /* a trace file: the whole trace, or a sanitised copy of it */
};

/* How a database server is reached, beside its address; NULL or "" is not said. No message has the password. */
struct ct_database {
	size_t size;
	const char *host;
	const char *port;
	const char *user;
	const char *password;
	const char *name;             /* of the database, which is created where it is missing */
	const char *socket;           /* of MySQL */
	const char *ssl_mode;         /* of PostgreSQL, as libpq has it */
	const char *maintenance_name; /* from which another database is created; NULL: postgres */
};

/*
 * The part of a trace that is handed on; zero or NULL: everything. What lasts (a state, a region, a coroutine)
 * is taken whole where it touches the time. A row without such a column meets what is asked: a value of a counter has
 * no place. What the report says, and the tables that rows refer to, come whole.
 */
struct ct_selection {
	size_t size;
	bool has_from;
	bool has_until;
	ct_time from;
	ct_time until;      /* what happens then is behind it */
	uint64_t coroutine; /* what is of it, or about it (ct_event_is_about); 0: of any */
	/* Lists that end with NULL. Of events: suspend, wake ... */
	const char *const *kinds;
	/* A function, FILE, FILE:LINE or a name that the program gave the place, with * and ?; one of them. */
	const char *const *places;
};

/* What became of a part. */
struct ct_exported {
	uint64_t nr_rows;     /* that there were */
	uint64_t nr_left_out; /* of these: not asked for */
};

struct ct_export_options {
	size_t size;
	enum ct_export_format format;
	/* events' name in a database (NULL: coro_trace_events; on servers events); the table of CSV, Arrow, Parquet */
	const char *table;
	/* of the findings in a database or a timeline; NULL: all defaults */
	const struct ct_thresholds *thresholds;
	/* of a database server, beside the address that the output is; NULL: nothing */
	const struct ct_database *database;
	const struct ct_selection *selection; /* NULL: the whole trace; CTRACE has no part */
	/* CTRACE: names, paths, messages and values become tokens, so that the copy can be shown to others */
	bool is_sanitised;
	/* set when all went well; NULL: not asked for */
	struct ct_exported *exported;
	/*
	 * NULL, or called from time to time on the caller's thread: `done` of `total` steps (0: not known) of a phase
	 * ("reading", "judging", "writing", or the name of a table) are behind; each phase begins at 0, and its name
	 * lives as long as the library.
	 */
	void (*progress)(void *context, const char *phase, uint64_t done, uint64_t total);
	void *context;
};

/*
 * ct_export: writes a trace, or the part that is asked for, for another program, whole or not at all; "-" is standard
 * output, to which a database cannot be written (CT_ERR_USAGE). CT_ERR_UNSUPPORTED where this build lacks the
 * database's library.
 */
enum ct_status ct_export(struct ct_trace *trace, const struct ct_export_options *options,
	const char *path, struct ct_error *reterr);

/*
 * ct_export_sanitised: what a sanitised copy replaces, and what remains in it: a sentence a line, with a newline behind
 * each. Lives as long as the library.
 */
const char *ct_export_sanitised(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
