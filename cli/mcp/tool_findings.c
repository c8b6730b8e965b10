/* SPDX-License-Identifier: MIT */
/*
 * findings: all findings in brief, or one in full.
 */
#include <inttypes.h>
#include <json-c/json.h>

#include "mcp/call.h"
#include "mcp/json.h"
#include "mcp/tools.h"
#include "mcp/traces.h"

#define FEW 10u
#define NO_EVENT UINT64_MAX

struct json_object *mcp_finding_new(const struct ct_report *report, uint32_t index)
{
	const struct ct_finding *finding = &report->findings[index];
	struct json_object *row = mcp_row_new();

	mcp_put_count(row, "number", index + 1);
	mcp_put_word(row, "grade", ct_grade_name(finding->grade));
	mcp_put_word(row, "rule", ct_rule_name(finding->rule));
	mcp_put_data(row, "title", finding->title);
	mcp_put_place(row, "look_first_at", report->tables, finding->look_site);
	mcp_put_place(row, "waits_at", report->tables, finding->wait_site);
	mcp_put_count(row, "members", finding->nr_members);
	if (finding->nr_peers)
		mcp_put_count(row, "of", finding->nr_peers);
	mcp_put_process(row, report->tables, finding->process);
	if (finding->nr_lost_nearby)
		mcp_put_count(row, "lost_nearby", finding->nr_lost_nearby);
	if (finding->first_sequence != NO_EVENT) {
		mcp_put_count(row, "first_event", finding->first_sequence);
		mcp_put_count(row, "last_event", finding->last_sequence);
	}
	return row;
}

static struct json_object *new_step(const struct ct_tables *tables, const struct ct_step *step)
{
	struct json_object *row = mcp_row_new();

	mcp_put_moment(row, "at", step->time);
	if (step->sequence != NO_EVENT)
		mcp_put_count(row, "event", step->sequence);
	if (step->coro)
		mcp_put_count(row, "coroutine", step->coro);
	mcp_put_thread(row, "thread", tables, step->thread);
	mcp_put_data(row, "what", step->text);
	mcp_put_place(row, "place", tables, step->site);
	return row;
}

void mcp_steps_put(struct mcp_call *call, const char *name, const struct ct_report *report,
	const struct ct_step *steps, uint32_t nr_steps)
{
	struct json_object *rows = nr_steps ? mcp_put_rows(call->answer, name) : NULL;
	uint32_t i;

	for (i = 0; i < nr_steps; i++)
		mcp_row_add(call, rows, new_step(report->tables, &steps[i]));
}

/* ---------------------------------------------------------------- one finding in full */

static struct json_object *new_member(
	const struct ct_tables *tables, const struct ct_member *member)
{
	struct json_object *row = mcp_row_new();

	mcp_put_count(row, "coroutine", member->coro.id);
	mcp_put_word(row, "state", ct_state_name(member->coro.state));
	mcp_put_moment(row, "since", member->since);
	mcp_put_data(row, "name", member->name);
	mcp_put_data(row, "task", member->task);
	mcp_put_data(row, "waits_for", member->resource);
	if (member->coro.state == CT_STATE_WAITING)
		mcp_put_place(row, "waits_at", tables, member->coro.wait_site);
	mcp_put_data(row, "cause", member->cause.text);
	return row;
}

/* Returns the offset of the next page; 0: there is none. */
static uint64_t put_members(struct mcp_call *call, const struct ct_report *report,
	const struct ct_finding *finding, uint64_t offset)
{
	uint64_t limit = mcp_given_number(call, MCP_ARGUMENT_FINDINGS_LIMIT, FEW);
	uint64_t left_out_before = call->nr_left_out, nr_told = 0, i;
	struct json_object *rows = mcp_put_rows(call->answer, "members");

	for (i = offset; i < finding->nr_members && nr_told < limit; i++) {
		if (!mcp_row_add(call, rows, new_member(report->tables, &finding->members[i])))
			break;
		nr_told++;
	}
	if (offset + nr_told >= finding->nr_members)
		return 0;
	call->nr_left_out = left_out_before + finding->nr_members - offset - nr_told;
	return offset + nr_told;
}

