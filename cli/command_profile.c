/* SPDX-License-Identifier: MIT */
/*
 * corotracer profile: where coroutines waited, or ran, for pprof and as a flame graph.
 */
#include <string.h>

#include "command.h"
#include "corotracer/ct.h"
#include "output.h"
#include "say.h"

static const enum ct_profile_format formats[] = {
	CT_PROFILE_PPROF, CT_PROFILE_FOLDED, CT_PROFILE_SVG};

/* What a profiler opens by a name of its own; text goes to standard output. */
static const char *const outputs[] = {
	[CT_PROFILE_PPROF] = "corotracer.pb.gz",
	[CT_PROFILE_FOLDED] = "-",
	[CT_PROFILE_SVG] = "corotracer.svg",
};

static enum ct_status open_and_write(const char *input, bool no_symbols,
	const struct ct_profile_options *options, const char *output, struct ct_error *reterr)
{
	struct ct_open_options opening = {.size = sizeof(opening), .no_symbols = no_symbols};
	struct ct_trace *trace;
	enum ct_status status;

	progress_begin("reading", input);
	status = ct_trace_open(input, &opening, &trace, reterr);
	if (status == CT_OK) {
		output_guard(output);
		status = ct_profile_write(trace, options, output, reterr);
		ct_trace_close(trace);
	}
	progress_end();
	return status;
}

/* Folded stacks and pictures are text, which a terminal may show. */
static bool is_writable(enum ct_profile_format format, const char *output)
{
	return (format != CT_PROFILE_PPROF && *output) || output_is_good("profile", output);
}

int command_profile(const struct arguments *arguments)
{
	const char *input = arguments->operands[0];
	const char *output = arguments->value[OPTION_PROFILE_OUTPUT];
	struct ct_profile_options options = {.size = sizeof(options)};
	struct ct_error error;
	enum ct_status status;

	options.profile = (enum ct_profile)arguments->meaning[OPTION_PROFILE_TYPE].number;
	options.format = formats[arguments->meaning[OPTION_PROFILE_FORMAT].number];
	options.by_place = arguments->meaning[OPTION_PROFILE_BY].number == 1;
	if (!output)
		output = outputs[options.format];
	if (!is_writable(options.format, output) || output_replaces(input, output))
		return ct_status_exit_code(CT_ERR_USAGE);
	status = open_and_write(input, arguments->value[OPTION_PROFILE_NO_SYMBOLS] != NULL,
		&options, output, &error);
	if (status)
		return say_failure(status, &error);
	if (!arguments->value[OPTION_PROFILE_OUTPUT] && strcmp(output, "-") != 0)
		say_sentence("wrote '%s'", output);
	return 0;
}
