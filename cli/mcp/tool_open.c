/* SPDX-License-Identifier: MIT */
/*
 * open and close, and the summary of a trace.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>

#include "mcp/call.h"
#include "mcp/json.h"
#include "mcp/server.h"
#include "mcp/tools.h"

#define SECOND INT64_C(1000000000)
#define WATCHED_MOST (60 * SECOND)
#define HEADLINES 5u
#define PLACES 5u

static void put_verdict(struct json_object *object, const struct ct_report *report)
{
	char text[256];

	ct_report_headline(report, text, sizeof(text));
	mcp_put_word(object, "verdict", text);
	if (report->quality.has_lower_grades)
		mcp_put_word(object, "reservation",
			"events are missing where they matter: findings have lower grades, and "
			"what was not "
			"seen may have happened");
}

static void put_program(struct json_object *object, const struct ct_tables *tables)
{
	const struct ct_process *process;

	if (tables->nr_processes < 2)
		return;
	process = &tables->processes[1];
	mcp_put_data(object, "program",
		*process->command_line ? process->command_line : process->program);
	mcp_put_count(object, "processes", tables->nr_processes - 1);
	mcp_put_word(object, "ending", ct_ending_name(process->ending));
}

static void put_states(struct json_object *object, const struct ct_quality *quality)
{
	struct json_object *states = mcp_put_row(object, "states");
	static const char *const names[] = {
		[CT_STATE_UNSEEN] = "unseen",
		[CT_STATE_READY] = "ready",
		[CT_STATE_RUNNING] = "running",
		[CT_STATE_WAITING] = "waiting",
		[CT_STATE_SYSCALL] = "syscall",
		[CT_STATE_DONE] = "done",
		[CT_STATE_DESTROYED] = "destroyed",
	};
	unsigned state;

	for (state = 0; state <= CT_STATE_DESTROYED; state++)
		if (quality->nr_by_state[state])
			mcp_put_count(states, names[state], quality->nr_by_state[state]);
}

static void put_quality(struct json_object *object, const struct ct_report *report)
{
	const struct ct_quality *quality = &report->quality;

	mcp_put_yes(object, "is_complete", report->tables->is_complete);
	if (quality->observed_from != CT_NO_TIME && quality->observed_until != CT_NO_TIME)
		mcp_put_span(object, "duration",
			ct_time_between(quality->observed_from, quality->observed_until));
	mcp_put_count(object, "events", quality->nr_events);
	mcp_put_count(object, "lost", quality->nr_lost);
	if (quality->nr_left_out)
		mcp_put_count(object, "left_out_by_choice", quality->nr_left_out);
	mcp_put_count(object, "coroutines", quality->nr_coros);
	put_states(object, quality);
}

static void put_waiting(
	struct mcp_call *call, struct json_object *object, const struct ct_report *report)
{
	struct json_object *rows, *row;
	uint32_t i;

	if (!report->nr_waiting)
		return;
	rows = mcp_put_rows(object, "waiting_at");
	for (i = 0; i < report->nr_waiting && i < PLACES; i++) {
		row = mcp_row_new();
		mcp_put_place(row, "place", report->tables, report->waiting[i].site);
		mcp_put_count(row, "coroutines", report->waiting[i].nr_coros);
		mcp_put_count(row, "longest_coroutine", report->waiting[i].coro);
		mcp_put_moment(row, "since", report->waiting[i].since);
		mcp_row_add(call, rows, row);
	}
}

static void suggest(struct mcp_call *call, const struct mcp_trace *trace)
{
	const struct ct_report *report = trace->report;

	if (report->nr_findings)
		mcp_next(call, "findings handle=%s number=1", trace->handle);
	if (report->nr_findings > HEADLINES)
		mcp_next(call, "findings handle=%s", trace->handle);
	if (!report->nr_findings && report->nr_waiting)
		mcp_next(call, "why handle=%s coroutine=%" PRIu64, trace->handle,
			report->waiting[0].coro);
	mcp_next(call, "stats handle=%s", trace->handle);
}

void mcp_summary_put(
	struct mcp_call *call, struct json_object *object, const struct mcp_trace *trace)
{
	const struct ct_report *report = trace->report;
	struct json_object *rows;
	uint32_t i;

	mcp_put_word(object, "handle", trace->handle);
	put_verdict(object, report);
	mcp_put_data(object, "trace", trace->path);
	put_program(object, report->tables);
	put_quality(object, report);
	rows = report->nr_findings ? mcp_put_rows(object, "findings") : NULL;
	for (i = 0; i < report->nr_findings && i < HEADLINES; i++)
		mcp_row_add(call, rows, mcp_finding_new(report, i));
	put_waiting(call, object, report);
	mcp_put_texts(call, object, "remarks", report->remarks, report->nr_remarks);
	suggest(call, trace);
}

/* ---------------------------------------------------------------- open, close */

static enum ct_status watch(struct mcp_call *call, int64_t duration, struct ct_trace **ret_trace,
	struct ct_error *reterr)
{
	struct ct_live_options options = {
		.size = sizeof(options),
		.pid = (int64_t)mcp_given_number(call, MCP_ARGUMENT_OPEN_PROCESS, 0),
		.duration_ns = duration,
		.wake_descriptor = call->server->cancel_descriptor,
	};

	return ct_live_open(&options, ret_trace, reterr);
}

/* The resolved path of the file, for free(); NULL: the call is about a process, or has failed. */
static char *find_path(struct mcp_call *call)
{
	const char *given = mcp_given_text(call, MCP_ARGUMENT_OPEN_PATH);
	char complaint[400], *path = NULL;

	if ((given != NULL) == mcp_given(call, MCP_ARGUMENT_OPEN_PROCESS))
		mcp_call_fail(call, "open takes either 'path' or 'process'");
	else if (!given && call->server->root)
		mcp_call_fail(call, "a server that was started with --root watches no process");
	else if (given && mcp_given(call, MCP_ARGUMENT_OPEN_DURATION))
		mcp_call_fail(call, "'duration' goes with 'process'");
	else if (given && !mcp_path_resolve(given, call->server->root, false, &path, complaint,
				  sizeof(complaint)))
		mcp_call_fail(call, "%s", complaint);
	return path;
}

void mcp_tool_open(struct mcp_call *call)
{
	struct ct_trace *trace;
	struct mcp_trace *kept;
	struct ct_error error;
	enum ct_status status;
	int64_t duration;
	char *path;

	if (!mcp_given_time(call, MCP_ARGUMENT_OPEN_DURATION, 1, WATCHED_MOST, SECOND, &duration))
		return;
	if (!mcp_traces_has_room(&call->server->traces)) {
		mcp_call_fail(call, "%u traces are open already: close one", MCP_TRACES_MOST);
		return;
	}
	path = find_path(call);
	if (call->has_failed)
		return;
	status = path ? ct_trace_open(path, NULL, &trace, &error)
		      : watch(call, duration, &trace, &error);
	if (status == CT_OK)
		status = mcp_traces_add(&call->server->traces, trace, path, &kept, &error);
	free(path);
	if (status)
		mcp_call_fail_with(call, &error);
	else
		mcp_summary_put(call, call->answer, kept);
}

void mcp_tool_close(struct mcp_call *call)
{
	const char *handle = mcp_given_text(call, MCP_ARGUMENT_CLOSE_HANDLE);
	struct mcp_trace *trace = mcp_call_trace(call, MCP_ARGUMENT_CLOSE_HANDLE);

	if (!trace)
		return;
	mcp_trace_close(trace);
	mcp_put_word(call->answer, "closed", handle);
}
