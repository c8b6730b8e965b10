/* SPDX-License-Identifier: MIT */
/*
 * corotracer run: a program under the tracer; and coroTracer, the older spelling of it.
 */
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "corotracer/ct.h"
#include "recording.h"
#include "say.h"

static bool is_standard_output(const char *path)
{
	return strcmp(path, "-") == 0;
}

int command_run(const struct arguments *arguments)
{
	const char *format = arguments->value[OPTION_RUN_FORMAT];
	bool is_jsonl = format && strcmp(format, "jsonl") == 0;
	struct recording recording = {
		.output = arguments->value[OPTION_RUN_OUTPUT],
		.format = is_jsonl ? CT_FORMAT_JSONL : CT_FORMAT_CTRACE,
		.command = arguments->operands,
		.no_ledger = arguments->value[OPTION_RUN_NO_LEDGER] != NULL,
		.wants_report = arguments->value[OPTION_RUN_REPORT] != NULL,
	};

	if (arguments->nr_operands == 0)
		return say_usage("run", "which program? for example: corotracer run -- ./app");
	if (!recording.output)
		recording.output = is_jsonl ? "corotracer.jsonl" : "corotracer.ctrace";
	if (!*recording.output)
		return say_usage("run", "option '--output' needs the name of a file");
	if (recording.wants_report && (is_jsonl || is_standard_output(recording.output)))
		return say_usage("run", "'--report' needs a trace in a file, in the form ctrace");
	if (!is_jsonl && is_standard_output(recording.output) && isatty(STDOUT_FILENO))
		return say_usage("run", "a trace is no text: it does not belong on a terminal");
	return recording_perform(&recording);
}

/* What this version lacks, said in one sentence. */
static int refuse(const char *option, const char *instead)
{
	say_sentence("this version lacks '-%s'%s", option, instead);
	return ct_status_exit_code(CT_ERR_UNSUPPORTED);
}

static bool names_a_channel(const struct arguments *arguments)
{
	return arguments->value[OPTION_OLDER_SHM] || arguments->value[OPTION_OLDER_SOCK];
}

int command_older(const struct arguments *arguments)
{
	const char *command = arguments->value[OPTION_OLDER_CMD];
	char shell[] = "sh", option[] = "-c", program[4096];
	char *words[] = {shell, option, program, NULL};
	const char *output = arguments->value[OPTION_OLDER_OUT];
	struct recording recording = {
		.output = output ? output : "trace_output.jsonl",
		.format = CT_FORMAT_JSONL,
		.command = words,
	};

	if (arguments->value[OPTION_OLDER_DEEPDIVE])
		return refuse("deepdive", "; 'corotracer report --format md' explains a trace");
	if (arguments->value[OPTION_OLDER_HTML])
		return refuse("html", "; 'corotracer report --format md' explains a trace");
	if (arguments->value[OPTION_OLDER_EXPORT])
		return refuse("export", "");
	if (arguments->nr_operands)
		return say_usage("", "coroTracer takes its command behind '-cmd', in one word");
	if (!command)
		return say_usage(
			"", "coroTracer needs '-cmd': for example coroTracer -cmd './app'");
	if (strlen(command) >= sizeof(program))
		return say_usage("", "the command behind '-cmd' is too long");
	memcpy(program, command, strlen(command) + 1);
	if (names_a_channel(arguments))
		say_sentence("'-shm' and '-sock' name nothing any more: probes that speak version "
			     "1 are not "
			     "served by "
			     "this version");
	return recording_perform(&recording);
}
