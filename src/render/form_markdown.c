/* SPDX-License-Identifier: MIT */
/*
 * A report as Markdown, for a pull request or an issue: the verdict comes first, other parts are tables, and long parts
 * are folded away. All words from the trace are escaped.
 */
#include "render/facts.h"
#include "render/page.h"
#include "render/picture.h"
#include "say/safe.h"

static void escaped(struct text *text, const char *bytes, size_t nr_bytes)
{
	struct text copy = {0};

	text_append(&copy, bytes, nr_bytes);
	say_markdown(text, text_peek(&copy));
	render_facts_drop(text, &copy);
}

static void begin(const struct page *page, const char *command, const struct text *words)
{
	text_format(page->text, "## corotracer %s\n\n", command);
	say_markdown(page->text, text_peek(words));
	text_add(page->text, "\n\n");
}

static void heading(const struct page *page, enum heading heading, const char *title)
{
	text_format(page->text, "%s %s\n\n", heading == HEADING_FINDING ? "####" : "###", title);
}

/* Facts as a table with an empty heading, because Markdown has no tables without a heading. */
static void facts(const struct page *page, const struct text *rows)
{
	size_t position = 0;
	struct fact fact;

	text_add(page->text, "| | |\n| --- | --- |\n");
	while (render_facts_next(rows, &position, &fact)) {
		text_format(page->text, "| **%.*s** | ", (int)fact.label_bytes, fact.label);
		escaped(page->text, fact.value, fact.value_bytes);
		text_add(page->text, " |\n");
	}
	text_char(page->text, '\n');
}

static void verdict(const struct page *page, const struct text *rows, bool is_first)
{
	size_t position = 0;
	struct fact fact;

	(void)is_first;
	while (render_facts_next(rows, &position, &fact)) {
		text_format(page->text, "**%.*s:** ", (int)fact.label_bytes, fact.label);
		escaped(page->text, fact.value, fact.value_bytes);
		text_add(page->text, "\n\n");
	}
}

static void begin_finding(const struct page *page, const struct ct_finding *finding,
	const struct text *title, bool is_alone)
{
	(void)is_alone;
	text_format(page->text, "### %s: %s\n\n", ct_grade_name(finding->grade),
		ct_rule_name(finding->rule));
	say_markdown(page->text, text_peek(title));
	text_add(page->text, "\n\n");
}

static void picture(const struct page *page, const struct scene *scene, uint32_t number)
{
	(void)number;
	text_add(page->text, "```mermaid\n");
	render_picture_mermaid(page->text, scene);
	text_add(page->text, "```\n\n");
}

static void step(const struct page *page, unsigned number, const struct text *time,
	const struct text *words, const struct text *details)
{
	text_format(page->text, "%u. %s%s", number, text_peek(time), time->length ? ": " : "");
	say_markdown(page->text, text_peek(words));
	if (details->length) {
		text_add(page->text, " (");
		say_markdown(page->text, text_peek(details));
		text_char(page->text, ')');
	}
	text_char(page->text, '\n');
}

/* Markdown is not interpreted inside the tag, so names that the program gave are left out there. */
static void begin_fold(const struct page *page, const char *title, const struct text *words)
{
	(void)words;
	text_format(page->text, "<details><summary>%s</summary>\n\n", title);
}

static void end_fold(const struct page *page)
{
	text_add(page->text, "</details>\n\n");
}

static void table(const struct page *page, const struct table *table)
{
	render_table_print_markdown(table, page->text);
}

static void more(const struct page *page, uint64_t nr_more, const char *hint)
{
	(void)hint;
	if (nr_more) {
		text_add(page->text, "\n... and ");
		text_count(page->text, nr_more);
		text_add(page->text, " more\n");
	}
	text_char(page->text, '\n');
}

static void sentence(const struct page *page, const struct text *words)
{
	text_format(page->text, "%s\n\n", text_peek(words));
}

static void hint(const struct page *page, const char *words)
{
	(void)page;
	(void)words;
}

const struct form render_form_markdown = {
	.has_quality_last = true,
	.begin = begin,
	.end = render_nothing,
	.heading = heading,
	.facts = facts,
	.verdict = verdict,
	.begin_finding = begin_finding,
	.end_finding = render_nothing,
	.picture = picture,
	.begin_steps = render_nothing,
	.step = step,
	.end_steps = render_nothing,
	.begin_fold = begin_fold,
	.end_fold = end_fold,
	.table = table,
	.more = more,
	.sentence = sentence,
	.hint = hint,
};
