/* SPDX-License-Identifier: MIT */
/*
 * corotracer export: writes a trace for a spreadsheet, a data frame, SQL, or a timeline viewer. If no output is given,
 * it is named after the input; if no format is given, the output's name decides.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "corotracer/ct.h"
#include "judge.h"
#include "output.h"
#include "say.h"

/* What a format contains; the options that are possible depend on it. */
enum holds {
	TABLE,    /* one table of a view */
	TABLES,   /* tables of a view */
	DATABASE, /* tables of a view; the table of events may have another name */
	TIMELINE, /* slices and findings */
	SPANS,
	EVENTS,
};

static const struct form {
	const char *name;
	bool is_older;
	enum holds holds;
	const char *suffix; /* "": the format is not a file, but tables of a database server */
	enum ct_export_format format;
} forms[] = {
#define FORM(NAME, folder, file, holds, word, ending, meaning) \
	{word, false, holds, ending, CT_EXPORT_##NAME},
#define OLDER(NAME, file, word, ending) {word, true, EVENTS, ending, CT_EXPORT_##NAME},
#define ALSO(NAME, word, ending) {word, true, EVENTS, ending, CT_EXPORT_##NAME},
#define ADDRESS(NAME, scheme)
#include "corotracer/def/exports.def"
};

/* Addresses that are not files, and the format for each. */
static const struct {
	const char *scheme;
	enum ct_export_format format;
} schemes[] = {
#define FORM(NAME, folder, file, holds, word, ending, meaning)
#define OLDER(NAME, file, word, ending)
#define ALSO(NAME, word, ending)
#define ADDRESS(NAME, scheme) {scheme, CT_EXPORT_##NAME},
#include "corotracer/def/exports.def"
};

/* NULL: not such an address. */
static const struct form *form_of_address(const char *output)
{
	size_t i, at;

	for (i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		if (strncmp(output, schemes[i].scheme, strlen(schemes[i].scheme)) != 0)
			continue;
		for (at = 0; forms[at].format != schemes[i].format; at++)
			;
		return &forms[at];
	}
	return NULL;
}

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

static bool ends_with(const char *name, const char *suffix)
{
	size_t length = strlen(name), wanted = strlen(suffix);

	return length > wanted && strcmp(name + length - wanted, suffix) == 0;
}

/* Does the format's name stand before the last dot, as in "run.otlp.json"? */
static bool has_word(const char *output, const char *word)
{
	const char *last = strrchr(output, '.');
	size_t length = strlen(word);

	return last && last - output > (ptrdiff_t)length && last[-1 - (ptrdiff_t)length] == '.' &&
	       strncmp(last - length, word, length) == 0;
}

/*
 * Chooses the format by the output's name: it is an address; or it ends in the whole suffix; or the format's name
 * stands before its last dot; or it ends like the suffix behind the suffix's last dot. NULL: none matches.
 */
static const struct form *form_named(const char *output)
{
	const struct form *best = form_of_address(output), *likely = NULL, *told = NULL;
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]) && !forms[i].is_older; i++) {
		const char *suffix = forms[i].suffix;

		if (!*suffix)
			continue;
		if (ends_with(output, suffix) && (!best || strlen(suffix) > strlen(best->suffix)))
			best = &forms[i];
		if (has_word(output, forms[i].name))
			told = &forms[i];
		if (!likely && ends_with(output, strrchr(suffix, '.')))
			likely = &forms[i];
	}
	return best ? best : told ? told : likely;
}

/* "runs/trace.jsonl" becomes "runs/trace.csv". The string is on the heap; NULL: out of memory. */
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

/* Is the output not a file? An address may contain a password, and is never printed. */
static bool is_elsewhere(const struct form *form, const char *output)
{
	return !*form->suffix || form_of_address(output) == form;
}

/* Shows progress unless text appears on the same terminal, and makes sure that no unfinished file is left. */
static void begin_writing(const struct form *form, const char *output)
{
	if (is_elsewhere(form, output)) {
		progress_begin("sending", "all of it");
		return;
	}
	if (!output_is_terminal(output))
		progress_begin("writing", strcmp(output, "-") == 0 ? "standard output" : output);
	output_guard(output);
}

