/* SPDX-License-Identifier: MIT */
/*
 * corotracer diff: compares two versions of a program by the traces of their runs. Only one trace is in memory at a
 * time.
 */
#include <string.h>

#include "command.h"
#include "corotracer/ct.h"
#include "judge.h"
#include "output.h"
#include "say.h"

#define DIFFERS 1

struct comparison {
	const struct arguments *arguments;
	struct ct_diff *diff;
	char **before;
	char **after;
	int nr_before;
	int nr_after;
};

/* ---------------------------------------------------------------- traces */

static int add_trace(const struct comparison *comparison, bool is_after, const char *path)
{
	const struct subject subject = {
		.operand = path,
		.no_symbols = comparison->arguments->value[OPTION_DIFF_NO_SYMBOLS] != NULL,
		.duration = OPTION_NONE,
	};
	const struct ct_analyze_options judging = {.size = sizeof(judging)};
	struct judgement judgement;
	struct ct_error error;
	enum ct_status status;
	int exit_status = judgement_read(comparison->arguments, &subject, &judging, &judgement);

	if (exit_status)
		return exit_status;
	judgement_tell_without_room(judgement.report);
	status = ct_diff_add(comparison->diff, is_after, judgement.report, &error);
	judgement_fini(&judgement);
	return status ? say_failure(status, &error) : 0;
}

struct side {
	const struct comparison *comparison;
	bool is_after;
	int exit_status;
};

static bool add_to_side(void *context, const char *trace)
{
	struct side *side = context;

	side->exit_status = add_trace(side->comparison, side->is_after, trace);
	return side->exit_status == 0;
}

static int add_side(
	const struct comparison *comparison, bool is_after, char *const *words, int nr_words)
{
	struct side side = {.comparison = comparison, .is_after = is_after};
	struct ct_error error;
	enum ct_status status = CT_OK;
	int i;

	for (i = 0; i < nr_words && !side.exit_status && status == CT_OK; i++)
		status = ct_traces_list(words[i], add_to_side, &side, &error);
	return status ? say_failure(status, &error) : side.exit_status;
}

/* ---------------------------------------------------------------- the verdict */

static bool fails_on(const char *word, const struct ct_difference *difference)
{
	if (!difference->change)
		return false;
	if (strcmp(word, "new-finding") == 0)
		return difference->change == CT_CHANGE_NEW &&
		       difference->measure == CT_MEASURE_FINDING;
	return strcmp(word, "any") == 0 || strcmp(word, ct_change_name(difference->change)) == 0;
}

static bool is_of_time(const char *word)
{
	return strcmp(word, "slower") == 0 || strcmp(word, "faster") == 0 ||
	       strcmp(word, "any") == 0;
}

/* If chance may change the verdict, a warning is printed, whatever the verdict is. */
static void warn_of_chance(const struct comparison *comparison)
{
	const struct arguments *arguments = comparison->arguments;
	int i;

	if (ct_diff_is_tested(comparison->diff))
		return;
	for (i = 0; i < arguments->nr_given; i++) {
		if (arguments->given[i].option != OPTION_DIFF_FAIL_ON ||
			!is_of_time(arguments->given[i].value))
			continue;
		say_sentence("'--fail-on %s' judges times, of which so few runs prove nothing: "
			     "give five "
			     "runs or more for each side",
			arguments->given[i].value);
		return;
	}
}

static int verdict(const struct comparison *comparison)
{
	const struct arguments *arguments = comparison->arguments;
	const struct ct_difference *differences;
	uint32_t count, i;
	int given;

	warn_of_chance(comparison);
	differences = ct_diff_peek(comparison->diff, &count);
	for (given = 0; given < arguments->nr_given; given++)
		for (i = 0; i < count; i++)
			if (arguments->given[given].option == OPTION_DIFF_FAIL_ON &&
				fails_on(arguments->given[given].value, &differences[i]))
				return DIFFERS;
	return 0;
}

/* A side is named by its trace or folder if it has only one. */
static enum ct_status tell(const struct comparison *comparison, struct ct_error *reterr)
{
	static const enum ct_diff_format formats[] = {CT_DIFF_TEXT, CT_DIFF_MARKDOWN, CT_DIFF_JSON};
	const struct arguments *arguments = comparison->arguments;
	const char *output = arguments_value(arguments, OPTION_DIFF_OUTPUT, "-");
	const struct ct_diff_write_options options = {
		.size = sizeof(options),
		.format = formats[arguments->meaning[OPTION_DIFF_FORMAT].number],
		.before = comparison->nr_before == 1 ? comparison->before[0] : NULL,
		.after = comparison->nr_after == 1 ? comparison->after[0] : NULL,
	};

	output_guard(output);
	return ct_diff_write(comparison->diff, &options, output, reterr);
}

/* ---------------------------------------------------------------- the command */

static int choose_sides(struct comparison *comparison)
{
	const struct arguments *arguments = comparison->arguments;
	bool has_dashes = arguments->nr_before_dashes >= 0;

	comparison->before = arguments->operands;
	comparison->nr_before = has_dashes ? arguments->nr_before_dashes : 1;
	comparison->after = arguments->operands + comparison->nr_before;
	comparison->nr_after = arguments->nr_operands - comparison->nr_before;
	if (comparison->nr_before < 1 || comparison->nr_after < 1)
		return say_usage("diff", "what is compared with what? name a trace, or a folder of "
					 "traces, for each side");
	if (!has_dashes && comparison->nr_after > 1)
		return say_usage(
			"diff", "of several traces on a side '--' stands between the sides");
	return 0;
}

static int compare(const struct comparison *comparison)
{
	struct ct_error error;
	enum ct_status status;
	int exit_status = add_side(comparison, false, comparison->before, comparison->nr_before);

	if (!exit_status)
		exit_status = add_side(comparison, true, comparison->after, comparison->nr_after);
	if (exit_status)
		return exit_status;
	status = ct_diff_judge(comparison->diff, &error);
	if (status == CT_OK)
		status = tell(comparison, &error);
	return status ? say_failure(status, &error) : verdict(comparison);
}

static struct ct_diff_options options_of(const struct arguments *arguments)
{
	static const enum ct_diff_statistic statistics[] = {
		CT_DIFF_P50, CT_DIFF_P90, CT_DIFF_P99, CT_DIFF_MEAN};
	const struct meaning *meaning = arguments->meaning;
	struct ct_diff_options options = {
		.size = sizeof(options),
		.statistic = statistics[meaning[OPTION_DIFF_STATISTIC].number],
		.factor = (double)meaning[OPTION_DIFF_FACTOR].number,
	};

	if (arguments->value[OPTION_DIFF_SIGNIFICANCE])
		options.significance = 1 / (double)meaning[OPTION_DIFF_SIGNIFICANCE].number;
	if (arguments->value[OPTION_DIFF_LEAST])
		options.least = 1 + (double)meaning[OPTION_DIFF_LEAST].number / 100;
	return options;
}

int command_diff(const struct arguments *arguments)
{
	struct comparison comparison = {.arguments = arguments};
	const struct ct_diff_options options = options_of(arguments);
	struct ct_error error;
	enum ct_status status;
	int exit_status = choose_sides(&comparison);

	if (exit_status)
		return exit_status;
	status = ct_diff_new(&options, &comparison.diff, &error);
	exit_status = status ? say_failure(status, &error) : compare(&comparison);
	ct_diff_free(comparison.diff);
	return exit_status;
}
