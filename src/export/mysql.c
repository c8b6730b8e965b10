/* SPDX-License-Identifier: MIT */
/*
 * Loads rows into MySQL and MariaDB with Connector/C: LOAD DATA loads all rows of a table, and asks for them without a
 * file in between. Missing tables are created first, because creating a table ends a transaction there; the rows are
 * loaded in one transaction.
 */
#include <errmsg.h>
#include <mysql.h>
#include <mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "base/loaded.h"
#include "export/mysql_address.h"
#include "export/sql.h"

/* clang-format off */
#define MYSQL_CALLS(USE) \
	USE(mysql_, close) USE(mysql_, errno) USE(mysql_, error) USE(mysql_, fetch_row) \
	USE(mysql_, free_result) USE(mysql_, init) USE(mysql_, num_rows) USE(mysql_, optionsv) \
	USE(mysql_, query) USE(mysql_, real_connect) USE(mysql_, real_escape_string) \
	USE(mysql_, real_query) USE(mysql_, select_db) \
	USE(mysql_, set_local_infile_default) USE(mysql_, set_local_infile_handler) \
	USE(mysql_, store_result) USE(mysql_, warning_count)
/* clang-format on */

LOADED_TABLE(mysql, MYSQL_CALLS);
static struct mysql mysql = LOADED_INITIALLY(MYSQL_CALLS);
static const struct loaded mysql_library =
	LOADED(mysql, MYSQL_CALLS, CT_LIBMARIADB, "corotracer-servers");

struct server {
	MYSQL *connection;
	const struct ct_export_options *options;
	struct mysql_address address;
	struct batch_choice choice;
	const char *database;
	struct text sql;
	struct feed_table table; /* the table into which rows are loaded */
};

static const struct sql_dialect dialect = {
	.server = "MySQL",
	.schema = "DATABASE()",
	.quote = '`',
	.name_bytes = 64,
	.types =
		{
			[FEED_NUMBER] = "bigint",
			[FEED_UNSIGNED] = "decimal",
			[FEED_BOOLEAN] = "tinyint",
			[FEED_TEXT] = "mediumtext",
			[FEED_RUN] = "char",
			[FEED_KEY] = "bigint",
		},
	.declarations =
		{
			[FEED_NUMBER] = "BIGINT",
			[FEED_UNSIGNED] = "DECIMAL(20,0) NOT NULL",
			[FEED_BOOLEAN] = "BOOLEAN",
			[FEED_TEXT] = "MEDIUMTEXT",
			[FEED_RUN] = "CHAR(32) CHARACTER SET ascii NOT NULL",
			[FEED_KEY] = "BIGINT AUTO_INCREMENT PRIMARY KEY",
		},
};

/* ---------------------------------------------------------------- statements */

static enum ct_status fail(const struct server *server, struct ct_error *reterr)
{
	return sql_fail(&dialect, mysql.error(server->connection), reterr);
}

/* Runs the statement in server->sql, which is empty afterwards. */
static enum ct_status order(struct server *server, struct ct_error *reterr)
{
	enum ct_status status = text_status(&server->sql, reterr);
	MYSQL_RES *result;

	if (status)
		return status;
	if (mysql.real_query(server->connection, text_peek(&server->sql), server->sql.length))
		status = fail(server, reterr);
	text_clear(&server->sql);
	if (status)
		return status;
	result = mysql.store_result(server->connection);
	mysql.free_result(result);
	return CT_OK;
}

static enum ct_status order_text(struct server *server, const char *sql, struct ct_error *reterr)
{
	text_add(&server->sql, sql);
	return order(server, reterr);
}

/* Adds a text to a statement, escaped. */
static void add_text(struct server *server, struct text *text, const char *value)
{
	size_t length = strlen(value);
	char *escaped = malloc(2 * length + 1);

	if (!escaped) {
		text->is_broken = true;
		return;
	}
	mysql.real_escape_string(server->connection, escaped, value, length);
	text_char(text, '\'');
	text_add(text, escaped);
	text_char(text, '\'');
	free(escaped);
}

