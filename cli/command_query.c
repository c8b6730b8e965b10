/* SPDX-License-Identifier: MIT */
/*
 * corotracer query: runs SQL on a trace.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "asking.h"
#include "command.h"
#include "corotracer/ct.h"
#include "judge.h"
#include "output.h"
#include "say.h"
#include "shell.h"
#include "subject.h"

#define ROWS_SHOWN 1000
#define LETTERS "abcdefghijklmnopqrstuvwxyz"

/* The origin of the SQL. */
struct sought {
	const char *sql;  /* an operand; NULL: none */
	const char *path; /* of a file; "-": standard input; NULL: none */
};

/* ---------------------------------------------------------------- options */

static bool has_header(const struct arguments *arguments)
{
	bool has = true;
	int i;

	for (i = 0; i < arguments->nr_given; i++) {
		if (arguments->given[i].option == OPTION_QUERY_HEADER)
			has = true;
		else if (arguments->given[i].option == OPTION_QUERY_NO_HEADER)
			has = false;
	}
	return has;
}

static struct ct_query_write_options writing_of(
	const struct arguments *arguments, const char *output)
{
	struct ct_query_write_options writing = {
		.size = sizeof(writing),
		.format = (enum ct_query_format)arguments->meaning[OPTION_QUERY_FORMAT].number,
		.no_header = !has_header(arguments),
		.max_rows = arguments->meaning[OPTION_QUERY_ROWS].number,
		.use_colour =
			output_is_coloured(arguments->meaning[OPTION_QUERY_COLOUR].number, output),
	};

	if (!writing.max_rows && writing.format == CT_QUERY_TABLE &&
		!arguments->value[OPTION_QUERY_ALL])
		writing.max_rows = ROWS_SHOWN;
	return writing;
}

