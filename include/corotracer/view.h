/* SPDX-License-Identifier: MIT */
/*
 * A view: what a screen, a query or an assertion asks of a trace. A part of ct.h.
 *
 * A view is made of a trace, and does not change: tables of rows (view.def), from which rows are selected, sorted and
 * handed out by page, as columns of 64-bit numbers. While a trace grows, or a process runs, views of it are made one
 * after the other. Once it is open, any number of threads may ask a view at once.
 *
 * A view is filled when it is asked: its events and states with one reading of the trace, which then lie in memory in
 * some 15 bytes an event; findings and statistics with the judgement that `corotracer report` shows.
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

/* ------------------------------------------------------------------ what there is */

/* A number that no cell holds: of a type whose cells always hold something. */
#define CT_VIEW_NOTHING (INT64_MIN + 1)

/* The tables' macros: who includes this has its own back behind them. */
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
#define TABLE(NAME, half, name, meaning) CT_VIEW_##NAME,
#define COLUMN(TABLE, NAME, name, type, meaning, value)
#define END(TABLE)
#define PART(NAME, OF, column, value, name, meaning) CT_VIEW_##NAME,
#include "corotracer/def/view.def"
	CT_VIEW_NR_TABLES,
};

/* The columns of each table: CT_VIEW_EVENTS_TIME, ...; CT_VIEW_NR_EVENTS: how many it has. */
#define TABLE(NAME, half, name, meaning) \
	enum ct_view_columns_##NAME      \
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
 * ct_view_describe: one table; lives as long as the library; of what is no table, one without columns.
 * ct_view_find_table: by its name; CT_VIEW_NR_TABLES: there is none.
 */
const struct ct_view_description *ct_view_describe(enum ct_view_table table);
enum ct_view_table ct_view_find_table(const char *name);

/* ct_view_find_column: by its name; the table's nr_columns: it has none of this name. */
uint32_t ct_view_find_column(enum ct_view_table table, const char *name);

/*
 * ct_view_none: the number of a cell of this type that holds nothing; CT_VIEW_NOTHING: each holds something.
 * ct_view_is_nothing: does a cell with this number hold nothing? ct_view_type_name: a type's name.
 */
int64_t ct_view_none(enum ct_view_type type);
bool ct_view_is_nothing(enum ct_view_type type, int64_t number);
const char *ct_view_type_name(enum ct_view_type type);

/* ----------------------------------------------------------------------- opening */

struct ct_view_options {
	size_t size;
	const struct ct_thresholds
		*thresholds; /* of the findings; lent until ct_view_close; NULL: all defaults */
};

/*
 * ct_view_open: a view of a trace that can be read again from its first event. The trace is the view's to read until
 * ct_view_close, which leaves it to the caller. Nothing is read yet: each function below that fails with what reading
 * failed with does so.
 */
enum ct_status ct_view_open(struct ct_trace *trace, const struct ct_view_options *options,
	struct ct_view **ret_view, struct ct_error *reterr);

/* ct_view_close: NULL is allowed. */
void ct_view_close(struct ct_view *view);

/*
 * ct_view_nr_without_room: events of coroutines that its rows lack, as there was no memory for them (ct_open_options);
 * known once rows of coroutines or states were asked for.
 */
uint64_t ct_view_nr_without_room(const struct ct_view *view);

/* ct_view_report: what `corotracer report` says of the trace; the view's. */
enum ct_status ct_view_report(
	struct ct_view *view, const struct ct_report **ret_report, struct ct_error *reterr);

/*
 * ct_view_why: a report with the explanation of one coroutine, as `corotracer why` gives it; the trace is read for each
 * one. `process`: a row of processes. Freed by ct_report_free before the view is closed. CT_ERR_USAGE: there is no such
 * process.
 */
enum ct_status ct_view_why(struct ct_view *view, uint32_t process, uint64_t coro,
	const struct ct_report **ret_report, struct ct_error *reterr);

/* ct_view_tables: the tables that the trace's events refer to; as ct_trace_tables. */
const struct ct_tables *ct_view_tables(const struct ct_view *view);

/* ----------------------------------------------------------------------- asking */

