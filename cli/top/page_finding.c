/* SPDX-License-Identifier: MIT */
/*
 * One finding, as in the report; and the words for a trace without findings.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "say.h"
#include "top/pages.h"
#include "top/rows.h"

#define LINE_BYTES 2048
#define NAME_BYTES 512
#define TIME_COLUMNS 14
#define MEMBERS 500u
#define BUSIEST 5u
#define ROWS_BYTES 8192
#define LABEL_COLUMNS 16 /* as in a report */

static void say_site(const struct ct_view *view, uint32_t site, char buffer[NAME_BYTES])
{
	ct_view_say(view, CT_VIEW_TYPE_SITE, site, 0, buffer, NAME_BYTES);
}

/* The time and words of a step, and its place: on the same line, or on the next one if it does not fit. */
static void add_step(struct top_lines *lines, const struct ct_view *view, uint32_t process,
	const struct ct_step *step)
{
	char line[LINE_BYTES], place[NAME_BYTES] = "", time[64] = "";
	uint32_t hang = TIME_COLUMNS;
	struct top_link link;

	if (step->time != CT_NO_TIME)
		ct_view_say(view, CT_VIEW_TYPE_TIME, step->time, 0, time, sizeof(time));
	if (step->site)
		say_site(view, step->site, place);
	snprintf(line, sizeof(line), "%*s  %s%s%s%s%s", TIME_COLUMNS - 2, time, step->by,
		*step->by ? ": " : "", step->text, *place ? ", at " : "", place);
	top_link_to_coroutine(process, step->coro, &link);
	if (*place && top_text_width(line, lines->has_unicode) > lines->width) {
		line[strlen(line) - strlen(place) - strlen(", at ")] = '\0';
		top_lines_add(lines, TOP_PLAIN, &link, TIME_COLUMNS, line);
		snprintf(line, sizeof(line), "%*s  at %s", TIME_COLUMNS, "", place);
		hang += 2;
	}
	top_lines_add(lines, TOP_PLAIN, &link, hang, line);
}

void top_page_steps(struct top_lines *lines, const struct ct_view *view, uint32_t process,
	const struct ct_step *steps, uint32_t nr_steps)
{
	uint32_t i;

	for (i = 0; i < nr_steps; i++)
		add_step(lines, view, process, &steps[i]);
}

static void add_sentence(struct top_lines *lines, const char *before, const char *sentence)
{
	char line[LINE_BYTES];

	snprintf(line, sizeof(line), "  %s%s", before, sentence);
	top_lines_add(lines, TOP_PLAIN, NULL, 2, line);
}

static void add_sentences(
	struct top_lines *lines, const char *const *sentences, uint32_t nr_sentences)
{
	uint32_t i;

	for (i = 0; i < nr_sentences; i++)
		add_sentence(lines, "", sentences[i]);
}

static void add_certainty(struct top_lines *lines, const struct ct_finding *finding)
{
	top_lines_heading(lines, "How sure");
	add_sentences(lines, finding->evidence, finding->nr_evidence);
	add_sentences(lines, finding->lowered, finding->nr_lowered);
	add_sentence(lines, "wrong if ", ct_rule_wrong_if(finding->rule));
}

static void add_member(
	struct top_lines *lines, const struct ct_view *view, const struct ct_member *member)
{
	struct said age = top_said_age(member->until, member->since);
	char line[LINE_BYTES], place[NAME_BYTES] = "";
	struct top_link link;

	say_site(view, member->coro.wait_site, place);
	snprintf(line, sizeof(line), "%9" PRIu64 "  %-9s %8s  %s%s%s%s%s", member->coro.id,
		member->is_over ? "" : top_state_words(member->coro.state), age.text, member->name,
		*member->name ? "  " : "", place,
		!*member->resource                       ? ""
		: member->coro.state == CT_STATE_WAITING ? ", for "
							 : ", last for ",
		member->resource);
	top_lines_add(lines, TOP_PLAIN,
		top_link_to_coroutine(member->coro.process, member->coro.id, &link), 11, line);
}

static void add_members(
	struct top_lines *lines, const struct ct_view *view, const struct ct_finding *finding)
{
	uint32_t shown = finding->nr_members < MEMBERS ? finding->nr_members : MEMBERS, i;
	char line[LINE_BYTES];

	if (!shown)
		return;
	top_lines_heading(lines, "Coroutines (Enter: one of them)");
	for (i = 0; i < shown; i++)
		add_member(lines, view, &finding->members[i]);
	if (shown == finding->nr_members)
		return;
	snprintf(line, sizeof(line), "and %s more",
		said_count(finding->nr_members - shown, "", "").text);
	top_lines_add(lines, TOP_FAINT, NULL, 0, line);
}

static void add_look_first(
	struct top_lines *lines, const struct ct_view *view, const struct ct_finding *finding)
{
	char line[LINE_BYTES], place[NAME_BYTES];

	if (!finding->look_site)
		return;
	say_site(view, finding->look_site, place);
	snprintf(line, sizeof(line), "Look first at %s", place);
	top_lines_add(lines, TOP_PLAIN, NULL, 2, line);
}

/* Several places, with the number of coroutines that wait at each. */
static void add_waits_at(
	struct top_lines *lines, const struct ct_view *view, const struct ct_finding *finding)
{
	char line[LINE_BYTES], place[NAME_BYTES];
	uint32_t i;

