/* SPDX-License-Identifier: MIT */
/*
 * corotracer check: checks assertions about a trace, or about a command that is recorded for the check.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "corotracer/ct.h"
#include "fetching.h"
#include "judge.h"
#include "output.h"
#include "recording.h"
#include "say.h"

#define DEFAULT_ASSERTIONS "corotracer.checks"
#define BROKEN 1

struct check {
	const struct arguments *arguments;
	struct ct_checks *checks;
	const char *trace; /* the trace to be read; with a command, the trace to be written first */
	char **command;    /* NULL: none */
	int nr_words;      /* operands before the command */
	bool has_assertions;
	bool is_of_many; /* `trace` is a place that has several */
};

static enum ct_checks_format format_of(const struct arguments *arguments)
{
	static const enum ct_checks_format formats[] = {
		CT_CHECKS_TEXT, CT_CHECKS_JSON, CT_CHECKS_JUNIT, CT_CHECKS_SARIF};

	return formats[arguments->meaning[OPTION_CHECK_FORMAT].number];
}

static const char *output_of(const struct arguments *arguments)
{
	return arguments_value(arguments, OPTION_CHECK_OUTPUT, "-");
}

/* ---------------------------------------------------------------- assertions */

/* Marks the position from which the text is not an assertion; a character of several bytes counts as one column. */
static void point_into(const char *assertion, const struct ct_error *error)
{
	uint64_t i;

	if (error->offset == CT_NO_OFFSET || strpbrk(assertion, "\n\t"))
		return;
	fputs("'corotracer help conditions' lists what can be asked\n  ", stderr);
	print_safe(stderr, assertion);
	fputs("\n  ", stderr);
	for (i = 0; i < error->offset; i++)
		if (((unsigned char)assertion[i] & 0xc0) != 0x80)
			fputc(' ', stderr);
	fputs("^\n", stderr);
}

static int add(struct check *check, const char *assertion)
{
	struct ct_error error;
	enum ct_status status = ct_checks_add(check->checks, assertion, &error);
	int exit_status;

	check->has_assertions = true;
	if (!status)
		return 0;
	exit_status = say_failure(status, &error);
	point_into(assertion, &error);
	return exit_status;
}

static int add_file(struct check *check, const char *path)
{
	struct ct_error error;
	enum ct_status status = ct_checks_read(check->checks, path, &error);

	check->has_assertions = true;
	return status ? say_failure(status, &error) : 0;
}

static int add_files(struct check *check)
{
	const struct arguments *arguments = check->arguments;
	int i, exit_status = 0;

	for (i = 0; i < arguments->nr_given && !exit_status; i++)
		if (arguments->given[i].option == OPTION_CHECK_ASSERTIONS)
			exit_status = add_file(check, arguments->given[i].value);
	return exit_status;
}

/* The name of a trace contains no comparison; an address may contain '='. */
static bool is_assertion(const char *word)
{
	bool is_address = strncmp(word, "s3://", 5) == 0 || fetching_is_address(word);

	return !is_address && strpbrk(word, "<>=!") && access(word, F_OK) != 0;
}

static int add_words(struct check *check)
{
	char **words = check->arguments->operands;
	int i, exit_status = 0;

	for (i = 0; i < check->nr_words && !exit_status; i++) {
		if (is_assertion(words[i]))
			exit_status = add(check, words[i]);
		else if (check->trace)
			return say_usage("check",
				"one trace at a time; an assertion has a comparison in it");
		else
			check->trace = words[i];
	}
	return exit_status;
}

static int add_defaults(struct check *check)
{
	int exit_status;

	if (check->has_assertions)
		return 0;
	if (access(DEFAULT_ASSERTIONS, F_OK) == 0)
		return add_file(check, DEFAULT_ASSERTIONS);
	exit_status = add(check, "findings >= likely == 0");
	return exit_status || !check->command ? exit_status : add(check, "exit_status == 0");
}

/* ---------------------------------------------------------------- judging */