#define CT_VIEW_STARS_MOST 8u /* in a pattern: each makes matching longer */

enum ct_view_compare {
	CT_VIEW_EQUAL,
	CT_VIEW_UNEQUAL,
	CT_VIEW_LESS,
	CT_VIEW_AT_MOST,
	CT_VIEW_MORE,
	CT_VIEW_AT_LEAST,
	/* The cell in words (ct_view_say) matches a pattern of fnmatch(3), in capitals or not: CT_VIEW_STARS_MOST. */
	CT_VIEW_MATCHES,
	CT_VIEW_NR_COMPARES,
};

/* A condition on one column. A cell that holds nothing meets no condition but EQUAL to nothing, and UNEQUAL. */
struct ct_view_term {
	uint32_t column;
	enum ct_view_compare compare;
	int64_t number; /* of all but MATCHES */
	const char *
		text; /* instead of the number, of columns whose cells are words: ct_view_parse; NULL: none */
};

struct ct_view_request {
	size_t size;
	enum ct_view_table table;
	const uint32_t *columns; /* that are wanted, in this order; NULL: all */
	uint32_t nr_columns;
	const struct ct_view_term *terms; /* rows must meet all of them */
	uint32_t nr_terms;
	bool is_sorted; /* by the column `order`; else rows come as they stand in the table */
	bool is_descending;
	uint32_t order;
	uint64_t offset; /* rows left out before the first one */
	uint64_t limit;  /* rows at most; 0: all */
};

/* Rows, column by column. */
struct ct_view_rows {
	uint64_t nr_rows;
	uint64_t nr_matched; /* rows that meet the terms, those of other pages among them */
	uint32_t nr_columns;
	const enum ct_view_type *types; /* of each column */
	const int64_t *const *columns;
	const uint64_t
		*numbers; /* of a scan: the place of each row in its table, from 0; else NULL */
};

/*
 * ct_view_select: the rows of one page. Where it is sorted, rows that are equal come as they stand in the table, and
 * cells that hold nothing last. CT_ERR_USAGE: there is no such table or column, or a text is no value of its column.
 * ct_view_rows_free: gives the rows back; NULL is allowed.
 */
enum ct_status ct_view_select(struct ct_view *view, const struct ct_view_request *request,
	const struct ct_view_rows **ret_rows, struct ct_error *reterr);
void ct_view_rows_free(const struct ct_view_rows *rows);

/*
 * ct_view_scan_open: a scan, which hands out all rows that a request asks for, some at a time, and unsorted: `order`,
 * `offset` and `limit` are not looked at. A scan is used by one thread, and closed before its view.
 * ct_view_scan_next: CT_OK and rows, valid until the next call, 1,024 at most; CT_END behind the last ones.
 * ct_view_scan_close: NULL is allowed.
 */
struct ct_view_scan;

enum ct_status ct_view_scan_open(struct ct_view *view, const struct ct_view_request *request,
	struct ct_view_scan **ret_scan, struct ct_error *reterr);
enum ct_status ct_view_scan_next(
	struct ct_view_scan *scan, const struct ct_view_rows **ret_rows, struct ct_error *reterr);
void ct_view_scan_close(struct ct_view_scan *scan);

/*
 * ct_view_say: one cell in words, "" where it holds nothing: "waiting", "lock 0x7f00", the place of a site, the name of
 * a process or a thread; a number in digits. Returns the length that it would have had; cut off at nr_bytes, always
 * NUL-terminated. An event's object and argument are said by `kind`, that of its row; it is not looked at otherwise.
 */
size_t ct_view_say(const struct ct_view *view, enum ct_view_type type, int64_t number,
	unsigned kind, char *buffer, size_t nr_bytes);

/*
 * ct_view_parse: the number of a cell of this column that says so: of states, kinds, outcomes, marks and texts; for
 * other types, a number in digits. False: no cell does. ct_view_text: the text of a cell of the type TEXT, as it came
 * from the program; "" for 0 and what is out of range.
 */
bool ct_view_parse(struct ct_view *view, enum ct_view_table table, uint32_t column,
	const char *text, int64_t *ret_number);
