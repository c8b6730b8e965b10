/* SPDX-License-Identifier: MIT */
/*
 * Prints the findings of traces as the finding screen of `corotracer top` shows them, at any width:
 *
 *	top_findings TRACE...
 *
 * Prints for each trace "== trace", the header, and the headline; for each finding "== finding", and its lines; if
 * there is none, "== nothing", and the lines that are shown instead.
 */
#include <stdio.h>

#include "corotracer/ct.h"
#include "top/draw.h"

#define LINE_BYTES 4096
#define WIDTH 100000u

/* 0: there is no finding. */
static void print_finding(struct ct_view *view, const struct ct_report *report, uint32_t number)
{
	struct top_lines lines = {.width = WIDTH, .has_unicode = true};
	uint32_t i;

	if (number)
		top_page_finding(&lines, view, report, number, false);
	else
		top_page_no_findings(&lines, view, report);
	puts(number ? "== finding" : "== nothing");
	for (i = 0; i < lines.nr_lines; i++)
		printf("%s\n", lines.at[i].text);
	top_lines_fini(&lines);
}

static void print_trace(struct top_snapshot *snapshot)
{
	char line[LINE_BYTES];
	uint32_t i;

	top_draw_summary(snapshot, line, sizeof(line));
	printf("== trace\n%s\n", line);
	ct_report_headline(snapshot->report, line, sizeof(line));
	puts(line);
	for (i = 0; i < snapshot->report->nr_findings; i++)
		print_finding(snapshot->view, snapshot->report, i + 1);
	if (!snapshot->report->nr_findings)
		print_finding(snapshot->view, snapshot->report, 0);
}

static enum ct_status tell(const char *path, struct ct_error *reterr)
{
	struct ct_open_options options = {.size = sizeof(options), .no_symbols = true};
	struct top_snapshot snapshot = {0};
	enum ct_status status = ct_trace_open(path, &options, &snapshot.trace, reterr);

	if (status)
		return status;
	status = ct_view_open(snapshot.trace, NULL, &snapshot.view, reterr);
	if (!status)
		status = ct_view_report(snapshot.view, &snapshot.report, reterr);
	if (!status)
		print_trace(&snapshot);
	ct_view_close(snapshot.view);
	ct_trace_close(snapshot.trace);
	return status;
}

int main(int count, char **arguments)
{
	struct ct_error error;
	int i;

	for (i = 1; i < count; i++)
		if (tell(arguments[i], &error))
			return fprintf(stderr, "%s: %s\n", arguments[i], error.text), 1;
	return 0;
}
