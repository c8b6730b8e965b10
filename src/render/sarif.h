/* SPDX-License-Identifier: MIT */
/*
 * A report as SARIF 2.1.0 (OASIS), which code review tools and continuous integration read: each finding is a result at
 * the place to look at first, its story is a code flow, and missing parts of the trace are notifications.
 */
#ifndef RENDER_SARIF_H
#define RENDER_SARIF_H

#include "base/json_write.h"
#include "corotracer/ct.h"

struct render_sarif {
	struct json json;
	struct text *text;
	const struct ct_report *report; /* of the run that is being written */
	/* paths are relative to this folder if they lie below it; NULL: no such folder */
	const char *source_root;
};

/*
 * render_sarif_begin: begins a log. render_sarif_run: begins a run of it, with the findings of a report, which are the
 * first results; `name` tells the run from the others of the log, NULL: there are none. render_sarif_assertion: one
 * more result of the run, for an assertion that does not hold. render_sarif_run_end: ends the run. render_sarif_end:
 * ends the log. Failures are recorded in the status of the text.
 *
 * Each result names a file, because review tools refuse the whole log if one result has none. If the place of a finding
 * has no file, the result names the line of the assertion, or else the program.
 */
void render_sarif_begin(struct render_sarif *sarif, struct text *text, const char *source_root);
void render_sarif_run(struct render_sarif *sarif, const struct ct_report *report, const char *name);
void render_sarif_assertion(struct render_sarif *sarif, const struct ct_assertion *assertion);
void render_sarif_run_end(struct render_sarif *sarif);
void render_sarif_end(struct render_sarif *sarif);

#endif
