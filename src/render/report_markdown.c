/* SPDX-License-Identifier: MIT */
/*
 * A report as Markdown, for a pull request or an issue: the verdict first in sight, tables for the rest,
 * long parts folded away. Everything that a trace contains is escaped.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "render/facts.h"
#include "render/report.h"
#include "say/safe.h"
#include "say/say.h"

static void escaped(struct text *text, const char *bytes, size_t nr_bytes)
{
	struct text copy = {0};

	text_append(&copy, bytes, nr_bytes);
	say_markdown(text, text_peek(&copy));
	render_facts_drop(text, &copy);
}

/* Facts as a table without a heading, which Markdown does not know: the heading is left empty. */
static void rows(struct text *text, const struct text *facts)
{
	size_t position = 0;
	struct fact fact;

	text_add(text, "| | |\n| --- | --- |\n");
	while (render_facts_next(facts, &position, &fact)) {
		text_format(text, "| **%.*s** | ", (int)fact.label_bytes, fact.label);
		escaped(text, fact.value, fact.value_bytes);
		text_add(text, " |\n");
	}
	text_char(text, '\n');
}

static void verdict(struct text *text, const struct ct_report *report)
{
	struct text facts = {0};
	size_t position = 0;
	struct fact fact;

	render_facts_verdict(&facts, report);
	while (render_facts_next(&facts, &position, &fact)) {
		text_format(text, "**%.*s:** ", (int)fact.label_bytes, fact.label);
		escaped(text, fact.value, fact.value_bytes);
		text_add(text, "\n\n");
	}
	render_facts_drop(text, &facts);
}

static void quality(struct text *text, const struct ct_report *report)
{
	struct text facts = {0};

	text_add(text, "### Data quality\n\n");
	render_facts_quality(&facts, report);
	rows(text, &facts);
	render_facts_drop(text, &facts);
}

static void warnings(struct text *text, const struct ct_report *report)
{
	struct text facts = {0};

	render_facts_warnings(&facts, report);
	if (facts.length)
		rows(text, &facts);
	render_facts_drop(text, &facts);
}

static void one_step(struct text *text, const struct ct_tables *tables, const struct ct_step *step,
	unsigned number)
{
	struct text words = {0};

	text_format(text, "%u. ", number);
	if (step->time != CT_NO_TIME) {
		say_time(text, step->time);
		text_add(text, ": ");
	}
	say_safe(&words, step->text);
	say_markdown(text, text_peek(&words));
	text_clear(&words);
	render_facts_step(&words, tables, step);
	if (words.length) {
		text_add(text, " (");
		say_markdown(text, text_peek(&words));
		text_char(text, ')');
	}
	text_char(text, '\n');
	render_facts_drop(text, &words);
}

static void chain(
	struct text *text, const struct ct_tables *tables, const struct ct_finding *finding)
{
	uint32_t i;

	if (finding->nr_steps == 0)
		return;
	text_add(text, "#### What happened\n\n");
	for (i = 0; i < finding->nr_steps && i < FACTS_MAX_LIST; i++)
		one_step(text, tables, &finding->steps[i], i + 1);
	if (finding->nr_steps > FACTS_MAX_LIST)
		text_format(
			text, "\n... and %" PRIu32 " more\n", finding->nr_steps - FACTS_MAX_LIST);
	text_char(text, '\n');
}

static void members(struct text *text, const struct ct_report *report,
	const struct ct_finding *finding, uint32_t max_members)
{
	struct table table;

	if (finding->nr_members == 0)
		return;
	text_add(text, "<details><summary>Coroutines</summary>\n\n");
	render_facts_members(&table, report, finding, max_members);
	render_table_print_markdown(&table, text);
	render_table_fini(&table);
	if (finding->nr_members > max_members) {
		text_add(text, "\n... and ");
		text_count(text, finding->nr_members - max_members);
		text_add(text, " more\n");
	}
	text_add(text, "\n</details>\n\n");
}

static void last_events(
	struct text *text, const struct ct_tables *tables, const struct ct_finding *finding)
{
	struct facts_examples examples = {0};
	const struct ct_member *member;
	struct table table;

