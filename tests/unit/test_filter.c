/* SPDX-License-Identifier: MIT */
/*
 * The filter between the engine and the output: records of two coroutines of which one is left out, frames,
 * marks, categories with their details (P-70), windows, the counts of what is left out, and every allocation
 * failing once.
 */
#include "check.h"
#include "failing_memory.h"
#include "stages/filter_parts.h"
#include "keep_sink.h"

#define SITE_PLACE 1u
#define SITE_TASK 2u
#define SITE_OTHER 3u

static struct keep_sink keep;

/* What was kept is looked at after the close. */
static enum ct_status close_nothing(struct ct_sink *sink, bool is_wanted, struct ct_error *reterr)
{
	(void)sink, (void)is_wanted, (void)reterr;
	return CT_OK;
}

static void start_keeping(struct keep_sink *sink)
{
	static struct ct_sink_ops ops;

	keep_init(sink);
	ops = keep_ops;
	ops.close = close_nothing;
	sink->sink.ops = &ops;
}

static enum ct_status define_all(struct ct_sink *sink)
{
	static const char *const reasons[] = {"", "idle", "health check", "other"};
	struct ct_definition definitions[] = {
		{.type = CT_DEFINE_RUN, .run = {.host = "", .command_line = ""}},
		{.type = CT_DEFINE_PROCESS,
			.process = {.process = 1, .pid = 7, .program = "", .command_line = ""}},
		{.type = CT_DEFINE_SEGMENT,
			.segment = {.segment = 1,
				.process = 1,
				.role = CTP_ROLE_PROBE,
				.clock = CTP_CLOCK_MONOTONIC}},
		{.type = CT_DEFINE_THREAD, .thread = {.thread = 1, .process = 1, .name = ""}},
		{.type = CT_DEFINE_STREAM, .stream = {.stream = 1, .segment = 1}},
	};
	enum ct_status status = CT_OK;
	size_t i;

	for (i = 0; i < sizeof(definitions) / sizeof(definitions[0]) && status == CT_OK; i++)
		status = sink_define(sink, &definitions[i], NULL);
	for (i = 1; i <= SITE_OTHER && status == CT_OK; i++) {
		struct ct_definition site = {.type = CT_DEFINE_SITE,
			.site = {.segment = 1,
				.id = (uint32_t)i,
				.kind = CTP_SITE_SOURCE,
				.line = (uint32_t)i,
				.file = "/src/a.c",
				.function = "f",
				.reason = reasons[i],
				.module = ""}};

		status = sink_define(sink, &site, NULL);
	}
	return status;
}

static struct ctp_record made(unsigned kind, uint64_t coro, uint64_t object, uint32_t site)
{
	static uint64_t time;

	return (struct ctp_record){++time, coro, object, CTP_TAIL(site, kind, 0, 0)};
}

static struct ctp_record marked(unsigned mark)
{
	struct ctp_record record = made(CTP_KIND_MARK, 0, 0, 0);

	record.tail = CTP_TAIL(0, CTP_KIND_MARK, mark, 0);
	return record;
}

static enum ct_status put(struct ct_sink *sink, const struct ctp_record *records, size_t count)
{
	struct ct_batch batch = {.stream = 1, .thread = 1, .records = records, .nr_records = count};

	return sink_put(sink, &batch, NULL);
}

#define PUT(sink, ...)                                      \
	put(sink, (const struct ctp_record[]){__VA_ARGS__}, \
		sizeof((const struct ctp_record[]){__VA_ARGS__}) / sizeof(struct ctp_record))

static struct ct_sink *opened(const struct ct_wanted *options)
{
	struct ct_sink *sink = NULL;

	start_keeping(&keep);
	CHECK_EQUAL(filter_sink_open(options, &keep.sink, &sink, NULL), CT_OK);
	CHECK_EQUAL(define_all(sink), CT_OK);
	return sink;
}

static void closed(struct ct_sink *sink)
{
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	keep_fini(&keep);
}

static void check_kept(size_t index, unsigned kind, uint64_t coro, uint64_t object)
{
	CHECK(index < keep.records.count);
	if (index >= keep.records.count)
		return;
	CHECK_EQUAL(CTP_TAIL_KIND(keep.records.at[index].record.tail), kind);
	CHECK_EQUAL(keep.records.at[index].record.coro, coro);
	CHECK_EQUAL(keep.records.at[index].record.object, object);
}

static void end(struct ct_sink *sink, uint64_t nr_events)
{
	struct ct_definition last = {
		.type = CT_DEFINE_END, .end = {.monotonic_ns = 1000, .nr_events = nr_events}};

	CHECK_EQUAL(sink_define(sink, &last, NULL), CT_OK);
}

/* Coroutine 2 is left out from its wait at an idle place on; what concerns 1 stays, without it. */
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

/* A coroutine that works for the task goes, and those that it creates; the task's annotations with it. */
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

/* What finds no room among those that are left out is recorded. */
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

/* A detail goes with its event; what no finding rests on is no loss. */
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
		keep_count_lost(&keep, CTP_LOSS_CATEGORY), 2 + 1); /* and once, since it is off */
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
	/* The one that is alive, and waits; of the other no more than that it is gone. */
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
	/* The keeping sink ends the test where it finds no memory: it is asked only without failures. */
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

/* A full output is the caller's to tell of, and the filter goes on counting. */
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
