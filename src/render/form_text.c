/* SPDX-License-Identifier: MIT */
/*
 * A report for a terminal: first the facts about the observation, then the findings, the gravest first.
 *
 * Lines are wrapped at the width of the options; tables are not. Colour only repeats what a word says.
 */
#include <string.h>

#include "render/facts.h"
#include "render/page.h"
#include "say/safe.h"

#define LABEL_COLUMNS 16

#define BOLD "1"
#define DIM "2"

static void colour(const struct page *page, const char *code)
{
	if (page->options->use_colour)
		text_format(page->text, "\033[%sm", code);
}

static void plain(const struct page *page)
{
	colour(page, "0");
}

static void bold(const struct page *page, const char *words)
{
	colour(page, BOLD);
	text_add(page->text, words);
	plain(page);
}

/*
 * The blank behind this word, where a line may end. A number and its '%' count as one word. NULL: the word is the last
 * one.
 */
static const char *end_of_word(const char *words, const char *end)
{
	const char *blank = memchr(words, ' ', (size_t)(end - words));

	while (blank && blank + 1 < end && blank[1] == '%')
		blank = memchr(blank + 1, ' ', (size_t)(end - blank - 1));
	return blank;
}

void render_text_wrapped(
	const struct page *page, size_t at, size_t margin, const char *words, size_t nr_bytes)
{
	const char *end = words + nr_bytes;
	bool is_first = true;

	while (words < end) {
		const char *blank = end_of_word(words, end);
		size_t length = (size_t)((blank ? blank : end) - words);
		size_t columns = say_columns(words, length);

		if (!is_first && at + 1 + columns > page->options->width) {
			text_format(page->text, "\n%*s", (int)margin, "");
			at = margin;
		} else if (!is_first) {
			text_char(page->text, ' ');
			at++;
		}
		text_append(page->text, words, length);
		at += columns;
		is_first = false;
		words += length + (blank ? 1 : 0);
	}
	text_char(page->text, '\n');
}

/* The label has a column of its own, and is printed only if it differs from the previous label. */
static void facts(const struct page *page, const struct text *rows)
{
	const char *previous = "";
	size_t previous_bytes = 0, position = 0;
	struct fact fact;

	while (render_facts_next(rows, &position, &fact)) {
		bool is_same = fact.label_bytes == previous_bytes &&
			       memcmp(fact.label, previous, previous_bytes) == 0;

		colour(page, DIM);
		text_format(page->text, "  %-*.*s", LABEL_COLUMNS,
			is_same ? 0 : (int)fact.label_bytes, fact.label);
		plain(page);
		render_text_wrapped(
			page, LABEL_COLUMNS + 2, LABEL_COLUMNS + 2, fact.value, fact.value_bytes);
		previous = fact.label;
		previous_bytes = fact.label_bytes;
	}
}

/* A brief report consists of findings only. */
static void begin(const struct page *page, const char *command, const struct text *words)
{
	if (page->options->is_brief)
		return;
	colour(page, BOLD);
	text_format(page->text, "corotracer %s", command);
	plain(page);
	text_format(page->text, ": %s\n", text_peek(words));
}

static void heading(const struct page *page, enum heading heading, const char *title)
{
	text_add(page->text, heading == HEADING_PAGE ? "\n" : "\n  ");
	bold(page, title);
	text_char(page->text, '\n');
}

static char upper(char c)
{
	return (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
}

/* The labels are not printed: the first row is the answer, the following rows explain it. */
static void verdict(const struct page *page, const struct text *rows, bool is_first)
{
	size_t position = 0, before;
	struct fact fact;

	text_add(page->text, is_first ? "" : "\n");
	for (before = 0; render_facts_next(rows, &position, &fact); before = position) {
		if (before == 0)
			colour(page, BOLD);
		else
			text_format(page->text, "  %.*s: ", (int)fact.label_bytes, fact.label);
		text_char(page->text, before ? *fact.value : upper(*fact.value));
		render_text_wrapped(page, before ? fact.label_bytes + 5 : 1, 2, fact.value + 1,
			fact.value_bytes - 1);
		if (before == 0)
			plain(page);
	}
}

static const char *colour_of(enum ct_grade grade)
{
	switch (grade) {
	case CT_GRADE_PROVEN:
		return "1;31";
	case CT_GRADE_LIKELY:
		return "1;33";
	case CT_GRADE_SUSPECT:
	case CT_GRADE_NONE:
		break;
	}
	return "1;36";
}

static void grade_word(const struct page *page, enum ct_grade grade)
{
	const char *name = ct_grade_name(grade);

	colour(page, colour_of(grade));
	for (; *name; name++)
		text_char(page->text, upper(*name));
	plain(page);
}

static void begin_finding(const struct page *page, const struct ct_finding *finding,
	const struct text *title, bool is_alone)
{
	text_char(page->text, '\n');
	grade_word(page, finding->grade);
	text_add(page->text, "  ");
	colour(page, BOLD);
	text_format(page->text, "%s\n", ct_rule_name(finding->rule));
	plain(page);
	text_add(page->text, "  ");
	render_text_wrapped(page, 2, 2, text_peek(title), title->length);
	if (!is_alone)
		text_char(page->text, '\n');
}

static void step(const struct page *page, unsigned number, const struct text *time,
	const struct text *words, const struct text *details)
{
	(void)number;
	text_format(page->text, "  %-*s", LABEL_COLUMNS, text_peek(time));
	render_text_wrapped(
		page, LABEL_COLUMNS + 2, LABEL_COLUMNS + 2, text_peek(words), words->length);
	if (!details->length)
		return;
	text_format(page->text, "%*s", LABEL_COLUMNS + 4, "");
	render_text_wrapped(
		page, LABEL_COLUMNS + 4, LABEL_COLUMNS + 4, text_peek(details), details->length);
}

static void begin_fold(const struct page *page, const char *title, const struct text *words)
{
	(void)title;
	heading(page, HEADING_FINDING, text_peek(words));
}

static void table(const struct page *page, const struct table *table)
{
	render_table_print(table, page->text, "  ");
}

static void more(const struct page *page, uint64_t nr_more, const char *hint)
{
	if (!nr_more)
		return;
	text_add(page->text, "  ... and ");
	text_count(page->text, nr_more);
	text_format(page->text, " more%s\n", hint);
}

static void sentence(const struct page *page, const struct text *words)
{
	text_format(page->text, "\n%s\n", text_peek(words));
}

static void hint(const struct page *page, const char *words)
{
	text_format(page->text, "  (%s)\n", words);
}

const struct form render_form_text = {
	.is_terminal = true,
	.begin = begin,
	.end = render_nothing,
	.heading = heading,
	.facts = facts,
	.verdict = verdict,
	.begin_finding = begin_finding,
	.end_finding = render_nothing,
	.begin_steps = render_nothing,
	.step = step,
	.end_steps = render_nothing,
	.begin_fold = begin_fold,
	.end_fold = render_nothing,
	.table = table,
	.more = more,
	.sentence = sentence,
	.hint = hint,
};
