/* SPDX-License-Identifier: MIT */
/*
 * events: the events of a window.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "mcp/call.h"
#include "mcp/json.h"
#include "mcp/tools.h"
#include "mcp/traces.h"

#define FEW 20u
#define LINE_BYTES 1024

struct window {
	uint64_t first, last;
	ct_time from, to;
	struct ct_followed followed; /* coroutine 0: any */
	const char *kind;            /* NULL: any */
	uint64_t limit;
	uint64_t nr_told;
	uint64_t nr_left_out;
	uint64_t next; /* the first event left out */
};

static bool read_window(struct mcp_call *call, struct window *ret_window)
{
	*ret_window = (struct window){
		.first = mcp_given_number(call, MCP_ARGUMENT_EVENTS_FIRST, 0),
		.last = mcp_given_number(call, MCP_ARGUMENT_EVENTS_LAST, UINT64_MAX),
		.followed.coroutine = mcp_given_number(call, MCP_ARGUMENT_EVENTS_COROUTINE, 0),
		.kind = mcp_given_text(call, MCP_ARGUMENT_EVENTS_KIND),
		.limit = mcp_given_number(call, MCP_ARGUMENT_EVENTS_LIMIT, FEW),
	};
	return mcp_given_time(call, MCP_ARGUMENT_EVENTS_FROM, INT64_MIN, INT64_MAX, INT64_MIN,
		       &ret_window->from) &&
	       mcp_given_time(call, MCP_ARGUMENT_EVENTS_TO, INT64_MIN, INT64_MAX, INT64_MAX,
		       &ret_window->to);
}

/* Must be called for each event, in order. */
static bool is_within(struct window *window, const struct ct_event *event)
{
	bool is_about = !window->followed.coroutine || ct_event_is_about(event, &window->followed);

	return is_about && event->sequence >= window->first && event->time >= window->from &&
	       event->time <= window->to &&
	       (!window->kind || strcmp(ct_kind_name(event->kind), window->kind) == 0);
}

static struct json_object *new_event(const struct ct_trace *trace, const struct ct_event *event)
{
	const struct ct_tables *tables = ct_trace_tables(trace);
	struct json_object *row = mcp_row_new();
	char line[LINE_BYTES];

	mcp_put_count(row, "event", event->sequence);
	mcp_put_moment(row, "at", event->time);
	mcp_put_word(row, "kind", ct_kind_name(event->kind));
	if (event->coro && ct_event_has_coro(event))
		mcp_put_count(row, "coroutine", event->coro);
	mcp_put_process(row, tables, event->process);
	mcp_put_thread(row, "thread", tables, event->thread);
	ct_event_format(trace, event, line, sizeof(line));
	mcp_put_data(row, "line", line);
	mcp_put_place(row, "place", tables, event->site);
	return row;
}

/* Stops behind the window; within it, events for which there is no room are counted. */
static enum ct_status tell(struct mcp_call *call, struct ct_trace *trace, struct window *window,
	struct json_object *rows, struct ct_error *reterr)
{
	const struct ct_event *event;
	enum ct_status status;

	while ((status = ct_trace_next(trace, &event, reterr)) == CT_OK) {
		if (event->sequence > window->last)
			return CT_END;
		if (!is_within(window, event))
			continue;
		if (!window->nr_left_out && window->nr_told < window->limit &&
			mcp_row_add(call, rows, new_event(trace, event))) {
			window->nr_told++;
			continue;
		}
		if (!window->nr_left_out++)
			window->next = event->sequence;
	}
	return status;
}

static void suggest(struct mcp_call *call, const char *handle, const struct window *window)
{
	char also[96] = "";

	if (window->followed.coroutine)
		snprintf(also, sizeof(also), " coroutine=%" PRIu64, window->followed.coroutine);
	if (window->nr_left_out && window->last != UINT64_MAX)
		mcp_next(call, "events handle=%s first=%" PRIu64 " last=%" PRIu64 "%s", handle,
			window->next, window->last, also);
	else if (window->nr_left_out)
		mcp_next(call, "events handle=%s first=%" PRIu64 "%s", handle, window->next, also);
	if (window->nr_told && window->followed.coroutine)
		mcp_next(call, "why handle=%s coroutine=%" PRIu64, handle,
			window->followed.coroutine);
}

/* A kind that does not exist must be refused, because its result would look like that of a kind without events. */
static bool is_kind(const char *name)
{
	unsigned kind;

	for (kind = 0; kind <= UINT8_MAX; kind++)
		if (strcmp(ct_kind_name(kind), name) == 0)
			return true;
	return false;
}

void mcp_tool_events(struct mcp_call *call)
{
	struct mcp_trace *trace = mcp_call_trace(call, MCP_ARGUMENT_EVENTS_HANDLE);
	struct json_object *rows;
	struct window window;
	struct ct_error error;
	enum ct_status status;

	if (!trace || !read_window(call, &window))
		return;
	if (window.kind && !is_kind(window.kind)) {
		mcp_call_fail(call, "no event is of the kind '%.40s'", window.kind);
		return;
	}
	rows = mcp_put_rows(call->answer, "events");
	status = ct_trace_rewind(mcp_trace_read(trace), &error);
	if (status == CT_OK)
		status = tell(call, trace->trace, &window, rows, &error);
	if (status != CT_END) {
		mcp_call_fail_with(call, &error);
		return;
	}
	call->nr_left_out = window.nr_left_out;
	suggest(call, trace->handle, &window);
}