static bool is_any(const struct ct_checks *checks, enum ct_verdict verdict)
{
	const struct ct_assertion *assertions;
	uint32_t count, i;

	assertions = ct_checks_peek(checks, &count);
	for (i = 0; i < count; i++)
		if (assertions[i].verdict == verdict)
			return true;
	return false;
}

/* A missing probe is not a fault of the checked program. */
static int verdict(const struct ct_checks *checks, const struct ct_report *report)
{
	if (is_any(checks, CT_VERDICT_BROKEN))
		return BROKEN;
	if (!is_any(checks, CT_VERDICT_UNKNOWN))
		return 0;
	return ct_report_unseen(report) ? ct_status_exit_code(CT_ERR_NO_PROBE) : BROKEN;
}

static struct subject subject_of(const struct check *check)
{
	return (struct subject){
		.operand = check->trace,
		.no_symbols = check->arguments->value[OPTION_CHECK_NO_SYMBOLS] != NULL,
		.duration = check->command ? OPTION_NONE : OPTION_CHECK_DURATION,
	};
}

/* Standard input and a process id are not names; the trace has the name of the program. */
static const char *name_of(const struct check *check)
{
	struct subject subject = subject_of(check);

	if (check->command)
		return check->command[0];
	return subject_is_process(&subject) || strcmp(check->trace, "-") == 0 ? NULL : check->trace;
}

/* The verdicts of many traces are written together. */
static enum ct_status tell(const struct check *check, struct ct_error *reterr)
{
	const struct arguments *arguments = check->arguments;
	const char *output = output_of(arguments);
	char folder[PATH_MAX];
	struct ct_checks_options options = {
		.size = sizeof(options),
		.format = format_of(arguments),
		.subject = name_of(check),
		.source_root = getcwd(folder, sizeof(folder)),
	};

	options.use_colour =
		output_is_coloured(arguments->meaning[OPTION_CHECK_COLOUR].number, output);
	if (check->is_of_many)
		return ct_checks_keep(check->checks, &options, reterr);
	output_guard(output);
	return ct_checks_write(check->checks, &options, output, reterr);
}

static enum ct_status judge_by(
	const struct check *check, const struct ct_report *report, struct ct_error *reterr)
{
	enum ct_status status = ct_checks_judge(check->checks, report, reterr);

	return status ? status : tell(check, reterr);
}

/* If nothing was recorded, the verdicts are still written, and the status shows the reason. */
static int judge_nothing(const struct check *check, enum ct_status reason)
{
	struct ct_error error;
	enum ct_status status = judge_by(check, NULL, &error);

	return status ? say_failure(status, &error) : ct_status_exit_code(reason);
}

static int judge(const struct check *check)
{
	const struct subject subject = subject_of(check);
	const struct ct_analyze_options judging = {.size = sizeof(judging)};
	struct judgement judgement;
	struct ct_error error;
	int exit_status = judgement_read(check->arguments, &subject, &judging, &judgement);
	enum ct_status status;

	if (exit_status)
		return exit_status;
	judgement_tell_without_room(judgement.report);
	status = judge_by(check, judgement.report, &error);
	/* If the reader of the output goes away, the verdict does not change. */
	exit_status =
		status ? say_failure(status, &error) : verdict(check->checks, judgement.report);
	judgement_fini(&judgement);
	return exit_status;
}

/*
 * An assertion that holds for an incomplete trace may not hold for the program; an assertion that is broken is broken.
 */
static int judge_rest(const struct check *check)
{
	return judge(check) == BROKEN ? BROKEN : ct_status_exit_code(CT_ERR_SYSTEM);
}

/* ---------------------------------------------------------------- many traces */

struct round {
	struct check check; /* of one trace */
	bool has_judged;
	int exit_status;
};

/* A broken assertion counts more than a trace that cannot be read; the others are judged all the same. */
static bool judge_next(void *context, const char *trace)
{
	struct round *round = context;
	int exit_status;

	round->check.trace = trace;
	exit_status = judge(&round->check);
	round->has_judged |= exit_status == 0 || exit_status == BROKEN ||
			     exit_status == ct_status_exit_code(CT_ERR_NO_PROBE);
	if (exit_status == BROKEN || !round->exit_status)
		round->exit_status = exit_status;
	return true;
}

