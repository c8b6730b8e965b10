/* SPDX-License-Identifier: MIT */
/*
 * coroutines: a list of coroutines, from the view.
 */
#include <inttypes.h>
#include <json-c/json.h>

#include "mcp/call.h"
#include "mcp/json.h"
#include "mcp/tools.h"
#include "mcp/traces.h"

#define FEW 10u
#define TEXT_BYTES 512
#define TERMS_MOST 3u

/* The columns of the view that are read, and the fields that they become. */
enum column {
	COROUTINE,
	PROCESS,
	NAME,
	STATE,
	SINCE,
	CREATED,
	PARENT,
	WAIT_SITE,
	WAIT_OBJECT,
	SPAWN_SITE,
	TASK,
	RUNNING,
	READY,
	WAITING,
	LONGEST_WAIT,
	LONGEST_DELAY,
	LONGEST_RUN,
	RESUMES,
	MIGRATIONS,
	EVENTS,
	LAST_EVENT,
	NR_COLUMNS,
};

static const struct {
	uint32_t of; /* the view's column */
	const char *name;
} columns[NR_COLUMNS] = {
	[COROUTINE] = {CT_VIEW_COROUTINES_COROUTINE, "coroutine"},
	[PROCESS] = {CT_VIEW_COROUTINES_PROCESS, "process"},
	[NAME] = {CT_VIEW_COROUTINES_NAME, "name"},
	[STATE] = {CT_VIEW_COROUTINES_STATE, "state"},
	[SINCE] = {CT_VIEW_COROUTINES_SINCE, "since"},
	[CREATED] = {CT_VIEW_COROUTINES_CREATED, "created"},
	[PARENT] = {CT_VIEW_COROUTINES_PARENT, "parent"},
	[WAIT_SITE] = {CT_VIEW_COROUTINES_WAIT_SITE, "waited_at"},
	[WAIT_OBJECT] = {CT_VIEW_COROUTINES_WAIT_OBJECT, "waits_for"},
	[SPAWN_SITE] = {CT_VIEW_COROUTINES_SPAWN_SITE, "started_at"},
	[TASK] = {CT_VIEW_COROUTINES_TASK, "task"},
	[RUNNING] = {CT_VIEW_COROUTINES_RUNNING, "running"},
	[READY] = {CT_VIEW_COROUTINES_READY, "ready"},
	[WAITING] = {CT_VIEW_COROUTINES_WAITING, "waiting"},
	[LONGEST_WAIT] = {CT_VIEW_COROUTINES_LONGEST_WAIT, "longest_wait"},
	[LONGEST_DELAY] = {CT_VIEW_COROUTINES_LONGEST_DELAY, "longest_delay"},
	[LONGEST_RUN] = {CT_VIEW_COROUTINES_LONGEST_RUN, "longest_run"},
	[RESUMES] = {CT_VIEW_COROUTINES_NR_RESUMES, "resumes"},
	[MIGRATIONS] = {CT_VIEW_COROUTINES_NR_MIGRATIONS, "migrations"},
	[EVENTS] = {CT_VIEW_COROUTINES_NR_EVENTS, "events"},
	[LAST_EVENT] = {CT_VIEW_COROUTINES_LAST_EVENT, "last_event"},
};

/* In the order of the argument's words; the oldest coroutine is the one that was created first. */
static const struct {
	enum column column;
	bool is_ascending;
} sorts[] = {
	{LONGEST_WAIT, false},
	{LONGEST_DELAY, false},
	{LONGEST_RUN, false},
	{WAITING, false},
	{READY, false},
	{RUNNING, false},
	{RESUMES, false},
	{MIGRATIONS, false},
	{EVENTS, false},
	{CREATED, true},
	{CREATED, false},
};

static void put_cell(struct json_object *row, const struct ct_view *view, enum column column,
	enum ct_view_type type, int64_t number)
{
	const char *name = columns[column].name;
	char text[TEXT_BYTES];

	if (ct_view_is_nothing(type, number))
		return;
	switch (type) {
	case CT_VIEW_TYPE_TIME:
		mcp_put_moment(row, name, number);
		break;
	case CT_VIEW_TYPE_NANOSECONDS:
		mcp_put_span(row, name, number);
		break;
	case CT_VIEW_TYPE_PROCESS:
		mcp_put_process(row, ct_view_tables(view), (uint32_t)number);
		break;
	case CT_VIEW_TYPE_SITE:
		mcp_put_place(row, name, ct_view_tables(view), (uint32_t)number);
		break;
	case CT_VIEW_TYPE_STATE:
		mcp_put_word(row, name, ct_state_name((enum ct_state)number));
		break;
	case CT_VIEW_TYPE_TEXT:
	case CT_VIEW_TYPE_HANDLE:
	case CT_VIEW_TYPE_TASK:
		ct_view_say(view, type, number, 0, text, sizeof(text));
		mcp_put_data(row, name, text);
		break;
	default:
		mcp_put_signed(row, name, number);
	}
}

