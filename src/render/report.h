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
 * render_statistics_text, render_statistics_markdown: where the time went alone. render_json_statistics: as a member.
 */
void render_statistics_text(
	struct text *text, const struct ct_report *report, const struct ct_report_options *options);
void render_statistics_markdown(
	struct text *text, const struct ct_report *report, const struct ct_report_options *options);
struct json;
/* render_json_path: a task's critical path, as a member. */
void render_json_path(struct json *json, const struct ct_path *path);
/* render_json_times: the four times of a coroutine, as members. */
void render_json_times(struct json *json, const struct ct_times *times);
/*
 * render_json_waits: for how long what was waited for. render_json_distribution: as the member `key`.
 * render_json_breakdown: a breakdown.
 */
void render_json_waits(struct json *json, const struct ct_wait_time *waits, uint32_t nr_waits);
void render_json_distribution(
	struct json *json, const char *key, const struct ct_distribution *distribution);
void render_json_breakdown(struct json *json, const struct ct_breakdown *breakdown);
void render_json_statistics(struct json *json, const struct ct_statistics *statistics);

/* render_json_awaits: the await graph; render_json_live: what the kernel told. As members. */
void render_json_awaits(struct json *json, const struct ct_report *report);
void render_json_live(struct json *json, const struct ct_live *live);

#endif