/* Printed before anything is written, so that a person who passes the export on knows. */
static void say_sanitised(void)
{
	const char *line = ct_export_sanitised();
	size_t length;

	for (; *line; line += length + 1) {
		length = strcspn(line, "\n");
		say_sentence("%.*s", (int)length, line);
	}
}

/* The older format has no room for notes of the trace. */
static void say_left_out(const struct ct_tables *tables)
{
	uint32_t i;

	for (i = 0; i < tables->nr_notes; i++)
		if (tables->notes[i].is_left_out)
			say_sentence("%s", tables->notes[i].text);
}

static enum ct_status open_and_write(const struct handing_on *handing_on, const struct form *form,
	const char *output, struct ct_exported *ret_exported, struct ct_error *reterr)
{
	struct ct_export_options options = {.size = sizeof(options),
		.format = form->format,
		.events_table = handing_on->events_table,
		.tables = handing_on->tables,
		.thresholds = handing_on->thresholds,
		.database = handing_on->database,
		.selection = handing_on->selection,
		.is_sanitised = handing_on->is_sanitised,
		.exported = ret_exported,
		.progress = progress_tell};
	struct ct_open_options opening = {.size = sizeof(opening),
		.as_stored = handing_on->is_older,
		.memory_bytes = handing_on->memory_bytes};
	struct ct_trace *trace;
	enum ct_status status;

	progress_begin_reading(handing_on->input);
	status = ct_trace_open(handing_on->input, &opening, &trace, reterr);
	progress_end();
	if (status)
		return status;
	damage_note(trace, handing_on->input);
	if (handing_on->is_sanitised)
		say_sanitised();
	if (handing_on->is_older)
		say_left_out(ct_trace_tables(trace));
	begin_writing(form, output);
	status = ct_export(trace, &options, output, reterr);
	progress_end();
	ct_trace_close(trace);
	return status;
}

static int write_to(
	const struct handing_on *handing_on, const struct form *form, const char *output)
{
	struct ct_exported exported = {0};
	struct ct_error error;
	enum ct_status status;

	if (output_replaces(handing_on->input, output))
		return ct_status_exit_code(CT_ERR_USAGE);
	status = open_and_write(handing_on, form, output, &exported, &error);
	if (status)
		return say_failure(status, &error);
	memory_tell_missing(exported.nr_without_room, "what was written");
	if (exported.nr_rows)
		say_sentence("%s of %s left out, as was asked for",
			said_count(exported.nr_left_out, "", "").text,
			said_count(exported.nr_rows, "row was", "rows were").text);
	if (handing_on->is_form_chosen && is_elsewhere(form, output))
		say_sentence("sent it as %s", form->name);
	else if (handing_on->is_form_chosen && strcmp(output, "-") != 0)
		say_sentence("wrote '%s' as %s; --format has other forms: corotracer help export",
			output, form->name);
	else if (!handing_on->output && *form->suffix)
		say_sentence("wrote '%s'", output);
	return 0;
}

int hand_on(const struct handing_on *handing_on)
{
	const struct form *form = find_form(handing_on);
	char *named = NULL;
	int exit_status;

	if (handing_on->output || !*form->suffix)
		return write_to(handing_on, form, handing_on->output ? handing_on->output : "");
	named = name_after(handing_on->input, form->suffix);
	if (!named)
		return say_no_memory();
	exit_status = write_to(handing_on, form, named);
	free(named);
	return exit_status;
}

/* ---------------------------------------------------------------- the selection */

static bool holds_tables(const struct form *form)
{
	return form->holds <= DATABASE;
}

/* A format with one table contains events, unless another table is named. */
static bool holds_findings(const struct form *form, bool is_table_named)
{
	if (form->holds == TABLE)
		return is_table_named;
	return holds_tables(form) || form->holds == TIMELINE;
}

/* Does the format contain events as rows with a kind? */
static bool has_events(const struct form *form)
{
	return holds_tables(form) || form->holds == EVENTS;
}

