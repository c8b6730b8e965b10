/* SPDX-License-Identifier: MIT */
/*
 * Runs cases: applies each file's trace to the model and the detectors, and compares the report with the lines that the
 * file expects. `run_case FILE...`; with --print it only prints the report.
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/rules.h"
#include "case_file.h"
#include "lives.h"
#include "paths.h"
#include "shares.h"
#include "say/say.h"
#include "sparing.h"

/* Cuts the next line off *rest, and moves *rest behind it; NULL at the end. */
static char *next_line(char **rest)
{
	char *line = *rest, *end;

	if (!line || !*line)
		return NULL;
	end = strchr(line, '\n');
	if (end)
		*end = '\0';
	*rest = end ? end + 1 : NULL;
	return line;
}

#define LINES_MAX 400

struct lines {
	const char *at[LINES_MAX];
	size_t count;
};

static void split(char *text, struct lines *lines)
{
	char *line;

	while (lines->count < LINES_MAX && (line = next_line(&text)))
		lines->at[lines->count++] = line;
}

/* Do the lines from `a` on match the patterns from `p` on? *best: the most patterns that matched. */
static bool matches(
	const struct lines *patterns, size_t p, const struct lines *actual, size_t a, size_t *best)
{
	for (; p < patterns->count; p++, a++) {
		if (p > *best)
			*best = p;
		if (strcmp(patterns->at[p], "...") == 0) {
			for (; a <= actual->count; a++) {
				if (matches(patterns, p + 1, actual, a, best))
					return true;
			}
			return false;
		}
		if (a >= actual->count || fnmatch(patterns->at[p], actual->at[a], 0) != 0)
			return false;
	}
	return a == actual->count;
}

static bool check(const struct case_file *file, struct text *said)
{
	struct lines patterns = {0}, actual = {0};
	struct text expected = {0}, copy = {0};
	size_t best = 0;
	bool is_equal;

	text_add(&expected, file->expect);
	text_add(&copy, text_peek(said));
	if (expected.at)
		split(expected.at, &patterns);
	split(copy.at, &actual);
	is_equal = matches(&patterns, 0, &actual, 0, &best);
	if (!is_equal)
		fprintf(stderr, "%s:%zu: does not match: %s\n--- said\n%s", file->path,
			file->expect_line + best,
			best < patterns.count ? patterns.at[best] : "(end)", text_peek(said));
	text_fini(&expected);
	text_fini(&copy);
	return is_equal;
}

/* The range of evidence must contain every event that the finding names. */
static bool is_in_range(const char *path, const struct ct_finding *finding, uint64_t sequence)
{
	if (sequence == UINT64_MAX ||
		(sequence >= finding->first_sequence && sequence <= finding->last_sequence))
		return true;
	fprintf(stderr, "%s: event %" PRIu64 " of '%s' is not in %" PRIu64 " to %" PRIu64 "\n",
		path, sequence, finding->title, finding->first_sequence, finding->last_sequence);
	return false;
}

static bool check_range(const char *path, const struct ct_finding *finding)
{
	bool is_right = true;
	uint32_t i, k;

	for (i = 0; i < finding->nr_steps; i++)
		is_right &= is_in_range(path, finding, finding->steps[i].sequence);
	for (i = 0; i < finding->nr_members; i++) {
		const struct ct_member *member = &finding->members[i];

		for (k = 0; k < member->nr_events; k++)
			is_right &= is_in_range(path, finding, member->events[k].sequence);
	}
	return is_right;
}

/* A title that contains the line of a place must have its whole name, exactly as in the report's rows. */
static bool check_place(
	const char *path, const struct ct_report *report, const char *title, uint32_t site)
{
	struct text line = {0}, place = {0};
	const char *last;
	bool is_right;

	say_line(&line, report->tables, site);
	say_place(&place, report->tables, site);
	last = strrchr(text_peek(&line), '/');
	is_right = !strstr(title, last ? last + 1 : text_peek(&line)) ||
		   strstr(title, text_peek(&place));
	if (!is_right)
		fprintf(stderr, "%s: '%s' does not name '%s'\n", path, title, text_peek(&place));
	text_fini(&line);
	text_fini(&place);
	return is_right;
}

static bool check_voice(
	const char *path, const struct ct_report *report, const struct ct_finding *finding)
{
	return check_place(path, report, finding->title, finding->wait_site) &&
	       check_place(path, report, finding->title, finding->cause_site);
}

/* The times of coroutines and workers must add up to the time for which they were observed. */
static bool check_times(const char *path, struct ct_source *source)
{
	const struct ct_event *event;
	struct lives lives = {0};
	struct model *model;
	bool is_right;

	if (source_reset(source, NULL) || model_new(source->tables, &model, NULL))
		return false;
	while (source_next(source, &event, NULL) == CT_OK) {
		if (model_apply(model, event, NULL))
			return false;
		lives_note(&lives, model, event);
	}
	is_right = model_finish(model, NULL) == CT_OK && lives_check(&lives, model);
	if (!is_right)
		fprintf(stderr, "%s: times do not add up\n", path);
	model_free(model);
	return is_right;
}

static bool run(const char *path, bool is_print_only)
{
	const struct ct_report *report;
	struct ct_source *source;
	struct case_file file;
	struct text said = {0};
	bool is_right = true;
	uint32_t i;

	case_read(path, &file);
	if (file.is_for_other_machine && !is_print_only)
		exit(77);
	source = case_open(&file);
	report = case_judge(&file, source);
	case_print(&said, report);
	if (is_print_only)
		printf("%s", text_peek(&said));
	else
		is_right = check(&file, &said);
	for (i = 0; i < report->nr_findings; i++)
		is_right &= check_range(path, &report->findings[i]) &&
			    check_voice(path, report, &report->findings[i]);
	is_right &=
		check_times(path, source) && paths_check_all(source) && shares_check_all(source);
	is_right &= sparing_check(source, &file.options);
	text_fini(&said);
	analyze_report_free(report);
	source_close(source);
	case_fini(&file);
	return is_right;
}

int main(int argc, char **argv)
{
	bool is_print_only = argc > 1 && strcmp(argv[1], "--print") == 0;
	int failures = 0, i;

	for (i = 1 + is_print_only; i < argc; i++)
		failures += !run(argv[i], is_print_only);
	if (argc < 2) {
		fprintf(stderr, "usage: run_case [--print] FILE...\n");
		return 1;
	}
	return failures ? 1 : 0;
}
