/* SPDX-License-Identifier: MIT */
/*
 * The verdict in one sentence. If nothing was found and the trace is incomplete, the sentence says both.
 */
#include "render/facts.h"
#include "say/say.h"

#define BETWEEN ", and "

/* The number of all events, missing ones included. The sum saturates, because the counts come from outside. */
static uint64_t nr_in_all(const struct ct_quality *quality)
{
	uint64_t all;

	return __builtin_add_overflow(quality->nr_events, quality->nr_lost, &all) ? UINT64_MAX
										  : all;
}

bool render_facts_has_doubt(const struct ct_report *report)
{
	return report->quality.nr_lost || report->tables->is_damaged ||
	       say_lacks_its_end(report->tables);
}

void render_facts_doubt(struct text *text, const struct ct_report *report)
{
	const struct ct_quality *quality = &report->quality;
	const char *between = quality->nr_lost ? BETWEEN : "";

	if (quality->nr_lost) {
		text_count(text, quality->nr_lost);
		text_add(text, " of ");
		say_count(text, nr_in_all(quality), "event is missing", "events are missing");
	}
	if (report->tables->is_damaged)
		text_format(text, "%sthe file is damaged", between);
	else if (say_lacks_its_end(report->tables))
		text_format(text, "%sthe end of the trace is missing", between);
}

static void findings(struct text *text, const struct ct_report *report)
{
	uint32_t nr_by_grade[CT_GRADE_PROVEN + 1] = {0};
	const char *separator = ": ";
	unsigned grade;
	uint32_t i;

	for (i = 0; i < report->nr_findings; i++) {
		grade = report->findings[i].grade;
		nr_by_grade[grade <= CT_GRADE_PROVEN ? grade : CT_GRADE_NONE]++;
	}
	say_count(text, report->nr_findings, "finding", "findings");
	for (grade = CT_GRADE_PROVEN; grade > CT_GRADE_NONE; grade--) {
		if (!nr_by_grade[grade])
			continue;
		text_add(text, separator);
		text_count(text, nr_by_grade[grade]);
		text_format(text, " %s", ct_grade_name((enum ct_grade)grade));
		separator = ", ";
	}
}

/* What keeps a process alive that has no coroutine any more; "" if none is like that. */
static const char *words_outlived(const struct ct_report *report)
{
	uint32_t i;

	for (i = 0; i < report->nr_standings; i++)
		if (report->standings[i].kind == CT_STANDING_OUTLIVED)
			return report->standings[i].text;
	return "";
}

static void nothing_found(struct text *text, const struct ct_report *report)
{
	const char *outlived = words_outlived(report), *between = ", but ";

	text_add(text, "nothing found");
	if (report->quality.nr_allowed)
		text_add(text, " outside allowed places");
	if (report->quality.nr_left_out)
		text_add(text, ", in what was not left out");
	if (render_facts_has_doubt(report)) {
		text_add(text, between);
		render_facts_doubt(text, report);
		between = BETWEEN;
	}
	if (*outlived)
		text_format(text, "%s%s", between, outlived);
}

void render_facts_sum(struct text *text, const struct ct_report *report)
{
	const char *unseen = render_facts_unseen(report);

	if (report->nr_findings)
		findings(text, report);
	else if (unseen)
		text_add(text, unseen);
	else
		nothing_found(text, report);
}
