/* SPDX-License-Identifier: MIT */
/*
 * Loads rows into PostgreSQL with libpq: COPY loads all rows of a table; everything, including the creation of tables,
 * is one transaction. The settings of libpq for hosts, sockets, services, certificates and password files apply.
 */
#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "base/loaded.h"
#include "export/sql.h"

#define NAME_BYTES 63u
/* This lock makes a second load of the same run wait; otherwise both would find no rows to replace. */
#define LOCK "SELECT pg_catalog.pg_advisory_xact_lock(7310593, 1)"

/* clang-format off */
#define PQ_CALLS(USE) \
	USE(PQ, clear) USE(PQ, connectdbParams) USE(PQ, conninfoFree) USE(PQ, conninfoParse) \
	USE(PQ, db) USE(PQ, errorMessage) USE(PQ, execParams) USE(PQ, finish) USE(PQ, getResult) \
	USE(PQ, getvalue) USE(PQ, ntuples) USE(PQ, putCopyData) USE(PQ, putCopyEnd) \
	USE(PQ, resultErrorMessage) USE(PQ, resultStatus) USE(PQ, setNoticeReceiver) \
	USE(PQ, status)
/* clang-format on */

LOADED_TABLE(pq, PQ_CALLS);
static struct pq pq = LOADED_INITIALLY(PQ_CALLS);
static const struct loaded pq_library = LOADED(pq, PQ_CALLS, CT_LIBPQ, "corotracer-servers");

struct server {
	PGconn *connection;
	const struct ct_export_options *options;
	const char *address;
	struct batch_choice choice;
	struct text sql;
	struct feed_table table; /* the table into which rows are copied */
	bool is_new;
};

static const struct sql_dialect dialect = {
	.server = "PostgreSQL",
	.schema = "current_schema()",
	.quote = '"',
	.name_bytes = NAME_BYTES,
	.types =
		{
			[FEED_NUMBER] = "bigint",
			[FEED_UNSIGNED] = "numeric",
			[FEED_BOOLEAN] = "boolean",
			[FEED_TEXT] = "text",
			[FEED_RUN] = "text",
			[FEED_KEY] = "bigint",
		},
	.declarations =
		{
			[FEED_NUMBER] = "bigint",
			[FEED_UNSIGNED] = "numeric(20,0) NOT NULL",
			[FEED_BOOLEAN] = "boolean",
			[FEED_TEXT] = "text",
			[FEED_RUN] = "text NOT NULL",
			[FEED_KEY] = "bigserial PRIMARY KEY",
		},
};

/* ---------------------------------------------------------------- messages */

static enum ct_status fail_result(PGresult *result, struct ct_error *reterr)
{
	enum ct_status status = sql_fail(&dialect, pq.resultErrorMessage(result), reterr);

	pq.clear(result);
	return status;
}

/* ---------------------------------------------------------------- statements */

/* Runs the statement in server->sql, which is empty afterwards; the caller clears *ret_result. */
static enum ct_status ask(struct server *server, const char *parameter, PGresult **ret_result,
	struct ct_error *reterr)
{
	enum ct_status status = text_status(&server->sql, reterr);
	PGresult *result;
	ExecStatusType is;

	if (status)
		return status;
	result = pq.execParams(server->connection, text_peek(&server->sql), parameter ? 1 : 0, NULL,
		&parameter, NULL, NULL, 0);
	text_clear(&server->sql);
	is = pq.resultStatus(result);
	if (is != PGRES_COMMAND_OK && is != PGRES_TUPLES_OK && is != PGRES_COPY_IN)
		return fail_result(result, reterr);
	*ret_result = result;
	return CT_OK;
}

static enum ct_status order(struct server *server, const char *parameter, struct ct_error *reterr)
{
	PGresult *result = NULL;
	enum ct_status status = ask(server, parameter, &result, reterr);

	if (status == CT_OK)
		pq.clear(result);
	return status;
}

static enum ct_status order_text(struct server *server, const char *sql, struct ct_error *reterr)
{
	text_add(&server->sql, sql);
	return order(server, NULL, reterr);
}

/* ---------------------------------------------------------------- the connection */

struct keywords {
	const char *names[16];
	const char *values[16];
	unsigned count;
};

static void add_keyword(struct keywords *keywords, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	keywords->names[keywords->count] = name;
	keywords->values[keywords->count++] = value;
}

