/* SPDX-License-Identifier: MIT */
/*
 * A view: the part of a trace's contents that a screen, a query or an assertion asks for. A part of ct.h.
 *
 * A view is made of a trace, and does not change: it consists of tables of rows (view.def), from which rows are
 * selected, sorted and handed out by page, as columns of 64-bit numbers. While a trace grows, or a process runs, views
 * of it are made one after the other. Any number of threads may ask an open view at the same time.
 *
 * A view is filled when it is first asked. One reading of the trace fills events and states, which then take about 15
 * bytes of memory per event. Findings and statistics come from the judgement that `corotracer report` shows.
 */
#ifndef COROTRACER_VIEW_H
#define COROTRACER_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/error.h"
#include "corotracer/event.h"
#include "corotracer/report.h"
#include "corotracer/thresholds.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

struct ct_trace;
struct ct_view;

/* ------------------------------------------------------------------ tables and columns */

/* The number that ct_view_none returns for a type whose cells always hold something: no cell holds this number. */
#define CT_VIEW_NOTHING (INT64_MIN + 1)

/* The tables use these macros: a caller's own are saved here and restored after the tables. */
#pragma push_macro("X")
#pragma push_macro("TABLE")
#pragma push_macro("COLUMN")
#pragma push_macro("END")
#pragma push_macro("PART")
#undef X
#undef TABLE
#undef COLUMN
#undef END
#undef PART

/* The types of columns. */
enum ct_view_type {
#define X(NAME, name, none, meaning) CT_VIEW_TYPE_##NAME,
#include "corotracer/def/view_types.def"
#undef X
	CT_VIEW_NR_TYPES,
};

enum ct_view_table {
#define TABLE(NAME, share, name, meaning) CT_VIEW_##NAME,
#define COLUMN(TABLE, NAME, name, type, meaning, value)
#define END(TABLE)
#define PART(NAME, OF, column, value, name, meaning) CT_VIEW_##NAME,
#include "corotracer/def/view.def"
	CT_VIEW_NR_TABLES,
};

/* The columns of each table: CT_VIEW_EVENTS_TIME, ...; CT_VIEW_NR_EVENTS: the number of columns. */
#define TABLE(NAME, share, name, meaning) \
	enum ct_view_columns_##NAME       \
	{
#define COLUMN(TABLE, NAME, name, type, meaning, value) CT_VIEW_##TABLE##_##NAME,
#define END(TABLE)         \
	CT_VIEW_NR_##TABLE \
	}                  \
	;
#define PART(NAME, OF, column, value, name, meaning)
#include "corotracer/def/view.def"

#pragma pop_macro("X")
#pragma pop_macro("TABLE")
#pragma pop_macro("COLUMN")
#pragma pop_macro("END")
#pragma pop_macro("PART")

struct ct_view_column {
	const char *name;
	enum ct_view_type type;
	const char *meaning;
};

struct ct_view_description {
	const char *name;
	const char *meaning;
	const struct ct_view_column *columns;
	uint32_t nr_columns;
};

/*
 * ct_view_describe: describes one table; the description lives as long as the library. For a number that is not a
 * table, the description has no columns.
 * ct_view_find_table: returns the table of a name; CT_VIEW_NR_TABLES: there is none.
 */
const struct ct_view_description *ct_view_describe(enum ct_view_table table);
enum ct_view_table ct_view_find_table(const char *name);

/* ct_view_find_column: returns the column of a name; the table's nr_columns: there is none. */
uint32_t ct_view_find_column(enum ct_view_table table, const char *name);

/*
 * ct_view_none: returns the number of an empty cell of this type; CT_VIEW_NOTHING: no cell of this type is empty.
 * ct_view_is_nothing: returns whether a cell of this type with this number is empty. ct_view_type_name: returns the
 * name of a type.
 */
int64_t ct_view_none(enum ct_view_type type);
bool ct_view_is_nothing(enum ct_view_type type, int64_t number);
const char *ct_view_type_name(enum ct_view_type type);

/* ----------------------------------------------------------------------- opening */

struct ct_view_options {
	size_t size;
	/* for the findings; lent until ct_view_close; NULL: all defaults */
	const struct ct_thresholds *thresholds;
};