	for (i = 0; finding->nr_waits_at > 1 && i < finding->nr_waits_at; i++) {
		const struct ct_waiting *waits = &finding->waits_at[i];

		say_site(view, waits->site, place);
		snprintf(line, sizeof(line), "%s at %s",
			said_count(waits->nr_coros, "waits", "wait").text, place);
		top_lines_add(lines, TOP_PLAIN, NULL, 2, line);
	}
}

void top_page_finding(struct top_lines *lines, struct ct_view *view, const struct ct_report *report,
	uint64_t number, bool is_brief)
{
	const struct ct_finding *finding;
	char line[LINE_BYTES];

	if (number == 0 || number > report->nr_findings) {
		top_lines_add(lines, TOP_FAINT, NULL, 0, "This finding is no longer there.");
		return;
	}
	finding = &report->findings[number - 1];
	if (!is_brief) {
		snprintf(line, sizeof(line), "%s: %s", ct_grade_name(finding->grade),
			ct_rule_name(finding->rule));
		top_lines_add(
			lines, top_style_of_grade(ct_grade_name(finding->grade)), NULL, 0, line);
	}
	top_lines_add(lines, TOP_STRONG, NULL, 0, finding->title);
	add_look_first(lines, view, finding);
	add_waits_at(lines, view, finding);
	top_lines_heading(lines, "What happened");
	top_page_steps(lines, view, finding->process, finding->steps, finding->nr_steps);
	add_certainty(lines, finding);
	top_lines_heading(lines, "What next");
	add_sentence(lines, "", finding->next_step);
	if (!is_brief)
		add_members(lines, view, finding);
}

/* ---------------------------------------------------------------- no findings */

static void add_waiting(
	struct top_lines *lines, const struct ct_view *view, const struct ct_report *report)
{
	uint32_t shown = report->nr_waiting < BUSIEST ? report->nr_waiting : BUSIEST, i;
	char line[LINE_BYTES], place[NAME_BYTES];
	struct top_link link;

	if (shown)
		top_lines_heading(lines, "Where most wait now (Enter: the one that waits longest)");
	for (i = 0; i < shown; i++) {
		const struct ct_waiting *waiting = &report->waiting[i];

		say_site(view, waiting->site, place);
		snprintf(line, sizeof(line), "%9s wait, up to %8s  %s",
			said_count(waiting->nr_coros, "", "").text,
			top_said_age(waiting->until, waiting->since).text, place);
		top_lines_add(lines, TOP_PLAIN,
			top_link_to_coroutine(waiting->process, waiting->coro, &link), 33, line);
	}
}

static void add_advice(struct top_lines *lines, const struct ct_report *report)
{
	uint32_t i;

	if (report->nr_advice)
		top_lines_heading(lines, "What could not be judged");
	for (i = 0; i < report->nr_advice; i++)
		add_sentence(lines, "", report->advice[i].text);
}

/* Rows of the report, in its words; without labels if these have no columns. */
static void add_rows(struct top_lines *lines, const struct ct_report *report,
	enum ct_report_part part, unsigned style, int label_columns)
{
	char rows[ROWS_BYTES], line[LINE_BYTES], *row, *rest = rows;

	ct_report_rows(report, part, rows, sizeof(rows));
	while ((row = strsep(&rest, "\n")) && *row) {
		char *words = row;
		const char *label = strsep(&words, "\t");

		if (!words)
			return;
		snprintf(line, sizeof(line), "  %-*s%s", label_columns, label_columns ? label : "",
			words);
		top_lines_add(lines, style, NULL, 2 + (uint32_t)label_columns, line);
	}
}

/* How many coroutines were judged, how well, and what to keep in mind with a verdict. */
static void add_judging(struct top_lines *lines, const struct ct_report *report)
{
	const struct ct_quality *quality = &report->quality;
	char line[LINE_BYTES];

	snprintf(line, sizeof(line), "  %s judged over %s",
		said_count(quality->nr_coros, "coroutine was", "coroutines were").text,
		top_said_age(quality->observed_until, quality->observed_from).text);
	top_lines_add(lines, TOP_PLAIN, NULL, 2, line);
	add_rows(lines, report, CT_REPORT_JUDGING, TOP_PLAIN, 0);
	add_rows(lines, report, CT_REPORT_DOUBTS, TOP_DOUBTFUL, 0);
}

static void add_times(struct top_lines *lines, const struct ct_report *report)
{
	if (!ct_report_rows(report, CT_REPORT_TIMES, NULL, 0))
		return;
	top_lines_heading(lines, "Where the time went");
	add_rows(lines, report, CT_REPORT_TIMES, TOP_PLAIN, LABEL_COLUMNS);
}

void top_page_no_findings(
	struct top_lines *lines, struct ct_view *view, const struct ct_report *report)
{
	const char *unseen = ct_report_unseen(report);
	char line[LINE_BYTES];

	ct_report_headline(report, line, sizeof(line));
	line[0] = (char)toupper((unsigned char)line[0]);
	top_lines_add(lines, unseen || ct_report_has_doubt(report) ? TOP_DOUBTFUL : TOP_GOOD, NULL,
		0, line);
	if (!unseen)
		add_judging(lines, report);
	add_waiting(lines, view, report);
	add_advice(lines, report);
	if (report->nr_remarks) {
		top_lines_heading(lines, "Besides");
		add_sentences(lines, report->remarks, report->nr_remarks);
	}
	add_times(lines, report);
}
