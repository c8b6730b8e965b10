/* SPDX-License-Identifier: MIT */
/*
 * corotracer run: runs a program under the tracer. corotracer attach: traces a program that is already running.
 */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "command.h"
#include "corotracer/ct.h"
#include "fetching.h"
#include "judge.h"
#include "output.h"
#include "recording.h"
#include "sampling.h"
#include "say.h"

static const char *name_of_file_system(const struct statfs *status)
{
	switch ((uint32_t)status->f_type) {
#define X(name, magic) \
	case magic:    \
		return name;
#include "network.def"
#undef X
	default:
		return NULL;
	}
}

/* The network file system on which the output would be, or NULL. A trace that waits for a network loses events. */
static const char *network_name(const char *path)
{
	struct statfs status;
	const char *name = NULL;
	char *copy;

	if (strcmp(path, "-") == 0)
		return NULL;
	if (statfs(path, &status) == 0)
		return name_of_file_system(&status);
	copy = strdup(path);
	if (copy && statfs(dirname(copy), &status) == 0)
		name = name_of_file_system(&status);
	free(copy);
	return name;
}

/* Which options contradict each other; NULL: none do. */
static const char *what_does_not_fit(
	const struct arguments *arguments, const struct recording *recording)
{
	const char *const *value = arguments->value;
	bool is_jsonl = recording->options.format == CT_FORMAT_JSONL;

	if (is_jsonl && recording->options.pack_level)
		return "'--pack' needs the form ctrace";
	if (recording->wants_report && (is_jsonl || strcmp(recording->options.output, "-") == 0))
		return "'--report' needs a trace in a file, in the form ctrace";
	if (recording->options.all_kinds && !is_jsonl)
		return "'--all' goes with '--format jsonl'; ctrace holds all events";
	if (recording->wants_report && recording->options.flight)
		return "'--report' needs the whole trace; '--flight' keeps the past only";
	if (!recording->serving.is_wanted &&
		(recording->serving.opens_browser || recording->serving.listen))
		return "'--listen' and '--open' go with '--serve'";
	if (!recording->options.flight && (value[OPTION_RECORD_ON] || value[OPTION_RECORD_EXEC] ||
						  value[OPTION_RECORD_MAX_DUMPS]))
		return "'--on', '--exec' and '--max-dumps' go with '--flight'";
	return NULL;
}

/* What is missing: the command or process to be recorded. NULL: it is named. */
static const char *what_is_not_named(const struct arguments *arguments, struct recording *recording)
{
	if (arguments->command == COMMAND_RUN)
		return arguments->nr_operands
			       ? NULL
			       : "which program? for example: corotracer run -- ./app";
	if (arguments->nr_operands != 1)
		return "which process? for example: corotracer attach 4711";
	if (arguments->value[OPTION_ATTACH_LIMIT])
		return "'--limit' goes with an address";
	recording->options.pid = value_process(arguments->operands[0]);
	return recording->options.pid ? NULL
				      : "PID is the number of a process, as ps and pidof print it";
}

/* 0, or the exit status after printing why no server can be started. */
static int check_serving(const struct serving *serving)
{
	struct ct_error error;
	enum ct_status status = ct_serve_check(serving->listen, &error);

	return status ? say_failure(status, &error) : 0;
}

static int record(const struct arguments *arguments, struct recording *recording)
{
	const char *name = command_descriptions[arguments->command].name;
	const char *complaint = what_is_not_named(arguments, recording), *network;
	int status;

	if (!complaint)
		complaint = what_does_not_fit(arguments, recording);
	if (complaint)
		return say_usage(name, complaint);
	/* Rows are text, so they may go to a terminal. */
	if ((recording->options.format == CT_FORMAT_CTRACE || !*recording->options.output) &&
		!output_is_good(name, recording->options.output))
		return ct_status_exit_code(CT_ERR_USAGE);
	status = recording->serving.is_wanted ? check_serving(&recording->serving) : 0;
	if (status)
		return status;
	network = network_name(recording->options.output);
	if (network)
		say_sentence("the trace is written over the network (%s): what that cannot take "
			     "in time is lost",
			network);
	output_note(recording->options.output);
	return recording_perform(recording, NULL);
}

static bool is_at_address(const struct arguments *arguments)
{
	return arguments->command == COMMAND_ATTACH && arguments->nr_operands == 1 &&
	       fetching_is_address(arguments->operands[0]);
}

int command_attach(const struct arguments *arguments)
{
	return command_run(arguments);
}

int command_run(const struct arguments *arguments)
{
	bool is_jsonl = arguments->meaning[OPTION_RECORD_FORMAT].number == 1;
	const char *output = arguments->value[OPTION_RECORD_OUTPUT];
	char complaint[COMPLAINT_BYTES];
	struct ct_thresholds *thresholds;
	struct recording_options options;
	struct recording recording = {
		.options = {.output = output     ? output
				      : is_jsonl ? "corotracer.jsonl"
						 : DEFAULT_TRACE,
			.format = is_jsonl ? CT_FORMAT_JSONL : CT_FORMAT_CTRACE,
			.command = arguments->operands,
			.all_kinds = arguments->value[OPTION_RECORD_ALL] != NULL,
			.no_ledger = arguments->value[OPTION_RUN_NO_LEDGER] != NULL,
			.admits_all = arguments->meaning[OPTION_RUN_PEERS].number == 1,
			.pack_level = (int)arguments->meaning[OPTION_RECORD_PACK].number,
			.flight = arguments->value[OPTION_RECORD_FLIGHT] ? &options.flight : NULL,
			.wanted = &options.wanted,
			.orders = &options.orders,
			.looks_into_memory = !arguments->value[OPTION_RUN_NO_MEMORY],
			.sample_hz = (uint32_t)arguments->meaning[OPTION_RECORD_CPU_SAMPLES].number,
			.no_version1 = arguments->value[OPTION_RUN_NO_V1] != NULL,
			.max_stations = arguments_count(arguments, OPTION_RUN_V1_STATIONS)},
		.wants_report = arguments->value[OPTION_RECORD_REPORT] != NULL,
		.dump_command = arguments->value[OPTION_RECORD_EXEC],
		.memory_bytes = arguments->meaning[OPTION_JUDGE_MEMORY].number,
	};
	const char *unfit;
	int status;

	if (sampling_is_wanted(arguments, &unfit) && !unfit)
		return sampling_perform(arguments);
	status = unfit ? say_usage(command_descriptions[arguments->command].name, unfit)
		       : thresholds_read(arguments, &thresholds);

	if (status)
		return status;
	recording.serving = serving_read(arguments);
	recording.serving.is_wanted = arguments->command == COMMAND_SERVE ||
				      arguments->value[OPTION_RECORD_SERVE] ||
				      arguments->value[OPTION_RECORD_SERVE_UNTIL_EXIT];
	recording.serving.until_exit = arguments->value[OPTION_RECORD_SERVE_UNTIL_EXIT] != NULL;
	if (recording_options_read(&options, arguments, complaint)) {
		recording.thresholds = options.flight.thresholds = thresholds;
		status = is_at_address(arguments) ? fetching_perform(arguments, &recording)
						  : record(arguments, &recording);
	} else {
		status = say_usage(command_descriptions[arguments->command].name, complaint);
	}
	recording_options_fini(&options);
	ct_thresholds_free(thresholds);
	return status;
}
