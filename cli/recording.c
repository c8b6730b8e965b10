/* SPDX-License-Identifier: MIT */
/*
 * A recording: the program is started, its events are harvested until it ends, and a line sums it up.
 *
 * Once the program was started, corotracer returns its exit status whatever else goes wrong: a user who puts
 * 'corotracer run --' in front of a command must not see a different outcome.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dumps.h"
#include "exits.h"
#include "output.h"
#include "recording.h"
#include "say.h"
#include "signals.h"
#include "witness.h"

#define STEP_MS 1000

/* ---------------------------------------------------------------- the program */

/* 0, or the error number that executing the file would give. */
static int trouble_with(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return errno;
	if (S_ISDIR(status.st_mode))
		return EISDIR;
	if (!S_ISREG(status.st_mode))
		return EACCES;
	return access(path, X_OK) < 0 ? errno : 0;
}

/* Looks in one folder of PATH; an empty name means the present folder. */
static int trouble_in(const char *folder, size_t nr_bytes, const char *command)
{
	char *path;
	int trouble;

	if (asprintf(&path, "%.*s%s%s", (int)nr_bytes, folder, nr_bytes ? "/" : "", command) < 0)
		return ENOMEM;
	trouble = trouble_with(path);
	free(path);
	return trouble;
}

/* The best result of all folders: a file that cannot be executed says more than a missing file. */
static int trouble_in_path(const char *command)
{
	const char *folders = getenv("PATH");
	int worst = ENOENT, trouble;

	if (!folders)
		folders = "/bin:/usr/bin";
	for (;; folders++) {
		size_t length = strcspn(folders, ":");

		trouble = trouble_in(folders, length, command);
		if (trouble == 0)
			return 0;
		if (trouble != ENOENT && trouble != ENOTDIR && trouble != EISDIR)
			worst = trouble;
		folders += length;
		if (!*folders)
			return worst;
	}
}

/*
 * Finds a command as a shell would, so that a command that cannot be started is reported before anything else. 0: the
 * file looks executable. EXIT_NOT_FOUND or EXIT_NOT_EXECUTABLE, after printing why not.
 */
static int find_program(const char *command)
{
	int trouble = strchr(command, '/') ? trouble_with(command) : trouble_in_path(command);

	if (trouble == 0)
		return 0;
	if (!*command || trouble == ENOENT || trouble == ENOTDIR) {
		say_sentence("there is no command '%s'%s", command,
			strchr(command, '/') ? "" : " in the folders that PATH names");
		return EXIT_NOT_FOUND;
	}
	say_sentence("cannot execute '%s': %s", command, strerror(trouble));
	return EXIT_NOT_EXECUTABLE;
}

/* ---------------------------------------------------------------- its recording */

/* Harvests until the program has ended. */
static void harvest(const struct recording *recording, struct ct_record *record)
{
	enum ct_status status = CT_OK;
	struct dumps dumps = {.command = recording->dump_command};
	struct ct_error error;

	while (status == CT_OK) {
		status = ct_record_step(record, STEP_MS, &error);
		signals_pass_on(record, recording->options.flight != NULL);
		dumps_say(&dumps, record);
	}
	dumps_finish(&dumps, record);
	if (status < 0)
		say_sentence("the recording stopped: %s", error.text);
}

static int exit_status_of(const struct ct_record_stats *stats)
{
	if (!stats->has_ended)
		return ct_status_exit_code(CT_ERR_SYSTEM);
	if (stats->ending == CT_ENDING_SIGNALED)
		return EXIT_SIGNALED + stats->ending_value;
	return stats->ending == CT_ENDING_EXITED ? stats->ending_value : 0;
}

static int start(const struct recording *recording, struct ct_record **ret_record)
{
	struct ct_record_options options = recording->options;
	struct ct_error error;
	enum ct_status status;

	options.size = sizeof(options);
	options.looks_at_end = options.pid > 0 && recording->wants_report;
	options.wake_descriptor = signals_descriptor();
	options.takes_orders = true;
	status = ct_record_open(&options, ret_record, &error);
	if (status == CT_OK)
		return 0;
	say_sentence("%s", error.text);
	/* The file existed and was executable, but is not a program, or is one for another machine. */
	if (error.system_errno == ENOEXEC || error.system_errno == ELIBBAD)
		return EXIT_NOT_EXECUTABLE;
	return ct_status_exit_code(status);
}

