/* SPDX-License-Identifier: MIT */
/*
 * corotracer report: judges a trace and writes the report as text, Markdown, HTML, JSON, SARIF or a picture. corotracer
 * stats: prints where the time went.
 */
#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command.h"
#include "corotracer/ct.h"
#include "judge.h"
#include "output.h"
#include "say.h"

#define WIDEST 120u

static uint32_t width_of_terminal(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col < WIDEST ? size.ws_col : WIDEST;
}

/* A limit on the output; 0: the library's own. */
static uint32_t chosen_bound(const struct arguments *arguments, enum option option)
{
	return arguments->value[OPTION_REPORT_ALL] ? UINT32_MAX
						   : arguments_count(arguments, option);
}

/* The layout of text on a terminal depends on the terminal. */
static struct ct_report_options options_for(
	enum ct_report_format format, const char *output, uint64_t when)
{
	return (struct ct_report_options){
		.size = sizeof(struct ct_report_options),
		.format = format,
		.use_colour = output_is_coloured(when, output),
		.width = output_is_terminal(output) ? width_of_terminal() : 0,
	};
}

/* Judges, and writes what the options request; returns the exit status. */
static int judge_and_write(const struct arguments *arguments, const struct subject *subject,
	const struct ct_analyze_options *judging, const struct ct_report_options *options,
	const char *output)
{
	struct ct_report_options writing = *options;
	struct judgement judgement;
	int exit_status;

	writing.trace = subject_file(subject);
	if (!subject_is_process(subject) && output_replaces(subject->operand, output))
		return ct_status_exit_code(CT_ERR_USAGE);
	exit_status = judgement_read(arguments, subject, judging, &judgement);
	return exit_status ? exit_status : judgement_write(&judgement, &writing, output);
}

/*
 * The trace's name in the commands on the page, without its folder, because trace and page may have been moved
 * together.
 */
static const char *name_of(const char *operand)
{
	const char *slash = operand ? strrchr(operand, '/') : NULL;

	if (!operand || strcmp(operand, "-") == 0)
		return NULL;
	return slash ? slash + 1 : operand;
}

/* Writes the page with all screens, which contains the trace itself. */
static enum ct_status write_page(
	struct ct_trace *trace, const void *options, const char *output, struct ct_error *reterr)
{
	return ct_page_write(trace, options, output, reterr);
}

/* Indexed by the words of the option; the page comes behind the last of them. */
static const enum ct_report_format report_formats[] = {CT_REPORT_TEXT, CT_REPORT_MARKDOWN,
	CT_REPORT_HTML, CT_REPORT_JSON, CT_REPORT_SARIF, CT_REPORT_SVG};
#define PAGE (sizeof(report_formats) / sizeof(*report_formats))

int command_report(const struct arguments *arguments)
{
	const struct meaning *meaning = arguments->meaning;
	const char *output = arguments_value(arguments, OPTION_REPORT_OUTPUT, "-");
	struct subject subject = {
		.operand = arguments->operands[0],
		.no_symbols = arguments->value[OPTION_REPORT_NO_SYMBOLS] != NULL,
		.duration = OPTION_REPORT_DURATION,
	};
	struct ct_analyze_options judging = {.size = sizeof(judging)};
	struct ct_report_options options;
	char folder[PATH_MAX];

	if (meaning[OPTION_REPORT_FORMAT].number == PAGE)
		return output_is_good("report", output)
			       ? subject_write(arguments, &subject, write_page,
					 name_of(subject.operand), output)
			       : ct_status_exit_code(CT_ERR_USAGE);
	options = options_for(report_formats[meaning[OPTION_REPORT_FORMAT].number], output,
		meaning[OPTION_REPORT_COLOUR].number);
	options.finding = arguments_count(arguments, OPTION_REPORT_FINDING);
	if (options.finding && options.format != CT_REPORT_SVG) {
		say_usage("report", "'--finding' goes with '--format svg'");
		return ct_status_exit_code(CT_ERR_USAGE);
	}
	options.source_root = getcwd(folder, sizeof(folder));
	options.is_brief = arguments->value[OPTION_REPORT_BRIEF] != NULL;
	options.max_findings = chosen_bound(arguments, OPTION_REPORT_MAX_FINDINGS);
	options.max_members = chosen_bound(arguments, OPTION_REPORT_MAX_MEMBERS);
	return judge_and_write(arguments, &subject, &judging, &options, output);
}

/* False: the options contradict each other, which was printed. */
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
	static const enum ct_report_format formats[] = {
		CT_REPORT_TEXT, CT_REPORT_MARKDOWN, CT_REPORT_JSON};
	const char *output = arguments_value(arguments, OPTION_STATS_OUTPUT, "-");
	struct subject subject = {
		.operand = arguments->operands[0],
		.no_symbols = arguments->value[OPTION_STATS_NO_SYMBOLS] != NULL,
		.duration = OPTION_STATS_DURATION,
	};
	struct ct_analyze_options judging = {
		.size = sizeof(judging),
		.path_task = arguments->value[OPTION_STATS_TASK],
		.max_rows = arguments_count(arguments, OPTION_STATS_ROWS),
	};
	struct ct_report_options options;

	if (!choose_breakdown(arguments, &judging))
		return ct_status_exit_code(CT_ERR_USAGE);
	options = options_for(formats[arguments->meaning[OPTION_STATS_FORMAT].number], output, 0);
	options.is_statistics = true;
	options.by = judging.by;
	options.max_rows = judging.max_rows;
	return judge_and_write(arguments, &subject, &judging, &options, output);
}
