/* SPDX-License-Identifier: MIT */
/*
 * The list of assertions: read from texts and files, and judged one after the other.
 */
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "base/io.h"
#include "base/known_options.h"
#include "check/check.h"

#define FILE_BYTES_MAX ((size_t)1 << 20)

static const char *const verdict_names[] = {
	[CT_VERDICT_HOLDS] = "holds",
	[CT_VERDICT_BROKEN] = "broken",
	[CT_VERDICT_UNKNOWN] = "unknown",
};

const char *ct_verdict_name(enum ct_verdict verdict)
{
	return (unsigned)verdict < sizeof(verdict_names) / sizeof(verdict_names[0])
		       ? verdict_names[verdict]
		       : "unknown";
}

enum ct_status ct_checks_new(struct ct_checks **ret_checks, struct ct_error *reterr)
{
	struct ct_checks *checks = calloc(1, sizeof(*checks));

	if (!checks)
		return ct_fail_memory(reterr);
	arena_init(&checks->lasting);
	arena_init(&checks->told);
	*ret_checks = checks;
	return CT_OK;
}

void ct_checks_free(struct ct_checks *checks)
{
	if (!checks)
		return;
	arena_fini(&checks->lasting);
	arena_fini(&checks->told);
	vec_fini(&checks->asked);
	vec_fini(&checks->results);
	text_fini(&checks->kept.text);
	free(checks);
}

static enum ct_status add(struct ct_checks *checks, const char *text, size_t nr_bytes,
	const char *origin, struct ct_error *reterr)
{
	struct check_asked asked = {.assertion.told = ""};
	enum ct_status status;

	asked.assertion.text = arena_text(&checks->lasting, text, nr_bytes);
	asked.assertion.origin = arena_text(&checks->lasting, origin, strlen(origin));
	if (!asked.assertion.text || !asked.assertion.origin)
		return ct_fail_memory(reterr);
	status = condition_parse(asked.assertion.text, CONDITION_REPORT, &asked.condition, reterr);
	if (status)
		return status;
	return vec_push(&checks->asked, asked) ? CT_OK : ct_fail_memory(reterr);
}

enum ct_status ct_checks_add(struct ct_checks *checks, const char *text, struct ct_error *reterr)
{
	return add(checks, text, strlen(text), "", reterr);
}

/* Adds one line, without the blanks around it. */
static enum ct_status add_line(struct ct_checks *checks, const char *path, unsigned number,
	const char *line, size_t length, struct ct_error *reterr)
{
	struct text origin = {0};
	enum ct_status status;

	while (length && strchr(" \t\r", line[length - 1]))
		length--;
	while (length && strchr(" \t", *line))
		line++, length--;
	if (!length || *line == '#')
		return CT_OK;
	text_format(&origin, "%s:%u", path, number);
	status = add(checks, line, length, text_peek(&origin), reterr);
	if (status)
		ct_context(reterr, status, "%s", text_peek(&origin));
	text_fini(&origin);
	return status;
}

static enum ct_status read_lines(struct ct_checks *checks, const char *path, const char *bytes,
	size_t nr_bytes, struct ct_error *reterr)
{
	const char *line = bytes, *end = bytes + nr_bytes;
	enum ct_status status = CT_OK;
	unsigned number = 0;

	if (memchr(bytes, '\0', nr_bytes))
		return ct_fail(reterr, CT_ERR_FORMAT, "reading '%s': this is no text", path);
	while (status == CT_OK && line < end) {
		const char *after = memchr(line, '\n', (size_t)(end - line));
		size_t length = (size_t)((after ? after : end) - line);

		status = add_line(checks, path, ++number, line, length, reterr);
		line += length + 1;
	}
	return status;
}

enum ct_status ct_checks_read(struct ct_checks *checks, const char *path, struct ct_error *reterr)
{
	size_t nr_bytes = 0;
	char *bytes = NULL;
	enum ct_status status = io_read_file(path, FILE_BYTES_MAX, &bytes, &nr_bytes, reterr);

	if (status == CT_OK)
		status = read_lines(checks, path, bytes, nr_bytes, reterr);
	free(bytes);
	return status;
}

/* A report of a recording without an event. */
static const struct ct_tables no_tables;
static const struct ct_report nothing = {.tables = &no_tables};

enum ct_status ct_checks_judge(
	struct ct_checks *checks, const struct ct_report *report, struct ct_error *reterr)
{
	size_t i;

	if (!report)
		report = &nothing;

	arena_fini(&checks->told);
	checks->results.count = 0;
	checks->report = NULL;
	for (i = 0; i < checks->asked.count; i++) {
		struct check_asked *asked = &checks->asked.at[i];

		if (!check_measure(asked, report, &checks->told) ||
			!vec_push(&checks->results, asked->assertion))
			return ct_fail_memory(reterr);
	}
	checks->report = report;
	return CT_OK;
}

const struct ct_assertion *ct_checks_peek(const struct ct_checks *checks, uint32_t *ret_count)
{
	*ret_count = (uint32_t)checks->results.count;
	return checks->results.at;
}

/* ---------------------------------------------------------------- writing */

static void count(struct check_output *output, const struct ct_checks *checks)
{
	uint64_t nr_broken = 0, nr_unknown = 0;
	size_t i;

	for (i = 0; i < checks->results.count; i++) {
		nr_broken += checks->results.at[i].verdict == CT_VERDICT_BROKEN;
		nr_unknown += checks->results.at[i].verdict == CT_VERDICT_UNKNOWN;
	}
	output->nr_traces++;
	output->nr_good += !nr_broken && !nr_unknown;
	output->nr_assertions += checks->results.count;
	output->nr_broken += nr_broken;
	output->nr_unknown += nr_unknown;
}

/* Adds the verdicts of the last judgement; the output stays where it is until its end. */
static enum ct_status take(struct check_output *output, const struct ct_checks *checks,
	const struct ct_checks_options *options, struct ct_error *reterr)
{
	const struct check_form *form = check_form(options->format);

	if (!checks->report)
		return ct_fail(reterr, CT_ERR_USAGE, "no report was judged yet");
	if (!form)
		return ct_fail(
			reterr, CT_ERR_USAGE, "assertions have no format %d", (int)options->format);
	if (!output->nr_traces)
		form->begin(output, options);
	form->one(output, checks, options);
	count(output, checks);
	return text_status(&output->text, reterr);
}

enum ct_status ct_checks_keep(
	struct ct_checks *checks, const struct ct_checks_options *given, struct ct_error *reterr)
{
	struct ct_checks_options options;

	known_options(&options, sizeof(options), given);
	checks->kept.is_of_many = true;
	return take(&checks->kept, checks, &options, reterr);
}

static enum ct_status write_output(struct check_output *output,
	const struct ct_checks_options *options, const char *path, struct ct_error *reterr)
{
	enum ct_status status;

	check_form(options->format)->end(output);
	status = text_status(&output->text, reterr);
	if (status == CT_OK)
		status = io_write_file(path, text_peek(&output->text), output->text.length, reterr);
	return status;
}

enum ct_status ct_checks_write(struct ct_checks *checks, const struct ct_checks_options *given,
	const char *path, struct ct_error *reterr)
{
	struct check_output alone = {0}, *output = checks->kept.nr_traces ? &checks->kept : &alone;
	struct ct_checks_options options;
	enum ct_status status = CT_OK;

	known_options(&options, sizeof(options), given);
	if (output == &alone)
		status = take(output, checks, &options, reterr);
	if (status == CT_OK)
		status = write_output(output, &options, path, reterr);
	text_fini(&output->text);
	*output = (struct check_output){0};
	return status;
}
