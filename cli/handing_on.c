/* SPDX-License-Identifier: MIT */
/*
 * Handing a trace on: the form found by its name, and an output named after the input where none is given.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "corotracer/ct.h"
#include "handing_on.h"
#include "interrupt.h"
#include "progress.h"
#include "say.h"

static const struct form {
	const char *name;
	bool is_older;
	const char *suffix;
	enum ct_export_format format;
} forms[] = {
	{"csv", false, ".csv", CT_EXPORT_CSV},
	{"dataframe", false, ".dataframe.csv", CT_EXPORT_DATAFRAME},
	{"sqlite", false, ".sqlite", CT_EXPORT_SQLITE},
	{"csv", true, ".csv", CT_EXPORT_OLDER_CSV},
	{"dataframe", true, ".csv", CT_EXPORT_OLDER_CSV},
	{"sqlite", true, ".sqlite", CT_EXPORT_OLDER_SQLITE},
};

static const struct form *find_form(const struct handing_on *handing_on)
{
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (forms[i].is_older == handing_on->is_older &&
			strcasecmp(forms[i].name, handing_on->format) == 0)
			return &forms[i];
	}
	return &forms[0];
}

/* "runs/trace.jsonl" becomes "runs/trace.csv"; heap memory, NULL: out of memory. */
static char *name_after(const char *input, const char *suffix)
{
	const char *stem = strcmp(input, "-") == 0 ? "corotracer" : input;
	const char *slash = strrchr(stem, '/');
	const char *base = slash ? slash + 1 : stem;
	const char *dot = strrchr(base, '.');
	size_t length = dot && dot != base ? (size_t)(dot - stem) : strlen(stem);
	char *name;

	return asprintf(&name, "%.*s%s", (int)length, stem, suffix) < 0 ? NULL : name;
}

bool would_replace_trace(const char *input, const char *output)
{
	struct stat one, other;

	if (strcmp(input, "-") == 0 || strcmp(output, "-") == 0)
		return false;
	if (stat(input, &one) < 0 || stat(output, &other) < 0 || !S_ISREG(one.st_mode) ||
		one.st_dev != other.st_dev || one.st_ino != other.st_ino)
		return false;
	say_sentence("'%s' is the trace itself: name another output", output);
	return true;
}

static enum ct_status open_and_write(const struct handing_on *handing_on,
	enum ct_export_format format, const char *output, struct ct_error *reterr)
{
	struct ct_export_options options = {.size = sizeof(options),
		.format = format,
		.table = handing_on->table,
		.thresholds = handing_on->thresholds};
	struct ct_open_options opening = {
		.size = sizeof(opening), .as_stored = handing_on->is_older};
	struct ct_trace *trace;
	enum ct_status status;

	progress_begin("reading", handing_on->input);
	status = ct_trace_open(handing_on->input, &opening, &trace, reterr);
	progress_end();
	if (status)
		return status;
	/* Not while text scrolls by on the same terminal. */
	if (strcmp(output, "-") != 0)
		progress_begin("writing", output);
	interrupt_guard(output);
	status = ct_export(trace, &options, output, reterr);
	progress_end();
	ct_trace_close(trace);
	return status;
}

static int write_to(
	const struct handing_on *handing_on, enum ct_export_format format, const char *output)
{
	struct ct_error error;
	enum ct_status status;

	if (would_replace_trace(handing_on->input, output))
		return ct_status_exit_code(CT_ERR_USAGE);
	status = open_and_write(handing_on, format, output, &error);
	if (status)
		return say_failure(status, &error);
	if (!handing_on->output)
		say_sentence("wrote '%s'", output);
	return 0;
}

int hand_on(const struct handing_on *handing_on)
{
	const struct form *form = find_form(handing_on);
	char *named = NULL;
	int exit_status;

	if (handing_on->output)
		return write_to(handing_on, form->format, handing_on->output);
	named = name_after(handing_on->input, form->suffix);
	if (!named) {
		say_sentence("out of memory");
		return ct_status_exit_code(CT_ERR_NO_MEMORY);
	}
	exit_status = write_to(handing_on, form->format, named);
	free(named);
	return exit_status;
}
