/* SPDX-License-Identifier: MIT */
/*
 * A view of each trace agrees with the report: rows of events, states, coroutines and waits add up to the report's
 * numbers, pages are parts of the whole, lanes cover what their coroutine did, and packed rows equal the rows. All
 * traces together fill each column, except those of empty_columns.def.
 *
 * The arguments are files of tests/cases; the trace in each of them lies between "--- trace" and the next "---".
 */
#include <unistd.h>

#include "check.h"
#include "corotracer/ct.h"

static const char *path_at_hand;

#define SAME(one, other)                                                                           \
	do {                                                                                       \
		long long same_a = (long long)(one), same_b = (long long)(other);                  \
		check_count++;                                                                     \
		if (same_a != same_b) {                                                            \
			check_failures++;                                                          \
			fprintf(stderr, "%s:%d: %s: %s is %lld, %s is %lld\n", __FILE__, __LINE__, \
				path_at_hand, #one, same_a, #other, same_b);                       \
		}                                                                                  \
	} while (0)

/* ---------------------------------------------------------------- asking */

static const struct ct_view_rows *select_rows(struct ct_view *view, struct ct_view_request request)
{
	const struct ct_view_rows *rows = NULL;
	struct ct_error error;

	request.size = sizeof(request);
	CHECK_EQUAL(ct_view_select(view, &request, &rows, &error), CT_OK);
	return rows;
}

static const struct ct_view_rows *all_rows(struct ct_view *view, enum ct_view_table table)
{
	return select_rows(view, (struct ct_view_request){.table = table});
}

static uint64_t count_rows(struct ct_view *view, enum ct_view_table table)
{
	const struct ct_view_rows *rows = all_rows(view, table);
	uint64_t count = rows->nr_rows;

	SAME(rows->nr_matched, count);
	ct_view_rows_free(rows);
	return count;
}

/* ---------------------------------------------------------------- what adds up */

static void check_counts(struct ct_view *view, const struct ct_report *report)
{
	SAME(count_rows(view, CT_VIEW_EVENTS), report->quality.nr_events);
	SAME(count_rows(view, CT_VIEW_COROUTINES),
		report->quality.nr_coros + report->quality.nr_of_runtime);
	SAME(count_rows(view, CT_VIEW_FINDINGS), report->nr_findings);
	SAME(count_rows(view, CT_VIEW_PLACES), report->statistics.nr_places);
	SAME(count_rows(view, CT_VIEW_SPANS), report->nr_spans);
	SAME(count_rows(view, CT_VIEW_THREADS) + 1, ct_view_tables(view)->nr_threads);
	SAME(count_rows(view, CT_VIEW_TRACE), 1);
	SAME(count_rows(view, CT_VIEW_WAITS) + count_rows(view, CT_VIEW_RUNS) +
				count_rows(view, CT_VIEW_DELAYS) <=
			count_rows(view, CT_VIEW_STATES),
		1);
}

static void check_times(struct ct_view *view, const struct ct_report *report)
{
	const struct ct_view_rows *rows = all_rows(view, CT_VIEW_STATES);
	int64_t sums[CT_STATE_DONE] = {0}, coros[CT_STATE_DONE] = {0};
	const struct ct_times *total = &report->statistics.total;
	uint64_t i;

	for (i = 0; i < rows->nr_rows; i++)
		sums[rows->columns[CT_VIEW_STATES_STATE][i]] +=
			rows->columns[CT_VIEW_STATES_DURATION][i];
	ct_view_rows_free(rows);
	rows = all_rows(view, CT_VIEW_COROUTINES);
	for (i = 0; i < rows->nr_rows; i++) {
		if (rows->columns[CT_VIEW_COROUTINES_MARK][i] == CTP_MARK_RUNTIME)
			continue;
		coros[CT_STATE_UNSEEN] += rows->columns[CT_VIEW_COROUTINES_UNSEEN][i];
		coros[CT_STATE_READY] += rows->columns[CT_VIEW_COROUTINES_READY][i];
		coros[CT_STATE_RUNNING] += rows->columns[CT_VIEW_COROUTINES_RUNNING][i];
		coros[CT_STATE_WAITING] += rows->columns[CT_VIEW_COROUTINES_WAITING][i];
		coros[CT_STATE_SYSCALL] += rows->columns[CT_VIEW_COROUTINES_SYSCALL][i];
	}
	ct_view_rows_free(rows);
	SAME(coros[CT_STATE_UNSEEN], total->unseen_ns);
	SAME(coros[CT_STATE_READY], total->ready_ns);
	SAME(coros[CT_STATE_RUNNING], total->running_ns);
	SAME(coros[CT_STATE_WAITING], total->waiting_ns);
	SAME(coros[CT_STATE_SYSCALL], total->syscall_ns);
	/* States of the runtime's own are told, too. */
	if (report->quality.nr_of_runtime)
		return;
	SAME(sums[CT_STATE_UNSEEN], total->unseen_ns);
	SAME(sums[CT_STATE_READY], total->ready_ns);
	SAME(sums[CT_STATE_RUNNING], total->running_ns);
	SAME(sums[CT_STATE_WAITING], total->waiting_ns);
	SAME(sums[CT_STATE_SYSCALL], total->syscall_ns);
}

/* One definition of percentiles: those of rows are those of the report. */
static void check_percentiles(struct ct_view *view, const struct ct_place *place)
{
	struct ct_view_term terms[] = {{.column = CT_VIEW_STATES_SITE, .number = place->site},
		{.column = CT_VIEW_STATES_NEXT, .text = "running"},
		{.column = CT_VIEW_STATES_IS_OPEN, .number = 0}};
	struct ct_view_request request = {
		.size = sizeof(request), .table = CT_VIEW_DELAYS, .terms = terms, .nr_terms = 3};
	const double shares[] = {0.5, 0.99, 1};
	int64_t numbers[3];
	uint64_t count = 0;

	CHECK_EQUAL(ct_view_percentiles(view, &request, CT_VIEW_STATES_DURATION, shares, 3, numbers,
			    &count, NULL),
		CT_OK);
	SAME(count, place->delays.count);
	SAME(numbers[0], place->delays.p50_ns);
	SAME(numbers[1], place->delays.p99_ns);
	SAME(numbers[2], place->delays.max_ns);
	request.table = CT_VIEW_WAITS;
	terms[1] = (struct ct_view_term){
		.column = CT_VIEW_STATES_NEXT, .compare = CT_VIEW_UNEQUAL, .text = "destroyed"};
	CHECK_EQUAL(ct_view_percentiles(view, &request, CT_VIEW_STATES_DURATION, shares, 3, numbers,
			    &count, NULL),
		CT_OK);
	SAME(count, place->waits.count);
	SAME(numbers[1], place->waits.p99_ns);
	SAME(numbers[2], place->waits.max_ns);
}

/* ---------------------------------------------------------------- pages */

static void check_pages(struct ct_view *view)
{
	const struct ct_view_request sorted = {.table = CT_VIEW_STATES,
		.is_sorted = true,
		.is_descending = true,
		.order = CT_VIEW_STATES_DURATION};
	const struct ct_view_rows *whole = select_rows(view, sorted), *page;
	struct ct_view_request request = sorted;
	uint64_t i, k;

	for (i = 1; i < whole->nr_rows; i++)
		SAME(whole->columns[CT_VIEW_STATES_DURATION][i - 1] >=
				whole->columns[CT_VIEW_STATES_DURATION][i],
			1);
	request.limit = 3;
	for (i = 0; i < whole->nr_rows; i += 3) {
		request.offset = i;
		page = select_rows(view, request);
		SAME(page->nr_matched, whole->nr_rows);
		SAME(page->nr_rows, whole->nr_rows - i < 3 ? whole->nr_rows - i : 3);
		for (k = 0; k < page->nr_rows; k++)
			SAME(page->columns[CT_VIEW_STATES_COROUTINE][k],
				whole->columns[CT_VIEW_STATES_COROUTINE][i + k]);
		ct_view_rows_free(page);
	}
	ct_view_rows_free(whole);
}

/* ---------------------------------------------------------------- lanes, overview, packing */

/* The calls that part its runs. */
static uint64_t nr_calls;

static int64_t lane_ns(struct ct_view *view, uint32_t process, uint64_t id, int64_t resolution_ns,
	uint64_t *ret_states)
{
	const struct ct_view_lane lane = {CT_VIEW_LANE_COROUTINE, process, id};
	const struct ct_view_lanes_request request = {.size = sizeof(request),
		.lanes = &lane,
		.nr_lanes = 1,
		.from = INT64_MIN / 2,
		.until = INT64_MAX / 2,
		.resolution_ns = resolution_ns};
	const struct ct_view_rows *rows = NULL;
	int64_t ns = 0;
	uint64_t i;

	CHECK_EQUAL(ct_view_lanes(view, &request, &rows, NULL), CT_OK);
	for (i = 0, *ret_states = nr_calls = 0; i < rows->nr_rows; i++) {
		nr_calls += rows->columns[9][i] != 0;
		ns += rows->columns[2][i] - rows->columns[1][i];
		*ret_states += (uint64_t)rows->columns[6][i];
	}
	ct_view_rows_free(rows);
	return ns;
}

/* Sums over all time, by coroutine and by place, are those of all waits. */
static void check_sums(struct ct_view *view)
{
	const struct ct_view_rows *waits = all_rows(view, CT_VIEW_WAITS), *rows = NULL;
	struct ct_view_sums_request request = {
		.size = sizeof(request), .from = INT64_MIN / 2, .until = INT64_MAX / 2};
	int64_t waited_ns = 0;
	uint64_t i;
	int k;

	for (i = 0; i < waits->nr_rows; i++) {
		int64_t ns = waits->columns[CT_VIEW_STATES_UNTIL][i] -
			     waits->columns[CT_VIEW_STATES_FROM][i];

		waited_ns += ns > 0 ? ns : 0;
	}
	for (k = 0; k < 2; k++) {
		int64_t ns = 0, nr_waits = 0;

		request.is_by_site = k == 1;
		CHECK_EQUAL(ct_view_sums(view, &request, &rows, NULL), CT_OK);
		for (i = 0; i < rows->nr_rows; i++) {
			ns += rows->columns[5][i];
			nr_waits += rows->columns[6][i];
		}
		SAME(ns, waited_ns);
		SAME(nr_waits, waits->nr_rows);
		ct_view_rows_free(rows);
	}
	ct_view_rows_free(waits);
}

/* An object's lane shows each hold of it. */
static void check_object_lanes(struct ct_view *view)
{
	const struct ct_view_rows *holds = all_rows(view, CT_VIEW_HOLDS), *rows = NULL;
	uint64_t i, k;

	for (i = 0; i < holds->nr_rows && i < 5; i++) {
		const struct ct_view_lane lane = {CT_VIEW_LANE_OBJECT,
			(uint32_t)holds->columns[CT_VIEW_HOLDS_PROCESS][i],
			(uint64_t)holds->columns[CT_VIEW_HOLDS_OBJECT][i]};
		const struct ct_view_lanes_request request = {.size = sizeof(request),
			.lanes = &lane,
			.nr_lanes = 1,
			.from = INT64_MIN / 2,
			.until = INT64_MAX / 2};
		int64_t ns = 0, held_ns = holds->columns[CT_VIEW_HOLDS_DURATION][i];

		CHECK_EQUAL(ct_view_lanes(view, &request, &rows, NULL), CT_OK);
		for (k = 0; k < rows->nr_rows; k++)
			if (rows->columns[4][k] == holds->columns[CT_VIEW_HOLDS_COROUTINE][i])
				ns += rows->columns[2][k] - rows->columns[1][k];
		CHECK(ns >= held_ns);
		ct_view_rows_free(rows);
	}
	ct_view_rows_free(holds);
}

static void check_lanes(struct ct_view *view)
{
	const struct ct_view_rows *coros = all_rows(view, CT_VIEW_COROUTINES), *rows;
	uint64_t i, k, fine, coarse;

	for (i = 0; i < coros->nr_rows && i < 5; i++) {
		uint32_t process = (uint32_t)coros->columns[CT_VIEW_COROUTINES_PROCESS][i];
		uint64_t id = (uint64_t)coros->columns[CT_VIEW_COROUTINES_COROUTINE][i];
		const struct ct_view_term terms[] = {
			{.column = CT_VIEW_STATES_PROCESS, .number = process},
			{.column = CT_VIEW_STATES_COROUTINE, .number = (int64_t)id}};
		int64_t ns = 0, lane = lane_ns(view, process, id, 0, &fine);

		rows = select_rows(
			view, (struct ct_view_request){
				      .table = CT_VIEW_STATES, .terms = terms, .nr_terms = 2});
		for (k = 0; k < rows->nr_rows; k++)
			ns += rows->columns[CT_VIEW_STATES_UNTIL][k] -
			      rows->columns[CT_VIEW_STATES_FROM][k];
		SAME(lane, ns);
		SAME(fine >= rows->nr_rows && fine <= rows->nr_rows + 2 * nr_calls, 1);
		lane_ns(view, process, id, 1000000000, &coarse);
		SAME(coarse, fine);
		ct_view_rows_free(rows);
	}
	ct_view_rows_free(coros);
}

/* The longest delay of a step is the longest that ended in it; none is less than nothing, whatever clocks did. */
static void check_delays(struct ct_view *view, ct_time from, ct_time until)
{
	const struct ct_view_term terms[] = {{.column = CT_VIEW_STATES_IS_OPEN, .number = 0},
		{.column = CT_VIEW_STATES_UNTIL, .compare = CT_VIEW_AT_LEAST, .number = from},
		{.column = CT_VIEW_STATES_UNTIL, .compare = CT_VIEW_LESS, .number = until}};
	const struct ct_view_rows *rows = select_rows(view,
		(struct ct_view_request){.table = CT_VIEW_DELAYS, .terms = terms, .nr_terms = 3});
	int64_t longest = 0;
	uint64_t i;

	for (i = 0; i < rows->nr_rows; i++)
		if (rows->columns[CT_VIEW_STATES_DURATION][i] > longest)
			longest = rows->columns[CT_VIEW_STATES_DURATION][i];
	ct_view_rows_free(rows);
	CHECK_EQUAL(ct_view_overview(view, from, until, 1, &rows, NULL), CT_OK);
	SAME(rows->columns[10][0], longest);
	SAME(rows->columns[9][0] >= 0 && rows->columns[9][0] <= longest, 1);
	ct_view_rows_free(rows);
}

/* What goes on in the last step fills it, though of its process nothing was seen at last. */
static void check_last_step(struct ct_view *view, const struct ct_view_rows *rows, ct_time until)
{
	ct_time begin = rows->columns[0][rows->nr_rows - 1];
	const struct ct_view_term terms[] = {
		{.column = CT_VIEW_STATES_STATE, .number = CT_STATE_WAITING},
		{.column = CT_VIEW_STATES_IS_OPEN, .number = 1},
		{.column = CT_VIEW_STATES_FROM, .compare = CT_VIEW_LESS, .number = begin},
		{.column = CT_VIEW_STATES_UNTIL, .compare = CT_VIEW_MORE, .number = begin}};
	const struct ct_view_rows *open = select_rows(view,
		(struct ct_view_request){.table = CT_VIEW_STATES, .terms = terms, .nr_terms = 4});

	SAME(rows->columns[4][rows->nr_rows - 1] >= (int64_t)open->nr_rows * (until - begin), 1);
	ct_view_rows_free(open);
}

static void check_overview(struct ct_view *view, const struct ct_report *report)
{
	const struct ct_view_rows *rows = NULL;
	ct_time from = report->quality.observed_from, until = report->quality.observed_until;
	int64_t waiting = 0, events = 0;
	uint64_t i;

	if (from == CT_NO_TIME || until <= from)
		return;
	CHECK_EQUAL(ct_view_overview(view, from, until, 7, &rows, NULL), CT_OK);
	for (i = 0; i < rows->nr_rows; i++) {
		waiting += i + 1 < rows->nr_rows ? rows->columns[4][i] : 0;
		events += rows->columns[5][i];
	}
	/* where no clock went back, and all are the program's */
	if (report->statistics.total.unseen_ns >= 0 && !report->quality.nr_of_runtime)
		SAME(waiting <= report->statistics.total.waiting_ns, 1);
	SAME(events <= (int64_t)report->quality.nr_events, 1);
	check_last_step(view, rows, until);
	ct_view_rows_free(rows);
	check_delays(view, from, until);
}

static int64_t unpack_cell(
	const uint8_t *bytes, uint32_t column, uint64_t row, enum ct_view_type type)
{
	const uint8_t *head = bytes + 32 + (size_t)column * 24;
	uint64_t cell = 0, offset;
	int64_t base;

	memcpy(&base, head + 8, 8);
	memcpy(&offset, head + 16, 8);
	memcpy(&cell, bytes + offset + row * head[1], head[1]);
	if (head[1] == 8)
		return (int64_t)cell;
	return cell ? (int64_t)((uint64_t)base + cell - 1) : ct_view_none(type);
}

/* V-8, V-9: each word once, as the view says it. */
static void check_words(struct ct_view *view, const struct ct_view_rows *rows, const uint8_t *bytes,
	size_t nr_bytes)
{
	uint32_t nr_words, i, type, length;
	uint64_t at = 32 + (uint64_t)rows->nr_columns * 24, offset;
	const uint8_t *words;
	char said[4096];
	int64_t number;

	memcpy(&nr_words, bytes + 12, 4);
	for (i = 0; i < rows->nr_columns; i++)
		at += (rows->nr_rows * bytes[32 + i * 24 + 1] + 7) / 8 * 8;
	words = bytes + at + (size_t)nr_words * 24;
	for (i = 0; i < nr_words; i++, at += 24) {
		memcpy(&number, bytes + at, 8);
		memcpy(&type, bytes + at + 8, 4);
		memcpy(&length, bytes + at + 12, 4);
		memcpy(&offset, bytes + at + 16, 8);
		CHECK(words + offset + length <= bytes + nr_bytes);
		SAME(ct_view_say(view, (enum ct_view_type)type, number, 0, said, sizeof(said)),
			length);
		CHECK(length >= sizeof(said) || memcmp(said, words + offset, length) == 0);
	}
}

/* V-1, V-2, V-3, V-4, V-5, V-6, V-7, and V-10 in that each view packs its own. */
static void check_packing(struct ct_view *view, enum ct_view_table table)
{
	const struct ct_view_rows *rows = all_rows(view, table);
	size_t nr_bytes = 0;
	uint8_t *bytes = ct_view_pack(view, rows, &nr_bytes);
	uint64_t i;
	uint32_t k;

	CHECK(bytes && memcmp(bytes, "CTVIEW1", 8) == 0);
	check_words(view, rows, bytes, nr_bytes);
	for (k = 0; k < rows->nr_columns; k++)
		for (i = 0; i < rows->nr_rows; i++)
			SAME(unpack_cell(bytes, k, i, rows->types[k]), rows->columns[k][i]);
	free(bytes);
	ct_view_rows_free(rows);
}

/* ---------------------------------------------------------------- all of one trace */

/* ---------------------------------------------------------------- columns that something fills */

#define COLUMNS_MOST 64u

/* Some trace has a cell that holds more than nothing and zero. */
static bool is_filled[CT_VIEW_NR_TABLES][COLUMNS_MOST];

static bool holds_something(
	const struct ct_view_rows *rows, uint32_t column, enum ct_view_type type)
{
	uint64_t i;

	for (i = 0; i < rows->nr_rows; i++)
		if (rows->columns[column][i] && !ct_view_is_nothing(type, rows->columns[column][i]))
			return true;
	return false;
}

static void note_columns(struct ct_view *view, enum ct_view_table table)
{
	const struct ct_view_description *of = ct_view_describe(table);
	const struct ct_view_rows *rows = all_rows(view, table);
	uint32_t i;

	CHECK(of->nr_columns <= COLUMNS_MOST);
	for (i = 0; i < of->nr_columns; i++)
		if (!is_filled[table][i])
			is_filled[table][i] = holds_something(rows, i, of->columns[i].type);
	ct_view_rows_free(rows);
}

static bool may_be_empty(const char *table, const char *column)
{
	static const char *const names[][2] = {
#define EMPTY(table, column, reason) {table, column},
#include "empty_columns.def"
#undef EMPTY
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i][0], table) == 0 && strcmp(names[i][1], column) == 0)
			return true;
	return false;
}

