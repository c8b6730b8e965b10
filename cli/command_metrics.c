/* SPDX-License-Identifier: MIT */
/*
 * corotracer metrics: how things stand, for Prometheus.
 */
#include "command.h"
#include "corotracer/ct.h"
#include "judge.h"
#include "output.h"
#include "say.h"
#include "subject.h"

static int open_and_write(const struct arguments *arguments, const struct subject *subject,
	const struct ct_metrics_options *options, const char *output)
{
	struct ct_error error;
	struct ct_trace *trace;
	enum ct_status status;
	int exit_status = subject_open(arguments, subject, &trace);

	if (exit_status)
		return exit_status;
	output_guard(output);
	status = ct_metrics_write(trace, options, output, &error);
	ct_trace_close(trace);
	subject_settle(subject);
	return status ? say_failure(status, &error) : 0;
}

int command_metrics(const struct arguments *arguments)
{
	const char *output = arguments_value(arguments, OPTION_METRICS_OUTPUT, "-");
	struct ct_metrics_options options = {.size = sizeof(options),
		.format = (enum ct_metrics_format)arguments->meaning[OPTION_METRICS_FORMAT].number};
	const struct subject subject = {
		.operand = arguments->operands[0],
		.no_symbols = arguments->value[OPTION_METRICS_NO_SYMBOLS] != NULL,
		.duration = OPTION_METRICS_DURATION,
	};
	struct ct_thresholds *thresholds;
	int exit_status = thresholds_read(arguments, &thresholds);

	if (exit_status)
		return exit_status;
	options.thresholds = thresholds;
	if (!subject_is_process(&subject) && output_replaces(subject.operand, output))
		exit_status = ct_status_exit_code(CT_ERR_USAGE);
	else
		exit_status = open_and_write(arguments, &subject, &options, output);
	ct_thresholds_free(thresholds);
	return exit_status;
}
