/* SPDX-License-Identifier: MIT */
/*
 * JSON lines: exactly the promised rows, in order, counted by coroutine.
 */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "jsonl/jsonl.h"
#include "jsonl/coros.h"
#include "made_trace.h"

static struct ct_sink *open_rows(const char *path, bool all_kinds)
{
	struct ct_sink *sink = NULL;

	CHECK_EQUAL(
		jsonl_sink_open(path, &(struct jsonl_options){.all_kinds = all_kinds}, &sink, NULL),
		CT_OK);
	made_start(sink, 2);
	return sink;
}

static void put(struct ct_sink *sink, uint32_t stream, uint64_t time, unsigned kind, uint64_t coro,
	uint64_t object)
{
	struct ctp_record record = {time, coro, object, CTP_TAIL(0, kind, 0, 0)};

	CHECK_EQUAL(made_put(sink, stream, &record, 1), CT_OK);
}

static void check_file(const char *path, const char *expected)
{
	size_t nr_bytes;
	char *bytes = made_read(path, &nr_bytes);

	CHECK_TEXT(bytes, expected);
	free(bytes);
}

static void put_two_coroutines(struct ct_sink *sink)
{
	/* As an engine drains: one stream after the other. */
	put(sink, 1, 100, CTP_KIND_CREATE, 7, 0x1000);
	put(sink, 1, 110, CTP_KIND_FRAME, 7, 0x7f0000001000);
	put(sink, 1, 120, CTP_KIND_RESUME, 7, 0);
	put(sink, 1, 130, CTP_KIND_SUSPEND, 7, CTP_DESCRIPTOR(3, 1));
	put(sink, 1, 160, CTP_KIND_SWITCH, 8, 9);
	put(sink, 2, 140, CTP_KIND_WAKE, 8, CTP_HANDLE(CTP_RESOURCE_COROUTINE, 7));
	put(sink, 2, 150, CTP_KIND_RESUME, 7, 0);
	put(sink, 2, 170, CTP_KIND_DESTROY, 7, 0);
}

static void test_suspend_and_resume_rows(void)
{
	struct ct_sink *sink = open_rows("rows.jsonl", false);

	put_two_coroutines(sink);
	CHECK_EQUAL(sink_flush(sink, NULL), CT_OK);
	/* Ids are never used twice: this is another coroutine, whose frame is unknown. */
	put(sink, 2, 180, CTP_KIND_SUSPEND, 8, 0);
	put(sink, 2, 190, CTP_KIND_CANCEL, 8, 0);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	check_file("rows.jsonl",
		"{\"probe_id\":7,\"tid\":1001,\"addr\":\"0x0000000000000000\",\"seq\":1,"
		"\"is_active\":true,\"ts\":120}\n"
		"{\"probe_id\":7,\"tid\":1001,\"addr\":\"0x00007f0000001000\",\"seq\":2,"
		"\"is_active\":false,\"ts\":130}\n"
		"{\"probe_id\":7,\"tid\":1002,\"addr\":\"0x0000000000000000\",\"seq\":3,"
		"\"is_active\":true,\"ts\":150}\n"
		"{\"probe_id\":8,\"tid\":1001,\"addr\":\"0x0000000000000000\",\"seq\":1,"
		"\"is_active\":false,\"ts\":160}\n"
		"{\"probe_id\":9,\"tid\":1001,\"addr\":\"0x0000000000000000\",\"seq\":1,"
		"\"is_active\":true,\"ts\":160}\n"
		"{\"probe_id\":8,\"tid\":1002,\"addr\":\"0x0000000000000000\",\"seq\":2,"
		"\"is_active\":false,\"ts\":180}\n"
		"{\"probe_id\":8,\"tid\":1002,\"addr\":\"0x0000000000000000\",\"seq\":3,"
		"\"is_active\":true,\"ts\":190}\n");
}