const char *ct_view_text(const struct ct_view *view, int64_t number);

/* ------------------------------------------------------------------- screens' questions */

/*
 * ct_view_lanes: the states of coroutines, or what threads ran, between two times, at a resolution: what is shorter
 * becomes one slice together with its neighbours. A row for each slice, by lane and time:
 * columns lane (its place among those asked for), from_ns, until_ns, state (of the longest state in it), coroutine,
 * site, nr_states (how many states it stands for), and resource (waiting: which of resources.def it waits for, by
 * number). CT_ERR_USAGE: the answer would have more slices than `slices_max`.
 */
enum ct_view_lane_kind {
	CT_VIEW_LANE_COROUTINE,
	CT_VIEW_LANE_THREAD,
};

struct ct_view_lane {
	enum ct_view_lane_kind kind;
	uint32_t process; /* of a coroutine */
	uint64_t id;      /* of a coroutine; or a row of threads */
};

struct ct_view_lanes_request {
	size_t size;
	const struct ct_view_lane *lanes;
	uint32_t nr_lanes;
	ct_time from;
	ct_time until;
	int64_t resolution_ns; /* 0: each state is a slice */
	uint64_t slices_max;   /* of the whole answer; 0: any number */
};

enum ct_status ct_view_lanes(struct ct_view *view, const struct ct_view_lanes_request *request,
	const struct ct_view_rows **ret_rows, struct ct_error *reterr);

/*
 * ct_view_overview: what went on between two times, in so many equal steps of time, 1 to 65,536; a row for each.
 * Columns: from_ns, then in coroutine-nanoseconds unseen_ns, ready_ns, running_ns and waiting_ns, nr_events, nr_wakes,
 * nr_lost, delay_p50_ns, delay_p99_ns and delay_max_ns of the delays that ended in it, where what is less than 0 counts
 * as 0, and nr_uncounted: delays that are in none of these three, since 64 MiB for the distributions of all steps were
 * full, and syscall_ns.
 */
enum ct_status ct_view_overview(struct ct_view *view, ct_time from, ct_time until,
	uint32_t nr_steps, const struct ct_view_rows **ret_rows, struct ct_error *reterr);

/*
 * ct_view_groups: the rows that meet the request's terms, counted by what they have in its columns, 1 to 4: a row for
 * each combination, with these columns and nr_rows, the largest group first, equal ones in the order of the table;
 * `offset` and `limit` are of groups, `order` is not looked at. CT_ERR_USAGE: there are more than 1,048,576 groups,
 * too.
 */
enum ct_status ct_view_groups(struct ct_view *view, const struct ct_view_request *request,
	const struct ct_view_rows **ret_rows, struct ct_error *reterr);

/*
 * ct_view_histogram: how a column of numbers is distributed over the rows that meet the request's terms, in steps of
 * powers of two, each in `nr_parts` equal parts (1 to 32). Columns: from, until (one more than the last number that
 * counts here), nr_rows, and least and greatest of what counts here. What is less than 0 counts as 0; buckets in which
 * nothing is are left out.
 */
enum ct_status ct_view_histogram(struct ct_view *view, const struct ct_view_request *request,
	uint32_t column, uint32_t nr_parts, const struct ct_view_rows **ret_rows,
	struct ct_error *reterr);

/*
 * ct_view_percentiles: of a column over the rows that meet the request's terms, by the definition of all reports: the
 * smallest number that `share` of all do not exceed, at most 1/32 too high; what is less than 0 counts as 0.
 * `ret_count`: of how many; NULL: not asked.
 */
enum ct_status ct_view_percentiles(struct ct_view *view, const struct ct_view_request *request,
	uint32_t column, const double *shares, uint32_t nr_shares, int64_t *ret_numbers,
	uint64_t *ret_count, struct ct_error *reterr);

/*
 * ct_view_pack: rows as one piece of bytes, as docs/spec/view.md has it; to be freed by free(). Texts of the cells that
 * are words come with them. NULL: out of memory.
 */
uint8_t *ct_view_pack(
	const struct ct_view *view, const struct ct_view_rows *rows, size_t *ret_nr_bytes);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
