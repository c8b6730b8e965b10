/* SPDX-License-Identifier: MIT */
/*
 * A view at its limits: numbers that no cell can hold, and memory that runs out at every single allocation, after which
 * the same view still answers correctly.
 *
 * Linked with malloc, calloc and realloc wrapped.
 */
#include "view/view.h"
#include "check.h"
#include "failing_memory.h"
#include "text_form.h"

static const char trace[] =
	"trace from=0 until=2s\n"
	"process 1 pid=100 program=/bin/server probe ledger\n"
	"thread 1 process=1 tid=101 name=worker\n"
	"thread 2 process=1 tid=102\n"
	"site 1 process=1 kind=source file=server.cpp line=120 reason=AsyncRead\n"
	"1ms t1 create c1 0x1010\n"
	"2ms t1 descriptor-open descriptor:7.1\n"
	"5ms t1 suspend c1 descriptor:7 @1\n"
	"7ms t1 descriptor-close descriptor:7.1\n"
	"8ms t1 create c2\n"
	"8ms t1 frame c2 0x12000\n"
	"8100us t1 resume c2\n"
	"8200us t1 suspend c2\n"
	"8500us t1 wake c0 frame:0x12000\n"
	"9ms t1 resume c2\n"
	"10ms t1 destroy c2\n"
	"1s t1 park\n";

/* ---------------------------------------------------------------- memory */

/* Every finding's title, as the report has it. */
static void check_titles(struct ct_view *view, const struct ct_report *report)
{
	const struct ct_view_request request = {.size = sizeof(request), .table = CT_VIEW_FINDINGS};
	const struct ct_view_rows *rows = NULL;
	uint64_t i;

	CHECK_EQUAL(ct_view_select(view, &request, &rows, NULL), CT_OK);
	CHECK_EQUAL(rows->nr_rows, report->nr_findings);
	for (i = 0; i < rows->nr_rows; i++)
		CHECK_TEXT(ct_view_text(view, rows->columns[CT_VIEW_FINDINGS_TITLE][i]),
			report->findings[i].title);
	ct_view_rows_free(rows);
}

/* False: there was no such allocation. What can do without its memory does. */
static bool judge_without(struct ct_source *source, long n)
{
	struct ct_view *view = view_open(source, NULL, NULL);
	const struct ct_report *report = NULL;
	enum ct_status status;
	int64_t i;

	has_failed = false;
	fail_at = n;
	status = ct_view_report(view, &report, NULL);
	fail_at = 0;
	if (status) {
		CHECK_EQUAL(status, CT_ERR_NO_MEMORY);
		for (i = 0; i < 100; i++)
			CHECK_TEXT(ct_view_text(view, i), "");
		CHECK_EQUAL(ct_view_report(view, &report, NULL), CT_OK);
	}
	check_titles(view, report);
	view_close(view);
	return has_failed;
}

static bool fold_without(struct ct_source *source, long n)
{
	const struct ct_view_request request = {.size = sizeof(request), .table = CT_VIEW_STATES};
	struct ct_view *view = view_open(source, NULL, NULL);
	const struct ct_view_rows *rows = NULL;
	enum ct_status status;

	has_failed = false;
	fail_at = n;
	status = ct_view_select(view, &request, &rows, NULL);
	fail_at = 0;
	if (status) {
		CHECK_EQUAL(status, CT_ERR_NO_MEMORY);
		CHECK_EQUAL(ct_view_select(view, &request, &rows, NULL), CT_OK);
	}
	CHECK(rows->nr_rows > 3);
	ct_view_rows_free(rows);
	view_close(view);
	return has_failed;
}

static void test_memory(struct ct_source *source)
{
	long n = 1;

	while (n < 3000 && judge_without(source, n))
		n++;
	CHECK(n > 20 && n < 3000);
	for (n = 1; n < 3000 && fold_without(source, n);)
		n++;
	CHECK(n > 20 && n < 3000);
}

/* ---------------------------------------------------------------- numbers */

static const char *say(const struct ct_view *view, enum ct_view_type type, int64_t number)
{
	static char words[128];

	ct_view_say(view, type, number, 0, words, sizeof(words));
	return words;
}

static void test_words(const struct ct_view *view)
{
	static const int64_t numbers[] = {-1, INT64_MIN + 2, 9, INT64_C(1) << 32 | 1, INT64_MAX};
	size_t i;

	CHECK_TEXT(say(view, CT_VIEW_TYPE_PROCESS, 1), "server (pid 100)");
	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		CHECK_TEXT(say(view, CT_VIEW_TYPE_PROCESS, numbers[i]), "");
		CHECK(!strstr(say(view, CT_VIEW_TYPE_SITE, numbers[i]), "AsyncRead"));
		CHECK(!strstr(say(view, CT_VIEW_TYPE_THREAD, numbers[i]), "worker"));
	}
}

