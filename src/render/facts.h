/* SPDX-License-Identifier: MIT */
/*
 * The words of a report, independent of its layout: sentences, facts and tables.
 *
 * Facts are rows of a label and a value, in one text: "label\tvalue\n". Values are safe (say/safe.h), so a value never
 * contains a tab or a line break. Text, Markdown and HTML lay the same facts out differently; JSON does not use them.
 * The size of everything here is bounded by the report, not by the size of the trace.
 */
#ifndef RENDER_FACTS_H
#define RENDER_FACTS_H

#include "corotracer/ct.h"
#include "render/table.h"
#include "base/text.h"

/* Bounds of lists that could be as long as the trace. */
#define FACTS_MAX_LIST 20u
#define FACTS_MAX_EVENTS 8u
#define FACTS_EXAMPLES 2u   /* members whose last events are printed */
#define FACTS_WAITED_FOR 3u /* things waited for that are printed of a task or region */

/* render_facts_headline: the program and the length of the observation, in one line without a line break. */
void render_facts_headline(struct text *rows, const struct ct_report *report);

/* render_facts_quality: all facts about the observation itself. */
void render_facts_quality(struct text *rows, const struct ct_report *report);

/* render_facts_doubts: doubts that the reader must keep in mind with every finding. */
void render_facts_doubts(struct text *rows, const struct ct_report *report);

/*
 * render_facts_warnings: the facts about the observation that every verdict must be printed with: losses, doubts,
 * remarks. No rows: there are none.
 */
void render_facts_warnings(struct text *rows, const struct ct_report *report);

/*
 * render_facts_sights: what was seen beside the events at a look into memory, and is not one coroutine's, which 'why'
 * tells. No rows: nothing.
 */
void render_facts_sights(struct text *rows, const struct ct_report *report);

/*
 * render_facts_unseen: why a report cannot judge any coroutine, such as "no coroutine was seen, because no probe
 * attached"; the text is never freed. NULL: coroutines were seen.
 */
const char *render_facts_unseen(const struct ct_report *report);

/* render_facts_why_unseen: the likeliest reason, as a question; nothing where coroutines were seen. */
void render_facts_why_unseen(struct text *text, const struct ct_report *report);

/*
 * render_facts_sum: the verdict in one sentence without its full stop: "1 finding: 1 proven", "nothing found, but 62 of
 * 148 events are missing". render_facts_doubt: only the part that says why the verdict may be wrong; empty if no reason
 * is known. render_facts_has_doubt: is a reason known?
 */
void render_facts_sum(struct text *text, const struct ct_report *report);
void render_facts_doubt(struct text *text, const struct ct_report *report);
bool render_facts_has_doubt(const struct ct_report *report);

/*
 * render_facts_judging: how many rules could judge, and why the others could not, in one sentence without its full
 * stop: "29 of 41 rules could judge; 12 rules could not, because the program does not record ...". Empty if the trace
 * is a look into a program's memory.
 */
void render_facts_judging(struct text *text, const struct ct_report *report);

/* render_facts_clock: what the times were read from, and how well the readings agree. */
void render_facts_clock(struct text *text, const struct ct_report *report);

/* render_facts_verdict: "1 finding: 1 proven", or the sentences that are printed if there is no finding. */
void render_facts_verdict(struct text *rows, const struct ct_report *report);

/* render_facts_rest: a sentence about the findings that are not printed: "1,980 more: 1,900 lost-wakeup, 80 crash". */
void render_facts_rest(struct text *text, const struct ct_report *report, uint32_t nr_printed);

/* render_why_has_finding: is the finding about the coroutine of `why`, or about one on its chain? (why.c) */
bool render_why_has_finding(const struct ct_report *report, const struct ct_finding *finding);

/* Facts that all members of a finding share. A site is 0 if the members differ, or if it is unknown. */
struct facts_common {
	bool has_state; /* all members have the same state */
	uint32_t wait_site;
	uint32_t spawn_site;
	uint32_t function_site;
};

/* render_state: a state in words (states.def). */
const char *render_state(enum ct_state state);

struct facts_common render_facts_common(const struct ct_finding *finding);
/* render_facts_since: the head of members' beginnings: "since"; "ready from" or the like if all of it was over. */
const char *render_facts_since(const struct ct_finding *finding);

/*
 * render_facts_finding: where, since when, how many members. render_facts_judgement: the grade, the doubts, and what to
 * do next; `trace` is the trace's name in the commands; NULL: "FILE".
 */
void render_facts_finding(
	struct text *rows, const struct ct_report *report, const struct ct_finding *finding);
void render_facts_judgement(struct text *rows, const struct ct_report *report,
	const struct ct_finding *finding, const char *trace);

/*
 * render_facts_step: the thread or coroutine of a step, its place, and its event. What was done is the step's own text.
 * The result may be empty.
 */