static void check_columns(enum ct_view_table table)
{
	const struct ct_view_description *of = ct_view_describe(table);
	uint32_t i;

	for (i = 0; i < of->nr_columns; i++) {
		const char *name = of->columns[i].name;

		check_count++;
		if (is_filled[table][i] != may_be_empty(of->name, name))
			continue;
		check_failures++;
		fprintf(stderr, "%s.%s: %s\n", of->name, name,
			is_filled[table][i] ? "is filled: empty_columns.def need not name it"
					    : "no trace has a value of it that is not 0");
	}
}

/* ---------------------------------------------------------------- all of it */

static void check_view(struct ct_trace *trace)
{
	const struct ct_report *report = NULL;
	struct ct_view *view = NULL;
	uint32_t i;

	CHECK_EQUAL(ct_view_open(trace, NULL, &view, NULL), CT_OK);
	CHECK_EQUAL(ct_view_report(view, &report, NULL), CT_OK);
	CHECK_EQUAL(ct_report_rows(report, (enum ct_report_part)99, NULL, 0), 0);
	check_counts(view, report);
	check_times(view, report);
	for (i = 0; i < report->statistics.nr_places; i++)
		check_percentiles(view, &report->statistics.places[i]);
	check_pages(view);
	check_lanes(view);
	check_sums(view);
	check_object_lanes(view);
	check_overview(view, report);
	for (i = 0; i < CT_VIEW_NR_TABLES; i++)
		check_packing(view, (enum ct_view_table)i);
	for (i = 0; i < CT_VIEW_NR_TABLES; i++)
		note_columns(view, (enum ct_view_table)i);
	ct_view_close(view);
}

