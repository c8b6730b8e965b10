/* SPDX-License-Identifier: MIT */
/*
 * A report as one HTML page that makes no network request. The page contains no script, and its own content policy
 * would forbid one. All words from the trace are escaped.
 */
#include "render/facts.h"
#include "render/page.h"
#include "render/picture.h"
#include "say/safe.h"

/* A grade is printed as a word; the colour of the edge only repeats it. */
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
	"@media screen and (prefers-color-scheme: dark) { :root { --ground: #14171b; --ink: "
	"#e3e7eb; --quiet: "
	"#9aa4af;\n"
	"  --line: #343b43; --raised: #1c2127; --proven: #ff8a80; --likely: #f2b45c; --suspect: "
	"#7cc4f5; } }\n"
	"body { margin: 0 auto; max-width: 84rem; padding: 1.5rem; background: var(--ground); "
	"color: var(--ink);\n"
	"  font: 16px/1.5 system-ui, sans-serif; }\n"
	"p, ol, .facts { max-width: 68rem; }\n"
	"code { font: .9em ui-monospace, Menlo, Consolas, \"DejaVu Sans Mono\", monospace; }\n"
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
	"figure { margin: 1rem 0; padding: .5rem; background: var(--ground); } figure svg { "
	"max-width: 100%; height: auto; }\n"
	".twin { display: none; } .twin svg { width: min(100%, 540px); height: auto; }\n"
	"@media (max-width: 70rem) { figure.wide { display: none; } .twin { display: block; "
	"padding: 0; } }\n"
	"@media (max-width: 40rem) { body { padding: .75rem; } section { padding: 0 .5rem .5rem; "
	"}\n"
	"  ol, ul { padding-left: 1.25rem; }\n"
	"  .facts, .facts tbody, .facts tr, .facts th, .facts td { display: block; }\n"
	"  .facts th { border: 0; padding-bottom: 0; } .facts td { padding-top: 0; } }\n";

static void escaped(struct text *text, const struct text *safe)
{
	say_html(text, text_peek(safe), safe->length);
}

/* Sentences have code between backquotes. */
static void with_code(struct text *text, const char *words, size_t nr_bytes)
{
	for (;;) {
		const char *open = memchr(words, '`', nr_bytes);
		size_t before = open ? (size_t)(open - words) : nr_bytes, rest = nr_bytes - before;
		const char *close = rest ? memchr(open + 1, '`', rest - 1) : NULL;

		if (!close) {
			say_html(text, words, nr_bytes);
			return;
		}
		say_html(text, words, before);
		text_add(text, "<code>");
		say_html(text, open + 1, (size_t)(close - open - 1));
		text_add(text, "</code>");
		nr_bytes -= (size_t)(close + 1 - words);
		words = close + 1;
	}
}

static void begin(const struct page *page, const char *command, const struct text *words)
{
	text_add(page->text, head);
	text_add(page->text, render_picture_style);
	text_format(page->text, "</style>\n<title>corotracer %s: ", command);
	escaped(page->text, words);
	text_format(page->text, "</title>\n</head>\n<body>\n<h1>corotracer %s</h1>\n<p>", command);
	escaped(page->text, words);
	text_add(page->text, "</p>\n");
}

static void end(const struct page *page)
{
	text_add(page->text, "</body>\n</html>\n");
}

static void heading(const struct page *page, enum heading heading, const char *title)
{
	int level = heading == HEADING_FINDING ? 3 : 2;

	text_format(page->text, "<h%d>%s</h%d>\n", level, title, level);
}

static void facts(const struct page *page, const struct text *rows)
{
	size_t position = 0;
	struct fact fact;

	text_add(page->text, "<table class=\"facts\">\n");
	while (render_facts_next(rows, &position, &fact)) {
		text_add(page->text, "<tr><th scope=\"row\">");
		say_html(page->text, fact.label, fact.label_bytes);
		text_add(page->text, "</th><td>");
		with_code(page->text, fact.value, fact.value_bytes);
		text_add(page->text, "</td></tr>\n");
	}
	text_add(page->text, "</table>\n");
}

