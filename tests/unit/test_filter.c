/* SPDX-License-Identifier: MIT */
/*
 * The filter between the engine and the output: records of two coroutines, one of which is left out; frames, marks,
 * categories with their details (P-70), windows, the counts of records left out, and every allocation failing once.
 */
#include "check.h"
#include "failing_memory.h"
#include "filtered.h"
#include "stages/filter_parts.h"

/* Coroutine 2 is left out from its wait at an idle place on; records about coroutine 1 stay. */
static void test_two(void)
{
	static const char *const places[] = {"a.c:1", NULL};
	struct ct_wanted options = {.leave_out_sites = places};
	struct ct_sink *sink = opened(&options);

	PUT(sink, made(CTP_KIND_CREATE, 1, 0, SITE_OTHER), made(CTP_KIND_CREATE, 2, 0, SITE_OTHER),
		made(CTP_KIND_SUSPEND, 2, 0, SITE_PLACE), made(CTP_KIND_FRAME, 2, 0x2000, 0),
		made(CTP_KIND_WAKE, 2, CTP_HANDLE(CTP_RESOURCE_COROUTINE, 1), 0),
		made(CTP_KIND_WAKE, 1, CTP_HANDLE(CTP_RESOURCE_COROUTINE, 2), 0),
		made(CTP_KIND_WAKE, 1, CTP_HANDLE(CTP_RESOURCE_FRAME, 0x2000), 0),
		made(CTP_KIND_SWITCH, 2, 1, 0), made(CTP_KIND_SWITCH, 1, 2, 0),
		made(CTP_KIND_DESTROY, 2, 0, 0), made(CTP_KIND_FRAME, 1, 0x2000, 0),
		made(CTP_KIND_WAKE, 0, CTP_HANDLE(CTP_RESOURCE_FRAME, 0x2000), 0));
	end(sink, 12);
	CHECK_EQUAL(keep.records.count, 8);
	check_kept(2, CTP_KIND_MARK, 2, 0);
	CHECK_EQUAL(CTP_TAIL_ARGUMENT(keep.records.at[2].record.tail), CTP_MARK_LEFT_OUT);
	check_kept(3, CTP_KIND_WAKE, 0, CTP_HANDLE(CTP_RESOURCE_COROUTINE, 1));
	check_kept(4, CTP_KIND_SWITCH, 0, 1);
	check_kept(5, CTP_KIND_SWITCH, 1, 0);
	check_kept(6, CTP_KIND_FRAME, 1, 0x2000);
	check_kept(7, CTP_KIND_WAKE, 0, CTP_HANDLE(CTP_RESOURCE_FRAME, 0x2000));
	CHECK_EQUAL(keep_count_lost(&keep, CTP_LOSS_LEFT_OUT), 5);
	CHECK_EQUAL(keep.definitions.at[keep.definitions.count - 1].end.nr_events, 8);
	closed(sink);
}

/* A coroutine that works for the task is left out, and those that it creates; so are the task's annotations. */
static void test_task(void)
{
	static const char *const tasks[] = {"health*", NULL};
	struct ct_wanted options = {.leave_out_tasks = tasks};
	struct ct_sink *sink = opened(&options);

	PUT(sink, made(CTP_KIND_CREATE, 1, 0, 0), made(CTP_KIND_RESUME, 1, 0, 0),
		made(CTP_KIND_TASK_BEGIN, 0, 9, SITE_TASK), made(CTP_KIND_CREATE, 2, 0, 0),
		made(CTP_KIND_TASK_SET, 3, 9, 0), made(CTP_KIND_RESUME, 2, 0, 0),
		made(CTP_KIND_TASK_END, 4, 9, 0), made(CTP_KIND_TASK_SET, 5, 9, 0));
	CHECK_EQUAL(keep.records.count, 5);
	check_kept(2, CTP_KIND_MARK, 1, 0);
	check_kept(3, CTP_KIND_MARK, 3, 0);
	check_kept(4, CTP_KIND_TASK_SET, 5, 9);
	closed(sink);
}

/* A coroutine that does not fit into the table of those left out is recorded. */
static void test_bounds(void)
{
	static const char *const places[] = {"a.c:1", NULL};
	struct ct_wanted options = {.leave_out_sites = places};
	struct ct_sink *sink = opened(&options);
	uint64_t coro;

	((struct filter *)sink)->max_known = 2;
	for (coro = 1; coro <= 4; coro++)
		PUT(sink, made(CTP_KIND_CREATE, coro, 0, SITE_PLACE),
			made(CTP_KIND_FRAME, coro, 0x1000 * coro, 0));
	CHECK_EQUAL(keep.records.count, 4);
	check_kept(0, CTP_KIND_CREATE, 3, 0);
	PUT(sink, made(CTP_KIND_DESTROY, 1, 0, 0), made(CTP_KIND_CREATE, 5, 0, SITE_PLACE));
	CHECK_EQUAL(keep.records.count, 4);
	closed(sink);
}

/* A detail is left out with its event; events that no finding uses are not counted as a loss. */
static void test_categories(void)
{
	struct ct_wanted options = {.categories_off = 1u << CTP_CATEGORY_LOGS |
						      1u << CTP_CATEGORY_RESOURCES |
						      1u << CTP_CATEGORY_SCHEDULING};
	struct ct_sink *sink = opened(&options);

	PUT(sink, made(CTP_KIND_LOG, 1, 0, 0), made(CTP_KIND_DETAIL, 1, 0, 0),
		made(CTP_KIND_HAND_OVER, 1, 5, 0), made(CTP_KIND_DETAIL, 1, 2, 0),
		made(CTP_KIND_SUSPEND, 1, 5, 0), made(CTP_KIND_DETAIL, 1, 7, 0));
	end(sink, 6);
	CHECK_EQUAL(keep.records.count, 2);
	check_kept(0, CTP_KIND_SUSPEND, 1, 5);
	CHECK_EQUAL(
		/* and one more, because the category is off */
		keep_count_lost(&keep, CTP_LOSS_CATEGORY), 2 + 1);
	closed(sink);
}

