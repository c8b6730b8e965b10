/* SPDX-License-Identifier: MIT */
/*
 * The floor for exports: writes the same rows as raw bytes, and prints their number.
 *
 *	bench_rows events TRACE OUTPUT      each event as the struct that the library hands out
 *	bench_rows tables TRACE OUTPUT      the columns of each table of a view, as numbers of eight bytes
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corotracer/ct.h"

static _Noreturn void fail(const char *sentence)
{
	fprintf(stderr, "bench_rows: %s\n", sentence);
	exit(1);
}

static void put(FILE *output, const void *bytes, size_t nr_bytes)
{
	if (fwrite(bytes, 1, nr_bytes, output) != nr_bytes)
		fail("cannot write");
}

static uint64_t put_events(struct ct_trace *trace, FILE *output)
{
	const struct ct_event *event;
	struct ct_error error;
	enum ct_status status;
	uint64_t nr_rows = 0;

	while ((status = ct_trace_next(trace, &event, &error)) == CT_OK) {
		put(output, event, sizeof(*event));
		nr_rows++;
	}
	if (status != CT_END)
		fail(error.text);
	return nr_rows;
}

static uint64_t put_table(struct ct_view *view, enum ct_view_table table, FILE *output)
{
	const struct ct_view_request request = {.size = sizeof(request), .table = table};
	const struct ct_view_rows *rows;
	struct ct_view_scan *scan;
	struct ct_error error;
	enum ct_status status;
	uint64_t nr_rows = 0;
	uint32_t i;

	if (ct_view_scan_open(view, &request, &scan, &error))
		fail(error.text);
	while ((status = ct_view_scan_next(scan, &rows, &error)) == CT_OK) {
		for (i = 0; i < rows->nr_columns; i++)
			put(output, rows->columns[i], rows->nr_rows * sizeof(int64_t));
		nr_rows += rows->nr_rows;
	}
	ct_view_scan_close(scan);
	if (status != CT_END)
		fail(error.text);
	return nr_rows;
}

/* The parts of states are not separate tables in an export. */
static uint64_t put_tables(struct ct_trace *trace, FILE *output)
{
	struct ct_view *view;
	struct ct_error error;
	enum ct_view_table table;
	uint64_t nr_rows = 0;

	if (ct_view_open(trace, NULL, &view, &error))
		fail(error.text);
	for (table = 0; table < CT_VIEW_NR_TABLES; table++)
		if (table != CT_VIEW_WAITS && table != CT_VIEW_RUNS && table != CT_VIEW_DELAYS)
			nr_rows += put_table(view, table, output);
	ct_view_close(view);
	return nr_rows;
}

int main(int argc, char **argv)
{
	struct ct_trace *trace;
	struct ct_error error;
	FILE *output;
	bool is_events = argc == 4 && strcmp(argv[1], "events") == 0;

	if (argc != 4 || (!is_events && strcmp(argv[1], "tables") != 0)) {
		fputs("usage: bench_rows events|tables TRACE OUTPUT\n", stderr);
		return 2;
	}
	if (ct_trace_open(argv[2], NULL, &trace, &error))
		fail(error.text);
	output = fopen(argv[3], "wb");
	if (!output)
		fail("cannot open the output");
	printf("%" PRIu64 "\n", is_events ? put_events(trace, output) : put_tables(trace, output));
	if (fclose(output))
		fail("cannot write");
	ct_trace_close(trace);
	return 0;
}
