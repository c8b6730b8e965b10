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

/* The table's macros: who includes this has its own back behind them. */
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
 * The forms in which other programs take a trace: CT_EXPORT_CSV ..., of def/exports.def (docs/exports.md has their
 * columns). A form of tables has those of a view. POSTGRESQL and MYSQL load into a server, in one transaction, with
 * `run` beside each row: their output is the database's address, a connection string of libpq or
 * "mysql://USER@HOST:PORT/DATABASE?socket=PATH"; "": what the client library takes as its default. OTLP: an output of
 * "http://..." is a collector. CT_EXPORT_OLDER_CSV ...: suspends and resumes only, with the six columns of coroTracer's
 * JSON lines; in a database behind a number of each row.
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
	uint64_t
		nr_without_room; /* events whose coroutines no row tells of: ct_view_nr_without_room */
};

struct ct_export_options {
	size_t size;
	enum ct_export_format format;
	/* events' name in a database; NULL: coro_trace_events, on servers events */
	const char *events_table;
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
	 * The names of the tables that are wanted, of forms that hold tables, in a list that ends with NULL; NULL or
	 * empty: all, or events where a form has one alone. A database has what these refer to, too: trace, processes,
	 * threads, sites, and states in place of its parts.
	 */
	const char *const *tables;
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