static void name_site(struct ct_sink *sink, uint32_t segment, uint32_t id, const char *name)
{
	made_define(sink, (struct ct_definition){.type = CT_DEFINE_SITE,
				  .site = {.segment = segment,
					  .id = id,
					  .kind = CTP_SITE_SOURCE,
					  .file = "",
					  .function = "",
					  .reason = name,
					  .module = ""}});
}

static void test_rows_of_all_kinds(void)
{
	struct ctp_record region = {160, 7, 0, CTP_TAIL(5, CTP_KIND_REGION_BEGIN, 0, 0)};
	struct ct_sink *sink = open_rows("all.jsonl", true);

	put(sink, 1, 100, CTP_KIND_CREATE, 7, 0x1000);
	put(sink, 1, 120, CTP_KIND_RESUME, 7, 0);
	put(sink, 1, 130, CTP_KIND_WAKE, 7, CTP_HANDLE(CTP_RESOURCE_COROUTINE, 8));
	put(sink, 2, 140, CTP_KIND_DESCRIPTOR_IO, (uint64_t)-11, CTP_DESCRIPTOR(3, 1));
	put(sink, 2, 150, 200, 0, 0);
	name_site(sink, 1, 5, "db \"query\"");
	CHECK_EQUAL(made_put(sink, 1, &region, 1), CT_OK);
	region.tail = CTP_TAIL(6, CTP_KIND_REGION_END, 0, 0); /* not known */
	CHECK_EQUAL(made_put(sink, 1, &region, 1), CT_OK);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	check_file("all.jsonl",
		"{\"probe_id\":7,\"tid\":1001,\"addr\":\"0x0000000000001000\",\"seq\":1,"
		"\"is_active\":false,\"ts\":100,\"event\":\"create\"}\n"
		"{\"probe_id\":7,\"tid\":1001,\"addr\":\"0x0000000000000000\",\"seq\":2,"
		"\"is_active\":true,\"ts\":120}\n"
		"{\"probe_id\":7,\"tid\":1001,\"addr\":\"0x0700000000000008\",\"seq\":3,"
		"\"is_active\":true,\"ts\":130,\"event\":\"wake\"}\n"
		"{\"probe_id\":0,\"tid\":1002,\"addr\":\"0x0100000100000003\",\"seq\":0,"
		"\"is_active\":false,\"ts\":140,\"event\":\"descriptor-io\"}\n"
		"{\"probe_id\":0,\"tid\":1002,\"addr\":\"0x0000000000000000\",\"seq\":0,"
		"\"is_active\":false,\"ts\":150,\"event\":\"kind-200\"}\n"
		"{\"probe_id\":7,\"tid\":1001,\"addr\":\"0x0000000000000000\",\"seq\":4,"
		"\"is_active\":true,\"ts\":160,\"event\":\"region-begin\",\"name\":\"db "
		"\\\"query\\\"\"}\n"
		"{\"probe_id\":7,\"tid\":1001,\"addr\":\"0x0000000000000000\",\"seq\":5,"
		"\"is_active\":true,\"ts\":160,\"event\":\"region-end\"}\n");
}

/* Two readings give the counter's rate; the second comes after the records. */
static void test_counter_is_converted(void)
{
	struct ct_sink *sink = open_rows("counter.jsonl", false);

	made_segment(sink, 2, 1, CTP_ROLE_PROBE, CTP_CLOCK_COUNTER);
	made_stream(sink, 3, 2);
	made_clock(sink, CTP_CLOCK_COUNTER, 1000000, 5000000);
	put(sink, 3, 1200000, CTP_KIND_RESUME, 7, 0);
	made_clock(sink, CTP_CLOCK_COUNTER, 3000000, 6000000);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	/* A further segment of the process: its ids are made unique. */
	check_file("counter.jsonl",
		"{\"probe_id\":281474976710663,\"tid\":0,\"addr\":\"0x0000000000000000\","
		"\"seq\":1,\"is_active\":true,\"ts\":5100000}\n");
}

