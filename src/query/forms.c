/* SPDX-License-Identifier: MIT */
/*
 * Results as comma-separated values, with tabs, as JSON, as Markdown; and the list of all forms.
 */
#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "base/json_write.h"
#include "query/write.h"
#include "say/safe.h"

static void add_bytes(struct text *text, const struct ct_query_cell *cell)
{
	size_t i;

	for (i = 0; i < cell->nr_bytes; i++)
		text_digits(text, (unsigned char)cell->text[i], 16, 2);
}

/* ---------------------------------------------------------------- comma-separated values */

static void begin_csv(struct query_writing *writing)
{
	uint32_t i;

	if (writing->options->no_header)
		return;
	for (i = 0; i < writing->nr_columns; i++) {
		if (i)
			text_char(&writing->text, ',');
		csv_text(&writing->text, ct_query_column(writing->query, i), true);
	}
	text_char(&writing->text, '\n');
}

static void add_csv_cell(struct text *text, const struct ct_query_cell *cell)
{
	if (cell->type == CT_QUERY_TEXT)
		csv_text(text, cell->text, true);
	else if (cell->type == CT_QUERY_BYTES)
		add_bytes(text, cell);
	else
		text_add(text, cell->text);
}

static void add_csv_row(struct query_writing *writing, const struct ct_query_cell *cells)
{
	uint32_t i;

	for (i = 0; i < writing->nr_columns; i++) {
		if (i)
			text_char(&writing->text, ',');
		add_csv_cell(&writing->text, &cells[i]);
	}
	text_char(&writing->text, '\n');
}

/* ---------------------------------------------------------------- tabs */

/* A tab or newline in a cell would be read as the end of the cell, so both are replaced. */
static void add_tab_text(struct text *text, const char *value)
{
	size_t nr_bytes, nr_plain;

	for (;; value += nr_bytes + 1) {
		nr_bytes = strcspn(value, "\t\n\r");
		nr_plain = text_plain_bytes(value);
		if (nr_plain < nr_bytes)
			nr_bytes = nr_plain;
		text_append(text, value, nr_bytes);
		if (!value[nr_bytes])
			return;
		text_add(text, strchr("\t\n\r", value[nr_bytes]) ? " " : TEXT_REPLACEMENT);
	}
}

static void begin_tabs(struct query_writing *writing)
{
	uint32_t i;

	if (writing->options->no_header)
		return;
	for (i = 0; i < writing->nr_columns; i++) {
		if (i)
			text_char(&writing->text, '\t');
		add_tab_text(&writing->text, ct_query_column(writing->query, i));
	}
	text_char(&writing->text, '\n');
}

static void add_tab_row(struct query_writing *writing, const struct ct_query_cell *cells)
{
	uint32_t i;

	for (i = 0; i < writing->nr_columns; i++) {
		if (i)
			text_char(&writing->text, '\t');
		if (cells[i].type == CT_QUERY_BYTES)
			add_bytes(&writing->text, &cells[i]);
		else
			add_tab_text(&writing->text, cells[i].text);
	}
	text_char(&writing->text, '\n');
}

/* ---------------------------------------------------------------- JSON */

static void add_json_cell(struct json *json, const struct ct_query_cell *cell)
{
	struct text hex = {0};

	switch (cell->type) {
	case CT_QUERY_INTEGER:
		json_number(json, cell->number);
		return;
	case CT_QUERY_REAL:
		if (isfinite(cell->real))
			json_real(json, cell->real);
		else
			json_null(json);
		return;
	case CT_QUERY_TEXT:
		json_text(json, cell->text);
		return;
	case CT_QUERY_BYTES:
		add_bytes(&hex, cell);
		json_text(json, text_peek(&hex));
		json->text->is_broken |= hex.is_broken;
		text_fini(&hex);
		return;
	default:
		json_null(json);
	}
}

static void add_object(struct query_writing *writing, const struct ct_query_cell *cells)
{
	struct json json;
	uint32_t i;

	json_init(&json, &writing->text, false);
	json_open(&json, '{');
	for (i = 0; i < writing->nr_columns; i++) {
		json_key(&json, ct_query_column(writing->query, i));
		add_json_cell(&json, &cells[i]);
	}
	json_close(&json, '}');
}

static void begin_json(struct query_writing *writing)
{
	text_char(&writing->text, '[');
}

static void add_json_row(struct query_writing *writing, const struct ct_query_cell *cells)
{
	text_add(&writing->text, writing->nr_rows ? ",\n " : "\n ");
	add_object(writing, cells);
}

static void end_json(struct query_writing *writing, bool is_whole)
{
	if (is_whole)
		text_add(&writing->text, writing->nr_rows ? "\n]\n" : "]\n");
}

static void add_json_line(struct query_writing *writing, const struct ct_query_cell *cells)
{
	add_object(writing, cells);
	text_char(&writing->text, '\n');
}

/* ---------------------------------------------------------------- Markdown */

static void add_markdown_text(struct text *text, const char *value)
{
	struct text safe = {0};

	say_safe(&safe, value);
	say_markdown(text, text_peek(&safe));
	text->is_broken |= safe.is_broken;
	text_fini(&safe);
}

static void begin_markdown(struct query_writing *writing)
{
	uint32_t i;

	for (i = 0; i < writing->nr_columns; i++) {
		text_add(&writing->text, "| ");
		add_markdown_text(&writing->text, ct_query_column(writing->query, i));
		text_char(&writing->text, ' ');
	}
	text_add(&writing->text, "|\n");
	for (i = 0; i < writing->nr_columns; i++)
		text_add(&writing->text, "|---");
	text_add(&writing->text, "|\n");
}

static void add_markdown_row(struct query_writing *writing, const struct ct_query_cell *cells)
{
	uint32_t i;

	for (i = 0; i < writing->nr_columns; i++) {
		text_add(&writing->text, "| ");
		if (cells[i].type == CT_QUERY_BYTES)
			add_bytes(&writing->text, &cells[i]);
		else
			add_markdown_text(&writing->text, cells[i].text);
		text_char(&writing->text, ' ');
	}
	text_add(&writing->text, "|\n");
}

static const struct query_form forms[CT_QUERY_NR_FORMATS] = {
	[CT_QUERY_CSV] = {.begin = begin_csv, .row = add_csv_row},
	[CT_QUERY_TSV] = {.begin = begin_tabs, .row = add_tab_row},
	[CT_QUERY_JSON] = {.begin = begin_json, .row = add_json_row, .end = end_json},
	[CT_QUERY_JSONL] = {.row = add_json_line},
	[CT_QUERY_MARKDOWN] = {.begin = begin_markdown, .row = add_markdown_row},
};

const struct query_form *query_form(enum ct_query_format format)
{
	switch (format) {
	case CT_QUERY_TABLE:
		return &query_layout;
	case CT_QUERY_ARROW:
		return &query_arrow;
	default:
		return &forms[format];
	}
}