/* ---------------------------------------------------------------- the connection */

static const char *either(const char *address, const char *beside)
{
	return address ? address : beside && *beside ? beside : NULL;
}

static unsigned port_of(const struct server *server)
{
	const struct ct_database *beside = server->options->database;

	if (server->address.port || !beside || !beside->port)
		return server->address.port;
	return (unsigned)strtoul(beside->port, NULL, 10);
}

static enum ct_status create_database(struct server *server, struct ct_error *reterr)
{
	enum ct_status status;

	text_add(&server->sql, "CREATE DATABASE IF NOT EXISTS ");
	sql_quote(&server->sql, &dialect, server->database);
	text_add(&server->sql, " CHARACTER SET utf8mb4");
	status = order(server, reterr);
	if (status == CT_OK && mysql.select_db(server->connection, server->database))
		status = fail(server, reterr);
	return status;
}

static enum ct_status prepare(struct server *server, struct ct_error *reterr)
{
	static const struct ct_database none = {.size = sizeof(none)};
	const struct ct_database *beside =
		server->options->database ? server->options->database : &none;
	const struct mysql_address *address = &server->address;
	const char *socket = either(address->socket, beside->socket);
	unsigned local = 1;

	server->database = either(address->database, beside->name);
	if (!server->database)
		server->database = EXPORT_DEFAULT_DATABASE;
	mysql.optionsv(server->connection, MYSQL_READ_DEFAULT_GROUP, "client");
	mysql.optionsv(server->connection, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	mysql.optionsv(server->connection, MYSQL_OPT_LOCAL_INFILE, &local);
	if (!mysql.real_connect(server->connection, either(address->host, beside->host),
		    either(address->user, beside->user),
		    either(address->password, beside->password), NULL, port_of(server), socket, 0))
		return fail(server, reterr);
	if (!mysql.select_db(server->connection, server->database))
		return CT_OK;
	if (mysql.errno(server->connection) != ER_BAD_DB_ERROR)
		return fail(server, reterr);
	return create_database(server, reterr);
}

static enum ct_status open_server(
	struct server *server, const char *address, struct ct_error *reterr)
{
	enum ct_status status = mysql_address_read(&server->address, address, reterr);

	if (status)
		return status;
	server->connection = mysql.init(NULL);
	if (!server->connection)
		return ct_fail_memory(reterr);
	status = prepare(server, reterr);
	return status ? status : sql_check_name(&dialect, server->database, reterr);
}

/* ---------------------------------------------------------------- tables */

static void add_indexes(struct text *sql, const struct feed_table *table)
{
	if (table->columns[0].type == FEED_KEY)
		text_add(sql, ", INDEX (probe_id), INDEX (tid), INDEX (ts)");
	else if (sql_has_column(table, "coroutine"))
		text_add(sql, ", INDEX (run, coroutine)");
	else
		text_add(sql, ", INDEX (run)");
}

static enum ct_status create_table(
	struct server *server, const struct feed_table *table, struct ct_error *reterr)
{
	sql_add_table(&server->sql, &dialect, table);
	add_indexes(&server->sql, table);
	text_add(&server->sql, ") ENGINE=InnoDB CHARACTER SET utf8mb4");
	return order(server, reterr);
}

static enum ct_status compare(
	MYSQL_RES *result, const struct feed_table *table, struct ct_error *reterr)
{
	struct sql_shape shape = {.dialect = &dialect, .table = table};
	MYSQL_ROW row;

	while ((row = mysql.fetch_row(result)))
		sql_shape_column(&shape, row[0], row[1]);
	return sql_shape_status(&shape, reterr);
}

/* Asks for the columns of a table; the caller frees *ret_result. */
static enum ct_status ask_shape(
	struct server *server, const char *table, MYSQL_RES **ret_result, struct ct_error *reterr)
{
	struct text name = {0};
	enum ct_status status;

