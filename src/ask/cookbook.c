/* SPDX-License-Identifier: MIT */
/*
 * Lists of src/query that exist even without SQLite.
 */
#include "ask/cookbook.h"

#include "base/json_write.h"
#include "corotracer/query.h"

static void tell_recipes(struct json *json)
{
	uint32_t count, i;
	const struct ct_query_recipe *recipes = ct_query_cookbook(&count);

	json_key_open(json, "recipes", '[');
	for (i = 0; i < count; i++) {
		json_open(json, '{');
		json_key_text(json, "question", recipes[i].question);
		json_key_text(json, "sql", recipes[i].sql);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void tell_table(struct json *json, const struct ct_query_table *table)
{
	uint32_t i;

	json_open(json, '{');
	json_key_text(json, "name", table->name);
	json_key_text(json, "meaning", table->meaning);
	json_key_open(json, "columns", '[');
	for (i = 0; i < table->nr_columns; i++)
		json_text(json, table->columns[i].name);
	json_close(json, ']');
	json_close(json, '}');
}

void ask_cookbook_tell(struct text *text)
{
	const struct ct_query_table *tables;
	struct json json;
	uint32_t count, i;

	json_init(&json, text, false);
	json_open(&json, '{');
	tell_recipes(&json);
	tables = ct_query_tables(&count);
	json_key_open(&json, "tables", '[');
	for (i = 0; i < count; i++)
		tell_table(&json, &tables[i]);
	json_close(&json, ']');
	json_close(&json, '}');
}