/* Is the word a statement or a command of the shell, and not the name of a file? */
static bool is_sql(const char *word)
{
	static const char *const beginnings[] = {"SELECT", "WITH", "VALUES", "EXPLAIN"};
	size_t i, length = strcspn(word, " \t\n(");

	if (access(word, F_OK) == 0)
		return false;
	for (i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		if (strlen(beginnings[i]) == length && word[length] &&
			strncasecmp(word, beginnings[i], length) == 0)
			return true;
	return word[0] == '.' && strspn(word + 1, LETTERS) == strcspn(word + 1, " ");
}

/* If no trace is given, the default trace is used. 0, or the exit status after printing that there is none. */
static int find_trace(struct arguments *arguments)
{
	if (arguments->nr_operands > 1 ||
		(arguments->nr_operands == 1 && !is_sql(arguments->operands[0])) ||
		arguments_take_default(arguments))
		return 0;
	return say_usage("query", "which trace? there is no " DEFAULT_TRACE
				  " here; for example: corotracer query run.ctrace "
				  "'SELECT * FROM places'");
}

static int find_sql(const struct arguments *arguments, struct sought *ret_sought)
{
	struct sought sought = {.path = arguments->value[OPTION_QUERY_FILE]};

	if (arguments->nr_operands > 2 || (arguments->nr_operands == 2 && sought.path))
		return say_usage("query", "one trace, and one text of SQL, in quotes");
	if (arguments->nr_operands == 2)
		sought.sql = arguments->operands[1];
	if (sought.sql && strcmp(sought.sql, "-") == 0)
		sought = (struct sought){.path = "-"};
	if (!sought.sql && !sought.path && !isatty(STDIN_FILENO))
		sought.path = "-";
	if (sought.path && strcmp(sought.path, "-") == 0 &&
		strcmp(arguments->operands[0], "-") == 0)
		return say_usage("query", "standard input is the trace, or the SQL, not both");
	*ret_sought = sought;
	return 0;
}

/* ---------------------------------------------------------------- SQL from a file */

/* Returns the exit status. */
static int say_unreadable(const char *path, int number)
{
	say_sentence("reading '%s': %s", path, strerror(number));
	return ct_status_exit_code(number == ENOENT ? CT_ERR_NOT_FOUND : CT_ERR_SYSTEM);
}

/* Reads the whole file, for free(). NULL, after printing why: failed, with the exit status in *reterr. */
static char *read_sql(const char *path, int *reterr)
{
	bool is_input = strcmp(path, "-") == 0;
	FILE *file = is_input ? stdin : fopen(path, "re");
	char *text = NULL;
	size_t capacity = 0;

	/* For an empty file, the buffer has no terminator yet. */
	if (file && getdelim(&text, &capacity, '\0', file) < 0 && text)
		*text = '\0';
	if (!file || ferror(file) || !text) {
		*reterr = say_unreadable(path, errno);
		free(text);
		text = NULL;
	}
	if (file && !is_input)
		fclose(file);
	return text;
}

/* ---------------------------------------------------------------- asking */

static int ask(struct asking *asking, const struct sought *sought)
{
	char *read;
	int exit_status = 0;

	if (sought->sql)
		return asking_perform(asking, sought->sql);
	if (!sought->path)
		return shell_run(asking);
	read = read_sql(sought->path, &exit_status);
	if (!read)
		return exit_status;
	exit_status = asking_perform(asking, read);
	free(read);
	return exit_status;
}

static int ask_view(
	const struct arguments *arguments, struct ct_view *view, const struct sought *sought)
{
	const char *output = arguments_value(arguments, OPTION_QUERY_OUTPUT, "-");
	const struct ct_query_options options = {.size = sizeof(options),
		.memory_bytes = arguments->meaning[OPTION_JUDGE_MEMORY].number,
		.timeout_ns = (int64_t)arguments->meaning[OPTION_QUERY_TIMEOUT].number};
	struct asking asking = {.writing = writing_of(arguments, output),
		.output = output,
		.about = arguments->operands[0]};
	struct ct_error error;
	enum ct_status status = ct_query_open(view, &options, &asking.query, &error);
	int exit_status;

	if (status)
		return say_failure(status, &error);
	exit_status = ask(&asking, sought);
	ct_query_close(asking.query);
	return exit_status ? exit_status : flush_output();
}

static int ask_trace(const struct arguments *arguments, struct ct_trace *trace,
	const struct ct_thresholds *thresholds, const struct sought *sought)
{
	const struct ct_view_options options = {.size = sizeof(options), .thresholds = thresholds};
	struct ct_view *view;
	struct ct_error error;
	enum ct_status status = ct_view_open(trace, &options, &view, &error);
	int exit_status;

	if (status)
		return say_failure(status, &error);
	exit_status = ask_view(arguments, view, sought);
	memory_tell_missing(ct_view_nr_without_room(view), "the answer");
	ct_view_close(view);
	return exit_status;
}

static int ask_subject(const struct arguments *arguments, const struct ct_thresholds *thresholds,
	const struct sought *sought)
{
	const struct subject subject = {
		.operand = arguments->operands[0],
		.no_symbols = arguments->value[OPTION_QUERY_NO_SYMBOLS] != NULL,
		.duration = OPTION_QUERY_DURATION,
	};
	struct ct_trace *trace;
	int exit_status;

	if (!subject_is_process(&subject) &&
		output_replaces(
			subject.operand, arguments_value(arguments, OPTION_QUERY_OUTPUT, "-")))
		return ct_status_exit_code(CT_ERR_USAGE);
	exit_status = subject_open(arguments, &subject, &trace);
	if (exit_status)
		return exit_status;
	subject_settle(&subject);
	exit_status = ask_trace(arguments, trace, thresholds, sought);
	ct_trace_close(trace);
	return exit_status;
}

/* 0, or the exit status after printing that the answer is no text. */
static int look_at_output(const struct arguments *arguments)
{
	const char *output = arguments_value(arguments, OPTION_QUERY_OUTPUT, "-");
	uint64_t format = arguments->meaning[OPTION_QUERY_FORMAT].number;

	if (format != CT_QUERY_ARROW || !output_is_terminal(output))
		return 0;
	return say_usage("query", "a stream of Arrow is no text: it does not belong on a terminal");
}

int command_query(const struct arguments *arguments)
{
	struct arguments completed = *arguments; /* the operands have room for one more */
	struct ct_thresholds *thresholds;
	struct sought sought = {.sql = NULL};
	int exit_status = look_at_output(arguments);

	if (!exit_status)
		exit_status = find_trace(&completed);
	if (!exit_status)
		exit_status = find_sql(&completed, &sought);
	if (!exit_status)
		exit_status = thresholds_read(&completed, &thresholds);
	if (exit_status)
		return exit_status;
	exit_status = ask_subject(&completed, thresholds, &sought);
	ct_thresholds_free(thresholds);
	return exit_status;
}
