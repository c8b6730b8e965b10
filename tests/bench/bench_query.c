/* SPDX-License-Identifier: MIT */
/*
 * What SQL statements cost once the first one has filled the view; prints JSON on standard output.
 *
 *	bench_query TRACE
 *
 * Each statement is run several times, and all of its rows are fetched; the median is printed. Times are wall-clock
 * times.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "corotracer/ct.h"

#define TIMES 5

static const struct {
	const char *name;
	const char *sql;
} questions[] = {
	{"p99_of_place_ms", "SELECT count(*), p99(duration_ns) FROM waits WHERE place ="
			    " (SELECT place FROM places ORDER BY nr_waits DESC LIMIT 1)"},
	{"events_of_coroutine_ms", "SELECT * FROM events WHERE coroutine ="
				   " (SELECT coroutine FROM wakes ORDER BY event LIMIT 1)"},
	{"page_by_longest_wait_ms",
		"SELECT * FROM coroutines ORDER BY longest_wait_ns DESC LIMIT 100 OFFSET 100"},
	{"p99_by_place_ms", "SELECT place, count(*), p99(duration_ns) FROM waits GROUP BY site"},
	{"count_of_events_ms", "SELECT count(*) FROM events"},
	{"join_with_coroutines_ms", "SELECT count(*), max(created_ns) FROM waits JOIN coroutines "
				    "USING (coroutine, process)"},
};

#define NR_QUESTIONS (sizeof(questions) / sizeof(questions[0]))

static _Noreturn void fail(const struct ct_error *error)
{
	fprintf(stderr, "bench_query: %s\n", error->text);
	exit(1);
}

static double now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* Returns the number of rows. */
static uint64_t ask(struct ct_query *query, const char *sql)
{
	const struct ct_query_cell *cells;
	struct ct_error error;
	const char *rest;
	enum ct_status status = ct_query_ask(query, sql, &rest, &error);
	uint64_t nr_rows = 0;

	while (status == CT_OK && (status = ct_query_next(query, &cells, &error)) == CT_OK)
		nr_rows++;
	if (status != CT_END)
		fail(&error);
	return nr_rows;
}

static int compare(const void *left, const void *right)
{
	double one = *(const double *)left, other = *(const double *)right;

	return one < other ? -1 : one > other;
}

static double median_ms(struct ct_query *query, const char *sql)
{
	double times[TIMES];
	unsigned i;

	for (i = 0; i < TIMES; i++) {
		times[i] = now_ms();
		if (!ask(query, sql)) {
			fprintf(stderr, "bench_query: no rows: %s\n", sql);
			exit(1);
		}
		times[i] = now_ms() - times[i];
	}
	qsort(times, TIMES, sizeof(times[0]), compare);
	return times[TIMES / 2];
}

static void measure(struct ct_query *query)
{
	double began = now_ms();
	size_t i;

	ask(query, "SELECT (SELECT count(*) FROM coroutines), (SELECT count(*) FROM places)");
	printf("{\n  \"first_answer_ms\": %.0f", now_ms() - began);
	for (i = 0; i < NR_QUESTIONS; i++)
		printf(",\n  \"%s\": %.2f", questions[i].name, median_ms(query, questions[i].sql));
	printf("\n}\n");
}

int main(int argc, char **argv)
{
	struct ct_trace *trace;
	struct ct_query *query;
	struct ct_view *view;
	struct ct_error error;

	if (argc != 2) {
		fputs("usage: bench_query TRACE\n", stderr);
		return 2;
	}
	if (ct_trace_open(argv[1], NULL, &trace, &error) ||
		ct_view_open(trace, NULL, &view, &error) ||
		ct_query_open(view, NULL, &query, &error))
		fail(&error);
	measure(query);
	ct_query_close(query);
	ct_view_close(view);
	ct_trace_close(trace);
	return 0;
}
