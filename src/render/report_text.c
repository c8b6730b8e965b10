/* SPDX-License-Identifier: MIT */
/*
 * A report for a terminal: what is known of the observation, then each finding, the gravest first.
 *
 * Lines are wrapped at the width asked for; tables are not. Colour repeats what a word says, and never
 * says anything alone.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "render/facts.h"
#include "render/report.h"
#include "say/safe.h"
#include "say/say.h"

#define LABEL_COLUMNS 16

#define BOLD "1"
#define DIM "2"

struct page {
	struct text *text;
	const struct ct_report *report;
	const struct ct_report_options *options;
};

static void colour(const struct page *page, const char *code)
{
	if (page->options->use_colour)
		text_format(page->text, "\033[%sm", code);
}

static void plain(const struct page *page)
{
	colour(page, "0");
}

static void line(const struct page *page, const char *text)
{
	text_add(page->text, text);
	text_char(page->text, '\n');
}

/* The blank behind this word, where a line may end; a number and its '%' are one word. NULL: it is the last one. */
static const char *end_of_word(const char *words, const char *end)
{
	const char *blank = memchr(words, ' ', (size_t)(end - words));

	while (blank && blank + 1 < end && blank[1] == '%')
		blank = memchr(blank + 1, ' ', (size_t)(end - blank - 1));
	return blank;
}

/*
 * Prints words from column `at`, going on at column `margin` of the next line where the width ends. Ends
 * the line. A word that is longer than a line stays whole: a path cut in two helps nobody.
 */
