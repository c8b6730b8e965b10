/* SPDX-License-Identifier: MIT */
/*
 * corotracer metrics: writes the metrics of a trace for Prometheus.
 */
#include "command.h"
#include "corotracer/ct.h"
#include "judge.h"
#include "subject.h"

static enum ct_status write_metrics(
	struct ct_trace *trace, const void *options, const char *output, struct ct_error *reterr)
{
	return ct_metrics_write(trace, options, output, reterr);
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
	exit_status = subject_write(arguments, &subject, write_metrics, &options, output);
	ct_thresholds_free(thresholds);
	return exit_status;
}
