/* SPDX-License-Identifier: MIT */
/*
 * A trace into the tables of a database server, through its own client library and its way of loading in bulk.
 *
 * Databases and tables that are missing are created. A table has the columns of the view's (view.def), behind `run`,
 * which says of which run a row is: rows of the same run are replaced. The older form has the six columns of JSON lines
 * in one table, and adds to what is there, also where another program made it with further columns. An existing table
 * of another shape is refused. All rows are loaded in one transaction: others see them all, or none.
 */
#ifndef LOAD_LOAD_H
#define LOAD_LOAD_H

#include "corotracer/ct.h"
#include "stream/stream.h"
#include "view/view.h"

#define LOAD_DEFAULT_DATABASE "coro_tracer"
#define LOAD_DEFAULT_OLDER_TABLE "coro_trace_events"

struct load_options {
	/* "": what the client library takes as its default */
	const char *address;
	const struct ct_database *database; /* beside the address; NULL: nothing */
	/* Takes the events; NULL: events, or of the older form LOAD_DEFAULT_OLDER_TABLE. */
	const char *table;
};

/*
 * load_postgresql: the address is a connection string of libpq, "postgresql://..." or "host=... dbname=...".
 * load_mysql: "mysql://USER@HOST:PORT/DATABASE?socket=PATH"; also for MariaDB. One of view and source is given: the
 * source is for the older form, read from where it stands.
 *
 * CT_ERR_UNSUPPORTED: this build is without the client library. CT_ERR_USAGE: the address cannot be read, a name cannot
 * be one, or a table has another shape. CT_ERR_SYSTEM: what the server, or the way to it, says.
 * No message has a password.
 */
enum ct_status load_postgresql(struct ct_view *view, struct ct_source *source,
	const struct load_options *options, struct ct_error *reterr);
enum ct_status load_mysql(struct ct_view *view, struct ct_source *source,
	const struct load_options *options, struct ct_error *reterr);

#endif