static void test_window(void)
{
	struct ct_wanted options = {.wait_for_start = true};
	struct ct_sink *sink = opened(&options);
	size_t nr_carried;

	PUT(sink, made(CTP_KIND_CREATE, 1, 0, 0), made(CTP_KIND_SUSPEND, 1, 5, 0),
		made(CTP_KIND_CREATE, 2, 0, 0), made(CTP_KIND_DESTROY, 2, 0, 0));
	CHECK_EQUAL(keep.records.count, 0);
	CHECK(!filter_has_begun(sink));
	CHECK_EQUAL(filter_begin(sink, NULL), CT_OK);
	/* The coroutine that is alive and waits is carried; of the other one only that it is gone. */
	CHECK_EQUAL(keep_count_kind(&keep, CTP_KIND_CREATE), 1);
	CHECK_EQUAL(keep_count_kind(&keep, CTP_KIND_SUSPEND), 1);
	nr_carried = keep.records.count;
	PUT(sink, made(CTP_KIND_COUNTER, 0, 1, 0), marked(CTP_MARK_STOP),
		made(CTP_KIND_COUNTER, 0, 2, 0), made(CTP_KIND_COUNTER, 0, 3, 0));
	PUT(sink, made(CTP_KIND_COUNTER, 0, 4, 0), marked(CTP_MARK_START));
	CHECK_EQUAL(keep.records.count, nr_carried + 4);
	check_kept(nr_carried + 2, CTP_KIND_LOST, keep.records.at[nr_carried + 2].record.coro, 3);
	PUT(sink, marked(CTP_MARK_STOP), made(CTP_KIND_COUNTER, 0, 5, 0));
	end(sink, 12);
	CHECK_EQUAL(keep_count_lost(&keep, CTP_LOSS_PAUSED), 1);
	closed(sink);
}

static void test_finish(void)
{
	struct ct_wanted options = {0};
	struct filter_totals totals = {.now_ns = 500, .nr_events = 1};
	struct ct_sink *sink = opened(&options);
	size_t count;

	PUT(sink, made(CTP_KIND_CREATE, 1, 0, 0));
	CHECK_EQUAL(filter_finish(sink, &totals, NULL), CT_OK);
	count = keep.definitions.count;
	CHECK_EQUAL(keep.definitions.at[count - 1].type, CT_DEFINE_END);
	CHECK_EQUAL(keep.definitions.at[count - 1].end.monotonic_ns, 500);
	CHECK_EQUAL(keep.definitions.at[count - 1].end.nr_events, 1);
	PUT(sink, made(CTP_KIND_CREATE, 2, 0, 0));
	CHECK_EQUAL(keep.records.count, 1);
	CHECK_EQUAL(filter_nr_left_out(sink), 1);
	CHECK_EQUAL(sink_flush(sink, NULL), CT_OK);
	closed(sink);
}

/* True once no allocation failed any more. */
static bool run_with_failure(long failing)
{
	static const char *const patterns[] = {"idle", "other*", NULL};
	struct ct_wanted options = {.leave_out_sites = patterns,
		.leave_out_names = patterns,
		.leave_out_tasks = patterns,
		.wait_for_start = true};
	struct ct_sink *sink = NULL;
	enum ct_status status;
	bool is_whole;

	start_keeping(&keep);
	keep.is_order_ignored = true;
	fail_at = failing;
	status = filter_sink_open(&options, &keep.sink, &sink, NULL);
	/* The keeping sink ends the test if memory is out, so it is closed only without failures. */
	is_whole = status == CT_OK;
	CHECK(status == CT_OK || status == CT_ERR_NO_MEMORY);
	fail_at = 0;
	if (sink)
		CHECK_EQUAL(sink_close(sink, false, NULL), CT_OK);
	keep_fini(&keep);
	return is_whole;
}

static void test_memory(void)
{
	long failing;

	for (failing = 1; !run_with_failure(failing) && failing < 100; failing++)
		;
	CHECK(failing > 5 && failing < 100);
}

/* A full output is reported by the caller, and the filter goes on counting. */
static void test_full_output(void)
{
	struct ct_wanted options = {.sample = 1000000};
	struct ct_sink *sink = opened(&options);

	keep.nr_calls = 0;
	keep.fail_after = 1;
	CHECK_EQUAL(PUT(sink, made(CTP_KIND_COUNTER, 0, 1, 0)), CT_OK);
	CHECK_EQUAL(PUT(sink, made(CTP_KIND_COUNTER, 0, 1, 0)), CT_ERR_SYSTEM);
	CHECK_EQUAL(PUT(sink, made(CTP_KIND_RESUME, 77, 0, 0)), CT_OK);
	CHECK_EQUAL(filter_nr_left_out(sink), 1);
	keep.fail_after = 0;
	closed(sink);
}

int main(void)
{
	test_two();
	test_task();
	test_bounds();
	test_categories();
	test_window();
	test_finish();
	test_memory();
	test_full_output();
	return check_result();
}
