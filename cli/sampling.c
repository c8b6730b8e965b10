/* SPDX-License-Identifier: MIT */
/*
 * The program runs on while the library samples it; here signals are passed on, and troubles are told. At the end
 * windows are stored for a while at most: what is left in the spool is stored by the next sampling to the same place.
 */
#include <errno.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exits.h"
#include "fetching.h"
#include "sampling.h"
#include "say.h"
#include "signals.h"
#include "value.h"

#define FOR_NS INT64_C(2000000000)
#define SETTLE_NS INT64_C(10000000000)
#define SLICE_NS INT64_C(100000000)
#define LOOK_MS 500
#define STORE "corotracer.windows"
#define MILLIONTHS_A_PERCENT 10000u

extern char **environ;

/* ---------------------------------------------------------------- options */

static bool is_of_sampling(enum option option)
{
	switch (option) {
	case OPTION_RECORD_EVERY:
	case OPTION_RECORD_FOR:
	case OPTION_RECORD_JITTER:
	case OPTION_RECORD_UPLOAD:
	case OPTION_RECORD_SERVICE:
	case OPTION_RECORD_SPOOL:
	case OPTION_RECORD_SPOOL_SIZE:
	case OPTION_RECORD_MAX_BYTES:
	case OPTION_RECORD_MAX_CPU:
	case OPTION_RECORD_MAX_LOAD:
		return true;
	default:
		return false;
	}
}

bool sampling_is_wanted(const struct arguments *arguments, const char **ret_complaint)
{
	static char complaint[COMPLAINT_BYTES];
	bool is_wanted = arguments->value[OPTION_RECORD_EVERY] != NULL;
	int i;

	*ret_complaint = NULL;
	for (i = 0; i < arguments->nr_given; i++) {
		enum option option = arguments->given[i].option;

		if (option == OPTION_RECORD_PACK || is_of_sampling(option) == is_wanted)
			continue;
		snprintf(complaint, sizeof(complaint),
			is_wanted ? "'--%s' goes with one recording, and not with '--every'"
				  : "'--%s' goes with '--every'",
			option_descriptions[option].name);
		*ret_complaint = complaint;
	}
	return is_wanted;
}

/* Where windows wait if nobody says: with what programs of the user keep between their runs. */
static char *default_spool(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char *path;

	if (state && *state == '/' && asprintf(&path, "%s/corotracer/spool", state) >= 0)
		return path;
	if (home && *home == '/' && asprintf(&path, "%s/.local/state/corotracer/spool", home) >= 0)
		return path;
	return asprintf(&path, "/var/tmp/corotracer-%u/spool", geteuid()) >= 0 ? path : NULL;
}

/* ---------------------------------------------------------------- telling */

struct told {
	bool waits; /* it was told that the store cannot be reached */
};

/* Calls come one at a time. */
static void tell(void *context, const struct ct_sampling_event *event)
{
	struct told *told = context;

	if (event->kind == CT_SAMPLING_WAITS && !told->waits)
		say_sentence("a window waits in the spool: %s", event->text);
	else if (event->kind == CT_SAMPLING_STORED && told->waits)
		say_sentence("windows are stored again");
	else if (event->kind == CT_SAMPLING_FAILED)
		say_sentence("a window failed: %s", event->text);
	else if (event->kind == CT_SAMPLING_DROPPED)
		say_sentence("the spool is full: '%s' is dropped", event->key);
	else if (event->kind == CT_SAMPLING_LOST)
		say_sentence(
			"nothing could be made of '%s', which a killed process left", event->key);
	if (event->kind == CT_SAMPLING_WAITS || event->kind == CT_SAMPLING_STORED)
		told->waits = event->kind == CT_SAMPLING_WAITS;
}

static uint64_t nr_skipped(const struct ct_sampling_counts *counts)
{
	return counts->nr_skipped_bytes + counts->nr_skipped_processor + counts->nr_skipped_load +
	       counts->nr_skipped_busy + counts->nr_skipped_probe + counts->nr_skipped_late;
}