static const char *complaint_of(
	const struct handing_on *handing_on, const struct arguments *arguments)
{
	const struct form *form = find_form(handing_on);
	bool is_table_named = arguments->value[OPTION_EXPORT_TABLE] != NULL;

	if (handing_on->output && !*handing_on->output)
		return "option '--output' needs the name of a file";
	if (handing_on->events_table && !*handing_on->events_table)
		return "option '--events-table' needs a name";
	if (is_table_named && !*arguments->value[OPTION_EXPORT_TABLE])
		return "option '--table' needs a name";
	if (handing_on->events_table && form->holds != DATABASE)
		return "this format is no database: it takes no '--events-table'";
	if (is_table_named && !holds_tables(form))
		return "this format has no tables: it takes no '--table'";
	if (handing_on->is_form_chosen && handing_on->output &&
		!form_of_address(handing_on->output) && strstr(handing_on->output, "://"))
		return "the output is an address that no form goes to; those of postgresql://, "
		       "mysql://, http:// and https:// are known";
	if (!holds_findings(form, is_table_named) && thresholds_are_given(arguments))
		return "this format holds no findings: it takes no thresholds";
	if (form->format != CT_EXPORT_CTRACE && arguments->value[OPTION_EXPORT_SANITISE])
		return "a sanitised copy is a trace: it takes '--format ctrace'";
	if (!has_events(form) && arguments->value[OPTION_EXPORT_KIND])
		return "this format has no rows of events: it takes no '--kind'";
	return NULL;
}

struct lists {
	const char **kinds;
	const char **places;
	const char **tables;
};

/* The caller frees the lists. False: out of memory. */
static bool read_selection(
	const struct arguments *arguments, struct lists *lists, struct ct_selection *selection)
{
	const struct meaning *meaning = arguments->meaning;

	lists->kinds = arguments_list(arguments, OPTION_EXPORT_KIND);
	lists->places = arguments_list(arguments, OPTION_EXPORT_PLACE);
	lists->tables = arguments_all(arguments, OPTION_EXPORT_TABLE);
	*selection = (struct ct_selection){.size = sizeof(*selection),
		.has_from = arguments->value[OPTION_EXPORT_FROM] != NULL,
		.has_until = arguments->value[OPTION_EXPORT_TO] != NULL,
		.from = (ct_time)meaning[OPTION_EXPORT_FROM].number,
		.until = (ct_time)meaning[OPTION_EXPORT_TO].number,
		.coroutine = meaning[OPTION_EXPORT_COROUTINE].number,
		.kinds = lists->kinds,
		.places = lists->places};
	return lists->tables && (lists->kinds || !arguments->value[OPTION_EXPORT_KIND]) &&
	       (lists->places || !arguments->value[OPTION_EXPORT_PLACE]);
}

int command_export(const struct arguments *arguments)
{
	const char *output = arguments->value[OPTION_EXPORT_OUTPUT];
	const struct form *named = output ? form_named(output) : NULL;
	const char *format = named ? named->name : forms[0].name;
	struct ct_selection selection;
	struct lists lists;
	struct handing_on handing_on = {
		.input = arguments->operands[0],
		.format = arguments_value(arguments, OPTION_EXPORT_FORMAT, format),
		.is_form_chosen = !arguments->value[OPTION_EXPORT_FORMAT],
		.output = output,
		.events_table = arguments->value[OPTION_EXPORT_EVENTS_TABLE],
		.selection = &selection,
		.is_sanitised = arguments->value[OPTION_EXPORT_SANITISE] != NULL,
		.memory_bytes = arguments->meaning[OPTION_JUDGE_MEMORY].number,
	};
	const char *complaint = complaint_of(&handing_on, arguments);
	struct ct_thresholds *thresholds;
	int exit_status;

	if (complaint)
		return say_usage("export", complaint);
	exit_status = thresholds_read(arguments, &thresholds);
	if (exit_status)
		return exit_status;
	handing_on.thresholds = thresholds;
	if (read_selection(arguments, &lists, &selection)) {
		handing_on.tables = lists.tables;
		exit_status = hand_on(&handing_on);
	} else {
		exit_status = say_no_memory();
	}
	free(lists.kinds);
	free(lists.places);
	free(lists.tables);
	ct_thresholds_free(thresholds);
	return exit_status;
}
