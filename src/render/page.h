/* SPDX-License-Identifier: MIT */
/*
 * A report as a page: one walk over its parts, which asks a form (text, Markdown, HTML) for each of them. A form
 * decides how a part looks, and nothing else; what it is handed is safe for a terminal (say/safe.h), and each form
 * escapes it once more as it needs. Failures show in the text's status.
 */
#ifndef RENDER_PAGE_H
#define RENDER_PAGE_H

#include "base/text.h"
#include "corotracer/ct.h"
#include "render/scene.h"
#include "render/table.h"

/* A text that is passed on holds about as much. */
#define RENDER_PIECE_BYTES 65536u

struct page;

enum heading {
	HEADING_PAGE,    /* of what comes before everything else */
	HEADING_PART,    /* of facts or a table */
	HEADING_FINDING, /* in a finding */
};

struct form {
	bool is_terminal; /* what to type next is of use there, and is told last */
	/* The pieces before all parts, and behind them. `words`: the whole in one line. */
	void (*begin)(const struct page *page, const char *command, const struct text *words);
	void (*end)(const struct page *page);
	void (*heading)(const struct page *page, enum heading heading, const char *title);
	/* Rows of facts (render/facts.h). The verdict: likewise, in sight. */
	void (*facts)(const struct page *page, const struct text *rows);
	void (*verdict)(const struct page *page, const struct text *rows, bool is_first);
	/* Around what is told of a finding; alone: nothing but its title is. */
	void (*begin_finding)(const struct page *page, const struct ct_finding *finding,
		const struct text *title, bool is_alone);
	void (*end_finding)(const struct page *page);
	/* The finding's picture, where it has one. `number`: of the finding, from 1. */
	void (*picture)(const struct page *page, const struct scene *scene, uint32_t number);
	/* Around steps, which are numbered from 1. `time`, `details`: may be empty. */
	void (*begin_steps)(const struct page *page);
	void (*step)(const struct page *page, unsigned number, const struct text *time,
		const struct text *words, const struct text *details);
	void (*end_steps)(const struct page *page);
	/* Around what may be folded away. `words`: the title with names of the traced program. */
	void (*begin_fold)(const struct page *page, const char *title, const struct text *words);
	void (*end_fold)(const struct page *page);
	void (*table)(const struct page *page, const struct table *table);
	/* Behind the last step, or a table: how many more there are, and how to see them. */
	void (*more)(const struct page *page, uint64_t nr_more, const char *hint);
	/* A sentence; what is only of use at a terminal. */
	void (*sentence)(const struct page *page, const struct text *words);
	void (*hint)(const struct page *page, const char *words);
};

extern const struct form render_form_text, render_form_markdown, render_form_html;

struct page {
	const struct form *form;
	struct text *text;
	const struct ct_report *report;
	const struct ct_report_options *options; /* complete */
};

/* render_page: the report. render_page_statistics: where the time went alone. */
void render_page(const struct page *page);
void render_page_statistics(const struct page *page);

/* render_page_why: the explanation of one coroutine alone, as text. */
void render_page_why(const struct page *page);

/* render_page_step, render_page_table: what walks have in common. `nr_more` rows of the table were left out. */
void render_page_step(const struct page *page, unsigned number, const struct ct_step *step);
void render_page_table(
	const struct page *page, const char *title, const struct table *table, uint64_t nr_more);

/* render_page_rows: a table of at most `max` rows; nothing where it has none. */
struct facts_table;
void render_page_rows(const struct page *page, const struct facts_table *of, uint32_t max);

/* render_page_title: a finding's; alone: nothing else of it is told. */
void render_page_title(const struct page *page, const struct ct_finding *finding, bool is_alone);

/*
 * render_text_wrapped: words from column `at` of a text, going on at column `margin` of the next line where the width
 * ends. Ends the line. A word that is longer than a line stays whole: a path cut in two helps nobody.
 */
void render_text_wrapped(
	const struct page *page, size_t at, size_t margin, const char *words, size_t nr_bytes);

/* render_json, render_dot: everything, for programs; the await graph around one coroutine, for Graphviz. */
void render_json(struct text *text, const struct ct_report *report);
void render_dot(struct text *text, const struct ct_report *report);

/* render_nothing: what a form does that needs nothing there. */
void render_nothing(const struct page *page);

#endif
