/* SPDX-License-Identifier: MIT */
/*
 * The words of a report, before anybody decides how it looks: sentences, facts and tables.
 *
 * Facts are rows of a label and a value, in one text: "label\tvalue\n". Values are safe (say/safe.h), so a
 * tab or a line break is never part of one. Text, Markdown and HTML lay the same facts out differently; JSON
 * does not use them. Everything here is bounded by what it is given, not by the size of a trace.
 */
#ifndef RENDER_FACTS_H
#define RENDER_FACTS_H

#include "corotracer/ct.h"
#include "render/table.h"
#include "base/text.h"

/* Bounds of lists that a trace could make long. */
#define FACTS_MAX_LIST 20u
#define FACTS_MAX_EVENTS 8u
#define FACTS_EXAMPLES 2u   /* members whose last events are on a page */
#define FACTS_WAITED_FOR 3u /* of what a task or region waited for */

/* render_facts_headline: program, length of observation: one line without a line break. */
void render_facts_headline(struct text *rows, const struct ct_report *report);

/* render_facts_quality: everything about the observation itself. */
void render_facts_quality(struct text *rows, const struct ct_report *report);

/*
 * render_facts_warnings: of that, what no verdict may stand without: losses, doubts, remarks. No rows: there are none.
 */
void render_facts_warnings(struct text *rows, const struct ct_report *report);

/*
 * render_facts_unseen: "no coroutine was seen, because no probe attached", a text that is never freed: why a report can
 * judge none. NULL: coroutines were seen.
 */
const char *render_facts_unseen(const struct ct_report *report);

/*
 * render_facts_sum: the verdict in one sentence without its full stop: "1 finding: 1 proven", "nothing found, but 62 of
 * 148 events are missing". render_facts_doubt: of that, why it may be untrue; nothing where no reason is known, which
 * render_facts_has_doubt tells.
 */
void render_facts_sum(struct text *text, const struct ct_report *report);
void render_facts_doubt(struct text *text, const struct ct_report *report);
bool render_facts_has_doubt(const struct ct_report *report);

/* render_facts_verdict: "1 finding: 1 proven", or the sentences that stand in for findings. */
void render_facts_verdict(struct text *rows, const struct ct_report *report);

/* render_facts_rest: "1,980 more: 1,900 lost-wakeup, 80 crash", of the findings that are not printed. */
void render_facts_rest(struct text *text, const struct ct_report *report, uint32_t nr_printed);

/* Facts that all members of a finding share. Sites: 0 where they differ, or it is not known. */
struct facts_common {
	bool has_state; /* the same one for all */
	uint32_t wait_site;
	uint32_t spawn_site;
	uint32_t function_site;
};

struct facts_common render_facts_common(const struct ct_finding *finding);

/* render_facts_finding: where, since when, how many; render_facts_judgement: grade, doubts, what to do next, with
 * the trace's name for its commands; NULL: "FILE". */
void render_facts_finding(
	struct text *rows, const struct ct_report *report, const struct ct_finding *finding);
void render_facts_judgement(struct text *rows, const struct ct_report *report,
	const struct ct_finding *finding, const char *trace);

/* render_facts_step: who, where, and which event; what was done is the step's own text. May be nothing. */
void render_facts_step(
	struct text *text, const struct ct_tables *tables, const struct ct_step *step);

/* render_facts_members: the first `max` members. render_facts_events: the last events of one. Both init the table. */
void render_facts_members(struct table *table, const struct ct_report *report,
	const struct ct_finding *finding, uint32_t max);
void render_facts_events(
	struct table *table, const struct ct_tables *tables, const struct ct_member *member);

/*
 * render_facts_await: a coroutine of the await graph: "coroutine 7 waits for lock 0x40, at work, src/queue.c:12",
 * "coroutine 3 runs on thread worker-1 (4713)".
 */
void render_facts_await(
	struct text *text, const struct ct_tables *tables, const struct ct_await *await);

struct page;

/* A table whose rows are `nr_rows` structs of a report, of `row_bytes` each; `row` adds the cells of one. */
struct facts_table {
	const char *title;
	const char *headings; /* as of render_table_init */
	const void *rows;
	size_t row_bytes;
	uint32_t nr_rows;
	void (*row)(struct table *table, const struct ct_report *report, const void *row);
};

#define FACTS_ROWS(rows, nr_rows) (rows), sizeof(*(rows)), (nr_rows)

/* render_facts_fill: inits the table, and adds at most `max` rows. */
void render_facts_fill(struct table *table, const struct facts_table *of,
	const struct ct_report *report, uint32_t max);

/* render_facts_annotations: the tables of what the program said of itself; those that are empty are left out. */
void render_facts_annotations(const struct page *page);

/*
 * render_facts_time_went: where the time went, in a few rows; none where nothing is known. render_facts_times: how long
 * all coroutines were in each state. render_facts_statistics: the tables of where the time went, all or those that are
 * by what was asked for; those that are empty are left out. render_facts_by: that all of these are, where they are.
 */
void render_facts_time_went(struct text *rows, const struct ct_report *report);
void render_facts_times(struct text *rows, const struct ct_report *report);
void render_facts_by(struct text *rows, const struct ct_report *report, enum ct_by by);
void render_facts_statistics(const struct page *page);

/*
 * Parts of these: render_facts_spans: where the time of tasks and regions went, or of one of the two;
 * render_facts_has_spans: is there such a table? render_facts_breakdown: the tables of a breakdown; there is one.
 */
bool render_facts_has_spans(const struct ct_report *report, enum ct_by by);
void render_facts_spans(const struct page *page);
void render_facts_breakdown(const struct page *page);

/* render_facts_life_ns: all of the times together. render_facts_waited_for: by its name. */
int64_t render_facts_life_ns(const struct ct_times *times);
const char *render_facts_waited_for(const struct ct_wait_time *wait);

/* render_facts_runtimes: what runtimes did besides, in a few rows. render_facts_runtime_tables: likewise. */
void render_facts_runtimes(struct text *rows, const struct ct_report *report);
void render_facts_runtime_tables(const struct page *page);

/* render_facts_path: what a task's duration was made of; there is a path. render_facts_path_tables: likewise. */
void render_facts_path(struct text *rows, const struct ct_report *report);
void render_facts_path_tables(const struct page *page);

/* render_facts_drop: gives a text back that `text` was made from; what is missing there is missing here. */
void render_facts_drop(struct text *text, struct text *piece);

/* One row of facts: borrowed pieces of `rows`. */
struct fact {
	const char *label;
	size_t label_bytes;
	const char *value;
	size_t value_bytes;
};

/* render_facts_next: the row at *position, which moves on; false behind the last one. Begin with 0. */
bool render_facts_next(const struct text *rows, size_t *position, struct fact *ret_fact);

/* render_facts_begin, render_facts_end: around a row's value. */
void render_facts_begin(struct text *rows, const char *label);
void render_facts_end(struct text *rows);

/* render_facts_row: a whole row, of safe words. render_facts_safe: of words of the traced program. */
#define render_facts_row(rows, label, ...) \
	(render_facts_begin(rows, label), text_format(rows, __VA_ARGS__), render_facts_end(rows))
void render_facts_safe(struct text *rows, const char *label, const char *words);

/* render_facts_share: a duration, and how much of all that is: "1.20 s (33.3 %)". */
void render_facts_share(struct text *rows, const char *label, int64_t ns, int64_t total_ns);

#endif
