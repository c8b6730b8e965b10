/* SPDX-License-Identifier: MIT */
/*
 * A report must not depend on the records that the model released while it read: compares the report of a model that
 * keeps everything with that of a model that releases what it can at each event, byte by byte.
 */
#ifndef TESTS_SPARING_H
#define TESTS_SPARING_H

#include <stdio.h>
#include <string.h>

#include "render/render.h"
#include "rules/rules.h"

static inline bool sparing_say(struct ct_source *source, const struct ct_analyze_options *options,
	uint32_t nr_ended, struct text *said)
{
	const struct analyze_terms terms = {.rules = &rules_all, .nr_ended = nr_ended};
	const struct ct_report_options json = {.size = sizeof(json), .format = CT_REPORT_JSON};
	const struct ct_report *report;
	bool is_said;

	if (analyze_source(source, options, &terms, &report, NULL) != CT_OK)
		return false;
	is_said = render_report(report, &json, said, NULL) == CT_OK;
	analyze_report_free(report);
	return is_said;
}

/* Prints the first line that differs, from both. */
static inline void sparing_tell(const char *all, const char *sparing)
{
	size_t line = 0, at;

	for (at = 0; all[at] && all[at] == sparing[at]; at++)
		if (all[at] == '\n')
			line = at + 1;
	fprintf(stderr, "with everything kept: %.*s\nand with what can be given back: %.*s\n",
		(int)strcspn(all + line, "\n"), all + line, (int)strcspn(sparing + line, "\n"),
		sparing + line);
}

/* sparing_check: false if the two differ; the first difference is printed on standard error. */
static inline bool sparing_check(struct ct_source *source, const struct ct_analyze_options *options)
{
	struct text all = {0}, sparing = {0};
	bool is_same = sparing_say(source, options, UINT32_MAX, &all) &&
		       sparing_say(source, options, 0, &sparing) &&
		       strcmp(text_peek(&all), text_peek(&sparing)) == 0;

	if (!is_same)
		sparing_tell(text_peek(&all), text_peek(&sparing));
	text_fini(&all);
	text_fini(&sparing);
	return is_same;
}

#endif
