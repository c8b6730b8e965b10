/* SPDX-License-Identifier: MIT */
/*
 * The facts about a finding, and the last events of its members, as the report prints them, for a page that lays them
 * out in its own way.
 */
#include "base/json_write.h"
#include "render/facts.h"
#include "render/render.h"
#include "say/say.h"

static void write_words(struct json *json, const char *at, size_t nr_bytes)
{
	struct text words = {0};

	text_append(&words, at, nr_bytes);
	json_text(json, text_peek(&words));
	render_facts_drop(json->text, &words);
}

static void write_facts(
	struct json *json, const struct ct_report *report, const struct ct_finding *finding)
{
	struct text rows = {0};
	size_t position = 0;
	struct fact fact;

	render_facts_finding(&rows, report, finding);
	json_key_open(json, "facts", '[');
	while (render_facts_next(&rows, &position, &fact)) {
		json_open(json, '[');
		write_words(json, fact.label, fact.label_bytes);
		write_words(json, fact.value, fact.value_bytes);
		json_close(json, ']');
	}
	json_close(json, ']');
	render_facts_drop(json->text, &rows);
}

static void write_rows(struct json *json, const struct table *table)
{
	size_t from = 0, i;

	json_key_open(json, "rows", '[');
	for (i = 0; i < table->ends.count; i++) {
		if (i % table->nr_columns == 0)
			json_open(json, '[');
		write_words(json, text_peek(&table->cells) + from, table->ends.at[i] - from);
		if (i % table->nr_columns == table->nr_columns - 1)
			json_close(json, ']');
		from = table->ends.at[i];
	}
	json_close(json, ']');
}

static void write_events(
	struct json *json, const struct ct_tables *tables, const struct ct_member *member)
{
	struct text words = {0};
	struct table table;

	say_coroutine(&words, tables, member->coro.id, member->name, member->coro.function_site);
	render_facts_events(&table, tables, member);
	json_open(json, '{');
	json_key_text(json, "of", text_peek(&words));
	write_rows(json, &table);
	json_close(json, '}');
	render_facts_drop(json->text, &words);
	json->text->is_broken |= table.cells.is_broken;
	render_table_fini(&table);
}

void render_finding_json(
	struct text *text, const struct ct_report *report, const struct ct_finding *finding)
{
	uint32_t i, nr_told = 0;
	struct json json;

	json_init(&json, text, false);
	json_open(&json, '{');
	write_facts(&json, report, finding);
	json_key_open(&json, "events", '[');
	for (i = 0; i < finding->nr_members && nr_told < FACTS_EXAMPLES; i++) {
		if (!finding->members[i].nr_events)
			continue;
		write_events(&json, report->tables, &finding->members[i]);
		nr_told++;
	}
	json_close(&json, ']');
	json_close(&json, '}');
}
