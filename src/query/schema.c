/* SPDX-License-Identifier: MIT */
/*
 * The view's tables as SQL sees them, with the columns that are joined to them.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "query/schema.h"

#define NAME_BYTES 40u

static const struct joined {
	enum ct_view_type type;
	const char *from;
	const char *to;
	bool is_text;
	const char *meaning;
} joined[] = {
#define INTEGER false
#define TEXT true
#define X(NAME, type, from, to, sql, meaning) \
	[QUERY_OF_##NAME] = {CT_VIEW_TYPE_##type, from, to, sql, meaning},
#include "query/joined.def"
#undef X
#undef INTEGER
#undef TEXT
};

static struct query_table tables[CT_VIEW_NR_TABLES];
static struct ct_query_table public_tables[CT_VIEW_NR_TABLES];
static char names[CT_VIEW_NR_TABLES][QUERY_COLUMNS_MOST][NAME_BYTES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool is_text(enum ct_view_type type)
{
	switch (type) {
	case CT_VIEW_TYPE_TEXT:
	case CT_VIEW_TYPE_HANDLE:
	case CT_VIEW_TYPE_OBJECT:
	case CT_VIEW_TYPE_ARGUMENT:
	case CT_VIEW_TYPE_KIND:
	case CT_VIEW_TYPE_STATE:
	case CT_VIEW_TYPE_OUTCOME:
	case CT_VIEW_TYPE_MARK:
		return true;
	default:
		return false;
	}
}

bool query_has_column(
	const struct ct_query_column_description *columns, uint32_t nr_columns, const char *name)
{
	uint32_t i;

	for (i = 0; i < nr_columns; i++)
		if (strcasecmp(columns[i].name, name) == 0)
			return true;
	return false;
}

static void add(struct query_table *table, const struct query_column *column,
	const struct ct_query_column_description *description)
{
	if (table->nr_columns >= QUERY_COLUMNS_MOST)
		return;
	table->columns[table->nr_columns] = *column;
	table->descriptions[table->nr_columns] = *description;
	table->descriptions[table->nr_columns++].type = column->is_text ? "TEXT" : "INTEGER";
}

/* How many bytes of the column's name stay in front of the joined name; -1: the column has no such joined column. */
static int prefix_of(const struct joined *to, const char *name)
{
	bool is_whole = *to->from == '=';
	const char *from = to->from + is_whole;
	size_t length = strlen(name), ending = strlen(from);

	if (length < ending || strcmp(name + length - ending, from) != 0)
		return -1;
	return is_whole && length != ending ? -1 : (int)(length - ending);
}

static void join(struct query_table *table, const struct query_column *own, const char *name)
{
	char *joined_name;
	size_t i;

	for (i = 1; i < sizeof(joined) / sizeof(joined[0]); i++) {
		struct query_column column = {
			(enum query_of)i, own->column, own->type, joined[i].is_text, false};
		int length = joined[i].type == own->type ? prefix_of(&joined[i], name) : -1;

		if (length < 0 || table->nr_columns >= QUERY_COLUMNS_MOST)
			continue;
		joined_name = names[table->table][table->nr_columns];
		snprintf(joined_name, NAME_BYTES, "%.*s%s", length, name, joined[i].to);
		if (!query_has_column(table->descriptions, table->nr_columns, joined_name))
			add(table, &column,
				&(struct ct_query_column_description){
					.name = joined_name, .meaning = joined[i].meaning});
	}
}

static void make(struct query_table *table, const struct ct_view_description *description)
{
	uint32_t i;

	table->kind_column = description->nr_columns;
	for (i = 0; i < description->nr_columns; i++) {
		const struct ct_view_column *from = &description->columns[i];
		struct query_column column = {
			QUERY_OF_CELL, i, from->type, is_text(from->type), false};

		if (from->type == CT_VIEW_TYPE_KIND && table->table == CT_VIEW_EVENTS)
			table->kind_column = i;
		column.is_partial = table->table == CT_VIEW_EVENTS && i == CT_VIEW_EVENTS_VALUE;
		add(table, &column,
			&(struct ct_query_column_description){
				.name = from->name, .meaning = from->meaning});
	}
	for (i = 0; i < description->nr_columns; i++)
		join(table, &table->columns[i], description->columns[i].name);
}

static void make_all(void)
{
	enum ct_view_table i;

	for (i = 0; i < CT_VIEW_NR_TABLES; i++) {
		const struct ct_view_description *description = ct_view_describe(i);

		tables[i].table = i;
		make(&tables[i], description);
		public_tables[i] = (struct ct_query_table){description->name, description->meaning,
			tables[i].descriptions, tables[i].nr_columns};
	}
}

const struct query_table *query_table(enum ct_view_table table)
{
	pthread_once(&once, make_all);
	return &tables[table];
}

const struct ct_query_table *ct_query_tables(uint32_t *ret_count)
{
	pthread_once(&once, make_all);
	*ret_count = CT_VIEW_NR_TABLES;
	return public_tables;
}
