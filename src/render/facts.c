/* SPDX-License-Identifier: MIT */
/*
 * The functions that assemble rows of facts, and tables of a report's rows.
 */
#include <string.h>

#include "render/facts.h"
#include "say/safe.h"

void render_facts_begin(struct text *rows, const char *label)
{
	text_add(rows, label);
	text_char(rows, '\t');
}

void render_facts_end(struct text *rows)
{
	text_char(rows, '\n');
}

void render_facts_safe(struct text *rows, const char *label, const char *words)
{
	render_facts_begin(rows, label);
	say_safe(rows, words);
	render_facts_end(rows);
}

void render_facts_share(struct text *rows, const char *label, int64_t ns, int64_t total_ns)
{
	render_facts_begin(rows, label);
	text_duration(rows, ns);
	if (total_ns > 0)
		text_format(rows, " (%.1f %%)", 100 * (double)ns / (double)total_ns);
	render_facts_end(rows);
}

void render_facts_drop(struct text *text, struct text *piece)
{
	text->is_broken |= piece->is_broken;
	text_fini(piece);
}

bool render_facts_next(const struct text *rows, size_t *position, struct fact *ret_fact)
{
	const char *at = text_peek(rows) + *position;
	const char *tab = strchr(at, '\t');
	const char *end = tab ? strchr(tab, '\n') : NULL;

	if (!end)
		return false;
	*ret_fact = (struct fact){at, (size_t)(tab - at), tab + 1, (size_t)(end - tab - 1)};
	*position += (size_t)(end + 1 - at);
	return true;
}

void render_facts_fill(struct table *table, const struct facts_table *of,
	const struct ct_report *report, uint32_t max)
{
	const char *row = of->rows;
	uint32_t i;

	render_table_init(table, of->headings);
	for (i = 0; i < of->nr_rows && i < max; i++, row += of->row_bytes)
		of->row(table, report, row);
}
