/* SPDX-License-Identifier: MIT */
/*
 * The parts that statements of all databases share, and error messages.
 */
#include <string.h>

#include "base/failure.h"
#include "export/sql.h"

/* ---------------------------------------------------------------- names */

static bool is_utf8(const char *name)
{
	const unsigned char *at = (const unsigned char *)name;
	size_t length;

	for (; *at; at += length) {
		length = *at < 0x80 ? 1 : text_utf8_length(at);
		if (!length || *at < ' ' || *at == 0x7f)
			return false;
	}
	return true;
}

enum ct_status sql_check_name(
	const struct sql_dialect *dialect, const char *name, struct ct_error *reterr)
{
	if (!*name || strlen(name) > dialect->name_bytes || !is_utf8(name))
		return ct_fail(reterr, CT_ERR_USAGE,
			"a name in a database has 1 to %zu bytes of UTF-8 without control "
			"characters",
			dialect->name_bytes);
	return CT_OK;
}

void sql_quote(struct text *text, const struct sql_dialect *dialect, const char *name)
{
	text_char(text, dialect->quote);
	for (; *name; name++) {
		if (*name == dialect->quote)
			text_char(text, dialect->quote);
		text_char(text, *name);
	}
	text_char(text, dialect->quote);
}

/* ---------------------------------------------------------------- statements */

bool sql_has_column(const struct feed_table *table, const char *name)
{
	uint32_t i;

	for (i = 0; i < table->nr_columns; i++)
		if (strcmp(table->columns[i].name, name) == 0)
			return true;
	return false;
}

void sql_add_names(
	struct text *text, const struct sql_dialect *dialect, const struct feed_table *table)
{
	uint32_t i, nr_put = 0;

	for (i = 0; i < table->nr_columns; i++) {
		if (table->columns[i].type == FEED_KEY)
			continue;
		text_add(text, nr_put++ ? ", " : " (");
		sql_quote(text, dialect, table->columns[i].name);
	}
	text_char(text, ')');
}

void sql_add_table(
	struct text *text, const struct sql_dialect *dialect, const struct feed_table *table)
{
	uint32_t i;

	text_add(text, "CREATE TABLE ");
	sql_quote(text, dialect, table->name);
	for (i = 0; i < table->nr_columns; i++) {
		text_add(text, i ? ", " : " (");
		sql_quote(text, dialect, table->columns[i].name);
		text_format(text, " %s", dialect->declarations[table->columns[i].type]);
	}
}

void sql_add_part(struct text *text, const struct sql_dialect *dialect, enum ct_view_table part)
{
	const struct ct_view_description *states = ct_view_describe(CT_VIEW_STATES);

	text_add(text, "CREATE OR REPLACE VIEW ");
	sql_quote(text, dialect, ct_view_describe(part)->name);
	text_format(text, " AS SELECT * FROM %s WHERE %s = '%s'", states->name,
		states->columns[view_tables[part].part_column].name,
		ct_state_name((enum ct_state)view_tables[part].part_number));
}

void sql_add_shape(struct text *text, const struct sql_dialect *dialect, const char *table)
{
	text_format(text,
		"SELECT column_name, data_type FROM information_schema.columns WHERE table_schema "
		"= %s "
		"AND table_name = %s ORDER BY ordinal_position",
		dialect->schema, table);
}

/* ---------------------------------------------------------------- shapes */

/* Types that can hold such cells without loss, as both databases name them. */
static const char *const holders[FEED_NR_TYPES][10] = {
	[FEED_UNSIGNED] = {"numeric", "decimal", "bigint", "text", "character varying", "varchar",
		"mediumtext", "longtext"},
	[FEED_BOOLEAN] = {"boolean", "tinyint", "smallint", "int", "integer", "bigint", "numeric",
		"decimal"},
	[FEED_TEXT] = {"text", "character varying", "varchar", "character", "char", "mediumtext",
		"longtext"},
};

static bool is_holder(const char *type, enum feed_type wanted)
{
	const char *const *holder = holders[wanted];

	while (*holder && strcmp(*holder, type) != 0)
		holder++;
	return *holder != NULL;
}

static void find_column(struct sql_shape *shape, const char *name, const char *type)
{
	uint32_t i;

	for (i = 0; i < shape->table->nr_columns; i++) {
		const struct feed_column *column = &shape->table->columns[i];

		if (column->type == FEED_KEY || strcmp(column->name, name) != 0)
			continue;
		shape->found |= UINT32_C(1) << i;
		if (!is_holder(type, column->type))
			text_format(&shape->difference, "its column %s is %s, and not %s", name,
				type, shape->dialect->types[column->type]);
	}
}

static void compare_column(struct sql_shape *shape, const char *name, const char *type)
{
	uint32_t at = shape->nr_seen - 1;
	const char *wanted = "";

	if (at < shape->table->nr_columns)
		wanted = shape->dialect->types[shape->table->columns[at].type];
	if (at >= shape->table->nr_columns)
		text_format(&shape->difference, "it has a further column %s", name);
	else if (strcmp(shape->table->columns[at].name, name) != 0)
		text_format(&shape->difference, "its column %u is %s, and not %s", at + 1, name,
			shape->table->columns[at].name);
	else if (strcmp(type, wanted) != 0)
		text_format(
			&shape->difference, "its column %s is %s, and not %s", name, type, wanted);
}

void sql_shape_column(struct sql_shape *shape, const char *name, const char *type)
{
	shape->nr_seen++;
	if (shape->difference.length)
		return;
	if (shape->table->is_older)
		find_column(shape, name, type);
	else
		compare_column(shape, name, type);
}

/* The number of the first column that is missing; the number of columns if none is. */
static uint32_t missing_column(const struct sql_shape *shape)
{
	uint32_t i;

	if (!shape->table->is_older)
		return shape->nr_seen;
	for (i = 0; i < shape->table->nr_columns; i++)
		if (shape->table->columns[i].type != FEED_KEY && !(shape->found >> i & 1))
			break;
	return i;
}

enum ct_status sql_shape_status(struct sql_shape *shape, struct ct_error *reterr)
{
	enum ct_status status = text_status(&shape->difference, reterr);
	uint32_t missing = missing_column(shape);

	if (status == CT_OK && !shape->difference.length && shape->nr_seen &&
		missing < shape->table->nr_columns)
		text_format(&shape->difference, "it has no column %s",
			shape->table->columns[missing].name);
	if (status == CT_OK && shape->difference.length)
		status = ct_fail(reterr, CT_ERR_USAGE,
			"the database has a table '%s' of another shape: %s", shape->table->name,
			text_peek(&shape->difference));
	text_fini(&shape->difference);
	return status;
}

/* ---------------------------------------------------------------- failures */

/* Appends the first line, without blanks and carriage returns at its end. */
static void add_first_line(struct text *text, const char *message)
{
	size_t length = strcspn(message, "\n");

	while (length && (message[length - 1] == ' ' || message[length - 1] == '\r'))
		length--;
	text_append(text, message, length);
}

enum ct_status sql_fail(
	const struct sql_dialect *dialect, const char *message, struct ct_error *reterr)
{
	struct text line = {0};
	enum ct_status status;

	add_first_line(&line, message);
	status = ct_fail(
		reterr, CT_ERR_SYSTEM, "loading into %s: %s", dialect->server, text_peek(&line));
	text_fini(&line);
	return status;
}
