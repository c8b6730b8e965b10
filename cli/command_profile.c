/* SPDX-License-Identifier: MIT */
/*
 * corotracer profile: writes where coroutines waited or ran, for pprof and as a flame graph.
 */
#include <string.h>

#include "command.h"
#include "corotracer/ct.h"
#include "output.h"
#include "say.h"
#include "subject.h"

static const enum ct_profile_format formats[] = {
	CT_PROFILE_PPROF, CT_PROFILE_FOLDED, CT_PROFILE_SVG, CT_PROFILE_SPEEDSCOPE};

/* Files that a profiler opens get a default name; text goes to standard output. */
static const char *const outputs[] = {
	[CT_PROFILE_PPROF] = "corotracer.pb.gz",
	[CT_PROFILE_FOLDED] = "-",
	[CT_PROFILE_SVG] = "corotracer.svg",
	[CT_PROFILE_SPEEDSCOPE] = "corotracer.speedscope.json",
};

static enum ct_status write_profile(
	struct ct_trace *trace, const void *options, const char *output, struct ct_error *reterr)
{
	return ct_profile_write(trace, options, output, reterr);
}

/* Folded stacks and SVG are text, so they may go to a terminal. */
static bool is_writable(enum ct_profile_format format, const char *output)
{
	return (format != CT_PROFILE_PPROF && *output) || output_is_good("profile", output);
}

int command_profile(const struct arguments *arguments)
{
	const char *output = arguments->value[OPTION_PROFILE_OUTPUT];
	struct ct_profile_options options = {.size = sizeof(options)};
	const struct subject subject = {
		.operand = arguments->operands[0],
		.no_symbols = arguments->value[OPTION_PROFILE_NO_SYMBOLS] != NULL,
		.duration = OPTION_PROFILE_DURATION,
	};
	int exit_status;

	options.profile = (enum ct_profile)arguments->meaning[OPTION_PROFILE_TYPE].number;
	options.format = formats[arguments->meaning[OPTION_PROFILE_FORMAT].number];
	options.by_place = arguments->meaning[OPTION_PROFILE_BY].number == 1;
	options.only_ended = arguments->value[OPTION_PROFILE_ENDED] != NULL;
	if (!output)
		output = outputs[options.format];
	if (!is_writable(options.format, output))
		return ct_status_exit_code(CT_ERR_USAGE);
	exit_status = subject_write(arguments, &subject, write_profile, &options, output);
	if (!exit_status && !arguments->value[OPTION_PROFILE_OUTPUT] && strcmp(output, "-") != 0)
		say_sentence("wrote '%s'", output);
	return exit_status;
}