/*
 * ct_view_open: opens a view of a trace that can be read again from its first event. Until ct_view_close the view alone
 * reads the trace, which stays the caller's. Nothing is read yet: a function below that has to read fails as reading
 * failed.
 */
enum ct_status ct_view_open(struct ct_trace *trace, const struct ct_view_options *options,
	struct ct_view **ret_view, struct ct_error *reterr);

/* ct_view_close: closes the view. NULL is allowed. */
void ct_view_close(struct ct_view *view);

/*
 * ct_view_nr_without_room: returns the number of events of coroutines that the view's rows lack because there was no
 * memory for them (ct_open_options). Known once rows of coroutines or states have been asked for.
 */
uint64_t ct_view_nr_without_room(const struct ct_view *view);

/* ct_view_report: returns the report that `corotracer report` shows of the trace; the report belongs to the view. */
enum ct_status ct_view_report(
	struct ct_view *view, const struct ct_report **ret_report, struct ct_error *reterr);

enum ct_report_part {
	CT_REPORT_JUDGING =
		0, /* one row, without a label: how many rules could judge, what others lack */
	CT_REPORT_DOUBTS, /* what a reader must keep in mind with all findings, and if there is none */
	CT_REPORT_TIMES, /* where the time went, in a few rows */
};

/*
 * ct_report_rows: writes rows of a report as NUL-terminated text into `nr_bytes` at `buffer`: each a label, a tab,
 * words and a line feed. Returns the length of the text, which may be greater; 0: the report has none, or
 * there is no such part.
 */
size_t ct_report_rows(
	const struct ct_report *report, enum ct_report_part part, char *buffer, size_t nr_bytes);

/*
 * ct_view_why: returns a report that explains one coroutine, as `corotracer why` does; each call reads the trace.
 * `process` is a row of the table processes. Free the report by ct_report_free before the view is closed. CT_ERR_USAGE:
 * there is no such process.
 */
enum ct_status ct_view_why(struct ct_view *view, uint32_t process, uint64_t coro,
	const struct ct_report **ret_report, struct ct_error *reterr);

/* ct_view_tables: returns the tables that the trace's events refer to, as ct_trace_tables does. */
const struct ct_tables *ct_view_tables(const struct ct_view *view);

/* ----------------------------------------------------------------------- questions */

#define CT_VIEW_STARS_MOST 8u /* in a pattern: each star makes matching slower */

enum ct_view_compare {
	CT_VIEW_EQUAL,
	CT_VIEW_UNEQUAL,
	CT_VIEW_LESS,
	CT_VIEW_AT_MOST,
	CT_VIEW_MORE,
	CT_VIEW_AT_LEAST,
	/*
	 * The cell in words (ct_view_say) matches a pattern of fnmatch(3) with at most CT_VIEW_STARS_MOST stars, in
	 * capitals or not.
	 */
	CT_VIEW_MATCHES,
	CT_VIEW_NR_COMPARES,
};

/* A condition on one column. An empty cell meets only EQUAL to nothing, and UNEQUAL. */
struct ct_view_term {
	uint32_t column;
	enum ct_view_compare compare;
	int64_t number; /* for all comparisons but MATCHES */
	const char *
		/* instead of the number, for columns whose cells are words (ct_view_parse); NULL: none */
		text;
};

struct ct_view_request {
	size_t size;
	enum ct_view_table table;
	const uint32_t *columns; /* the columns that are wanted, in this order; NULL: all */
	uint32_t nr_columns;
	const struct ct_view_term *terms; /* a row must meet all terms */
	uint32_t nr_terms;
	bool is_sorted; /* by the column `order`; else rows come in the table's order */
	bool is_descending;
	uint32_t order;
	uint64_t offset; /* matching rows to skip before the first one */
	uint64_t limit;  /* most rows to hand out; 0: all */
};

/* Rows, column by column. */
struct ct_view_rows {
	uint64_t nr_rows;
	uint64_t nr_matched; /* rows that meet the terms, including those of other pages */
	uint32_t nr_columns;
	const enum ct_view_type *types; /* the type of each column */
	const int64_t *const *columns;
	/* of a scan: the place of each row in its table, from 0; else NULL */
	const uint64_t *numbers;
};

