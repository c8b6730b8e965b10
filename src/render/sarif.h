/* SPDX-License-Identifier: MIT */
/*
 * A report as SARIF 2.1.0 (OASIS), as code review tools and continuous integration read results: each finding a result
 * at the place to look at first, its story a code flow, what is missing of the trace a notification.
 */
#ifndef RENDER_SARIF_H
#define RENDER_SARIF_H

#include "base/json_write.h"
#include "corotracer/ct.h"

struct render_sarif {
	struct json json;
	struct text *text;
	const struct ct_report *report;
	const char *source_root; /* files below this folder are named from there; NULL: none */
};

/*
 * render_sarif_begin: all up to the findings, which are the first results. render_sarif_assertion: one more, an
 * assertion that does not hold. render_sarif_end: the rest. Failures show in the text's status.
 *
 * Each result has a file, since review tools refuse the whole log for one without: where the place has none, the line
 * that an assertion stands in, or else the program.
 */
void render_sarif_begin(struct render_sarif *sarif, struct text *text,
	const struct ct_report *report, const char *source_root);
void render_sarif_assertion(struct render_sarif *sarif, const struct ct_assertion *assertion);
void render_sarif_end(struct render_sarif *sarif);

#endif