static void sum_up(const struct ct_sampling_counts *counts, const char *store, const char *spool)
{
	struct said windows = said_count(counts->nr_windows, "window", "windows");
	struct said bytes = said_bytes(counts->nr_bytes);
	struct said_line line;
	FILE *stream = said_line_begin(&line);

	fprintf(stream, "corotracer: %s (%s) of %llu events, %llu lost; %llu stored in ",
		windows.text, bytes.text, (unsigned long long)counts->nr_events,
		(unsigned long long)counts->nr_events_lost, (unsigned long long)counts->nr_stored);
	fprintf(stream, "%.*s", (int)strcspn(store, "?"), store);
	if (counts->nr_waiting)
		fprintf(stream, ", %llu left in %s", (unsigned long long)counts->nr_waiting, spool);
	if (counts->nr_dropped)
		fprintf(stream, ", %llu dropped", (unsigned long long)counts->nr_dropped);
	if (nr_skipped(counts))
		fprintf(stream, "; %llu skipped", (unsigned long long)nr_skipped(counts));
	if (counts->nr_failed)
		fprintf(stream, "; %llu failed", (unsigned long long)counts->nr_failed);
	fputc('\n', stream);
	said_line_end(&line);
}

/* ---------------------------------------------------------------- until the end */

struct sampled {
	const struct arguments *arguments;
	struct ct_sampling *sampling;
	pid_t pid;   /* 0: an address */
	int process; /* readable when our child has ended; -1: it is not our child */
};

/* Starts the command. 0, or the exit status after printing why it cannot be started. */
static int start(struct sampled *sampled)
{
	char *const *command = sampled->arguments->operands;
	int trouble = posix_spawnp(&sampled->pid, command[0], NULL, NULL, command, environ);

	if (trouble == ENOENT)
		say_sentence("there is no command '%s'", command[0]);
	else if (trouble)
		say_sentence("cannot execute '%s': %s", command[0], strerror(trouble));
	if (trouble)
		return trouble == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	sampled->process = (int)syscall(SYS_pidfd_open, sampled->pid, 0);
	return 0;
}

