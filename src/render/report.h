/* SPDX-License-Identifier: MIT */
/*
 * The forms of a report, as render_report calls them: options are complete here, with defaults put
 * in. Failures show in the text's status.
 */
#ifndef RENDER_REPORT_H
#define RENDER_REPORT_H

#include "corotracer/ct.h"
#include "base/text.h"

/* A text that is passed on holds about as much. */
#define REPORT_PIECE_BYTES 65536u

void render_report_text(
	struct text *text, const struct ct_report *report, const struct ct_report_options *options);
/* render_report_why: the explanation of one coroutine alone. */
void render_report_why(
	struct text *text, const struct ct_report *report, const struct ct_report_options *options);
/* render_report_dot: the await graph around it, for Graphviz. */
void render_report_dot(struct text *text, const struct ct_report *report);
void render_report_markdown(
	struct text *text, const struct ct_report *report, const struct ct_report_options *options);
void render_report_html(
	struct text *text, const struct ct_report *report, const struct ct_report_options *options);
void render_report_json(struct text *text, const struct ct_report *report);

/*
 * render_statistics_text, render_statistics_markdown: where the time went alone.
 */
void render_statistics_text(
	struct text *text, const struct ct_report *report, const struct ct_report_options *options);
void render_statistics_markdown(
	struct text *text, const struct ct_report *report, const struct ct_report_options *options);

#endif