static void verdict(const struct page *page, const struct text *rows, bool is_first)
{
	size_t position = 0;
	struct fact fact;

	(void)is_first;
	while (render_facts_next(rows, &position, &fact)) {
		text_add(page->text, "<p class=\"verdict\"><strong>");
		say_html(page->text, fact.label, fact.label_bytes);
		text_add(page->text, ":</strong> ");
		with_code(page->text, fact.value, fact.value_bytes);
		text_add(page->text, "</p>\n");
	}
}

static void sentence(const struct page *page, const struct text *words)
{
	text_add(page->text, "<p>");
	escaped(page->text, words);
	text_add(page->text, "</p>\n");
}

static void begin_finding(const struct page *page, const struct ct_finding *finding,
	const struct text *title, bool is_alone)
{
	const char *grade = ct_grade_name(finding->grade);

	(void)is_alone;
	text_format(page->text,
		"<section class=\"%s\">\n<h2><span class=\"grade\">%s</span> %s</h2>\n", grade,
		grade, ct_rule_name(finding->rule));
	sentence(page, title);
}

static void end_finding(const struct page *page)
{
	text_add(page->text, "</section>\n");
}

/* Added to the number of a picture, for that of its narrow twin. */
#define NARROW_TWIN 1000u

/* The page shows one of two pictures, as its width allows. */
static void picture(const struct page *page, const struct scene *scene, uint32_t number)
{
	struct scene twin;

	text_add(page->text, "<figure class=\"wide\" tabindex=\"0\">\n");
	render_picture_inline(page->text, scene, number);
	text_add(page->text, "</figure>\n");
	if (!render_scene_init_narrow(&twin, scene->report, scene->finding))
		return;
	text_add(page->text, "<figure class=\"twin\">\n");
	render_picture_inline(page->text, &twin, number + NARROW_TWIN);
	text_add(page->text, "</figure>\n");
}

static void begin_steps(const struct page *page)
{
	text_add(page->text, "<ol>\n");
}

static void step(const struct page *page, unsigned number, const struct text *time,
	const struct text *words, const struct text *details)
{
	(void)number;
	text_format(page->text, "<li>%s%s", text_peek(time), time->length ? ": " : "");
	escaped(page->text, words);
	if (details->length) {
		text_add(page->text, " <span class=\"quiet\">(");
		escaped(page->text, details);
		text_add(page->text, ")</span>");
	}
	text_add(page->text, "</li>\n");
}

static void end_steps(const struct page *page)
{
	text_add(page->text, "</ol>\n");
}

static void begin_fold(const struct page *page, const char *title, const struct text *words)
{
	(void)title;
	text_add(page->text, "<details><summary>");
	escaped(page->text, words);
	text_add(page->text, "</summary>\n");
}

static void end_fold(const struct page *page)
{
	text_add(page->text, "</details>\n");
}

static void table(const struct page *page, const struct table *table)
{
	render_table_print_html(table, page->text);
}

static void more(const struct page *page, uint64_t nr_more, const char *hint)
{
	(void)hint;
	if (!nr_more)
		return;
	text_add(page->text, "<p>... and ");
	text_count(page->text, nr_more);
	text_add(page->text, " more</p>\n");
}

static void hint(const struct page *page, const char *words)
{
	(void)page;
	(void)words;
}

const struct form render_form_html = {
	.has_quality_last = true,
	.begin = begin,
	.end = end,
	.heading = heading,
	.facts = facts,
	.verdict = verdict,
	.begin_finding = begin_finding,
	.end_finding = end_finding,
	.picture = picture,
	.begin_steps = begin_steps,
	.step = step,
	.end_steps = end_steps,
	.begin_fold = begin_fold,
	.end_fold = end_fold,
	.table = table,
	.more = more,
	.sentence = sentence,
	.hint = hint,
};
