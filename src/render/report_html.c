/* SPDX-License-Identifier: MIT */
/*
 * A report as one HTML page: opened from disk, it asks nothing of any network. It holds no script, and a
 * policy of its own that would forbid one. Everything that a trace contains is escaped.
 */
#include <inttypes.h>
#include <string.h>

#include "render/facts.h"
#include "render/report.h"
#include "say/safe.h"
#include "say/say.h"

/* A grade is a word first; the colour of its edge repeats it. */
static const char head[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\">\n"
	"<head>\n"
	"<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	"'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n"
	"<style>\n"
	":root { --ground: #fff; --ink: #1b1f24; --quiet: #59636e; --line: #d5dae0; --raised: "
	"#f6f8fa;\n"
	"  --proven: #b3261e; --likely: #8a5300; --suspect: #0a5c91; }\n"
	"@media (prefers-color-scheme: dark) { :root { --ground: #14171b; --ink: #e3e7eb; --quiet: "
	"#9aa4af;\n"
	"  --line: #343b43; --raised: #1c2127; --proven: #ff8a80; --likely: #f2b45c; --suspect: "
	"#7cc4f5; } }\n"
	"body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; background: var(--ground); "
	"color: var(--ink);\n"
	"  font: 16px/1.5 system-ui, sans-serif; }\n"
	"h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; } h3 { font-size: 1rem; }\n"
	"table { border-collapse: collapse; font-variant-numeric: tabular-nums; }\n"
	"th, td { padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); "
	"text-align: left;\n"
	"  vertical-align: top; overflow-wrap: anywhere; }\n"
	".wide { overflow-x: auto; } .wide th, .wide td { overflow-wrap: normal; }\n"
	".facts th { color: var(--quiet); font-weight: normal; white-space: nowrap; }\n"
	".right { text-align: right; }\n"
	".verdict { font-size: 1.1rem; }\n"
	"section { margin: 1.5rem 0; padding: 0 1rem 1rem; background: var(--raised);\n"
	"  border-left: .35rem solid var(--suspect); }\n"
	"section.proven { border-color: var(--proven); } section.likely { border-color: "
	"var(--likely); }\n"
	".grade { text-transform: uppercase; color: var(--suspect); }\n"
	".proven .grade { color: var(--proven); } .likely .grade { color: var(--likely); }\n"
	"summary { cursor: pointer; margin-top: .75rem; }\n"
	".quiet { color: var(--quiet); }\n"
	"@media (max-width: 40rem) { body { padding: .75rem; } section { padding: 0 .5rem .5rem; "
	"}\n"
	"  ol, ul { padding-left: 1.25rem; }\n"
	"  .facts, .facts tbody, .facts tr, .facts th, .facts td { display: block; }\n"
	"  .facts th { border: 0; padding-bottom: 0; } .facts td { padding-top: 0; } }\n"
	"</style>\n";

static void escaped(struct text *text, const struct text *safe)
{
	say_html(text, text_peek(safe), safe->length);
}

/* A text of the trace: made safe, then escaped. */
static void outside(struct text *text, const char *value)
{
	struct text safe = {0};

	say_safe(&safe, value);
	escaped(text, &safe);
	render_facts_drop(text, &safe);
}

static void rows(struct text *text, const struct text *facts)
{
	size_t position = 0;
	struct fact fact;

	text_add(text, "<table class=\"facts\">\n");
	while (render_facts_next(facts, &position, &fact)) {
		text_add(text, "<tr><th scope=\"row\">");
		say_html(text, fact.label, fact.label_bytes);
		text_add(text, "</th><td>");
		say_html(text, fact.value, fact.value_bytes);
		text_add(text, "</td></tr>\n");
	}
	text_add(text, "</table>\n");
}

static void begin_page(struct text *text, const struct ct_report *report)
{
	struct text headline = {0};

	render_facts_headline(&headline, report);
	text_add(text, head);
	text_add(text, "<title>corotracer report: ");
	escaped(text, &headline);
	text_add(text, "</title>\n</head>\n<body>\n<h1>corotracer report</h1>\n<p>");
	escaped(text, &headline);
	text_add(text, "</p>\n");
	render_facts_drop(text, &headline);
}

static void quality(struct text *text, const struct ct_report *report)
{
	struct text facts = {0};

	text_add(text, "<h2>Data quality</h2>\n");
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

static void verdict(struct text *text, const struct ct_report *report)
{
	struct text facts = {0};
	size_t position = 0;
	struct fact fact;

	render_facts_verdict(&facts, report);
	while (render_facts_next(&facts, &position, &fact)) {
		text_add(text, "<p class=\"verdict\"><strong>");
		say_html(text, fact.label, fact.label_bytes);
		text_add(text, ":</strong> ");
		say_html(text, fact.value, fact.value_bytes);
		text_add(text, "</p>\n");
	}
	render_facts_drop(text, &facts);
}

static void one_step(struct text *text, const struct ct_tables *tables, const struct ct_step *step)
{
	struct text words = {0};

	text_add(text, "<li>");
	if (step->time != CT_NO_TIME) {
		say_time(text, step->time);
		text_add(text, ": ");
	}
	outside(text, step->text);
	render_facts_step(&words, tables, step);
	if (words.length) {
		text_add(text, " <span class=\"quiet\">(");
		escaped(text, &words);
		text_add(text, ")</span>");
	}
	text_add(text, "</li>\n");
	render_facts_drop(text, &words);
}

static void and_more(struct text *text, uint32_t total, uint32_t shown)
{
	if (total <= shown)
		return;
	text_add(text, "<p>... and ");
	text_count(text, total - shown);
	text_add(text, " more</p>\n");
}

static void chain(
	struct text *text, const struct ct_tables *tables, const struct ct_finding *finding)
{
	uint32_t i;

	if (finding->nr_steps == 0)
		return;
	text_add(text, "<h3>What happened</h3>\n<ol>\n");
	for (i = 0; i < finding->nr_steps && i < FACTS_MAX_LIST; i++)
		one_step(text, tables, &finding->steps[i]);
	text_add(text, "</ol>\n");
	and_more(text, finding->nr_steps, FACTS_MAX_LIST);
}

static void members(struct text *text, const struct ct_report *report,
	const struct ct_finding *finding, uint32_t max_members)
{
	struct table table;

	if (finding->nr_members == 0)
		return;
	text_add(text, "<details><summary>Coroutines</summary>\n");
	render_facts_members(&table, report, finding, max_members);
	render_table_print_html(&table, text);
	render_table_fini(&table);
	and_more(text, finding->nr_members, max_members);
	text_add(text, "</details>\n");
}

static void last_events(
	struct text *text, const struct ct_tables *tables, const struct ct_finding *finding)
{
	struct facts_examples examples = {0};
	const struct ct_member *member;
	struct text words = {0};
	struct table table;

	while ((member = render_facts_next_example(finding, &examples))) {
		text_clear(&words);
		render_facts_coroutine(&words, tables, member);
		text_add(text, "<details><summary>Last events of ");
		escaped(text, &words);
		text_add(text, "</summary>\n");
		render_facts_events(&table, tables, member);
		render_table_print_html(&table, text);
		render_table_fini(&table);
		text_add(text, "</details>\n");
	}
	render_facts_drop(text, &words);
}

static void one_finding(struct text *text, const struct ct_report *report,
	const struct ct_finding *finding, const struct ct_report_options *options)
{
	const char *grade = ct_grade_name(finding->grade);
	struct text facts = {0};

	text_format(text,
		"<section class=\"%s\">\n<h2><span class=\"grade\">%s</span> %s</h2>\n<p>", grade,
		grade, ct_rule_name(finding->rule));
	outside(text, finding->title);
	text_add(text, "</p>\n");
	if (!options->is_brief) {
		render_facts_finding(&facts, report, finding);
		render_facts_judgement(&facts, report, finding);
		rows(text, &facts);
		render_facts_drop(text, &facts);
		chain(text, report->tables, finding);
		members(text, report, finding, options->max_members);
		last_events(text, report->tables, finding);
	}
	text_add(text, "</section>\n");
}

static void print_table(
	void *context, const char *title, const struct table *table, uint32_t nr_more)
{
	struct text *text = context;

	text_format(text, "<h2>%s</h2>\n", title);
	render_table_print_html(table, text);
	and_more(text, nr_more, 0);
}

static void time_went(struct text *text, const struct ct_report *report)
{
	struct text facts = {0};

	render_facts_time_went(&facts, report);
	if (facts.length) {
		text_add(text, "<h2>Where the time went</h2>\n");
		rows(text, &facts);
	}
	render_facts_drop(text, &facts);
}

void render_report_html(
	struct text *text, const struct ct_report *report, const struct ct_report_options *options)
{
	uint32_t i;

	begin_page(text, report);
	if (options->is_brief)
		warnings(text, report);
	else
		quality(text, report);
	verdict(text, report);
	for (i = 0; i < report->nr_findings && i < options->max_findings; i++) {
		one_finding(text, report, &report->findings[i], options);
		text_pass_on(text, REPORT_PIECE_BYTES);
	}
	if (i < report->nr_findings) {
		text_add(text, "<p>... and ");
		render_facts_rest(text, report, i);
		text_add(text, "</p>\n");
	}
	if (!options->is_brief)
		time_went(text, report);
	if (!options->is_brief)
		render_facts_annotations(&(const struct facts_printer){text, print_table}, report);
	text_add(text, "</body>\n</html>\n");
}
