/* SPDX-License-Identifier: MIT */
/*
 * record: runs a program for a limited time.
 */
#include <json-c/json.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "mcp/call.h"
#include "mcp/json.h"
#include "mcp/server.h"
#include "mcp/tools.h"

#define SECOND INT64_C(1000000000)
#define USUAL (10 * SECOND)
#define LONGEST (600 * SECOND)
#define GRACE (2 * SECOND) /* from SIGTERM to SIGKILL */
#define STEP_MS 50
#define NAMES_MOST 10000u

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * SECOND + time.tv_nsec;
}

/* ---------------------------------------------------------------- arguments */

/* The words of the command, NULL-terminated, for free(); the words belong to the request. */
static char **new_command(struct mcp_call *call)
{
	struct json_object *list =
		mcp_json_get(call->arguments, mcp_arguments[MCP_ARGUMENT_RECORD_COMMAND].name);
	size_t nr = json_object_array_length(list), i;
	char **command = calloc(nr + 1, sizeof(*command));

	for (i = 0; i < nr && command; i++)
		command[i] = (char *)(uintptr_t)json_object_get_string(
			json_object_array_get_idx(list, i));
	if (!command)
		mcp_call_fail(call, "out of memory");
	return command;
}

/* The first free name mcp-N.ctrace in the server's folder; NULL: none is free, or memory is out. */
static char *free_name(const char *folder)
{
	char *path = NULL;
	unsigned number;

	for (number = 1; number <= NAMES_MOST; number++) {
		if (asprintf(&path, "%s/mcp-%u.ctrace", folder, number) < 0)
			return NULL;
		if (access(path, F_OK) != 0)
			return path;
		free(path);
	}
	return NULL;
}

/* For free(); NULL: the call has failed. */
static char *find_output(struct mcp_call *call)
{
	const char *given = mcp_given_text(call, MCP_ARGUMENT_RECORD_OUTPUT);
	char complaint[400], *path = NULL;

	if (!given) {
		path = free_name(call->server->folder);
		if (!path)
			mcp_call_fail(call, "there is no free name for the trace: give 'output'");
	} else if (!mcp_path_resolve(
			   given, call->server->root, true, &path, complaint, sizeof(complaint))) {
		mcp_call_fail(call, "%s", complaint);
	}
	return path;
}

/* ---------------------------------------------------------------- the recording */

struct running {
	struct ct_record *record;
	int64_t begun;
	int64_t duration;
	int64_t told; /* time of the last progress message */
	int64_t ends; /* time at which the program gets SIGTERM */
	unsigned nr_signals;
};

static void tell_progress(struct mcp_call *call, struct running *running, int64_t time)
{
	if (time - running->told < SECOND || running->nr_signals)
		return;
	running->told = time;
	mcp_server_progress(call->server, call->progress,
		(double)(time - running->begun) / (double)SECOND,
		(double)running->duration / (double)SECOND, "recording");
}

static void end_in_time(struct mcp_call *call, struct running *running, int64_t time)
{
	bool is_cancelled = !running->nr_signals && mcp_server_is_cancelled(call->server);

	if (time < running->ends && !is_cancelled)
		return;
	ct_record_signal(running->record, running->nr_signals ? SIGKILL : SIGTERM, false, NULL);
	running->nr_signals++;
	running->ends = time + GRACE;
}

static enum ct_status perform(
	struct mcp_call *call, struct running *running, struct ct_error *reterr)
{
	enum ct_status status;
	int64_t time;

	running->begun = running->told = now();
	running->ends = running->begun + running->duration;
	while ((status = ct_record_step(running->record, STEP_MS, reterr)) == CT_OK) {
		time = now();
		tell_progress(call, running, time);
		end_in_time(call, running, time);
	}
	return status;
}

static void put_recording(struct mcp_call *call, const struct running *running)
{
	struct ct_record_stats stats;
	char text[160];

	ct_record_stats(running->record, &stats);
	snprintf(text, sizeof(text), "%s: %s %d; %s",
		running->nr_signals ? "told to end" : "ended by itself",
		ct_ending_name(stats.ending), stats.ending_value,
		stats.has_probe ? "its probe took part"
				: "no probe took part: nothing is known of its coroutines");
	mcp_put_word(call->answer, "recording", text);
}

static bool record(struct mcp_call *call, struct ct_record_options *options, int64_t duration)
{
	struct running running = {.duration = duration};
	struct ct_error error;
	enum ct_status status = ct_record_open(options, &running.record, &error);

	if (status == CT_OK) {
		status = perform(call, &running, &error);
		if (status == CT_END) {
			put_recording(call, &running);
			status = ct_record_close(running.record, &error);
		} else {
			ct_record_close(running.record, NULL);
		}
	}
	if (status)
		mcp_call_fail_with(call, &error);
	return status == CT_OK;
}

static void open_trace(struct mcp_call *call, const char *path)
{
	struct ct_trace *trace;
	struct mcp_trace *kept;
	struct ct_error error;
	enum ct_status status = ct_trace_open(path, NULL, &trace, &error);

	if (status == CT_OK)
		status = mcp_traces_add(&call->server->traces, trace, path, &kept, &error);
	if (status)
		mcp_call_fail_with(call, &error);
	else
		mcp_summary_put(call, mcp_put_row(call->answer, "opened"), kept);
}

void mcp_tool_record(struct mcp_call *call)
{
	struct ct_record_options options = {.size = sizeof(options), .format = CT_FORMAT_CTRACE};
	int64_t duration;
	char *output;

	if (!call->server->allows_run) {
		mcp_call_fail(call,
			"the server was started without --allow-run: ask the user to record with "
			"'corotracer run -o trace.ctrace -- COMMAND', and open that");
		return;
	}
	if (!mcp_given_time(call, MCP_ARGUMENT_RECORD_DURATION, 1, LONGEST, USUAL, &duration))
		return;
	if (!mcp_traces_has_room(&call->server->traces)) {
		mcp_call_fail(call, "%u traces are open already: close one", MCP_TRACES_MOST);
		return;
	}
	output = find_output(call);
	if (!output)
		return;
	options.output = output;
	options.command = new_command(call);
	if (options.command && record(call, &options, duration))
		open_trace(call, output);
	free((void *)(uintptr_t)options.command);
	free(output);
}