/* Do the address, a service or the environment name a database? Otherwise libpq would use the user's name. */
static bool names_database(const struct ct_export_options *options, const PQconninfoOption *told)
{
	bool has_service = getenv("PGSERVICE") != NULL;
	bool has_database = getenv("PGDATABASE") || (options->database && options->database->name &&
							    *options->database->name);

	for (; told->keyword; told++) {
		has_service |= told->val && strcmp(told->keyword, "service") == 0;
		has_database |= told->val && strcmp(told->keyword, "dbname") == 0;
	}
	return has_service || has_database;
}

/* When libpq cannot read an address, its message quotes the address, and so a password. */
static enum ct_status read_address(
	const char *address, PQconninfoOption **ret_told, struct ct_error *reterr)
{
	*ret_told = pq.conninfoParse(address, NULL);
	if (*ret_told)
		return CT_OK;
	return ct_fail(reterr, CT_ERR_USAGE,
		"the output is no address of PostgreSQL: write postgresql://USER@HOST/DATABASE, or "
		"host=... dbname=...");
}

/* `database`: replaces the one that is named; NULL: does not. */
static PGconn *connect_to(const struct server *server, const char *fallback, const char *database)
{
	const struct ct_database *beside = server->options->database;
	struct keywords keywords = {.count = 0};

	/* A later value of a keyword replaces an earlier one. */
	add_keyword(&keywords, "dbname", fallback);
	add_keyword(&keywords, "dbname", server->address);
	if (beside) {
		add_keyword(&keywords, "host", beside->host);
		add_keyword(&keywords, "port", beside->port);
		add_keyword(&keywords, "user", beside->user);
		add_keyword(&keywords, "password", beside->password);
		add_keyword(&keywords, "sslmode", beside->ssl_mode);
		add_keyword(&keywords, "dbname", beside->name);
	}
	add_keyword(&keywords, "dbname", database);
	add_keyword(&keywords, "application_name", "corotracer");
	add_keyword(&keywords, "client_encoding", "UTF8");
	return pq.connectdbParams(keywords.names, keywords.values, 1);
}

/*
 * Creates the database while connected to the maintenance database. CT_END: the database exists, or the maintenance
 * database cannot be reached either.
 */
static enum ct_status create_database(
	struct server *server, const char *name, struct ct_error *reterr)
{
	const struct ct_database *beside = server->options->database;
	const char *maintenance =
		beside && beside->maintenance_name ? beside->maintenance_name : "postgres";
	PGconn *failed = server->connection;
	PGresult *result;
	enum ct_status status;

	server->connection = connect_to(server, NULL, maintenance);
	text_add(&server->sql, "SELECT 1 FROM pg_catalog.pg_database WHERE datname = $1");
	status = pq.status(server->connection) == CONNECTION_OK ? ask(server, name, &result, reterr)
								: CT_END;
	if (status == CT_OK) {
		status = pq.ntuples(result) ? CT_END : CT_OK;
		pq.clear(result);
	}
	text_clear(&server->sql);
	if (status == CT_OK) {
		text_add(&server->sql, "CREATE DATABASE ");
		sql_quote(&server->sql, &dialect, name);
		text_add(&server->sql, " ENCODING 'UTF8' TEMPLATE template0");
		status = order(server, NULL, reterr);
	}
	pq.finish(server->connection);
	server->connection = failed;
	return status;
}

static enum ct_status connect_again(
	struct server *server, const char *fallback, struct ct_error *reterr)
{
	const char *named = pq.db(server->connection);
	char *name = strdup(named ? named : "");
	enum ct_status status =
		name ? sql_check_name(&dialect, name, reterr) : ct_fail_memory(reterr);

	if (status == CT_OK)
		status = create_database(server, name, reterr);
	free(name);
	if (status == CT_END)
		return sql_fail(&dialect, pq.errorMessage(server->connection), reterr);
	if (status)
		return status;
	pq.finish(server->connection);
	server->connection = connect_to(server, fallback, NULL);
	return pq.status(server->connection) == CONNECTION_OK
		       ? CT_OK
		       : sql_fail(&dialect, pq.errorMessage(server->connection), reterr);
}

static void say_nothing(void *context, const PGresult *result)
{
	(void)context, (void)result;
}

static enum ct_status open_server(struct server *server, struct ct_error *reterr)
{
	PQconninfoOption *told;
	const char *fallback;
	enum ct_status status = read_address(server->address, &told, reterr);

