/* SPDX-License-Identifier: MIT */
/*
 * The forms of a report, as render_report calls them: options are complete here, with defaults put
 * in. Failures show in the text's status.
 */
#ifndef RENDER_REPORT_H
#define RENDER_REPORT_H

#include "corotracer/ct.h"
#include "text.h"

/* A text that is passed on holds about as much. */
#define REPORT_PIECE_BYTES 65536u

void report_text(
	struct text *text, const struct ct_report *report, const struct ct_report_options *options);
/* report_why: the explanation of one coroutine alone. */
void report_why(
	struct text *text, const struct ct_report *report, const struct ct_report_options *options);
/* report_dot: the await graph around it, for Graphviz. */
void report_dot(struct text *text, const struct ct_report *report);
void report_markdown(
	struct text *text, const struct ct_report *report, const struct ct_report_options *options);
void report_html(
	struct text *text, const struct ct_report *report, const struct ct_report_options *options);
void report_json(struct text *text, const struct ct_report *report);

/* statistics_text, statistics_markdown: where the time went alone. json_statistics: as a member. */
void statistics_text(
	struct text *text, const struct ct_report *report, const struct ct_report_options *options);
void statistics_markdown(
	struct text *text, const struct ct_report *report, const struct ct_report_options *options);
struct json;
/* json_path: a task's critical path, as a member. */
void json_path(struct json *json, const struct ct_path *path);
/* json_times: the four times of a coroutine, as members. */
void json_times(struct json *json, const struct ct_times *times);
/* json_waits: for how long what was waited for. json_distribution: as the member `key`. json_breakdown: a breakdown. */
void json_waits(struct json *json, const struct ct_wait_time *waits, uint32_t nr_waits);
void json_distribution(
	struct json *json, const char *key, const struct ct_distribution *distribution);
void json_breakdown(struct json *json, const struct ct_breakdown *breakdown);
void json_statistics(struct json *json, const struct ct_statistics *statistics);

/* json_awaits: the await graph; json_live: what the kernel told. As members. */
void json_awaits(struct json *json, const struct ct_report *report);
void json_live(struct json *json, const struct ct_live *live);

#endif