/* The trace of a case, as a file of its own. */
static void extract(const char *path, const char *to)
{
	FILE *from = fopen(path, "r"), *output = fopen(to, "w");
	char line[4096];
	int is_inside = 0;

	CHECK(from && output);
	while (from && output && fgets(line, sizeof(line), from)) {
		if (strncmp(line, "---", 3) == 0)
			is_inside = strncmp(line, "--- trace", 9) == 0;
		else if (is_inside)
			fputs(line, output);
	}
	if (from)
		fclose(from);
	if (output)
		fclose(output);
}

int main(int count, char **arguments)
{
	struct ct_open_options options = {.size = sizeof(options), .no_symbols = true};
	char path[] = "/tmp/test_view.XXXXXX";
	struct ct_trace *trace;
	enum ct_view_table table;
	int i, file = mkstemp(path);

	CHECK(file >= 0);
	for (i = 1; i < count; i++) {
		path_at_hand = arguments[i];
		extract(arguments[i], path);
		if (ct_trace_open(path, &options, &trace, NULL) != CT_OK)
			continue;
		check_view(trace);
		ct_trace_close(trace);
	}
	for (table = 0; table < CT_VIEW_NR_TABLES; table++)
		check_columns(table);
	close(file);
	unlink(path);
	return check_result();
}