/* A request that names what is not there is refused, whether rows are selected or scanned. */
static void refuse(struct ct_view *view, struct ct_view_request request)
{
	const struct ct_view_rows *rows = NULL;
	struct ct_view_scan *scan = NULL;

	request.size = sizeof(request);
	CHECK_EQUAL(ct_view_select(view, &request, &rows, NULL), CT_ERR_USAGE);
	CHECK_EQUAL(ct_view_scan_open(view, &request, &scan, NULL), CT_ERR_USAGE);
	CHECK(!rows && !scan);
}

static void test_requests(struct ct_view *view)
{
	static const uint32_t columns[COLUMN_MOST + 1] = {CT_VIEW_NR_STATES};
	static const uint32_t firsts[COLUMN_MOST + 1];
	const struct ct_view_term term = {.column = CT_VIEW_NR_STATES};
	const struct ct_view_request request = {.table = CT_VIEW_STATES};
	struct ct_view_request other = request;

	refuse(view, (struct ct_view_request){.table = CT_VIEW_NR_TABLES});
	other.columns = columns;
	other.nr_columns = 1;
	refuse(view, other);
	other.columns = firsts;
	other.nr_columns = COLUMN_MOST + 1;
	refuse(view, other);
	other = request;
	other.terms = &term;
	other.nr_terms = 1;
	refuse(view, other);
	other = request;
	other.is_sorted = true;
	other.order = UINT32_MAX;
	refuse(view, other);
}

/* What is no number, or larger than any, is no cell. */
static void test_digits(struct ct_view *view)
{
	static const char *const wrong[] = {
		"", "-", " 1", "+1", "1x", "9223372036854775808", "-9223372036854775809"};
	int64_t number = 0;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		CHECK(!ct_view_parse(
			view, CT_VIEW_STATES, CT_VIEW_STATES_DURATION, wrong[i], &number));
	CHECK(ct_view_parse(view, CT_VIEW_STATES, CT_VIEW_STATES_DURATION, "-17", &number));
	CHECK_EQUAL(number, -17);
}

/* ---------------------------------------------------------------- slices, delays, groups */

/* An answer with more slices than its caller has room for is refused, and one that just fits is not. */
static void test_slices(struct ct_source *source)
{
	static const struct ct_view_lane lanes[] = {
		{CT_VIEW_LANE_COROUTINE, 1, 1}, {CT_VIEW_LANE_COROUTINE, 1, 1}};
	struct ct_view_lanes_request request = {.size = sizeof(request),
		.lanes = lanes,
		.nr_lanes = 2,
		.until = INT64_C(2000000000)};
	struct ct_view *view = view_open(source, NULL, NULL);
	const struct ct_view_rows *rows = NULL;
	struct ct_error error;
	uint64_t last;

	CHECK_EQUAL(ct_view_lanes(view, &request, &rows, &error), CT_OK);
	last = rows->nr_rows - 1;
	CHECK_EQUAL(rows->columns[3][last], CT_STATE_WAITING);
	CHECK_EQUAL(rows->columns[7][last], CTP_RESOURCE_DESCRIPTOR);
	request.slices_max = rows->nr_rows;
	ct_view_rows_free(rows);
	CHECK_EQUAL(ct_view_lanes(view, &request, &rows, &error), CT_OK);
	ct_view_rows_free(rows);
	request.slices_max--;
	CHECK_EQUAL(ct_view_lanes(view, &request, &rows, &error), CT_ERR_USAGE);
	CHECK(strstr(error.text, "coarser resolution"));
	view_close(view);
}

static const char calls_trace[] = "trace from=0 until=3s\n"
				  "process 1 pid=100 program=/bin/server probe ledger\n"
				  "thread 1 process=1 tid=101 name=worker\n"
				  "site 1 process=1 kind=source file=server.cpp line=34\n"
				  "1ms t1 create c1 0x1010\n"
				  "2ms t1 resume c1\n"
				  "3ms t1 block-begin 0 call=write\n"
				  "3100us t1 block-end 1\n"
				  "4ms t1 block-begin -1 call=read @1\n"
				  "9ms t1 block-end 1 @1\n"
				  "10ms t1 wake c1 frame:0x7000\n"
				  "1s t1 thread-state c101 0x53 argument=1\n"
				  "2s t1 thread-state c101 0x53 argument=1\n";

/*
 * A run is parted by a call of a millisecond or more, and by the one in which looks found the thread up to the end; by
 * no shorter one. The lanes of the coroutine and of its thread say the same.
 */