/*
 * ct_view_select: hands out the rows of one page. If rows are sorted, equal rows come in the table's order, and empty
 * cells come last. CT_ERR_USAGE: there is no such table or column, or a text is not a value of its column.
 * ct_view_rows_free: frees the rows. NULL is allowed.
 */
enum ct_status ct_view_select(struct ct_view *view, const struct ct_view_request *request,
	const struct ct_view_rows **ret_rows, struct ct_error *reterr);
void ct_view_rows_free(const struct ct_view_rows *rows);

/*
 * ct_view_scan_open: opens a scan, which hands out all rows that a request asks for, in batches and unsorted: `order`,
 * `offset` and `limit` are ignored. One thread uses a scan, and closes it before the view.
 * ct_view_scan_next: returns CT_OK and at most 1,024 rows, valid until the next call; CT_END after the last rows.
 * ct_view_scan_close: closes the scan. NULL is allowed.
 */
struct ct_view_scan;

enum ct_status ct_view_scan_open(struct ct_view *view, const struct ct_view_request *request,
	struct ct_view_scan **ret_scan, struct ct_error *reterr);
enum ct_status ct_view_scan_next(
	struct ct_view_scan *scan, const struct ct_view_rows **ret_rows, struct ct_error *reterr);
void ct_view_scan_close(struct ct_view_scan *scan);

/*
 * ct_view_say: writes one cell in words, "" if it is empty: "waiting", "lock 0x7f00", the place of a site, the name of
 * a process or a thread; a number in digits. Returns the length that the text would have had; the text is cut off at
 * nr_bytes, and always NUL-terminated. `kind` is the kind in the cell's row, which decides the words for an event's
 * object and argument, and is ignored for other columns.
 */
size_t ct_view_say(const struct ct_view *view, enum ct_view_type type, int64_t number,
	unsigned kind, char *buffer, size_t nr_bytes);

/*
 * ct_view_parse: finds the number of a cell of this column from its words: of states, kinds, outcomes, marks and texts;
 * for other types, from digits. Returns false if no cell has these words. ct_view_text: returns the text of a cell of
 * the type TEXT, as the program wrote it; "" for 0 and for numbers out of range.
 */
bool ct_view_parse(struct ct_view *view, enum ct_view_table table, uint32_t column,
	const char *text, int64_t *ret_number);
const char *ct_view_text(const struct ct_view *view, int64_t number);

/* ------------------------------------------------------------------- questions of screens */

/*
 * ct_view_lanes: returns the states of coroutines, what threads ran, or who held an object and how many waited for it,
 * between two times, at a resolution: a state that is shorter becomes one slice together with its neighbours. There is
 * one row for each slice, by lane and time, with the columns lane (its place among the lanes asked for), from_ns,
 * until_ns, state (the longest state in the slice), coroutine, site, nr_states (the number of states in the slice),
 * resource (of a waiting coroutine: the number in resources.def of what it waits for), and nr_waiting. For an object,
 * the state is running while `coroutine` holds it, which took it at `site`, and waiting while no holder is known;
 * resource is the object's own kind, and nr_waiting the greatest number of coroutines that wait for it. A call that
 * holds the coroutine and its thread for a millisecond or more, or at the end, is a slice of its own in a run, with the
 * state `syscall` and the name of the call in the last column, call. CT_ERR_USAGE: the answer would have more slices
 * than `slices_max`.
 */
enum ct_view_lane_kind {
	CT_VIEW_LANE_COROUTINE,
	CT_VIEW_LANE_THREAD,
	CT_VIEW_LANE_OBJECT,
};

struct ct_view_lane {
	enum ct_view_lane_kind kind;
	uint32_t process; /* the process of a coroutine or an object */
	uint64_t id;      /* the id of a coroutine, a row of the table threads, or a handle */
};

struct ct_view_lanes_request {
	size_t size;
	const struct ct_view_lane *lanes;
	uint32_t nr_lanes;
	ct_time from;
	ct_time until;
	int64_t resolution_ns; /* 0: each state is a slice */
	uint64_t slices_max;   /* most slices of the whole answer; 0: any number */
};

