/* SPDX-License-Identifier: MIT */
/*
 * Prints a report: as text for a terminal, as Markdown for a pull request, as an HTML page that needs no other file, or
 * as JSON for programs (docs/spec/report-json.md).
 *
 * Text, Markdown and HTML are bounded whatever the report holds: lists end in "... and N more". JSON holds everything.
 * All words from a trace are escaped before they reach a terminal or a page (say/safe.h). Rendering reads the report
 * and its tables, changes neither, and keeps no state; it may run on several threads at once.
 */
#ifndef RENDER_RENDER_H
#define RENDER_RENDER_H

#include "corotracer/ct.h"
#include "base/text.h"

/*
 * render_report: appends the report to `text`. If the text has a drain, pieces are passed on between findings and
 * between rows; the caller passes on the last piece. NULL options: the defaults. CT_ERR_NO_MEMORY: out of memory.
 * CT_ERR_USAGE: the format is unknown. After an error the text must not be used.
 */
enum ct_status render_report(const struct ct_report *report,
	const struct ct_report_options *options, struct text *text, struct ct_error *reterr);

/*
 * render_json_shorter: appends the report as JSON, with at most `max_members` members of each finding; `coroutines` is
 * their full number.
 */
void render_json_shorter(struct text *text, const struct ct_report *report, uint32_t max_members);

/*
 * render_why_json: appends an object about one coroutine with the keys `why` and `awaits`, the same as in the whole
 * report.
 */
void render_why_json(struct text *text, const struct ct_report *report);

/*
 * render_finding_json: appends an object about one finding: `facts`, the rows that text, Markdown and HTML print of it,
 * each a label and a value; and `events`, the last events of as many members as these print, with the table's `rows`.
 */
void render_finding_json(
	struct text *text, const struct ct_report *report, const struct ct_finding *finding);

#endif
