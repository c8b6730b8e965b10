/* SPDX-License-Identifier: MIT */
/*
 * why: the chain from one coroutine to the one that must go on first.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stddef.h>

#include "mcp/call.h"
#include "mcp/json.h"
#include "mcp/tools.h"
#include "mcp/traces.h"

static void put_coroutine(struct mcp_call *call, const struct ct_report *report)
{
	const struct ct_coro *coro = &report->why_coro;

	mcp_put_count(call->answer, "coroutine", coro->id);
	mcp_put_word(call->answer, "state", ct_state_name(coro->state));
	mcp_put_moment(call->answer, "since", coro->changed);
	if (coro->state == CT_STATE_WAITING)
		mcp_put_place(call->answer, "place", report->tables, coro->wait_site);
	mcp_put_place(call->answer, "started_at", report->tables, coro->spawn_site);
	mcp_put_count(call->answer, "resumes", coro->nr_resumes);
	mcp_put_count(call->answer, "wakes", coro->nr_wakes);
}

static void put_awaits(struct mcp_call *call, const struct ct_report *report)
{
	struct json_object *rows = report->nr_awaits ? mcp_put_rows(call->answer, "awaits") : NULL;
	const struct ct_await *await;
	struct json_object *row;
	uint32_t i;

	for (i = 0; i < report->nr_awaits; i++) {
		await = &report->awaits[i];
		row = mcp_row_new();
		mcp_put_count(row, "coroutine", await->id);
		mcp_put_word(row, "state", ct_state_name(await->state));
		if (await->waits_for)
			mcp_put_count(row, "waits_for_coroutine", await->waits_for);
		mcp_put_data(row, "waits_for", await->resource);
		mcp_put_place(row, "place", report->tables, await->site);
		if (await->nr_waiters)
			mcp_put_count(row, "waiters", await->nr_waiters);
		mcp_row_add(call, rows, row);
	}
}

static void put_threads(struct mcp_call *call, const struct ct_live *live)
{
	struct json_object *rows = live->nr_looks ? mcp_put_rows(call->answer, "threads") : NULL;
	uint32_t i;

	for (i = 0; i < live->nr_looks; i++)
		mcp_row_add(call, rows, mcp_json_data(live->looks[i].text));
}

/* What a look into memory saw of the coroutine. */
static void put_seen(struct mcp_call *call, const struct ct_report *report)
{
	const struct ct_tables *tables = report->tables;
	struct json_object *rows = NULL;
	uint32_t i;

	for (i = 0; i < tables->nr_sights; i++) {
		if (tables->sights[i].coro != report->why_coro.id)
			continue;
		if (!rows)
			rows = mcp_put_rows(call->answer, "seen");
		mcp_row_add(call, rows, mcp_json_data(tables->sights[i].text));
	}
}

static bool speaks_of(const struct ct_finding *finding, const struct ct_coro *coro)
{
	uint32_t i;

	for (i = 0; i < finding->nr_members; i++)
		if (finding->members[i].coro.id == coro->id &&
			finding->members[i].coro.process == coro->process)
			return true;
	return false;
}

static void put_findings(
	struct mcp_call *call, const struct mcp_trace *trace, const struct ct_coro *coro)
{
	const struct ct_report *report = trace->report;
	struct json_object *rows = NULL;
	uint32_t i;

	for (i = 0; i < report->nr_findings; i++) {
		if (!speaks_of(&report->findings[i], coro))
			continue;
		if (!rows) {
			rows = mcp_put_rows(call->answer, "findings");
			mcp_next(call, "findings handle=%s number=%" PRIu32, trace->handle, i + 1);
		}
		mcp_row_add(call, rows, mcp_finding_new(report, i));
	}
}

/* The chain ends with the one that must go on first, so that one is suggested for the next call. */
static void suggest(
	struct mcp_call *call, const struct mcp_trace *trace, const struct ct_report *report)
{
	uint64_t last = report->why[report->nr_why - 1].coro;

	if (last && last != report->why_coro.id)
		mcp_next(call, "why handle=%s coroutine=%" PRIu64, trace->handle, last);
	mcp_next(call, "events handle=%s coroutine=%" PRIu64, trace->handle, report->why_coro.id);
}

void mcp_tool_why(struct mcp_call *call)
{
	struct mcp_trace *trace = mcp_call_trace(call, MCP_ARGUMENT_WHY_HANDLE);
	struct ct_analyze_options options = {
		.size = sizeof(options),
		.why_coro = mcp_given_number(call, MCP_ARGUMENT_WHY_COROUTINE, 0),
		.why_pid = mcp_given_number(call, MCP_ARGUMENT_WHY_PROCESS, 0),
	};
	const struct ct_report *report;
	struct ct_error error;

	if (!trace)
		return;
	if (ct_analyze(mcp_trace_read(trace), &options, &report, &error)) {
		mcp_call_fail_with(call, &error);
		return;
	}
	if (report->nr_why) {
		put_coroutine(call, report);
		mcp_steps_put(call, "chain", report, report->why, report->nr_why);
		put_findings(call, trace, &report->why_coro);
		put_awaits(call, report);
		put_seen(call, report);
		put_threads(call, &report->live);
		suggest(call, trace, report);
	} else {
		mcp_call_fail(call,
			"no coroutine %" PRIu64 " is in the trace: ids stand in the answers of "
			"findings and stats",
			options.why_coro);
	}
	ct_report_free(report);
}
