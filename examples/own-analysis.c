/* SPDX-License-Identifier: MIT */
/*
 * An analysis of one's own: how often coroutines suspended at each place, and what the detectors find.
 *	cc own-analysis.c $(pkg-config --cflags --libs corotracer) -o own-analysis && ./own-analysis run.ctrace
 */
#include <corotracer/ct.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	struct ct_trace *trace = NULL;
	const struct ct_event *event;
	const struct ct_tables *tables;
	const struct ct_report *report;
	struct ct_error error = {.text = "usage: own-analysis TRACE"};
	enum ct_status status;
	uint64_t *nr_suspends;

	if (argc != 2 || ct_trace_open(argv[1], NULL, &trace, &error))
		return fprintf(stderr, "%s\n", error.text), 1;
	tables = ct_trace_tables(trace);
	nr_suspends = calloc(tables->nr_sites, sizeof(*nr_suspends));
	while (nr_suspends && (status = ct_trace_next(trace, &event, &error)) == CT_OK)
		nr_suspends[event->site] += event->kind == CTP_KIND_SUSPEND;
	if (!nr_suspends || status != CT_END || ct_analyze(trace, NULL, &report, &error))
		return fprintf(stderr, "%s\n", error.text), 1;
	for (uint32_t i = 1; i < tables->nr_sites; i++)
		if (nr_suspends[i])
			printf("%" PRIu64 " suspends at %s:%u\n", nr_suspends[i],
				tables->sites[i].file, tables->sites[i].line);
	for (uint32_t i = 0; i < report->nr_findings; i++)
		printf("%s, %s: %s\n", ct_rule_name(report->findings[i].rule),
			ct_grade_name(report->findings[i].grade), report->findings[i].title);
	free(nr_suspends);
	ct_report_free(report);
	ct_trace_close(trace);
	return 0;
}
