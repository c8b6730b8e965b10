/* SPDX-License-Identifier: MIT */
/*
 * corotracer run: a program under the tracer; and corotracer attach: a program that runs already.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "corotracer/ct.h"
#include "flight.h"
#include "network.h"
#include "orders.h"
#include "pack_level.h"
#include "process_number.h"
#include "recording.h"
#include "say.h"
#include "thresholds.h"
#include "wanted.h"

static bool is_standard_output(const char *path)
{
	return strcmp(path, "-") == 0;
}

static int run_flight(const struct arguments *arguments, struct recording *recording)
{
	const char *name = command_descriptions[arguments->command].name;
	struct ct_flight_options flight;
	char complaint[COMPLAINT_BYTES];
	int exit_status;

	if (recording->wants_report)
		return say_usage(
			name, "'--report' needs the whole trace; '--flight' keeps the past only");
	if (!flight_options_read(arguments, &flight, complaint))
		return say_usage(name, complaint);
	flight.thresholds = recording->thresholds;
	recording->flight = &flight;
	recording->dump_command = arguments->value[OPTION_RECORD_EXEC];
	exit_status = recording_perform(recording);
	free((void *)(uintptr_t)flight.conditions);
	return exit_status;
}

/* 0: it is none, and that was said. */
static int64_t read_pid(const struct arguments *arguments)
{
	int64_t pid;

	if (arguments->nr_operands != 1) {
		say_usage("attach", "which process? for example: corotracer attach 4711");
		return 0;
	}
	pid = process_read(arguments->operands[0]);
	if (pid)
		return pid;
	say_usage("attach", "PID is the number of a process, as ps and pidof print it");
	return 0;
}

static int record(const struct arguments *arguments, const struct ct_wanted *wanted,
	const struct ct_thresholds *thresholds)
{
	const char *name = command_descriptions[arguments->command].name;
	const char *format = arguments->value[OPTION_RECORD_FORMAT];
	const char *peers = arguments->value[OPTION_RUN_PEERS];
	bool is_jsonl = format && strcmp(format, "jsonl") == 0;
	unsigned long nr_stations = arguments_number(arguments, OPTION_RUN_V1_STATIONS, 0);
	char complaint[COMPLAINT_BYTES];
	struct ct_orders orders;
	struct recording recording = {
		.output = arguments->value[OPTION_RECORD_OUTPUT],
		.format = is_jsonl ? CT_FORMAT_JSONL : CT_FORMAT_CTRACE,
		.command = arguments->operands,
		.all_kinds = arguments->value[OPTION_RECORD_ALL] != NULL,
		.no_ledger = arguments->value[OPTION_RUN_NO_LEDGER] != NULL,
		.admits_all = peers && strcmp(peers, "all") == 0,
		.wants_report = arguments->value[OPTION_RECORD_REPORT] != NULL,
		.no_version1 = arguments->value[OPTION_RUN_NO_V1] != NULL,
		.wanted = wanted,
		.thresholds = thresholds,
		.orders = &orders,
		.max_stations = nr_stations < UINT32_MAX ? (uint32_t)nr_stations : UINT32_MAX,
	};

	if (!orders_read(arguments, &orders, complaint))
		return say_usage(name, complaint);
	if (!read_pack_level(arguments, OPTION_RECORD_PACK, &recording.pack_level))
		return ct_status_exit_code(CT_ERR_USAGE);
	if (is_jsonl && recording.pack_level)
		return say_usage(name, "'--pack' needs the form ctrace");
	if (arguments->command == COMMAND_ATTACH) {
		recording.pid = read_pid(arguments);
		if (!recording.pid)
			return ct_status_exit_code(CT_ERR_USAGE);
	} else if (arguments->nr_operands == 0) {
		return say_usage("run", "which program? for example: corotracer run -- ./app");
	}
	if (!recording.output)
		recording.output = is_jsonl ? "corotracer.jsonl" : "corotracer.ctrace";
	if (!*recording.output)
		return say_usage(name, "option '--output' needs the name of a file");
	if (recording.wants_report && (is_jsonl || is_standard_output(recording.output)))
		return say_usage(name, "'--report' needs a trace in a file, in the form ctrace");
	if (recording.all_kinds && !is_jsonl)
		return say_usage(
			name, "'--all' goes with '--format jsonl'; ctrace holds all events");
	if (!is_jsonl && is_standard_output(recording.output) && isatty(STDOUT_FILENO))
		return say_usage(name, "a trace is no text: it does not belong on a terminal");
	if (network_name(recording.output))
		say_sentence("the trace is written over the network (%s): what that can not take "
			     "in time is lost",
			network_name(recording.output));
	if (arguments->value[OPTION_RECORD_FLIGHT])
		return run_flight(arguments, &recording);
	if (arguments->value[OPTION_RECORD_ON] || arguments->value[OPTION_RECORD_EXEC] ||
		arguments->value[OPTION_RECORD_MAX_DUMPS])
		return say_usage(name, "'--on', '--exec' and '--max-dumps' go with '--flight'");
	return recording_perform(&recording);
}

int command_attach(const struct arguments *arguments)
{
	return command_run(arguments);
}

int command_run(const struct arguments *arguments)
{
	struct ct_thresholds *thresholds;
	struct wishes wishes;
	int status = thresholds_read(arguments, &thresholds);

	if (status)
		return status;
	if (wishes_read(&wishes, arguments))
		status = record(arguments, &wishes.wanted, thresholds);
	else
		status = say_usage(command_descriptions[arguments->command].name, wishes.complaint);
	wishes_fini(&wishes);
	ct_thresholds_free(thresholds);
	return status;
}
