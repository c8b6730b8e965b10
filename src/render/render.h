/* SPDX-License-Identifier: MIT */
/*
 * Telling what was found: a report as text for a terminal, as Markdown for a pull request, as an HTML page
 * that needs nothing else, as JSON for programs (docs/spec/report-json.md).
 *
 * Text, Markdown and HTML are bounded whatever the report holds: lists end in "... and N more". JSON holds
 * everything. Nothing that a trace contains reaches a terminal or a page unescaped (say/safe.h). Rendering
 * reads the report and its tables, and changes and keeps nothing; it may run on several threads at once.
 */
#ifndef RENDER_RENDER_H
#define RENDER_RENDER_H

#include "corotracer/ct.h"
#include "base/text.h"

/*
 * render_report: appends the report to `text`, and passes it on between findings and rows where the text has
 * a drain (the last piece is left to the caller). NULL options are the defaults. Fails with
 * CT_ERR_NO_MEMORY, or CT_ERR_USAGE where the format is not known; the text is then of no use.
 */
enum ct_status render_report(const struct ct_report *report,
	const struct ct_report_options *options, struct text *text, struct ct_error *reterr);

/*
 * render_json_shorter: appends the report as JSON, with at most so many members of each finding; `coroutines` tells how
 * many there are.
 */
void render_json_shorter(struct text *text, const struct ct_report *report, uint32_t max_members);

/*
 * render_why_json: appends an object with what the report says of one coroutine, `why` and `awaits`, as the whole
 * report has them.
 */
void render_why_json(struct text *text, const struct ct_report *report);

#endif
