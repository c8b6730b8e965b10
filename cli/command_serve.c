/* SPDX-License-Identifier: MIT */
/*
 * corotracer serve: shows a trace as a page in the browser, until the user ends it.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "corotracer/ct.h"
#include "judge.h"
#include "look.h"
#include "output.h"
#include "say.h"
#include "serving.h"
#include "signals.h"

/* ---------------------------------------------------------------- the newest trace of a folder */

static bool is_newer(const struct stat *one, const struct stat *other)
{
	return one->st_mtim.tv_sec != other->st_mtim.tv_sec
		       ? one->st_mtim.tv_sec > other->st_mtim.tv_sec
		       : one->st_mtim.tv_nsec > other->st_mtim.tv_nsec;
}

/* Keeps the newer of the two; frees the other. */
static void keep_newer(char **newest, struct stat *when, char *path)
{
	struct stat status;

	if (stat(path, &status) || !S_ISREG(status.st_mode) ||
		(*newest && !is_newer(&status, when))) {
		free(path);
		return;
	}
	free(*newest);
	*newest = path;
	*when = status;
}

/* The string is on the heap; NULL: there is no trace in the folder itself, or the folder cannot be read. */
static char *find_newest(const char *folder)
{
	DIR *entries = opendir(folder);
	char *newest = NULL, *path;
	struct dirent *entry;
	struct stat when = {0};

	if (!entries)
		return NULL;
	while ((entry = readdir(entries)))
		if (ct_traces_name_is_one(entry->d_name) &&
			asprintf(&path, "%s/%s", folder, entry->d_name) >= 0)
			keep_newer(&newest, &when, path);
	closedir(entries);
	return newest;
}

/* ---------------------------------------------------------------- serving */

static int serve(const struct arguments *arguments, struct ct_serve_options *options)
{
	struct serving serving = serving_read(arguments);
	struct pollfd wake = {.events = POLLIN};
	struct ct_serve *served;
	struct ct_error error;
	enum ct_status status;

	if (!signals_catch()) {
		say_sentence("cannot prepare for signals: %s", strerror(errno));
		return ct_status_exit_code(CT_ERR_SYSTEM);
	}
	status = serving_start(&serving, options, &served, &error);
	if (status == CT_OK) {
		wake.fd = signals_descriptor();
		while (poll(&wake, 1, -1) < 0 && errno == EINTR)
			;
		ct_serve_close(served);
	}
	signals_release();
	return status ? say_failure(status, &error) : 0;
}

static int serve_by_thresholds(const struct arguments *arguments, struct ct_serve_options *options)
{
	struct ct_thresholds *thresholds;
	int status = thresholds_read(arguments, &thresholds);

	if (status)
		return status;
	options->thresholds = thresholds;
	options->memory_bytes = arguments->meaning[OPTION_JUDGE_MEMORY].number;
	status = serve(arguments, options);
	ct_thresholds_free(thresholds);
	return status;
}

/* ---------------------------------------------------------------- a trace */

/* If the file is not a trace, the error is printed now, and not only shown in the browser. */
static int check(const char *path, uint64_t memory_bytes)
{
	struct ct_open_options opening = {.size = sizeof(opening),
		.no_symbols = true,
		.as_stored = true,
		.memory_bytes = memory_bytes};
	struct ct_trace *trace;
	struct ct_error error;
	enum ct_status status;
	struct stat there;
	char *partial;

	if (stat(path, &there) && errno == ENOENT && asprintf(&partial, "%s.partial", path) >= 0) {
		int absent = stat(partial, &there);

		free(partial);
		if (!absent)
			return 0;
	}
	status = ct_trace_open(path, &opening, &trace, &error);
	/* No part of the trace is complete yet, but more may come. */
	if (status == CT_ERR_CORRUPT && ct_is_written(path))
		return 0;
	if (status)
		return say_failure(status, &error);
	damage_note(trace, path);
	memory_tell(trace);
	damage_tell();
	ct_trace_close(trace);
	return 0;
}

static int serve_path(const struct arguments *arguments, const char *path)
{
	struct ct_serve_options options = {.path = path};
	int status = check(path, arguments->meaning[OPTION_JUDGE_MEMORY].number);

	return status ? status : serve_by_thresholds(arguments, &options);
}

static int serve_fleet(const struct arguments *arguments, const char *place)
{
	struct ct_serve_options options = {.fleet = place};

	return serve_by_thresholds(arguments, &options);
}

static bool note_first(void *has_any, const char *trace)
{
	(void)trace;
	*(bool *)has_any = true;
	return false;
}

/* A folder without a trace has, in folders below, the windows of a fleet. */
static int serve_below(const struct arguments *arguments, const char *folder)
{
	struct ct_error error;
	bool has_any = false;
	enum ct_status status = ct_traces_list(folder, note_first, &has_any, &error);

	return status ? say_failure(status, &error) : serve_fleet(arguments, folder);
}

static int serve_folder(const struct arguments *arguments, const char *folder)
{
	char *path = find_newest(folder);
	int status;

	if (!path)
		return serve_below(arguments, folder);
	say_sentence("the newest trace there is '%s'", path);
	status = serve_path(arguments, path);
	free(path);
	return status;
}

static int serve_process(const struct arguments *arguments, const struct subject *subject)
{
	struct private_folder folder;
	int status;

	if (!look_is_all(subject))
		return command_attach(arguments);
	status = look_take(arguments, subject, &folder);
	if (status)
		return status;
	status = serve_path(arguments, folder.file);
	look_end(subject, &folder);
	return status;
}

int command_serve(const struct arguments *arguments)
{
	struct subject subject = {.may_be_process = true};
	struct stat status;

	if (arguments->nr_operands != 1)
		return say_usage(
			"serve", "which trace? for example: corotracer serve corotracer.ctrace");
	subject.operand = arguments->operands[0];
	if (subject_is_process(&subject))
		return serve_process(arguments, &subject);
	if (strcmp(subject.operand, "-") == 0)
		return say_usage("serve", "standard input cannot be read twice: name a file");
	if (!input_is_sure(subject.operand))
		return say_usage("serve", "a FIFO cannot be read twice: name a file");
	if (stat(subject.operand, &status) == 0 && S_ISDIR(status.st_mode))
		return serve_folder(arguments, subject.operand);
	if (ct_traces_are_many(subject.operand))
		return serve_fleet(arguments, subject.operand);
	return serve_path(arguments, subject.operand);
}
