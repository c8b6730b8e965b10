/* SPDX-License-Identifier: MIT */
/*
 * corotracer report: a trace judged, and told as text, Markdown, HTML or JSON.
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
#include "say.h"

#define WIDEST 120u

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

static bool wants_colour(const struct arguments *arguments, bool is_terminal)
{
	const char *when = arguments->value[OPTION_REPORT_COLOUR];
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

static struct ct_report_options chosen_options(
	const struct arguments *arguments, const char *output)
{
	bool is_terminal = strcmp(output, "-") == 0 && isatty(STDOUT_FILENO);

	return (struct ct_report_options){
		.size = sizeof(struct ct_report_options),
		.format = chosen_format(arguments->value[OPTION_REPORT_FORMAT]),
		.use_colour = wants_colour(arguments, is_terminal),
		.is_brief = arguments->value[OPTION_REPORT_BRIEF] != NULL,
		.max_findings = chosen_bound(arguments, OPTION_REPORT_MAX_FINDINGS),
		.max_members = chosen_bound(arguments, OPTION_REPORT_MAX_MEMBERS),
		.width = is_terminal ? width_of_terminal() : 0,
	};
}

int command_report(const struct arguments *arguments)
{
	const char *path = one_operand(arguments);
	const char *output = arguments->value[OPTION_REPORT_OUTPUT];
	struct ct_report_options options;
	struct judgement judgement;
	struct ct_error error;
	enum ct_status status;

	if (!path)
		return ct_status_exit_code(CT_ERR_USAGE);
	if (!output)
		output = "-";
	if (would_replace_trace(path, output))
		return ct_status_exit_code(CT_ERR_USAGE);
	status = judgement_open(
		path, arguments->value[OPTION_REPORT_NO_SYMBOLS] != NULL, NULL, &judgement, &error);
	if (status)
		return say_failure(status, &error);
	options = chosen_options(arguments, output);
	interrupt_guard(output);
	status = ct_report_write(judgement.report, &options, output, &error);
	judgement_fini(&judgement);
	return status ? say_failure(status, &error) : 0;
}
