/* SPDX-License-Identifier: MIT */
/*
 * The walk over the parts of a report, the same for each form.
 */
#include <inttypes.h>

#include "render/facts.h"
#include "render/page.h"
#include "say/safe.h"
#include "say/say.h"

void render_nothing(const struct page *page)
{
	(void)page;
}

/* ---------------------------------------------------------------- parts */

typedef void fill_facts(struct text *rows, const struct ct_report *report);

/* Prints the facts under a heading, if there are any. Returns whether there are any. */
static bool tell_facts(
	const struct page *page, enum heading heading, const char *title, fill_facts *fill)
{
	struct text rows = {0};
	bool has_rows;

	fill(&rows, page->report);
	has_rows = rows.length > 0;
	if (has_rows && title)
		page->form->heading(page, heading, title);
	if (has_rows)
		page->form->facts(page, &rows);
	render_facts_drop(page->text, &rows);
	return has_rows;
}

static void begin(const struct page *page, const char *command)
{
	struct text words = {0};

	render_facts_headline(&words, page->report);
	page->form->begin(page, command, &words);
	render_facts_drop(page->text, &words);
}

static void tell_verdict(const struct page *page, bool is_first)
{
	struct text rows = {0};

	render_facts_verdict(&rows, page->report);
	page->form->verdict(page, &rows, is_first);
	render_facts_drop(page->text, &rows);
}

static uint32_t more_than(uint32_t count, uint32_t max)
{
	return count > max ? count - max : 0;
}

void render_page_table(
	const struct page *page, const char *title, const struct table *table, uint64_t nr_more)
{
	page->form->heading(page, HEADING_PART, title);
	page->form->table(page, table);
	page->form->more(page, nr_more,
		page->options->is_statistics ? " (--rows shows more, --format json all)"
					     : " (--format json has all)");
}

void render_page_rows(const struct page *page, const struct facts_table *of, uint32_t max)
{
	struct table table;

	if (!of->nr_rows)
		return;
	render_facts_fill(&table, of, page->report, max);
	render_page_table(page, of->title, &table, more_than(of->nr_rows, max));
	render_table_fini(&table);
}

/* ---------------------------------------------------------------- a finding */

void render_page_title(const struct page *page, const struct ct_finding *finding, bool is_alone)
{
	struct text title = {0};

	say_safe(&title, finding->title);
	page->form->begin_finding(page, finding, &title, is_alone);
	render_facts_drop(page->text, &title);
}

void render_page_step(const struct page *page, unsigned number, const struct ct_step *step)
{
	struct text time = {0}, words = {0}, details = {0};

	if (step->time != CT_NO_TIME)
		say_time(&time, step->time);
	say_safe(&words, step->text);
	render_facts_step(&details, page->report->tables, step);
	page->form->step(page, number, &time, &words, &details);
	render_facts_drop(page->text, &time);
	render_facts_drop(page->text, &words);
	render_facts_drop(page->text, &details);
}

static void tell_steps(const struct page *page, const struct ct_finding *finding)
{
	uint32_t i;

	if (finding->nr_steps == 0)
		return;
	page->form->heading(page, HEADING_FINDING, "What happened");
	page->form->begin_steps(page);
	for (i = 0; i < finding->nr_steps && i < FACTS_MAX_LIST; i++)
		render_page_step(page, i + 1, &finding->steps[i]);
	page->form->end_steps(page);
	page->form->more(page, more_than(finding->nr_steps, FACTS_MAX_LIST), "");
}

static void tell_members(const struct page *page, const struct ct_finding *finding)
{
	const char *title = !page->form->is_terminal   ? "Coroutines"
			    : finding->nr_members == 1 ? "The coroutine"
						       : "The coroutines";
	uint32_t max = page->options->max_members;
	struct text words = {0};
	struct table table;

	if (finding->nr_members == 0 || render_facts_is_of_place(finding))
		return;
	text_add(&words, title);
	page->form->begin_fold(page, title, &words);
	render_facts_drop(page->text, &words);
	render_facts_members(&table, page->report, finding, max);
	page->form->table(page, &table);
	render_table_fini(&table);
	page->form->more(page, more_than(finding->nr_members, max),
		" (--max-members shows more, --format json all)");
	page->form->end_fold(page);
	page->form->hint(page,
		"an id is never used twice: it names one generation of what lies at its frame");
}

static void tell_last_events(const struct page *page, const struct ct_member *member)
{
	const struct ct_tables *tables = page->report->tables;
	struct text title = {0}, words = {0};
	struct table table;

	text_format(&title, "Last events of coroutine %" PRIu64, member->coro.id);
	text_add(&words, "Last events of ");
	say_coroutine(&words, tables, member->coro.id, member->name, member->coro.function_site);
	page->form->begin_fold(page, text_peek(&title), &words);
	render_facts_events(&table, tables, member);
	page->form->table(page, &table);
	render_table_fini(&table);
	page->form->more(page, 0, "");
	page->form->end_fold(page);
	render_facts_drop(page->text, &title);
	render_facts_drop(page->text, &words);
}

