/* SPDX-License-Identifier: MIT */
/*
 * An analysis of one's own: the places where coroutines wait longest, who waits there now, and what the detectors find.
 *	cc own-analysis.c $(pkg-config --cflags --libs corotracer) -o own-analysis && ./own-analysis run.ctrace
 */
#include <corotracer/ct.h>
#include <inttypes.h>
#include <stdio.h>

/* The longest waits that go on at the end, of those at one place. */
static void print_waiting(struct ct_view *view, int64_t site)
{
	const struct ct_view_term terms[] = {{.column = CT_VIEW_STATES_SITE, .number = site},
		{.column = CT_VIEW_STATES_IS_OPEN, .number = 1}};
	const struct ct_view_request longest = {.size = sizeof(longest),
		.table = CT_VIEW_WAITS,
		.terms = terms,
		.nr_terms = 2,
		.is_sorted = true,
		.is_descending = true,
		.order = CT_VIEW_STATES_DURATION,
		.limit = 3};
	const struct ct_view_rows *rows;
	char object[64];

	if (ct_view_select(view, &longest, &rows, NULL))
		return;
	for (uint64_t i = 0; i < rows->nr_rows; i++) {
		ct_view_say(view, CT_VIEW_TYPE_HANDLE, rows->columns[CT_VIEW_STATES_OBJECT][i], 0,
			object, sizeof(object));
		printf("  coroutine %" PRId64 " waits for %s since %.3f ms\n",
			rows->columns[CT_VIEW_STATES_COROUTINE][i], object,
			(double)rows->columns[CT_VIEW_STATES_DURATION][i] / 1e6);
	}
	ct_view_rows_free(rows);
}

int main(int argc, char **argv)
{
	struct ct_error error = {.text = "usage: own-analysis TRACE"};
	struct ct_trace *trace;
	struct ct_view *view;
	const struct ct_report *report;

	if (argc != 2 || ct_trace_open(argv[1], NULL, &trace, &error) ||
		ct_view_open(trace, NULL, &view, &error) || ct_view_report(view, &report, &error))
		return fprintf(stderr, "%s\n", error.text), 1;
	for (uint32_t i = 0; i < report->statistics.nr_places; i++) {
		const struct ct_place *place = &report->statistics.places[i];
		const struct ct_site *site = &report->tables->sites[place->site];

		printf("%s:%u: %" PRIu64 " ended waits, 99 of 100 within %.3f ms; %" PRIu64
		       " go on\n",
			site->file, site->line, place->waits.count,
			(double)place->waits.p99_ns / 1e6, place->waiting.count);
		print_waiting(view, place->site);
	}
	for (uint32_t i = 0; i < report->nr_findings; i++)
		printf("%s, %s: %s\n", ct_rule_name(report->findings[i].rule),
			ct_grade_name(report->findings[i].grade), report->findings[i].title);
	ct_view_close(view);
	ct_trace_close(trace);
	return 0;
}