/* NULL if no server is wanted, or after printing why it cannot be started, because the program is already running. */
static struct ct_serve *serve(const struct recording *recording, struct ct_record *record)
{
	struct ct_serve_options options = {
		.path = recording->options.output,
		.record = record,
		.thresholds = recording->thresholds,
		.memory_bytes = recording->memory_bytes,
	};
	struct ct_serve *serving;
	struct ct_error error;

	if (!recording->serving.is_wanted)
		return NULL;
	if (serving_start(&recording->serving, &options, &serving, &error) == CT_OK)
		return serving;
	say_sentence("the recording is not shown: %s", error.text);
	return NULL;
}

/* The file with the output's name, to find out later whether it was written in between. */
static struct stat look_at(const struct recording *recording)
{
	struct stat seen = {0};

	if (!recording->options.output || stat(recording->options.output, &seen) != 0)
		return (struct stat){0};
	return seen;
}

/* A pipe or a device always has its name. */
static bool was_written(const struct recording *recording, const struct stat *before)
{
	struct stat now = look_at(recording);

	if (recording->options.output && strcmp(recording->options.output, "-") == 0)
		return true;
	return now.st_ino && (!S_ISREG(now.st_mode) || output_is_other(before, &now));
}

/* The exit status of a program that was started is returned. */
static int exit_status_after(const struct recording *recording, const struct ct_record_stats *stats,
	enum ct_status closed)
{
	return recording->options.pid ? ct_status_exit_code(closed) : exit_status_of(stats);
}

/* After the recording, the server shows its whole trace, if there is one in a file. */
static void turn_to_trace(const struct recording *recording, struct ct_serve *serving,
	const struct recording_result *result)
{
	const char *output = recording->options.output;
	struct ct_error error;

	if (!serving || !result->is_written || !output || strcmp(output, "-") == 0 ||
		recording->options.flight)
		return;
	if (ct_serve_turn_to(serving, output, &error))
		say_sentence("the whole trace is not shown: %s", error.text);
}

/* Waits until the user ends it. If a signal ended the recording, that was the user's wish. */
static void stay(struct ct_serve *serving)
{
	say_sentence("the page stays at %s; Ctrl-C ends it", ct_serve_url(serving));
	signals_wait_for_end();
	ct_serve_close(serving);
	signals_release();
}

int recording_perform(const struct recording *recording, struct recording_result *ret_result)
{
	struct recording_result result = {.has_begun = true};
	struct stat before = look_at(recording);
	struct ct_process_look *look;
	struct ct_record_stats stats;
	struct ct_serve *serving;
	struct ct_record *opened;
	struct ct_error error;
	enum ct_status closed;
	int exit_status = recording->options.pid ? 0 : find_program(recording->options.command[0]);

	if (exit_status)
		return exit_status;
	if (!signals_catch()) {
		say_sentence("cannot prepare for signals: %s", strerror(errno));
		return ct_status_exit_code(CT_ERR_SYSTEM);
	}
	exit_status = start(recording, &opened);
	if (exit_status) {
		signals_release();
		return exit_status;
	}
	if (!recording->options.pid)
		witness_start();
	serving = serve(recording, opened);
	harvest(recording, opened);
	if (recording->serving.until_exit) {
		ct_serve_close(serving);
		serving = NULL;
	}
	ct_serve_let_go(serving);
	ct_record_stats(opened, &stats);
	summary_before_close(recording, &stats);
	look = ct_record_take_look(opened);
	closed = ct_record_close(opened, &error);
	if (!serving)
		signals_release();
	result.is_written = was_written(recording, &before);
	result.is_incomplete = closed != CT_OK;
	turn_to_trace(recording, serving, &result);
	summary_after_close(recording, &result, &stats, closed ? &error : NULL, look);
	ct_process_look_free(look);
	if (serving)
		stay(serving);
	exit_status = exit_status_after(recording, &stats, closed);
	if (ret_result)
		*ret_result = result;
	return exit_status;
}