	while ((member = render_facts_next_example(finding, &examples))) {
		/* Inside the tag Markdown does not apply; the id alone is safe there. */
		text_format(text,
			"<details><summary>Last events of coroutine %" PRIu64 "</summary>\n\n",
			member->coro.id);
		render_facts_events(&table, tables, member);
		render_table_print_markdown(&table, text);
		render_table_fini(&table);
		text_add(text, "\n</details>\n\n");
	}
}

static void title(struct text *text, const struct ct_finding *finding)
{
	struct text safe = {0};

	say_safe(&safe, finding->title);
	text_format(
		text, "### %s: %s\n\n", ct_grade_name(finding->grade), ct_rule_name(finding->rule));
	say_markdown(text, text_peek(&safe));
	text_add(text, "\n\n");
	render_facts_drop(text, &safe);
}

static void one_finding(struct text *text, const struct ct_report *report,
	const struct ct_finding *finding, uint32_t max_members)
{
	struct text facts = {0};

	title(text, finding);
	render_facts_finding(&facts, report, finding);
	render_facts_judgement(&facts, report, finding);
	rows(text, &facts);
	render_facts_drop(text, &facts);
	chain(text, report->tables, finding);
	members(text, report, finding, max_members);
	last_events(text, report->tables, finding);
}

static void print_table(
	void *context, const char *title, const struct table *table, uint32_t nr_more)
{
	struct text *text = context;

	text_format(text, "### %s\n\n", title);
	render_table_print_markdown(table, text);
	text_char(text, '\n');
	if (nr_more)
		text_format(text, "... and %" PRIu32 " more\n\n", nr_more);
}

static void rest(struct text *text, const struct ct_report *report, uint32_t nr_printed)
{
	if (nr_printed == report->nr_findings)
		return;
	text_add(text, "... and ");
	render_facts_rest(text, report, nr_printed);
	text_add(text, "\n\n");
}

static void time_went(struct text *text, const struct ct_report *report)
{
	struct text facts = {0};

	render_facts_time_went(&facts, report);
	if (facts.length) {
		text_add(text, "### Where the time went\n\n");
		rows(text, &facts);
	}
	render_facts_drop(text, &facts);
}

static void headline(struct text *text, const char *command, const struct ct_report *report)
{
	struct text words = {0};

	text_format(text, "## corotracer %s\n\n", command);
	render_facts_headline(&words, report);
	say_markdown(text, text_peek(&words));
	text_add(text, "\n\n");
	render_facts_drop(text, &words);
}

void render_report_markdown(
	struct text *text, const struct ct_report *report, const struct ct_report_options *options)
{
	uint32_t i;

	headline(text, "report", report);
	if (options->is_brief)
		warnings(text, report);
	else
		quality(text, report);
	verdict(text, report);
	for (i = 0; i < report->nr_findings && i < options->max_findings; i++) {
		if (options->is_brief)
			title(text, &report->findings[i]);
		else
			one_finding(text, report, &report->findings[i], options->max_members);
		text_pass_on(text, REPORT_PIECE_BYTES);
	}
	rest(text, report, i);
	if (!options->is_brief)
		time_went(text, report);
	if (!options->is_brief)
		render_facts_annotations(&(const struct facts_printer){text, print_table}, report);
}

static void path(
	struct text *text, const struct ct_report *report, const struct ct_report_options *options)
{
	struct text facts = {0};

	text_add(text, "### The critical path of one task\n\n");
	render_facts_path(&facts, report);
	rows(text, &facts);
	render_facts_drop(text, &facts);
	render_facts_path_tables(
		&(const struct facts_printer){text, print_table}, report, options->max_rows);
}

void render_statistics_markdown(
	struct text *text, const struct ct_report *report, const struct ct_report_options *options)
{
	struct text facts = {0};

	headline(text, "stats", report);
	quality(text, report);
	if (report->path) {
		path(text, report, options);
		return;
	}
	text_add(text, "### All coroutines\n\n");
	render_facts_times(&facts, report);
	render_facts_by(&facts, report, options->by);
	rows(text, &facts);
	render_facts_drop(text, &facts);
	render_facts_statistics(&(const struct facts_printer){text, print_table}, report,
		options->by, options->max_rows);
}
