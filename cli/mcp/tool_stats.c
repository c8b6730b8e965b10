/* SPDX-License-Identifier: MIT */
/*
 * stats: where the time went, grouped in one way.
 */
#include <inttypes.h>
#include <json-c/json.h>

#include "mcp/call.h"
#include "mcp/json.h"
#include "mcp/tools.h"
#include "mcp/traces.h"

#define FEW 10u

/* In the order of the argument's words. */
enum by {
	BY_PLACE,
	BY_COROUTINE,
	BY_FUNCTION,
	BY_START,
	BY_WORKER,
	BY_TASK,
	BY_REGION,
	BY_COUNTER,
};

static const char *const by_names[] = {
	"place", "coroutine", "function", "start", "worker", "task", "region", "counter"};

static const enum ct_sort sorts[] = {
	CT_SORT_RUNNING,
	CT_SORT_READY,
	CT_SORT_WAITING,
	CT_SORT_LIFE,
	CT_SORT_RESUMES,
	CT_SORT_MIGRATIONS,
	CT_SORT_EVENTS,
};

/* The rows of one answer: the page that is wanted. */
struct page {
	struct mcp_call *call;
	const struct ct_report *report;
	struct json_object *rows;
	uint64_t offset;
	uint64_t limit;
	uint64_t nr_seen;
	uint64_t nr_told;
	bool is_full;
};

/* Does the next row belong to this page? */
static bool is_wanted(struct page *page)
{
	return page->nr_seen++ >= page->offset && page->nr_told < page->limit && !page->is_full;
}

static void tell(struct page *page, struct json_object *row)
{
	if (mcp_row_add(page->call, page->rows, row))
		page->nr_told++;
	else
		page->is_full = true;
}

/* ---------------------------------------------------------------- fields of rows */

static void put_times(struct json_object *row, const struct ct_times *times)
{
	if (times->unseen_ns)
		mcp_put_span(row, "not_begun", times->unseen_ns);
	mcp_put_span(row, "ready", times->ready_ns);
	mcp_put_span(row, "running", times->running_ns);
	mcp_put_span(row, "waiting", times->waiting_ns);
	if (times->syscall_ns)
		mcp_put_span(row, "syscall", times->syscall_ns);
}

static void put_delays(struct json_object *row, const struct ct_distribution *delays)
{
	if (!delays->count)
		return;
	mcp_put_span(row, "delay_p50", delays->p50_ns);
	mcp_put_span(row, "delay_p99", delays->p99_ns);
	mcp_put_span(row, "delay_max", delays->max_ns);
}

static void put_runs(struct json_object *row, const struct ct_distribution *runs)
{
	if (!runs->count)
		return;
	mcp_put_span(row, "run_p99", runs->p99_ns);
	mcp_put_span(row, "run_max", runs->max_ns);
}

static void put_distribution(struct json_object *row, const struct ct_distribution *durations)
{
	mcp_put_count(row, "count", durations->count);
	if (!durations->count)
		return;
	mcp_put_span(row, "p50", durations->p50_ns);
	mcp_put_span(row, "p99", durations->p99_ns);
	mcp_put_span(row, "max", durations->max_ns);
	mcp_put_span(row, "total", durations->total_ns);
}

static void put_going_on(struct json_object *row, const struct ct_going_on *going_on)
{
	if (!going_on->count)
		return;
	mcp_put_count(row, "not_ended", going_on->count);
	mcp_put_span(row, "not_ended_total", going_on->total_ns);
	mcp_put_span(row, "not_ended_max", going_on->longest_ns);
}

/* ---------------------------------------------------------------- rows of each kind */

static void tell_places(struct page *page)
{
	const struct ct_statistics *statistics = &page->report->statistics;
	const struct ct_place *place;
	struct json_object *row;
	uint32_t i;

	for (i = 0; i < statistics->nr_places; i++) {
		if (!is_wanted(page))
			continue;
		place = &statistics->places[i];
		row = mcp_row_new();
		mcp_put_place(row, "what", page->report->tables, place->site);
		put_distribution(row, &place->waits);
		put_going_on(row, &place->waiting);
		put_delays(row, &place->delays);
		put_runs(row, &place->runs);
		tell(page, row);
	}
}

static void tell_workers(struct page *page)
{
	const struct ct_statistics *statistics = &page->report->statistics;
	const struct ct_worker *worker;
	struct json_object *row;
	uint32_t i;

	for (i = 0; i < statistics->nr_workers; i++) {
		if (!is_wanted(page))
			continue;
		worker = &statistics->workers[i];
		row = mcp_row_new();
		mcp_put_thread(row, "what", page->report->tables, worker->thread);
		mcp_put_span(row, "running", worker->running_ns);
		mcp_put_span(row, "scheduling", worker->scheduling_ns);
		mcp_put_span(row, "blocked", worker->blocked_ns);
		mcp_put_span(row, "idle", worker->idle_ns);
		mcp_put_span(row, "starved", worker->starved_ns);
		mcp_put_count(row, "resumes", worker->nr_resumes);
		tell(page, row);
	}
}

static void tell_spans(struct page *page, bool are_tasks)
{
	const struct ct_span *span;
	struct json_object *row;
	uint32_t i;

	for (i = 0; i < page->report->nr_spans; i++) {
		span = &page->report->spans[i];
		if (span->is_task != are_tasks || !is_wanted(page))
			continue;
		row = mcp_row_new();
		mcp_put_data(row, "what", span->name);
		put_distribution(row, &span->durations);
		put_going_on(row, &span->open);
		put_times(row, &span->times);
		tell(page, row);
	}
}