enum ct_status ct_view_lanes(struct ct_view *view, const struct ct_view_lanes_request *request,
	const struct ct_view_rows **ret_rows, struct ct_error *reterr);

/*
 * ct_view_sums: returns how long coroutines were in each state between two times, and how often, by coroutine or by
 * place (where they wait, or waited last): one row for each, the longest wait first, and of equal ones the longest run.
 * Columns: process, coroutine (none by place), site (none by coroutine), running_ns, nr_runs, waiting_ns, nr_waits,
 * ready_ns, nr_delays, syscall_ns and unseen_ns, in that time. `lanes` limits the sums to the coroutines and
 * threads that it names; without lanes the sums cover all. `limit`: the greatest number of rows; 0: no limit;
 * nr_matched counts all. CT_ERR_USAGE: there are more than 1,048,576 rows.
 */
struct ct_view_sums_request {
	size_t size;
	const struct ct_view_lane *lanes;
	uint32_t nr_lanes;
	ct_time from;
	ct_time until;
	bool is_by_site;
	uint64_t limit;
};

enum ct_status ct_view_sums(struct ct_view *view, const struct ct_view_sums_request *request,
	const struct ct_view_rows **ret_rows, struct ct_error *reterr);

/*
 * ct_view_overview: returns what went on between two times, in nr_steps equal steps of time (1 to 65,536), one row for
 * each step. Columns: from_ns; in coroutine-nanoseconds unseen_ns, ready_ns, running_ns and waiting_ns; nr_events,
 * nr_wakes, nr_lost; delay_p50_ns, delay_p99_ns and delay_max_ns of the delays that ended in the step, where a delay
 * below 0 counts as 0; nr_uncounted, the delays that are in none of these three because the 64 MiB for the
 * distributions of all steps were full; and syscall_ns.
 */
enum ct_status ct_view_overview(struct ct_view *view, ct_time from, ct_time until,
	uint32_t nr_steps, const struct ct_view_rows **ret_rows, struct ct_error *reterr);

/*
 * ct_view_groups: counts the rows that meet the request's terms by the values in the request's columns, 1 to 4: one row
 * for each combination of values, with these columns and nr_rows. The largest group comes first, equal groups come in
 * the table's order; `offset` and `limit` count groups, and `order` is ignored. CT_ERR_USAGE also if there are more
 * than 1,048,576 groups.
 */
enum ct_status ct_view_groups(struct ct_view *view, const struct ct_view_request *request,
	const struct ct_view_rows **ret_rows, struct ct_error *reterr);

/*
 * ct_view_histogram: returns how a column of numbers is distributed over the rows that meet the request's terms. Each
 * power of two is divided into `nr_parts` equal buckets (1 to 32). Columns: from, until (one more than the last number
 * of the bucket), nr_rows, and the least and the greatest number in the bucket. Numbers below 0 count as 0; empty
 * buckets are left out.
 */
enum ct_status ct_view_histogram(struct ct_view *view, const struct ct_view_request *request,
	uint32_t column, uint32_t nr_parts, const struct ct_view_rows **ret_rows,
	struct ct_error *reterr);

/*
 * ct_view_percentiles: returns percentiles of a column over the rows that meet the request's terms, by the definition
 * of all reports: the smallest number that `share` of all numbers do not exceed, at most 1/32 too high. Numbers below 0
 * count as 0. `ret_count` (may be NULL): how many numbers there were.
 */
enum ct_status ct_view_percentiles(struct ct_view *view, const struct ct_view_request *request,
	uint32_t column, const double *shares, uint32_t nr_shares, int64_t *ret_numbers,
	uint64_t *ret_count, struct ct_error *reterr);

/*
 * ct_view_pack: returns rows as one piece of bytes, in the form of docs/spec/view.md; free it by free(). The texts of
 * cells that are words are included. NULL: out of memory.
 */
uint8_t *ct_view_pack(
	const struct ct_view *view, const struct ct_view_rows *rows, size_t *ret_nr_bytes);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