static void suggest(struct mcp_call *call, const char *handle, const struct ct_finding *finding)
{
	if (!finding->nr_members)
		return;
	mcp_next(call, "why handle=%s coroutine=%" PRIu64, handle, finding->members[0].coro.id);
	if (finding->first_sequence != NO_EVENT)
		mcp_next(call,
			"events handle=%s first=%" PRIu64 " last=%" PRIu64 " coroutine=%" PRIu64,
			handle, finding->first_sequence, finding->last_sequence,
			finding->members[0].coro.id);
}

/* A further page has only coroutines. */
static void tell_reasons(
	struct mcp_call *call, const struct ct_report *report, const struct ct_finding *finding)
{
	mcp_put_word(call->answer, "says", ct_rule_says(finding->rule));
	mcp_steps_put(call, "steps", report, finding->steps, finding->nr_steps);
	mcp_put_texts(call, call->answer, "evidence", finding->evidence, finding->nr_evidence);
	mcp_put_texts(call, call->answer, "lowered", finding->lowered, finding->nr_lowered);
	mcp_put_word(call->answer, "wrong_if", ct_rule_wrong_if(finding->rule));
	mcp_put_data(call->answer, "to_do", finding->next_step);
	suggest(call, mcp_given_text(call, MCP_ARGUMENT_FINDINGS_HANDLE), finding);
}

static void tell_one(struct mcp_call *call, const struct mcp_trace *trace, uint32_t number)
{
	const struct ct_report *report = trace->report;
	uint64_t further;

	if (number > report->nr_findings) {
		mcp_call_fail(call, "there is no finding %" PRIu32 ": the trace has %" PRIu32,
			number, report->nr_findings);
		return;
	}
	mcp_json_put(call->answer, "finding", mcp_finding_new(report, number - 1));
	if (!mcp_given(call, MCP_ARGUMENT_FINDINGS_OFFSET))
		tell_reasons(call, report, &report->findings[number - 1]);
	further = put_members(call, report, &report->findings[number - 1],
		mcp_given_number(call, MCP_ARGUMENT_FINDINGS_OFFSET, 0));
	if (further || call->nr_left_out)
		mcp_next(call, "findings handle=%s number=%" PRIu32 " offset=%" PRIu64,
			trace->handle, number, further);
}

/* ---------------------------------------------------------------- all findings */

static void tell_all(struct mcp_call *call, const struct mcp_trace *trace)
{
	const struct ct_report *report = trace->report;
	struct json_object *rows;
	enum ct_grade least = (enum ct_grade)(
		mcp_given_word(call, MCP_ARGUMENT_FINDINGS_GRADE) + CT_GRADE_SUSPECT);
	uint64_t offset = mcp_given_number(call, MCP_ARGUMENT_FINDINGS_OFFSET, 0);
	uint64_t limit = mcp_given_number(call, MCP_ARGUMENT_FINDINGS_LIMIT, FEW);
	uint64_t total = 0, nr_told = 0, first = 0;
	uint32_t i;

	for (i = 0; i < report->nr_findings; i++)
		total += report->findings[i].grade >= least;
	mcp_put_count(call->answer, "total", total);
	rows = mcp_put_rows(call->answer, "findings");
	for (i = 0, total = 0; i < report->nr_findings; i++) {
		if (report->findings[i].grade < least || total++ < offset)
			continue;
		if (nr_told < limit && !call->nr_left_out &&
			mcp_row_add(call, rows, mcp_finding_new(report, i)))
			first = nr_told++ ? first : i + 1;
	}
	call->nr_left_out = total > offset ? total - offset - nr_told : 0;
	if (nr_told)
		mcp_next(call, "findings handle=%s number=%" PRIu64, trace->handle, first);
	if (call->nr_left_out)
		mcp_next(call, "findings handle=%s offset=%" PRIu64, trace->handle,
			offset + nr_told);
	if (!report->nr_findings)
		mcp_next(call, "stats handle=%s", trace->handle);
}

void mcp_tool_findings(struct mcp_call *call)
{
	struct mcp_trace *trace = mcp_call_trace(call, MCP_ARGUMENT_FINDINGS_HANDLE);
	uint64_t number = mcp_given_number(call, MCP_ARGUMENT_FINDINGS_NUMBER, 0);

	if (!trace)
		return;
	if (number)
		tell_one(call, trace, (uint32_t)number);
	else
		tell_all(call, trace);
}