	add_text(server, &name, table);
	sql_add_shape(&server->sql, &dialect, text_peek(&name));
	server->sql.is_broken |= name.is_broken;
	text_fini(&name);
	status = text_status(&server->sql, reterr);
	if (status)
		return status;
	if (mysql.real_query(server->connection, text_peek(&server->sql), server->sql.length))
		return fail(server, reterr);
	text_clear(&server->sql);
	*ret_result = mysql.store_result(server->connection);
	return *ret_result ? CT_OK : fail(server, reterr);
}

static enum ct_status prepare_table(
	struct server *server, const struct feed_table *table, struct ct_error *reterr)
{
	MYSQL_RES *result;
	enum ct_status status = ask_shape(server, table->name, &result, reterr);
	bool is_there;

	if (status)
		return status;
	is_there = mysql.num_rows(result) > 0;
	if (is_there)
		status = compare(result, table, reterr);
	mysql.free_result(result);
	return is_there || status ? status : create_table(server, table, reterr);
}

/* ---------------------------------------------------------------- rows */

/* The state of the callback that gives rows to the client library. */
struct handing {
	struct feed *feed;
	const char *bytes;
	size_t nr_bytes;
	enum ct_status status;
	struct ct_error error;
};

static int begin_rows(void **ret_handing, const char *name, void *handing)
{
	(void)name;
	*ret_handing = handing;
	return 0;
}

static int hand_rows(void *context, char *buffer, unsigned nr_bytes)
{
	struct handing *handing = context;
	size_t count;

	if (!handing->nr_bytes && handing->status == CT_OK)
		handing->status = feed_next(
			handing->feed, &handing->bytes, &handing->nr_bytes, &handing->error);
	if (handing->status < 0)
		return -1;
	count = handing->nr_bytes < nr_bytes ? handing->nr_bytes : nr_bytes;
	if (count)
		memcpy(buffer, handing->bytes, count);
	handing->bytes += count;
	handing->nr_bytes -= count;
	return (int)count;
}

static void end_rows(void *context)
{
	(void)context;
}

static int say_trouble(void *context, char *message, unsigned nr_bytes)
{
	const struct handing *handing = context;

	snprintf(message, nr_bytes, "%s", handing && handing->status < 0 ? "given up" : "no rows");
	return CR_UNKNOWN_ERROR;
}

/* A local load continues when a cell does not fit, and only warns. */
static enum ct_status check_warnings(struct server *server, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	MYSQL_RES *result;
	MYSQL_ROW row;

	if (!mysql.warning_count(server->connection))
		return CT_OK;
	if (mysql.query(server->connection, "SHOW WARNINGS LIMIT 1"))
		return fail(server, reterr);
	result = mysql.store_result(server->connection);
	row = result ? mysql.fetch_row(result) : NULL;
	if (row)
		status = ct_fail(reterr, CT_ERR_SYSTEM, "loading into MySQL: %s", row[2]);
	mysql.free_result(result);
	return status;
}

static enum ct_status load_rows(struct server *server, const struct feed_table *table,
	struct feed *feed, struct ct_error *reterr)
{
	struct handing handing = {.feed = feed};
	enum ct_status status;

	text_add(&server->sql, "LOAD DATA LOCAL INFILE 'corotracer' INTO TABLE ");
	sql_quote(&server->sql, &dialect, table->name);
	text_add(&server->sql, " CHARACTER SET utf8mb4");
	sql_add_names(&server->sql, &dialect, table);
	mysql.set_local_infile_handler(
		server->connection, begin_rows, hand_rows, end_rows, say_trouble, &handing);
	status = order(server, reterr);
	mysql.set_local_infile_default(server->connection);
	if (handing.status < 0) {
		if (reterr)
			*reterr = handing.error;
		return handing.status;
	}
	return status ? status : check_warnings(server, reterr);
}

static enum ct_status begin(void *context, const struct batch *batch, struct ct_error *reterr)
{
	struct server *server = context;
	char run[33];

	feed_run(ct_view_tables(batch->view), run);
	feed_table_of_view(batch->table, server->options->events_table, &server->table);
	text_add(&server->sql, "DELETE FROM ");
	sql_quote(&server->sql, &dialect, server->table.name);
	text_format(&server->sql, " WHERE run = '%s'", run);
	return order(server, reterr);
}

static enum ct_status rows(void *context, const struct batch *batch, struct ct_error *reterr)
{
	struct server *server = context;
	struct feed feed;
	enum ct_status status;