static struct json_object *new_coroutine(
	const struct ct_view *view, const struct ct_view_rows *rows, uint64_t at)
{
	struct json_object *row = mcp_row_new();
	bool is_waiting = rows->columns[STATE][at] == CT_STATE_WAITING;
	unsigned column;

	/* The object of an earlier wait is not shown for a coroutine that does not wait. */
	for (column = 0; column < NR_COLUMNS; column++)
		if (column != WAIT_OBJECT || is_waiting)
			put_cell(row, view, (enum column)column, rows->types[column],
				rows->columns[column][at]);
	return row;
}

/* Returns the number of terms. */
static uint32_t read_terms(const struct mcp_call *call, struct ct_view_term terms[TERMS_MOST])
{
	static const struct {
		enum mcp_argument argument;
		uint32_t column;
		enum ct_view_compare compare;
	} asked[TERMS_MOST] = {
		{MCP_ARGUMENT_COROUTINES_STATE, CT_VIEW_COROUTINES_STATE, CT_VIEW_EQUAL},
		{MCP_ARGUMENT_COROUTINES_PLACE, CT_VIEW_COROUTINES_WAIT_SITE, CT_VIEW_MATCHES},
		{MCP_ARGUMENT_COROUTINES_NAME, CT_VIEW_COROUTINES_NAME, CT_VIEW_MATCHES},
	};
	uint32_t i, nr = 0;

	for (i = 0; i < TERMS_MOST; i++)
		if (mcp_given(call, asked[i].argument))
			terms[nr++] = (struct ct_view_term){.column = asked[i].column,
				.compare = asked[i].compare,
				.text = mcp_given_text(call, asked[i].argument)};
	return nr;
}

static enum ct_status select_rows(const struct mcp_call *call, struct ct_view *view,
	const struct ct_view_rows **ret_rows, struct ct_error *reterr)
{
	int word = mcp_given_word(call, MCP_ARGUMENT_COROUTINES_SORT), sort = word < 0 ? 0 : word;
	struct ct_view_term terms[TERMS_MOST];
	uint32_t wanted[NR_COLUMNS], i;
	struct ct_view_request request = {
		.size = sizeof(request),
		.table = CT_VIEW_COROUTINES,
		.columns = wanted,
		.nr_columns = NR_COLUMNS,
		.terms = terms,
		.nr_terms = read_terms(call, terms),
		.is_sorted = true,
		.is_descending = !sorts[sort].is_ascending,
		.order = columns[sorts[sort].column].of,
		.offset = mcp_given_number(call, MCP_ARGUMENT_COROUTINES_OFFSET, 0),
		.limit = mcp_given_number(call, MCP_ARGUMENT_COROUTINES_LIMIT, FEW),
	};

	for (i = 0; i < NR_COLUMNS; i++)
		wanted[i] = columns[i].of;
	return ct_view_select(view, &request, ret_rows, reterr);
}

static void tell(struct mcp_call *call, const char *handle, const struct ct_view *view,
	const struct ct_view_rows *rows)
{
	uint64_t offset = mcp_given_number(call, MCP_ARGUMENT_COROUTINES_OFFSET, 0), i;
	struct json_object *list;

	mcp_put_count(call->answer, "total", rows->nr_matched);
	list = mcp_put_rows(call->answer, "coroutines");
	for (i = 0; i < rows->nr_rows; i++)
		if (!mcp_row_add(call, list, new_coroutine(view, rows, i)))
			break;
	call->nr_left_out = rows->nr_matched > offset ? rows->nr_matched - offset - i : 0;
	if (i)
		mcp_next(call, "why handle=%s coroutine=%" PRId64, handle,
			rows->columns[COROUTINE][0]);
	if (i && call->nr_left_out)
		mcp_next(call, "coroutines handle=%s offset=%" PRIu64 ", the rest as before",
			handle, offset + i);
}

void mcp_tool_coroutines(struct mcp_call *call)
{
	struct mcp_trace *trace = mcp_call_trace(call, MCP_ARGUMENT_COROUTINES_HANDLE);
	const struct ct_view_rows *rows;
	struct ct_view *view;
	struct ct_error error;
	enum ct_status status;

	if (!trace)
		return;
	status = mcp_trace_view(trace, &view, &error);
	if (status == CT_OK)
		status = select_rows(call, view, &rows, &error);
	if (status) {
		mcp_call_fail_with(call, &error);
		return;
	}
	tell(call, trace->handle, view, rows);
	ct_view_rows_free(rows);
}