static int wait_for_child(const struct sampled *sampled)
{
	int status = 0;

	while (waitpid(sampled->pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) ? EXIT_SIGNALED + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Passes signals on to our child; returns whether one asks us to end, which only a sampling without a child does. */
static bool hear_signals(const struct sampled *sampled)
{
	bool was_delivered, is_to_end = false;
	int number;

	while ((number = signals_take(sampled->pid, &was_delivered))) {
		if (sampled->process < 0)
			is_to_end |= number != SIGUSR1 && number != SIGUSR2;
		else if (!was_delivered)
			kill(sampled->pid, number);
	}
	return is_to_end;
}

static int run_on(struct sampled *sampled)
{
	struct pollfd news[] = {{.fd = signals_descriptor(), .events = POLLIN},
		{.fd = sampled->process, .events = POLLIN}};

	for (;;) {
		(void)poll(news, 2, sampled->process < 0 && sampled->pid ? LOOK_MS : -1);
		if (hear_signals(sampled))
			return 0;
		if (sampled->process >= 0 && news[1].revents)
			return wait_for_child(sampled);
		if (sampled->process < 0 && sampled->pid &&
			!ct_sampling_has(sampled->sampling, sampled->pid))
			return 0;
	}
}

/* A second signal ends the waiting, too. */
static void settle(const struct sampled *sampled)
{
	int64_t waited_ns = 0;
	bool was_delivered;

	while (waited_ns < SETTLE_NS && !ct_sampling_settle(sampled->sampling, SLICE_NS) &&
		!signals_take(0, &was_delivered))
		waited_ns += SLICE_NS;
}

static int begin(struct sampled *sampled)
{
	const struct arguments *arguments = sampled->arguments;
	const struct meaning *meaning = arguments->meaning;
	bool is_run = arguments->command == COMMAND_RUN;
	struct ct_sampled what = {
		.size = sizeof(what),
		.service = arguments->value[OPTION_RECORD_SERVICE],
		.every_ns = (int64_t)meaning[OPTION_RECORD_EVERY].number,
		.for_ns = meaning[OPTION_RECORD_FOR].number
				  ? (int64_t)meaning[OPTION_RECORD_FOR].number
				  : FOR_NS,
		.has_jitter = arguments->value[OPTION_RECORD_JITTER] != NULL,
		.pack_level = (int)meaning[OPTION_RECORD_PACK].number,
	};
	struct ct_error error;
	int status = is_run ? start(sampled) : 0;

	if (status)
		return status;
	if (!is_run && fetching_is_address(arguments->operands[0]))
		what.address = arguments->operands[0];
	else if (!is_run)
		sampled->pid = (pid_t)value_process(arguments->operands[0]);
	what.pid = sampled->pid;
	if (is_run && !what.service)
		what.service = strrchr(arguments->operands[0], '/')
				       ? strrchr(arguments->operands[0], '/') + 1
				       : arguments->operands[0];
	status = (int)ct_sampling_add(sampled->sampling, &what, &error);
	if (status == CT_OK || (is_run && status == CT_ERR_NOT_FOUND))
		return 0;
	say_sentence("%s", error.text);
	return is_run ? 0 : ct_status_exit_code((enum ct_status)status);
}

static int sample(const struct arguments *arguments, const struct ct_sampling_options *options)
{
	struct sampled sampled = {.arguments = arguments, .process = -1};
	struct ct_sampling_counts counts;
	struct ct_error error;
	int exit_status;
	enum ct_status status;

	if (!signals_catch()) {
		say_sentence("cannot prepare for signals: %s", strerror(errno));
		return ct_status_exit_code(CT_ERR_SYSTEM);
	}
	status = ct_sampling_open(options, &sampled.sampling, &error);
	if (status) {
		signals_release();
		return say_failure(status, &error);
	}
	exit_status = begin(&sampled);
	if (exit_status == 0) {
		exit_status = run_on(&sampled);
		ct_sampling_stop(sampled.sampling);
		settle(&sampled);
		ct_sampling_counts(sampled.sampling, &counts);
		sum_up(&counts, options->store, options->spool);
	}
	ct_sampling_close(sampled.sampling);
	if (sampled.process >= 0)
		close(sampled.process);
	signals_release();
	return exit_status;
}

/* NULL: all is well. */
static const char *complaint_about(const struct arguments *arguments)
{
	const struct meaning *meaning = arguments->meaning;
	uint64_t for_ns = meaning[OPTION_RECORD_FOR].number;

	if (arguments->command == COMMAND_RUN && !arguments->nr_operands)
		return "which program? for example: corotracer run --every 5min -- ./app";
	if (arguments->command == COMMAND_ATTACH &&
		(arguments->nr_operands != 1 || (!fetching_is_address(arguments->operands[0]) &&
							!value_process(arguments->operands[0]))))
		return "which process? for example: corotracer attach --every 5min 4711";
	if (meaning[OPTION_RECORD_EVERY].number < (for_ns ? for_ns : (uint64_t)FOR_NS))
		return "a window (--for, 2s) cannot be longer than its period (--every)";
	return NULL;
}

int sampling_perform(const struct arguments *arguments)
{
	const char *complaint = complaint_about(arguments);
	const struct meaning *meaning = arguments->meaning;
	char *spool = default_spool();
	struct told told = {.waits = false};
	struct ct_sampling_options options = {
		.size = sizeof(options),
		.store = arguments_value(arguments, OPTION_RECORD_UPLOAD, STORE),
		.spool = arguments_value(arguments, OPTION_RECORD_SPOOL, spool),
		.spool_bytes = meaning[OPTION_RECORD_SPOOL_SIZE].number,
		.bytes_an_hour = meaning[OPTION_RECORD_MAX_BYTES].number,
		.processor_millionths = (uint32_t)meaning[OPTION_RECORD_MAX_CPU].number,
		.load_percent =
			(uint32_t)(meaning[OPTION_RECORD_MAX_LOAD].number / MILLIONTHS_A_PERCENT),
		.tell = tell,
		.context = &told,
	};
	int status;

	if (complaint)
		status = say_usage(command_descriptions[arguments->command].name, complaint);
	else
		status = sample(arguments, &options);
	free(spool);
	return status;
}
