/* SPDX-License-Identifier: MIT */
/*
 * corotracer report: a trace judged, and told as text, Markdown, HTML or JSON. corotracer stats: of the same, where
 * the time went.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command.h"
#include "corotracer/ct.h"
#include "handing_on.h"
#include "interrupt.h"
#include "judge.h"
#include "process_number.h"
#include "say.h"
#include "thresholds.h"

#define WIDEST 120u

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

static bool wants_colour(const char *when, bool is_terminal)
{
	const char *terminal = getenv("TERM");

	if (when && strcmp(when, "always") == 0)
		return true;
	if (when && strcmp(when, "never") == 0)
		return false;
	return is_terminal && !is_set("NO_COLOR") && terminal && strcmp(terminal, "dumb") != 0;
}

static uint32_t width_of_terminal(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col < WIDEST ? size.ws_col : WIDEST;
}

static enum ct_report_format chosen_format(const char *name)
{
	if (name && strcmp(name, "md") == 0)
		return CT_REPORT_MARKDOWN;
	if (name && strcmp(name, "html") == 0)
		return CT_REPORT_HTML;
	if (name && strcmp(name, "json") == 0)
		return CT_REPORT_JSON;
	return CT_REPORT_TEXT;
}

/* A bound on what is printed; 0: the library's own. */
static uint32_t chosen_bound(const struct arguments *arguments, enum option option)
{
	unsigned long bound = arguments_number(arguments, option, 0);

	if (arguments->value[OPTION_REPORT_ALL])
		return UINT32_MAX;
	return bound < UINT32_MAX ? (uint32_t)bound : UINT32_MAX;
}

/* The form of a text on a terminal follows the terminal. */
static struct ct_report_options options_for(
	const char *format, const char *output, const char *colour)
{
	bool is_terminal = strcmp(output, "-") == 0 && isatty(STDOUT_FILENO);

	return (struct ct_report_options){
		.size = sizeof(struct ct_report_options),
		.format = chosen_format(format),
		.use_colour = wants_colour(colour, is_terminal),
		.width = is_terminal ? width_of_terminal() : 0,
	};
}

static int write_judged(
	struct judgement *judgement, const struct ct_report_options *options, const char *output)
{
	struct ct_error error;
	enum ct_status status;

	interrupt_guard(output);
	status = ct_report_write(judgement->report, options, output, &error);
	judgement_fini(judgement);
	return status ? say_failure(status, &error) : 0;
}

/* Judges the trace and writes what the options ask for; returns the exit status. */
static int judge_and_write(const char *path, bool no_symbols,
	const struct ct_analyze_options *judging, const struct ct_report_options *options,
	const char *output)
{
	struct ct_open_options opening = {.size = sizeof(opening), .no_symbols = no_symbols};
	struct judgement judgement;
	struct ct_error error;
	enum ct_status status;

	if (would_replace_trace(path, output))
		return ct_status_exit_code(CT_ERR_USAGE);
	status = judgement_open(path, &opening, judging, &judgement, &error);
	return status ? say_failure(status, &error) : write_judged(&judgement, options, output);
}

static int report_trace(const struct arguments *arguments, const char *path,
	const struct ct_analyze_options *judging, const struct ct_report_options *options,
	const char *output)
{
	if (arguments->value[OPTION_REPORT_DURATION])
		return say_usage("report", "'--duration' goes with a process that runs");
	return judge_and_write(
		path, arguments->value[OPTION_REPORT_NO_SYMBOLS] != NULL, judging, options, output);
}

static int report_process(const struct arguments *arguments, const char *operand,
	const struct ct_analyze_options *judging, const struct ct_report_options *options,
	const char *output)
{
	struct judgement judgement;
	int exit_status = process_judge("report", operand, arguments->value[OPTION_REPORT_DURATION],
		arguments->value[OPTION_REPORT_NO_SYMBOLS] != NULL, judging, &judgement);

	return exit_status ? exit_status : write_judged(&judgement, options, output);
}

int command_report(const struct arguments *arguments)
{
	const char *path = one_operand(arguments);
	const char *output = arguments->value[OPTION_REPORT_OUTPUT];
	struct ct_analyze_options judging = {.size = sizeof(judging)};
	struct ct_thresholds *thresholds;
	struct ct_report_options options;
	int exit_status;

	if (!path)
		return ct_status_exit_code(CT_ERR_USAGE);
	if (!output)
		output = "-";
	options = options_for(arguments->value[OPTION_REPORT_FORMAT], output,
		arguments->value[OPTION_REPORT_COLOUR]);
	options.is_brief = arguments->value[OPTION_REPORT_BRIEF] != NULL;
	options.max_findings = chosen_bound(arguments, OPTION_REPORT_MAX_FINDINGS);
	options.max_members = chosen_bound(arguments, OPTION_REPORT_MAX_MEMBERS);
	exit_status = thresholds_read(arguments, &thresholds);
	if (exit_status)
		return exit_status;
	judging.thresholds = thresholds;
	exit_status = (process_is_meant(path) ? report_process : report_trace)(
		arguments, path, &judging, &options, output);
	ct_thresholds_free(thresholds);
	return exit_status;
}

/* False: what is asked for does not go together, which has been said. */
static bool choose_breakdown(
	const struct arguments *arguments, struct ct_analyze_options *ret_judging)
{
	const char *by = arguments->value[OPTION_STATS_BY];
	const char *sort = arguments->value[OPTION_STATS_SORT];

	ret_judging->by = by ? ct_by_find(by) : CT_BY_NONE;
	if (sort && ret_judging->by != CT_BY_COROUTINE && ret_judging->by != CT_BY_FUNCTION &&
		ret_judging->by != CT_BY_SITE) {
		say_usage("stats", "'--sort' goes with '--by coroutine', '--by function' and "
				   "'--by site'");
		return false;
	}
	if (by && ret_judging->path_task) {
		say_usage("stats", "give one of '--by' and '--task'");
		return false;
	}
	ret_judging->sort = sort ? ct_sort_find(sort) : CT_SORT_RUNNING;
	return true;
}

int command_stats(const struct arguments *arguments)
{
	const char *path = one_operand(arguments);
	const char *output = arguments->value[OPTION_STATS_OUTPUT];
	unsigned long rows = arguments_number(arguments, OPTION_STATS_ROWS, 0);
	struct ct_analyze_options judging = {
		.size = sizeof(judging), .path_task = arguments->value[OPTION_STATS_TASK]};
	struct ct_thresholds *thresholds;
	struct ct_report_options options;
	int exit_status;

	if (!path)
		return ct_status_exit_code(CT_ERR_USAGE);
	if (!output)
		output = "-";
	if (!choose_breakdown(arguments, &judging))
		return ct_status_exit_code(CT_ERR_USAGE);
	exit_status = thresholds_read(arguments, &thresholds);
	if (exit_status)
		return exit_status;
	judging.thresholds = thresholds;
	judging.max_rows = (uint32_t)(rows < UINT32_MAX ? rows : UINT32_MAX);
	options = options_for(arguments->value[OPTION_STATS_FORMAT], output, NULL);
	options.is_statistics = true;
	options.by = judging.by;
	options.max_rows = rows < UINT32_MAX ? (uint32_t)rows : UINT32_MAX;
	exit_status = judge_and_write(path, arguments->value[OPTION_STATS_NO_SYMBOLS] != NULL,
		&judging, &options, output);
	ct_thresholds_free(thresholds);
	return exit_status;
}
