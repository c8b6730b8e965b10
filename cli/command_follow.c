/* SPDX-License-Identifier: MIT */
/*
 * corotracer follow: events as they are recorded.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "command.h"
#include "corotracer/ct.h"
#include "say.h"
#include "selection.h"

#define LOOK_AGAIN_MS 1000 /* where nothing tells of changes, such as on a network's file system */

/* Told of each change in the trace's folder: the file itself changes its name. -1: nothing tells. */
static int watch_folder(const char *path)
{
	int descriptor = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	const char *slash = strrchr(path, '/');
	char *folder;
	int watch;

	if (descriptor < 0)
		return -1;
	folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	watch = folder ? inotify_add_watch(descriptor, folder,
				 IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE)
		       : -1;
	free(folder);
	if (watch >= 0)
		return descriptor;
	close(descriptor);
	return -1;
}

static void wait_for_more(int watch)
{
	struct pollfd changes = {.fd = watch, .events = POLLIN};
	char told[4096];

	if (poll(&changes, 1, LOOK_AGAIN_MS) <= 0)
		return;
	while (read(watch, told, sizeof(told)) > 0)
		;
}

static enum ct_status print_present(
	struct ct_trace *trace, struct selection *selection, struct ct_error *reterr)
{
	const struct ct_event *event;
	enum ct_status status;

	while ((status = ct_trace_next(trace, &event, reterr)) == CT_OK) {
		selection_note(selection, event);
		if (selection_has(selection, event))
			print_event(stdout, trace, event);
		if (ferror(stdout))
			return CT_END;
	}
	return status;
}

static int follow_to_end(struct ct_trace *trace, const char *path, struct selection *selection)
{
	int watch = watch_folder(path), exit_status;
	struct ct_error error;
	enum ct_status status;

	while ((status = print_present(trace, selection, &error)) == CT_AGAIN &&
		fflush(stdout) == 0)
		wait_for_more(watch);
	if (watch >= 0)
		close(watch);
	exit_status = flush_output();
	if (status < 0)
		return say_failure(status, &error);
	if (status == CT_END && !exit_status && !ct_trace_tables(trace)->is_complete)
		say_sentence("'%s': nobody writes it any more, and its end is missing", path);
	return exit_status;
}

int command_follow(const struct arguments *arguments)
{
	struct ct_open_options options = {.size = sizeof(options), .is_followed = true};
	struct selection selection = {
		.last = UINT64_MAX,
		.coroutine = arguments_number(arguments, OPTION_FOLLOW_COROUTINE, 0),
	};
	const char *path = one_operand(arguments);
	struct ct_trace *trace;
	struct ct_error error;
	enum ct_status status;
	int exit_status;

	if (!path)
		return ct_status_exit_code(CT_ERR_USAGE);
	if (strcmp(path, "-") == 0)
		return say_usage("follow", "standard input can not be followed: name a file");
	status = ct_trace_open(path, &options, &trace, &error);
	if (status)
		return say_failure(status, &error);
	exit_status = follow_to_end(trace, path, &selection);
	ct_trace_close(trace);
	return exit_status;
}