static void tell_examples(const struct page *page, const struct ct_finding *finding)
{
	/*
	 * A foldable part takes little room, so several examples are printed; at a terminal the first one stands for
	 * all.
	 */
	uint32_t nr_wanted = page->form->is_terminal ? 1 : FACTS_EXAMPLES, nr_told = 0, i;

	for (i = 0; i < finding->nr_members && nr_told < nr_wanted; i++) {
		if (finding->members[i].nr_events == 0)
			continue;
		tell_last_events(page, &finding->members[i]);
		nr_told++;
	}
}

static void tell_picture(const struct page *page, const struct ct_finding *finding)
{
	struct scene scene;

	if (page->form->picture && render_scene_init(&scene, page->report, finding))
		page->form->picture(page, &scene, (uint32_t)(finding - page->report->findings) + 1);
}

/*
 * A page begins a finding with its picture. A terminal shows the last lines, so the grade and the next steps come last
 * there.
 */
static void tell_finding(const struct page *page, const struct ct_finding *finding)
{
	const struct form *form = page->form;
	struct text rows = {0};

	render_page_title(page, finding, false);
	if (!form->is_terminal) {
		tell_picture(page, finding);
		tell_steps(page, finding);
	}
	render_facts_finding(&rows, page->report, finding);
	if (!form->is_terminal)
		render_facts_judgement(&rows, page->report, finding, page->options->trace);
	form->facts(page, &rows);
	if (form->is_terminal)
		tell_steps(page, finding);
	tell_members(page, finding);
	tell_examples(page, finding);
	if (form->is_terminal) {
		form->heading(page, HEADING_FINDING, "How sure, and what next");
		text_clear(&rows);
		render_facts_judgement(&rows, page->report, finding, page->options->trace);
		form->facts(page, &rows);
	}
	form->end_finding(page);
	render_facts_drop(page->text, &rows);
}

static void tell_findings(const struct page *page)
{
	const struct ct_report *report = page->report;
	struct text rest = {0};
	uint32_t i;

	for (i = 0; i < report->nr_findings && i < page->options->max_findings; i++) {
		if (page->options->is_brief) {
			render_page_title(page, &report->findings[i], true);
			page->form->end_finding(page);
		} else {
			tell_finding(page, &report->findings[i]);
		}
		text_pass_on(page->text, RENDER_PIECE_BYTES);
	}
	if (i == report->nr_findings)
		return;
	text_add(&rest, "... and ");
	render_facts_rest(&rest, report, i);
	page->form->sentence(page, &rest);
	page->form->hint(
		page, "--max-findings shows more, --all all of them, and so does --format json");
	render_facts_drop(page->text, &rest);
}

/* ---------------------------------------------------------------- pages */

static bool tell_quality(const struct page *page)
{
	return tell_facts(page, HEADING_PAGE, "Data quality", render_facts_quality);
}

void render_page(const struct page *page)
{
	bool is_brief = page->options->is_brief, is_last = page->form->has_quality_last, has_facts;

	begin(page, "report");
	if (is_last)
		tell_verdict(page, true);
	has_facts = is_brief || is_last
			    ? tell_facts(page, HEADING_PAGE, NULL, render_facts_warnings)
			    : tell_quality(page);
	if (!is_last)
		tell_verdict(page, !has_facts);
	tell_findings(page);
	if (!is_brief) {
		if (is_last)
			tell_quality(page);
		tell_facts(page, HEADING_PART, "Seen beside the findings", render_facts_sights);
		tell_facts(page, HEADING_PART,
			page->form->is_terminal
				? "Where the time went ('corotracer stats' has it all)"
				: "Where the time went",
			render_facts_time_went);
		render_facts_annotations(page);
	}
	page->form->end(page);
}

void render_page_statistics(const struct page *page)
{
	const struct ct_report *report = page->report;
	struct text rows = {0};

	begin(page, "stats");
	tell_facts(page, HEADING_PAGE, "Data quality", render_facts_quality);
	if (report->path) {
		tell_facts(page, HEADING_PART, "The critical path of one task", render_facts_path);
		render_facts_path_tables(page);
	} else {
		page->form->heading(page, HEADING_PART, "All coroutines");
		render_facts_times(&rows, report);
		render_facts_by(&rows, report, page->options->by);
		page->form->facts(page, &rows);
		render_facts_drop(page->text, &rows);
		render_facts_statistics(page);
	}
	page->form->end(page);
}