static void wrapped(
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

/* Rows of facts: the label in a column of its own, and only where it differs from the one before. */
static void rows(const struct page *page, const struct text *facts)
{
	const char *previous = "";
	size_t previous_bytes = 0, position = 0;
	struct fact fact;

	while (render_facts_next(facts, &position, &fact)) {
		bool is_same = fact.label_bytes == previous_bytes &&
			       memcmp(fact.label, previous, previous_bytes) == 0;

		colour(page, DIM);
		text_format(page->text, "  %-*.*s", LABEL_COLUMNS,
			is_same ? 0 : (int)fact.label_bytes, fact.label);
		plain(page);
		wrapped(page, LABEL_COLUMNS + 2, LABEL_COLUMNS + 2, fact.value, fact.value_bytes);
		previous = fact.label;
		previous_bytes = fact.label_bytes;
	}
}

static void heading(const struct page *page, const char *text)
{
	text_add(page->text, "\n  ");
	colour(page, BOLD);
	text_add(page->text, text);
	plain(page);
	text_char(page->text, '\n');
}

static void quality(const struct page *page)
{
	struct text facts = {0};

	colour(page, BOLD);
	text_add(page->text,
		page->options->is_statistics ? "corotracer stats" : "corotracer report");
	plain(page);
	text_add(page->text, ": ");
	render_facts_headline(page->text, page->report);
	text_add(page->text, "\n\n");
	colour(page, BOLD);
	text_add(page->text, "Data quality");
	plain(page);
	text_char(page->text, '\n');
	render_facts_quality(&facts, page->report);
	rows(page, &facts);
	render_facts_drop(page->text, &facts);
}

static void warnings(const struct page *page)
{
	struct text facts = {0};

	render_facts_warnings(&facts, page->report);
	if (facts.length) {
		rows(page, &facts);
		text_char(page->text, '\n');
	}
	render_facts_drop(page->text, &facts);
}

/* The labels are not shown: the first row is the answer, what follows explains it. */
static void verdict(const struct page *page)
{
	struct text facts = {0};
	size_t position = 0, before;
	struct fact fact;

	render_facts_verdict(&facts, page->report);
	text_add(page->text, page->options->is_brief ? "" : "\n");
	for (before = 0; render_facts_next(&facts, &position, &fact); before = position) {
		if (before == 0)
			colour(page, BOLD);
		else
			text_format(page->text, "  %.*s: ", (int)fact.label_bytes, fact.label);
		text_char(page->text, (char)(before == 0 && *fact.value >= 'a' && *fact.value <= 'z'
						      ? *fact.value - 32
						      : *fact.value));
		wrapped(page, before ? fact.label_bytes + 5 : 1, 2, fact.value + 1,
			fact.value_bytes - 1);
		if (before == 0)
			plain(page);
	}
	render_facts_drop(page->text, &facts);
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
		text_char(page->text, (char)(*name >= 'a' && *name <= 'z' ? *name - 32 : *name));
	plain(page);
}

static void title(const struct page *page, const struct ct_finding *finding)
{
	struct text safe = {0};

	text_char(page->text, '\n');
	grade_word(page, finding->grade);
	text_add(page->text, "  ");
	colour(page, BOLD);
	line(page, ct_rule_name(finding->rule));
	plain(page);
	say_safe(&safe, finding->title);
	text_add(page->text, "  ");
	wrapped(page, 2, 2, text_peek(&safe), safe.length);
	render_facts_drop(page->text, &safe);
}

static void and_more(const struct page *page, uint32_t total, uint32_t shown, const char *where)
{
	if (total <= shown)
		return;
	text_add(page->text, "  ... and ");
	text_count(page->text, total - shown);
	text_format(page->text, " more%s\n", where);
}

static void one_step(const struct page *page, const struct ct_step *step)
{
	struct text words = {0};

	if (step->time == CT_NO_TIME)
		text_format(page->text, "  %-*s", LABEL_COLUMNS, "");
	else
		say_time(&words, step->time);
	if (words.length)
		text_format(page->text, "  %-*s", LABEL_COLUMNS, text_peek(&words));
	text_clear(&words);
	say_safe(&words, step->text);
	wrapped(page, LABEL_COLUMNS + 2, LABEL_COLUMNS + 2, text_peek(&words), words.length);
	text_clear(&words);
	render_facts_step(&words, page->report->tables, step);
	if (words.length) {
		text_format(page->text, "%*s", LABEL_COLUMNS + 4, "");
		wrapped(page, LABEL_COLUMNS + 4, LABEL_COLUMNS + 4, text_peek(&words),
			words.length);
	}
	render_facts_drop(page->text, &words);
}

static void chain(const struct page *page, const struct ct_finding *finding)
{
	uint32_t i;

	if (finding->nr_steps == 0)
		return;
	heading(page, "What happened");
	for (i = 0; i < finding->nr_steps && i < FACTS_MAX_LIST; i++)
		one_step(page, &finding->steps[i]);
	and_more(page, finding->nr_steps, FACTS_MAX_LIST, "");
}

static void members(const struct page *page, const struct ct_finding *finding)
{
	struct table table;

	if (finding->nr_members == 0)
		return;
	heading(page, finding->nr_members == 1 ? "The coroutine" : "The coroutines");
	render_facts_members(&table, page->report, finding, page->options->max_members);
	render_table_print(&table, page->text, "  ");
	render_table_fini(&table);
	and_more(page, finding->nr_members, page->options->max_members,
		" (--max-members shows more, --format json all)");
	line(page,
		"  (an id is never used twice: it names one generation of what lies at its frame)");
}

static void last_events(const struct page *page, const struct ct_finding *finding)
{
	struct facts_examples examples = {0};
	const struct ct_member *member;
	struct text words = {0};
	struct table table;

	while ((member = render_facts_next_example(finding, &examples))) {
		text_clear(&words);
		text_add(&words, "Last events of ");
		render_facts_coroutine(&words, page->report->tables, member);
		heading(page, text_peek(&words));
		render_facts_events(&table, page->report->tables, member);
		render_table_print(&table, page->text, "  ");
		render_table_fini(&table);
	}
	render_facts_drop(page->text, &words);
}

static void one_finding(const struct page *page, const struct ct_finding *finding)
{
	struct text facts = {0};

	title(page, finding);
	text_char(page->text, '\n');
	render_facts_finding(&facts, page->report, finding);
	rows(page, &facts);
	chain(page, finding);
	members(page, finding);
	last_events(page, finding);
	heading(page, "How sure, and what next");
	text_clear(&facts);
	render_facts_judgement(&facts, page->report, finding);
	rows(page, &facts);
	render_facts_drop(page->text, &facts);
}

/* What is left out, and how to see it. */
static void rest(const struct page *page, uint32_t nr_printed)
{
	if (nr_printed == page->report->nr_findings)
		return;
	text_add(page->text, "\n... and ");
	render_facts_rest(page->text, page->report, nr_printed);
	line(page, "\n  (--max-findings shows more, --all all of them, and so does --format json)");
}

static void print_table(
	void *context, const char *title, const struct table *table, uint32_t nr_more)
{
	const struct page *page = context;

	heading(page, title);
	render_table_print(table, page->text, "  ");
	and_more(page, nr_more, 0, " (--rows shows more, --format json all)");
}

static void time_went(const struct page *page)
{
	struct text facts = {0};

	render_facts_time_went(&facts, page->report);
	if (facts.length) {
		heading(page, "Where the time went ('corotracer stats' has it all)");
		rows(page, &facts);
	}
	render_facts_drop(page->text, &facts);
}

void render_report_text(
	struct text *text, const struct ct_report *report, const struct ct_report_options *options)
{
	struct page page = {text, report, options};
	uint32_t i;

	if (options->is_brief)
		warnings(&page);
	else
		quality(&page);
	verdict(&page);
	for (i = 0; i < report->nr_findings && i < options->max_findings; i++) {
		if (options->is_brief)
			title(&page, &report->findings[i]);
		else
			one_finding(&page, &report->findings[i]);
		text_pass_on(text, REPORT_PIECE_BYTES);
	}
	rest(&page, i);
	if (!options->is_brief)
		time_went(&page);
	if (!options->is_brief)
		render_facts_annotations(&(const struct facts_printer){&page, print_table}, report);
}

static void path_text(const struct page *page)
{
	struct text facts = {0};

	heading(page, "The critical path of one task");
	render_facts_path(&facts, page->report);
	rows(page, &facts);
	render_facts_drop(page->text, &facts);
	render_facts_path_tables(
		&(const struct facts_printer){(void *)(uintptr_t)page, print_table}, page->report,
		page->options->max_rows);
}

void render_statistics_text(
	struct text *text, const struct ct_report *report, const struct ct_report_options *options)
{
	struct page page = {text, report, options};
	struct text facts = {0};

	quality(&page);
	if (report->path) {
		path_text(&page);
		return;
	}
	heading(&page, "All coroutines");
	render_facts_times(&facts, report);
	render_facts_by(&facts, report, options->by);
	rows(&page, &facts);
	render_facts_drop(text, &facts);
	render_facts_statistics(&(const struct facts_printer){&page, print_table}, report,
		options->by, options->max_rows);
}

static bool is_on_chain(const struct ct_report *report, uint64_t coro)
{
	uint32_t i;

	for (i = 0; i < report->nr_why; i++)
		if (report->why[i].coro == coro)
			return true;
	return coro == report->why_coro.id;
}

/* Findings that speak of it, or of one on its chain, by their titles. */
static void findings_of(const struct page *page)
{
	const struct ct_report *report = page->report;
	uint32_t i, member;

	for (i = 0; i < report->nr_findings; i++) {
		const struct ct_finding *finding = &report->findings[i];

		for (member = 0; member < finding->nr_members; member++)
			if (finding->process == report->why_coro.process &&
				is_on_chain(report, finding->members[member].coro.id))
				break;
		if (member < finding->nr_members)
			title(page, finding);
	}
}

/* Everybody once, each behind the one that must go on first. */
static void awaits(const struct page *page)
{
	const struct ct_report *report = page->report;
	struct text words = {0};
	uint32_t i, nr_columns;

	if (report->nr_awaits < 2)
		return;
	heading(page, "Who waits for whom");
	for (i = 0; i < report->nr_awaits; i++) {
		const struct ct_await *await = &report->awaits[i];

		nr_columns = 2 + 2 * await->depth;
		text_clear(&words);
		render_facts_await(&words, report->tables, await);
		if (await->depth == 0 && await->waits_for)
			text_format(&words, ": coroutine %" PRIu64 " must go on first",
				await->waits_for);
		if (await->nr_left_out)
			text_format(&words, "; %" PRIu64 " more wait for it", await->nr_left_out);
		text_format(page->text, "%*s", (int)nr_columns, "");
		wrapped(page, nr_columns, nr_columns + 4, text_peek(&words), words.length);
	}
	render_facts_drop(page->text, &words);
}

/* What was asked of the kernel, and how much is known. */
static void observation(const struct page *page)
{
	const struct ct_live *live = &page->report->live;
	struct text words = {0};

	text_format(&words, "process %" PRIu64 ": %s%s%s", live->pid, live->known,
		*live->trouble ? "; " : "", live->trouble);
	wrapped(page, 0, 2, text_peek(&words), words.length);
	render_facts_drop(page->text, &words);
}

/* What the kernel told of every thread. */
static void looks(const struct page *page)
{
	const struct ct_live *live = &page->report->live;
	struct text words = {0};
	uint32_t i;

	if (live->nr_looks && page->report->nr_why)
		heading(page, "What its threads do");
	for (i = 0; i < live->nr_looks && i < FACTS_MAX_LIST; i++) {
		text_clear(&words);
		say_safe(&words, live->looks[i].text);
		text_add(page->text, "  ");
		wrapped(page, 2, 4, text_peek(&words), words.length);
	}
	render_facts_drop(page->text, &words);
	and_more(page, live->nr_looks, i, " threads");
}

void render_report_why(
	struct text *text, const struct ct_report *report, const struct ct_report_options *options)
{
	struct page page = {text, report, options};
	uint32_t i;

	if (report->nr_why) {
		text_format(text, "coroutine %" PRIu64 " of ", report->why_coro.id);
		say_program(text, &report->tables->processes[report->why_coro.process]);
		text_format(text, ": %s\n", ct_state_name(report->why_coro.state));
	}
	if (report->live.pid)
		observation(&page);
	text_char(text, '\n');
	for (i = 0; i < report->nr_why; i++)
		one_step(&page, &report->why[i]);
	awaits(&page);
	looks(&page);
	findings_of(&page);
}