/* Two processes number alike, and a row does not name its process. */
static void test_two_processes(void)
{
	struct ct_sink *sink = open_rows("two.jsonl", false);

	made_process(sink, 2);
	made_segment(sink, 2, 2, CTP_ROLE_PROBE, CTP_CLOCK_MONOTONIC);
	made_thread(sink, 3, 2);
	made_stream(sink, 3, 2);
	put(sink, 1, 120, CTP_KIND_RESUME, 7, 0);
	put(sink, 3, 130, CTP_KIND_RESUME, 7, 0);
	put(sink, 1, 140, CTP_KIND_SUSPEND, 7, 0);
	put(sink, 3, 150, CTP_KIND_SUSPEND, 7, 0);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	check_file("two.jsonl",
		"{\"probe_id\":7,\"tid\":1001,\"addr\":\"0x0000000000000000\",\"seq\":1,"
		"\"is_active\":true,\"ts\":120}\n"
		"{\"probe_id\":281474976710663,\"tid\":1003,\"addr\":\"0x0000000000000000\","
		"\"seq\":1,\"is_active\":true,\"ts\":130}\n"
		"{\"probe_id\":7,\"tid\":1001,\"addr\":\"0x0000000000000000\",\"seq\":2,"
		"\"is_active\":false,\"ts\":140}\n"
		"{\"probe_id\":281474976710663,\"tid\":1003,\"addr\":\"0x0000000000000000\","
		"\"seq\":2,\"is_active\":false,\"ts\":150}\n");
}

/* Rows are counted by process and id, whatever bits an id has: 256 processes, ids that differ in any bit. */
static void test_rows_are_counted_apart(void)
{
	struct jsonl_coros coros = {0};
	uint32_t process;
	unsigned bit;

	for (process = 1; process <= 256; process++) {
		for (bit = 0; bit < 64; bit++)
			jsonl_coros_find(&coros, process, UINT64_C(1) << bit)->nr_rows++;
	}
	for (process = 1; process <= 256; process++) {
		for (bit = 0; bit < 64; bit++)
			CHECK_EQUAL(
				jsonl_coros_find(&coros, process, UINT64_C(1) << bit)->nr_rows, 1);
	}
	CHECK(jsonl_coros_forget(&coros, 3, 1) && jsonl_coros_forget(&coros, 999, 1));
	CHECK_EQUAL(jsonl_coros_find(&coros, 3, 1)->nr_rows, 0);
	CHECK_EQUAL(jsonl_coros_find(&coros, 2, 1)->nr_rows, 1);
	jsonl_coros_fini(&coros);
}

/* Each event is in the file as a row, or is counted; and the file ends with a complete row. */
static void test_limited_file(void)
{
	struct rlimit limit = {50000, RLIM_INFINITY};
	struct ct_sink *sink = open_rows("limited.jsonl", false);
	uint64_t taken = 0, rows = 0, i;
	struct ct_error error = {0};
	size_t nr_bytes;
	char *bytes;

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	for (i = 0; i < 2000; i++) {
		struct ctp_record record = {i, 1, 0, CTP_TAIL(0, CTP_KIND_RESUME, 0, 0)};

		taken += made_put(sink, 1, &record, 1) == CT_OK;
		if (i % 100 == 99 && sink_flush(sink, &error))
			CHECK_EQUAL(error.system_errno, EFBIG);
	}
	CHECK(taken < 2000);
	rows = taken - jsonl_sink_lost(sink);
	CHECK_EQUAL(sink_close(sink, true, &error), CT_ERR_SYSTEM);
	limit.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &limit);
	bytes = made_read("limited.jsonl", &nr_bytes);
	for (i = 0; i < nr_bytes; i++)
		rows -= bytes[i] == '\n';
	CHECK_EQUAL(rows, 0);
	CHECK(nr_bytes > 0 && bytes[nr_bytes - 1] == '\n');
	free(bytes);
}

int main(void)
{
	made_enter();
	test_suspend_and_resume_rows();
	test_rows_of_all_kinds();
	test_counter_is_converted();
	test_two_processes();
	test_rows_are_counted_apart();
	test_limited_file();
	return check_result();
}
