/* SPDX-License-Identifier: MIT */
/*
 * A report as a page: one walk over its parts, which calls a form (text, Markdown, HTML) for each part. A form decides
 * only how a part looks. The words that it is handed are safe for a terminal (say/safe.h); each form escapes them once
 * more as its format needs. Failures are recorded in the status of the text.
 */
#ifndef RENDER_PAGE_H
#define RENDER_PAGE_H

#include "base/text.h"
#include "corotracer/ct.h"
#include "render/scene.h"
#include "render/table.h"

/* A text is passed on when it holds about this many bytes. */
#define RENDER_PIECE_BYTES 65536u

struct page;

enum heading {
	HEADING_PAGE,    /* the title of the page */
	HEADING_PART,    /* the title of facts or of a table */
	HEADING_FINDING, /* a title within a finding */
};

struct form {
	bool is_terminal; /* the form ends with the commands to type next */
	bool has_quality_last; /* the verdict and the findings come before the quality of the data, except losses */
	/* What comes before all parts, and after them. `words`: the whole report in one line. */
	void (*begin)(const struct page *page, const char *command, const struct text *words);
	void (*end)(const struct page *page);
	void (*heading)(const struct page *page, enum heading heading, const char *title);
	/* Rows of facts (render/facts.h). The verdict has rows as well, shown prominently. */
	void (*facts)(const struct page *page, const struct text *rows);
	void (*verdict)(const struct page *page, const struct text *rows, bool is_first);
	/* Called before and after the parts of a finding. `is_alone`: only the title is printed. */
	void (*begin_finding)(const struct page *page, const struct ct_finding *finding,
		const struct text *title, bool is_alone);
	void (*end_finding)(const struct page *page);
	/* The picture of a finding that has one. `number`: the finding's number, from 1. */
	void (*picture)(const struct page *page, const struct scene *scene, uint32_t number);
	/* Steps are numbered from 1. `time` and `details` may be empty. */
	void (*begin_steps)(const struct page *page);
	void (*step)(const struct page *page, unsigned number, const struct text *time,
		const struct text *words, const struct text *details);
	void (*end_steps)(const struct page *page);
	/* Called around a part that may be folded away. `words`: the title, with names of the traced program. */
	void (*begin_fold)(const struct page *page, const char *title, const struct text *words);
	void (*end_fold)(const struct page *page);
	void (*table)(const struct page *page, const struct table *table);
	/* After the last step or a table: how many more there are, and how to see them. */
	void (*more)(const struct page *page, uint64_t nr_more, const char *hint);
	/* A sentence, and a hint that is useful only at a terminal. */
	void (*sentence)(const struct page *page, const struct text *words);
	void (*hint)(const struct page *page, const char *words);
};

extern const struct form render_form_text, render_form_markdown, render_form_html;

struct page {
	const struct form *form;
	struct text *text;
	const struct ct_report *report;
	const struct ct_report_options *options; /* complete: no default is left to fill in */
};

/* render_page: the whole report. render_page_statistics: only where the time went. */
void render_page(const struct page *page);
void render_page_statistics(const struct page *page);

/* render_page_why: only the explanation of one coroutine, as text. */
void render_page_why(const struct page *page);

/*
 * render_page_step, render_page_table: a step and a table, for all walks. `nr_more`: rows of the table that were left
 * out.
 */
void render_page_step(const struct page *page, unsigned number, const struct ct_step *step);
void render_page_table(
	const struct page *page, const char *title, const struct table *table, uint64_t nr_more);

/* render_page_rows: a table of at most `max` rows; prints nothing if the table is empty. */
struct facts_table;
void render_page_rows(const struct page *page, const struct facts_table *of, uint32_t max);

/* render_page_title: the title of a finding. `is_alone`: no other part of the finding is printed. */
void render_page_title(const struct page *page, const struct ct_finding *finding, bool is_alone);

/*
 * render_text_wrapped: prints words that begin at column `at`; where the width ends, a new line begins at column
 * `margin`. Ends the last line. A word longer than a line is not broken, because a path in two pieces helps nobody.
 */
void render_text_wrapped(
	const struct page *page, size_t at, size_t margin, const char *words, size_t nr_bytes);

/* render_json: the whole report, for programs. render_dot: the await graph around one coroutine, for Graphviz. */
void render_json(struct text *text, const struct ct_report *report);
void render_dot(struct text *text, const struct ct_report *report);

/* render_nothing: the function of a form that prints nothing for a part. */
void render_nothing(const struct page *page);

#endif