	feed_open(&feed, batch);
	status = load_rows(server, &server->table, &feed, reterr);
	feed_close(&feed);
	return status;
}

static enum ct_status end(
	void *context, const struct batch *batch, enum ct_status status, struct ct_error *reterr)
{
	(void)context, (void)batch, (void)reterr;
	return status;
}

/* ---------------------------------------------------------------- the whole load */

static enum ct_status create_part(
	struct server *server, enum ct_view_table part, struct ct_error *reterr)
{
	sql_add_part(&server->sql, &dialect, part);
	return order(server, reterr);
}

static enum ct_status prepare_view(
	struct server *server, enum ct_view_table number, struct ct_error *reterr)
{
	bool is_part = view_tables[number].is_part;

	if (is_part && server->choice.has[view_tables[number].log])
		return create_part(server, number, reterr);
	if (is_part || !server->choice.has[number])
		return CT_OK;
	feed_table_of_view(number, server->options->events_table, &server->table);
	return prepare_table(server, &server->table, reterr);
}

static enum ct_status load_all(struct server *server, struct ct_view *view, struct ct_error *reterr)
{
	static const struct batch_writer writer = {false, begin, rows, end};
	enum ct_view_table number;
	enum ct_status status = CT_OK;

	for (number = 0; status == CT_OK && number < CT_VIEW_NR_TABLES; number++)
		status = prepare_view(server, number, reterr);
	if (status == CT_OK)
		status = order_text(server, "START TRANSACTION", reterr);
	return status ? status : batch_write(view, &server->choice, &writer, server, reterr);
}

static enum ct_status load_older(
	struct server *server, struct ct_source *source, struct ct_error *reterr)
{
	struct feed_table table;
	struct feed feed;
	enum ct_status status;

	feed_table_older(server->options->events_table, &table);
	status = prepare_table(server, &table, reterr);
	if (status == CT_OK)
		status = order_text(server, "START TRANSACTION", reterr);
	if (status)
		return status;
	feed_open_older(&feed, source);
	status = load_rows(server, &table, &feed, reterr);
	feed_close(&feed);
	return status;
}

/*
 * A connection that ends before COMMIT leaves no row. A lock makes a second load of the same run wait; otherwise both
 * would find no rows to replace.
 */
static enum ct_status load_in_transaction(
	struct server *server, struct ct_view *view, bool is_older, struct ct_error *reterr)
{
	enum ct_status status = order_text(server, "DO GET_LOCK('corotracer', 3600)", reterr);

	if (status == CT_OK)
		status = order_text(server, "SET SESSION sql_mode = 'STRICT_ALL_TABLES'", reterr);
	if (status == CT_OK)
		status = is_older ? load_older(server, view->source, reterr)
				  : load_all(server, view, reterr);
	return status ? status : order_text(server, "COMMIT", reterr);
}

static enum ct_status load(const struct export_job *job, bool is_older, struct ct_error *reterr)
{
	const char *events = job->options->events_table;
	struct server server = {.options = job->options};
	enum ct_status status =
		batch_choose_for_database(job->options->tables, &server.choice, reterr);

	if (status == CT_OK && events)
		status = sql_check_name(&dialect, events, reterr);
	if (status == CT_OK)
		status = loaded_open(&mysql_library, "cannot load into MySQL", reterr);
	if (status)
		return status;
	status = open_server(&server, job->path, reterr);
	if (status == CT_OK)
		status = load_in_transaction(&server, job->view, is_older, reterr);
	if (server.connection)
		mysql.close(server.connection);
	mysql_address_fini(&server.address);
	text_fini(&server.sql);
	return status;
}

enum ct_status export_mysql(const struct export_job *job, struct ct_error *reterr)
{
	return load(job, false, reterr);
}

enum ct_status export_older_mysql(const struct export_job *job, struct ct_error *reterr)
{
	return load(job, true, reterr);
}