static void test_calls(void)
{
	static const struct {
		int64_t from, until;
		enum ct_state state;
		const char *call;
	} wanted[] = {{2000000, 4000000, CT_STATE_RUNNING, ""},
		{4000000, 9000000, CT_STATE_SYSCALL, "read"},
		{9000000, 1000000000, CT_STATE_RUNNING, ""},
		{1000000000, INT64_C(3000000000), CT_STATE_SYSCALL, "read"}};
	static const struct ct_view_lane lanes[] = {
		{CT_VIEW_LANE_COROUTINE, 1, 1}, {CT_VIEW_LANE_THREAD, 0, 1}};
	struct ct_view_lanes_request request = {.size = sizeof(request),
		.nr_lanes = 1,
		.from = 2000000,
		.until = INT64_C(3000000000)};
	struct ct_source *source = open_text(calls_trace);
	struct ct_view *view = view_open(source, NULL, NULL);
	const struct ct_view_rows *rows = NULL;
	int lane, i;

	for (lane = 0; lane < 2; lane++) {
		uint64_t first;

		request.lanes = &lanes[lane];
		CHECK_EQUAL(ct_view_lanes(view, &request, &rows, NULL), CT_OK);
		first = rows->nr_rows - 4;
		for (i = 0; i < 4; i++) {
			CHECK_EQUAL(rows->columns[1][first + i], wanted[i].from);
			CHECK_EQUAL(rows->columns[2][first + i], wanted[i].until);
			CHECK_EQUAL(rows->columns[3][first + i], wanted[i].state);
			CHECK_TEXT(ct_view_text(view, rows->columns[9][first + i]), wanted[i].call);
		}
		ct_view_rows_free(rows);
	}
	view_close(view);
	source_close(source);
}

/* A delay for which there is no memory is told as one that is not counted. */
static bool survey_without(struct ct_view *view, long n, bool *ret_is_uncounted)
{
	const struct ct_view_rows *rows = NULL;
	enum ct_status status;

	has_failed = false;
	fail_at = n;
	status = ct_view_overview(view, 0, INT64_C(2000000000), 1, &rows, NULL);
	fail_at = 0;
	CHECK(status == CT_OK || status == CT_ERR_NO_MEMORY);
	if (status)
		return has_failed;
	CHECK_EQUAL(rows->columns[11][0] != 0, rows->columns[10][0] == 0);
	*ret_is_uncounted |= rows->columns[11][0] == 1;
	ct_view_rows_free(rows);
	return has_failed;
}

static void test_delays(struct ct_source *source)
{
	struct ct_view *view = view_open(source, NULL, NULL);
	bool is_uncounted = false;
	long n;

	CHECK_EQUAL(view_fill(view, CT_VIEW_STATES, NULL), CT_OK);
	for (n = 1; n < 1000 && survey_without(view, n, &is_uncounted);)
		n++;
	CHECK(n > 5 && n < 1000 && is_uncounted);
	view_close(view);
}

static void test_groups(struct ct_source *source)
{
	static const uint32_t columns[] = {CT_VIEW_EVENTS_PROCESS, CT_VIEW_EVENTS_COROUTINE};
	struct ct_view_request request = {
		.size = sizeof(request), .table = CT_VIEW_EVENTS, .limit = 1};
	struct ct_view *view = view_open(source, NULL, NULL);
	const struct ct_view_rows *rows = NULL;

	CHECK_EQUAL(ct_view_groups(view, &request, &rows, NULL), CT_ERR_USAGE);
	request.columns = columns;
	request.nr_columns = 2;
	CHECK_EQUAL(ct_view_groups(view, &request, &rows, NULL), CT_OK);
	CHECK_EQUAL(rows->nr_matched, 3); /* of c1, c2 and none */
	CHECK_EQUAL(rows->nr_rows, 1);
	CHECK_EQUAL(rows->columns[1][0], 2);
	CHECK_EQUAL(rows->columns[2][0], 6);
	ct_view_rows_free(rows);
	request.offset = 3;
	CHECK_EQUAL(ct_view_groups(view, &request, &rows, NULL), CT_OK);
	CHECK_EQUAL(rows->nr_rows, 0);
	ct_view_rows_free(rows);
	view_close(view);
}

static void test_numbers(struct ct_source *source)
{
	struct ct_view *view = view_open(source, NULL, NULL);

	test_words(view);
	test_requests(view);
	test_digits(view);
	view_close(view);
}

static void test_what_is_no_table_has_no_columns(void)
{
	enum ct_view_table none = ct_view_find_table("no such table");

	CHECK_EQUAL(none, CT_VIEW_NR_TABLES);
	CHECK_EQUAL(ct_view_describe(none)->nr_columns, 0);
	CHECK_EQUAL(ct_view_find_column(none, "event"), 0);
}

int main(void)
{
	struct ct_source *source = open_text(trace);

	test_numbers(source);
	test_slices(source);
	test_calls();
	test_delays(source);
	test_groups(source);

	test_memory(source);
	source_close(source);
	test_what_is_no_table_has_no_columns();
	return check_result();
}