	if (status)
		return status;
	fallback = names_database(server->options, told) ? NULL : EXPORT_DEFAULT_DATABASE;
	pq.conninfoFree(told);
	server->connection = connect_to(server, fallback, NULL);
	if (!server->connection)
		return ct_fail_memory(reterr);
	if (pq.status(server->connection) != CONNECTION_OK)
		status = connect_again(server, fallback, reterr);
	if (status == CT_OK)
		pq.setNoticeReceiver(server->connection, say_nothing, NULL);
	return status;
}

/* ---------------------------------------------------------------- tables */

static enum ct_status create_index(struct server *server, const struct feed_table *table,
	const char *column, const char *columns, struct ct_error *reterr)
{
	char name[NAME_BYTES + 1];
	int length = snprintf(name, sizeof(name), "%s_%s", table->name, column);

	/*
	 * An index name that is too long would be cut by the database. Without a name, the database chooses a free one.
	 */
	if (length > 0 && (size_t)length < sizeof(name)) {
		text_add(&server->sql, "CREATE INDEX IF NOT EXISTS ");
		sql_quote(&server->sql, &dialect, name);
	} else {
		text_add(&server->sql, "CREATE INDEX");
	}
	text_add(&server->sql, " ON ");
	sql_quote(&server->sql, &dialect, table->name);
	text_format(&server->sql, " (%s)", columns);
	return order(server, NULL, reterr);
}

static enum ct_status create_indexes(
	struct server *server, const struct feed_table *table, struct ct_error *reterr)
{
	static const char *const older[] = {"probe_id", "tid", "ts"};
	enum ct_status status = CT_OK;
	size_t i;

	if (table->columns[0].type != FEED_KEY) {
		if (sql_has_column(table, "coroutine"))
			return create_index(server, table, "coroutine", "run, coroutine", reterr);
		return create_index(server, table, "run", "run", reterr);
	}
	for (i = 0; status == CT_OK && i < sizeof(older) / sizeof(older[0]); i++)
		status = create_index(server, table, older[i], older[i], reterr);
	return status;
}

static enum ct_status create_table(
	struct server *server, const struct feed_table *table, struct ct_error *reterr)
{
	sql_add_table(&server->sql, &dialect, table);
	text_char(&server->sql, ')');
	return order(server, NULL, reterr);
}

static enum ct_status compare(
	PGresult *result, const struct feed_table *table, struct ct_error *reterr)
{
	struct sql_shape shape = {.dialect = &dialect, .table = table};
	int i;

	for (i = 0; i < pq.ntuples(result); i++)
		sql_shape_column(&shape, pq.getvalue(result, i, 0), pq.getvalue(result, i, 1));
	return sql_shape_status(&shape, reterr);
}

/*
 * Looks for a table, a view or anything else with this name in the schema of new tables; *ret_is_new: the name is free.
 */
static enum ct_status prepare_table(struct server *server, const struct feed_table *table,
	bool *ret_is_new, struct ct_error *reterr)
{
	PGresult *result;
	enum ct_status status;

	sql_add_shape(&server->sql, &dialect, "$1");
	status = ask(server, table->name, &result, reterr);
	if (status)
		return status;
	*ret_is_new = !pq.ntuples(result);
	if (!*ret_is_new)
		status = compare(result, table, reterr);
	pq.clear(result);
	return *ret_is_new ? create_table(server, table, reterr) : status;
}

/* ---------------------------------------------------------------- rows */

static enum ct_status put_rows(struct server *server, struct feed *feed, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	const char *bytes;
	size_t nr_bytes;

	while (status == CT_OK) {
		status = feed_next(feed, &bytes, &nr_bytes, reterr);
		if (status == CT_OK &&
			pq.putCopyData(server->connection, bytes, (int)nr_bytes) != 1)
			return sql_fail(&dialect, pq.errorMessage(server->connection), reterr);
	}
	return status == CT_END ? CT_OK : status;
}

/* Sorting all rows once costs less than inserting each into an index. */
static enum ct_status end_copy(
	struct server *server, enum ct_status status, struct ct_error *reterr)
{
	PGresult *result;

	if (pq.putCopyEnd(server->connection, status ? "given up" : NULL) != 1 && status == CT_OK)
		return sql_fail(&dialect, pq.errorMessage(server->connection), reterr);
	while ((result = pq.getResult(server->connection))) {
		if (status == CT_OK && pq.resultStatus(result) != PGRES_COMMAND_OK)
			status = sql_fail(&dialect, pq.resultErrorMessage(result), reterr);
		pq.clear(result);
	}
	return status || !server->is_new ? status : create_indexes(server, &server->table, reterr);
}