static void tell_counters(struct page *page)
{
	const struct ct_counter *counter;
	struct json_object *row;
	uint32_t i;

	for (i = 0; i < page->report->nr_counters; i++) {
		if (!is_wanted(page))
			continue;
		counter = &page->report->counters[i];
		row = mcp_row_new();
		mcp_put_data(row, "what", counter->name);
		mcp_put_count(row, "count", counter->nr_values);
		mcp_put_signed(row, "last", counter->last);
		mcp_put_signed(row, "least", counter->least);
		mcp_put_signed(row, "greatest", counter->greatest);
		tell(page, row);
	}
}

static void tell_shares(struct page *page)
{
	const struct ct_breakdown *breakdown = page->report->breakdown;
	const struct ct_share *share;
	struct json_object *row;
	uint32_t i;

	for (i = 0; breakdown && i < breakdown->nr_rows; i++) {
		if (!is_wanted(page))
			continue;
		share = &breakdown->rows[i];
		row = mcp_row_new();
		mcp_put_place(row, "what", page->report->tables, share->site);
		if (share->coro)
			mcp_put_count(row, "coroutine", share->coro);
		else
			mcp_put_count(row, "coroutines", share->nr_coros);
		mcp_put_process(row, page->report->tables, share->process);
		put_times(row, &share->times);
		mcp_put_count(row, "resumes", share->nr_resumes);
		mcp_put_count(row, "migrations", share->nr_migrations);
		put_delays(row, &share->delays);
		put_runs(row, &share->runs);
		tell(page, row);
	}
	if (breakdown)
		page->nr_seen += breakdown->nr_others;
}

static void tell_rows(struct page *page, enum by by)
{
	switch (by) {
	case BY_PLACE:
		tell_places(page);
		break;
	case BY_WORKER:
		tell_workers(page);
		break;
	case BY_TASK:
	case BY_REGION:
		tell_spans(page, by == BY_TASK);
		break;
	case BY_COUNTER:
		tell_counters(page);
		break;
	default:
		tell_shares(page);
	}
}

/* ---------------------------------------------------------------- the answer */

static void put_all(struct json_object *answer, const struct ct_report *report)
{
	const struct ct_statistics *statistics = &report->statistics;
	struct json_object *row = mcp_put_row(answer, "all");

	mcp_put_count(row, "coroutines", report->quality.nr_coros);
	put_times(row, &statistics->total);
	mcp_put_count(row, "resumes", statistics->nr_resumes);
	mcp_put_count(row, "migrations", statistics->nr_migrations);
	put_delays(row, &statistics->delays);
}

static void suggest(struct mcp_call *call, enum by by, const struct page *page)
{
	const char *handle = mcp_given_text(call, MCP_ARGUMENT_STATS_HANDLE);

	if (page->offset + page->nr_told < page->nr_seen)
		mcp_next(call, "stats handle=%s by=%s offset=%" PRIu64, handle, by_names[by],
			page->offset + page->nr_told);
	if (by == BY_COROUTINE && page->nr_told)
		mcp_next(call, "why handle=%s coroutine=%" PRIu64, handle,
			page->report->breakdown->rows[page->offset].coro);
	else if (by != BY_COROUTINE)
		mcp_next(call, "stats handle=%s by=coroutine", handle);
}

static void tell_statistics(struct mcp_call *call, const struct ct_report *report, enum by by)
{
	struct page page = {
		.call = call,
		.report = report,
		.offset = mcp_given_number(call, MCP_ARGUMENT_STATS_OFFSET, 0),
		.limit = mcp_given_number(call, MCP_ARGUMENT_STATS_LIMIT, FEW),
	};

	mcp_put_word(call->answer, "by", by_names[by]);
	put_all(call->answer, report);
	page.rows = mcp_put_rows(call->answer, "rows");
	tell_rows(&page, by);
	mcp_put_count(call->answer, "total", page.nr_seen);
	call->nr_left_out =
		page.nr_seen > page.offset ? page.nr_seen - page.offset - page.nr_told : 0;
	suggest(call, by, &page);
}

void mcp_tool_stats(struct mcp_call *call)
{
	static const enum ct_by broken_down[] = {
		[BY_COROUTINE] = CT_BY_COROUTINE,
		[BY_FUNCTION] = CT_BY_FUNCTION,
		[BY_START] = CT_BY_SITE,
		[BY_COUNTER] = CT_BY_NONE,
	};
	struct mcp_trace *trace = mcp_call_trace(call, MCP_ARGUMENT_STATS_HANDLE);
	int word = mcp_given_word(call, MCP_ARGUMENT_STATS_BY);
	int sort = mcp_given_word(call, MCP_ARGUMENT_STATS_SORT);
	enum by by = word < 0 ? BY_PLACE : (enum by)word;
	struct ct_analyze_options options = {
		.size = sizeof(options),
		.by = broken_down[by],
		.sort = sort < 0 ? CT_SORT_WAITING : sorts[sort],
		.max_rows = (uint32_t)(mcp_given_number(call, MCP_ARGUMENT_STATS_OFFSET, 0) +
				       mcp_given_number(call, MCP_ARGUMENT_STATS_LIMIT, FEW)),
	};
	const struct ct_report *report;
	struct ct_error error;

	if (!trace)
		return;
	if (!options.by) {
		tell_statistics(call, trace->report, by);
		return;
	}
	if (ct_analyze(mcp_trace_read(trace), &options, &report, &error)) {
		mcp_call_fail_with(call, &error);
		return;
	}
	tell_statistics(call, report, by);
	ct_report_free(report);
}