static int judge_many(const struct check *check)
{
	const struct ct_checks_options options = {
		.size = sizeof(options), .format = format_of(check->arguments)};
	struct round round = {.check = *check};
	const char *output = output_of(check->arguments);
	struct ct_error error;
	enum ct_status status = ct_traces_list(check->trace, judge_next, &round, &error);

	if (status == CT_OK && round.has_judged) {
		output_guard(output);
		status = ct_checks_write(check->checks, &options, output, &error);
	}
	return status ? say_failure(status, &error) : round.exit_status;
}

/* ---------------------------------------------------------------- recording first */

/* If programs read the verdicts from standard output, the command's output goes to standard error. */
static int perform_aside(const struct recording *recording, struct recording_result *ret_result)
{
	int ours = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	int exit_status;

	if (ours >= 0)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	exit_status = recording_perform(recording, ret_result);
	if (ours >= 0) {
		dup2(ours, STDOUT_FILENO);
		close(ours);
	}
	return exit_status;
}

static int record_and_judge(const struct check *check)
{
	struct recording recording = {
		.options = {.output = check->trace, .command = check->command},
	};
	struct recording_result result = {0};
	int exit_status;

	if (format_of(check->arguments) != CT_CHECKS_TEXT &&
		strcmp(output_of(check->arguments), "-") == 0)
		exit_status = perform_aside(&recording, &result);
	else
		exit_status = recording_perform(&recording, &result);
	if (result.is_written && result.is_incomplete)
		return judge_rest(check);
	if (result.is_written)
		return judge(check);
	if (!result.has_begun)
		return exit_status;
	if (result.is_incomplete)
		return judge_nothing(check, CT_ERR_SYSTEM);
	say_sentence("check: nothing was recorded");
	return judge_nothing(check, CT_ERR_NO_PROBE);
}

/* ---------------------------------------------------------------- the command */

static int read_words(struct check *check)
{
	const struct arguments *arguments = check->arguments;
	int exit_status = add_files(check);

	check->nr_words = arguments->nr_operands;
	if (arguments->nr_before_dashes >= 0) {
		check->nr_words = arguments->nr_before_dashes;
		check->command = arguments->operands + check->nr_words;
		if (check->nr_words == arguments->nr_operands)
			return say_usage("check", "which program? it stands behind '--'");
	}
	if (!exit_status)
		exit_status = add_words(check);
	if (!exit_status)
		exit_status = add_defaults(check);
	return exit_status;
}

/* Chooses the trace: the one to be read, or the one that the command will write. */
static int choose_trace(struct check *check)
{
	const char *given = check->arguments->value[OPTION_CHECK_TRACE];

	if (check->command && check->trace)
		return say_usage("check",
			"a trace or a command, not both; '--trace' names what is recorded");
	if (!check->command && given)
		return say_usage("check", "'--trace' goes with a command");
	if (!check->trace)
		check->trace = given ? given : DEFAULT_TRACE;
	return 0;
}

static int perform(struct check *check)
{
	int exit_status = read_words(check);

	if (!exit_status)
		exit_status = choose_trace(check);
	if (!exit_status && output_replaces(check->trace, output_of(check->arguments)))
		exit_status = ct_status_exit_code(CT_ERR_USAGE);
	if (exit_status)
		return exit_status;
	check->is_of_many = !check->command && ct_traces_are_many(check->trace);
	if (check->is_of_many)
		return judge_many(check);
	return check->command ? record_and_judge(check) : judge(check);
}

int command_check(const struct arguments *arguments)
{
	struct check check = {.arguments = arguments};
	struct ct_error error;
	enum ct_status status = ct_checks_new(&check.checks, &error);
	int exit_status = status ? say_failure(status, &error) : perform(&check);

	ct_checks_free(check.checks);
	return exit_status;
}