void render_facts_step(
	struct text *text, const struct ct_tables *tables, const struct ct_step *step);

/* Is the finding about a place, so that neither how many members it has nor what they wait for says anything? */
bool render_facts_is_of_place(const struct ct_finding *finding);

/*
 * render_facts_members: the first `max` members of a finding. render_facts_events: the last events of one member. Both
 * initialise the table.
 */
void render_facts_members(struct table *table, const struct ct_report *report,
	const struct ct_finding *finding, uint32_t max);
void render_facts_events(
	struct table *table, const struct ct_tables *tables, const struct ct_member *member);

/*
 * render_facts_await: one coroutine of the await graph: "coroutine 7 waits for lock 0x40, at work, src/queue.c:12",
 * "coroutine 3 runs on thread worker-1 (4713)".
 */
void render_facts_await(
	struct text *text, const struct ct_tables *tables, const struct ct_await *await);

struct page;

/* A table of `nr_rows` structs of a report, each `row_bytes` long; `row` adds the cells of one struct. */
struct facts_table {
	const char *title;
	const char *headings; /* as for render_table_init */
	const void *rows;
	size_t row_bytes;
	uint32_t nr_rows;
	void (*row)(struct table *table, const struct ct_report *report, const void *row);
};

#define FACTS_ROWS(rows, nr_rows) (rows), sizeof(*(rows)), (nr_rows)

/* render_facts_fill: initialises the table and adds at most `max` rows. */
void render_facts_fill(struct table *table, const struct facts_table *of,
	const struct ct_report *report, uint32_t max);

/* render_facts_annotations: the tables of the program's own annotations; empty tables are left out. */
void render_facts_annotations(const struct page *page);

/*
 * render_facts_time_went: where the time went, in a few rows; no rows if nothing is known. render_facts_times: how long
 * all coroutines together were in each state. render_facts_statistics: the tables of where the time went: all of them,
 * or only those that `by` of the options selects; empty tables are left out. render_facts_by: a row that says that the
 * trace has nothing to group by `by`; no row if the trace has.
 */
void render_facts_time_went(struct text *rows, const struct ct_report *report);
void render_facts_times(struct text *rows, const struct ct_report *report);
void render_facts_by(struct text *rows, const struct ct_report *report, enum ct_by by);
void render_facts_statistics(const struct page *page);

/*
 * Parts of render_facts_statistics. render_facts_spans: where the time of tasks and regions went, or of only one of the
 * two. render_facts_has_spans: is there such a table? render_facts_breakdown: the tables of a breakdown, which must
 * exist.
 */
bool render_facts_has_spans(const struct ct_report *report, enum ct_by by);
void render_facts_spans(const struct page *page);
void render_facts_breakdown(const struct page *page);

/* render_facts_life_ns: the sum of all times. render_facts_waited_for: the name of the thing that was waited for. */
int64_t render_facts_life_ns(const struct ct_times *times);
const char *render_facts_waited_for(const struct ct_wait_time *wait);

/*
 * render_facts_runtimes: what runtimes did besides running coroutines, in a few rows. render_facts_runtime_tables: the
 * same as tables.
 */
void render_facts_runtimes(struct text *rows, const struct ct_report *report);
void render_facts_runtime_tables(const struct page *page);

/*
 * render_facts_path: what a task's duration consisted of; the path must exist. render_facts_path_tables: the same as
 * tables.
 */
void render_facts_path(struct text *rows, const struct ct_report *report);
void render_facts_path_tables(const struct page *page);

/* render_facts_drop: frees a piece that `text` was made from. If the piece had failed, `text` fails too. */
void render_facts_drop(struct text *text, struct text *piece);

/* One row of facts: the pieces point into `rows`. */
struct fact {
	const char *label;
	size_t label_bytes;
	const char *value;
	size_t value_bytes;
};

/*
 * render_facts_next: reads the row at *position and moves the position on; false behind the last row. Begin with
 * position 0.
 */
bool render_facts_next(const struct text *rows, size_t *position, struct fact *ret_fact);

/* render_facts_begin, render_facts_end: begin and end a row; its value is appended between the two calls. */
void render_facts_begin(struct text *rows, const char *label);
void render_facts_end(struct text *rows);

/*
 * render_facts_row: adds a whole row of safe words. render_facts_safe: adds a row with words of the traced program,
 * which are escaped.
 */
#define render_facts_row(rows, label, ...) \
	(render_facts_begin(rows, label), text_format(rows, __VA_ARGS__), render_facts_end(rows))
void render_facts_safe(struct text *rows, const char *label, const char *words);

/* render_facts_share: adds a row with a duration and its share of the total: "1.20 s (33.3 %)". */
void render_facts_share(struct text *rows, const char *label, int64_t ns, int64_t total_ns);

#endif