static enum ct_status begin_copy(struct server *server, struct ct_error *reterr)
{
	text_add(&server->sql, "COPY ");
	sql_quote(&server->sql, &dialect, server->table.name);
	sql_add_names(&server->sql, &dialect, &server->table);
	text_add(&server->sql, " FROM STDIN");
	return order(server, NULL, reterr);
}

static enum ct_status delete_rows(
	struct server *server, const struct ct_tables *tables, struct ct_error *reterr)
{
	char run[33];

	feed_run(tables, run);
	text_add(&server->sql, "DELETE FROM ");
	sql_quote(&server->sql, &dialect, server->table.name);
	text_add(&server->sql, " WHERE run = $1");
	return order(server, run, reterr);
}

static enum ct_status create_part(
	struct server *server, enum ct_view_table part, struct ct_error *reterr)
{
	sql_add_part(&server->sql, &dialect, part);
	return order(server, NULL, reterr);
}

static enum ct_status begin(void *context, const struct batch *batch, struct ct_error *reterr)
{
	struct server *server = context;
	enum ct_status status;

	feed_table_of_view(batch->table, server->options->events_table, &server->table);
	status = prepare_table(server, &server->table, &server->is_new, reterr);
	if (status == CT_OK)
		status = delete_rows(server, ct_view_tables(batch->view), reterr);
	return status ? status : begin_copy(server, reterr);
}

static enum ct_status rows(void *context, const struct batch *batch, struct ct_error *reterr)
{
	struct feed feed;
	enum ct_status status;

	feed_open(&feed, batch);
	status = put_rows(context, &feed, reterr);
	feed_close(&feed);
	return status;
}

static enum ct_status end(
	void *context, const struct batch *batch, enum ct_status status, struct ct_error *reterr)
{
	(void)batch;
	return end_copy(context, status, reterr);
}

static enum ct_status load_all(struct server *server, struct ct_view *view, struct ct_error *reterr)
{
	static const struct batch_writer writer = {false, begin, rows, end};
	enum ct_status status = batch_write(view, &server->choice, &writer, server, reterr);
	enum ct_view_table number;

	for (number = 0; status == CT_OK && number < CT_VIEW_NR_TABLES; number++)
		if (view_tables[number].is_part && server->choice.has[view_tables[number].log])
			status = create_part(server, number, reterr);
	return status;
}

static enum ct_status load_older(
	struct server *server, struct ct_source *source, struct ct_error *reterr)
{
	struct feed feed;
	enum ct_status status;

	feed_table_older(server->options->events_table, &server->table);
	status = prepare_table(server, &server->table, &server->is_new, reterr);
	if (status == CT_OK)
		status = begin_copy(server, reterr);
	if (status)
		return status;
	feed_open_older(&feed, source);
	status = end_copy(server, put_rows(server, &feed, reterr), reterr);
	feed_close(&feed);
	return status;
}

/* ---------------------------------------------------------------- the whole load */

/* A connection that ends before COMMIT leaves no change. */
static enum ct_status load_in_transaction(
	struct server *server, struct ct_view *view, bool is_older, struct ct_error *reterr)
{
	enum ct_status status = order_text(server, "BEGIN", reterr);

	if (status == CT_OK)
		status = order_text(server, LOCK, reterr);
	if (status == CT_OK)
		status = is_older ? load_older(server, view->source, reterr)
				  : load_all(server, view, reterr);
	return status ? status : order_text(server, "COMMIT", reterr);
}

static enum ct_status load(const struct export_job *job, bool is_older, struct ct_error *reterr)
{
	const char *events = job->options->events_table;
	struct server server = {.options = job->options, .address = job->path};
	enum ct_status status =
		batch_choose_for_database(job->options->tables, &server.choice, reterr);

	if (status == CT_OK && events)
		status = sql_check_name(&dialect, events, reterr);
	if (status == CT_OK)
		status = loaded_open(&pq_library, "cannot load into PostgreSQL", reterr);
	if (status)
		return status;
	status = open_server(&server, reterr);
	if (status == CT_OK)
		status = load_in_transaction(&server, job->view, is_older, reterr);
	pq.finish(server.connection);
	text_fini(&server.sql);
	return status;
}

enum ct_status export_postgresql(const struct export_job *job, struct ct_error *reterr)
{
	return load(job, false, reterr);
}

enum ct_status export_older_postgresql(const struct export_job *job, struct ct_error *reterr)
{
	return load(job, true, reterr);
}
