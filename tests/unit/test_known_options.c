/* SPDX-License-Identifier: MIT */
/*
 * Callers that were compiled with an older version, whose options are shorter: bytes behind them are not read.
 */
#include <stddef.h>

#include "corotracer/ct.h"
#include "made_trace.h"

static const char text_trace[] = "process 1 pid=1 probe program=/bin/app\n"
				 "thread 1 process=1 name=w\n"
				 "1 t1 create c7 0x10\n"
				 "2 t1 resume c7\n"
				 "3 t1 suspend c7\n";

static struct ct_trace *open_trace(void)
{
	struct {
		struct ct_open_options older;
		char behind[16];
	} options = {.older = {.size = offsetof(struct ct_open_options, is_followed)}};
	struct ct_trace *trace = NULL;

	options.older.is_followed = true; /* a text cannot be */
	made_write("trace.txt", text_trace, sizeof(text_trace) - 1);
	CHECK_EQUAL(ct_trace_open("trace.txt", &options.older, &trace, NULL), CT_OK);
	return trace;
}

static size_t rows_written(struct ct_trace *trace, size_t size)
{
	struct ct_write_options options = {
		.size = size, .format = CT_FORMAT_JSONL, .all_kinds = true};
	size_t nr_bytes = 0;

	CHECK_EQUAL(ct_trace_write(trace, &options, "rows", NULL), CT_OK);
	free(made_read("rows", &nr_bytes));
	return nr_bytes;
}

static void test_writing(void)
{
	struct ct_trace *trace = open_trace();
	size_t nr_older = rows_written(trace, offsetof(struct ct_write_options, all_kinds));
	size_t nr_newer = rows_written(trace, sizeof(struct ct_write_options) + 64);

	CHECK(nr_older > 0 && nr_newer > nr_older);
	ct_trace_close(trace);
}

static void test_parts(void)
{
	struct ct_part_options options = {
		.size = offsetof(struct ct_part_options, pack_level), .pack_level = 99};
	struct ct_trace *trace = open_trace();
	struct ct_part part;

	CHECK_EQUAL(ct_trace_copy(trace, CT_FORMAT_CTRACE, "whole", NULL), CT_OK);
	ct_trace_close(trace);
	CHECK_EQUAL(ct_trace_recover("whole", &options, "saved", &part, NULL), CT_OK);
	CHECK_EQUAL(part.nr_events, 3);
	CHECK_EQUAL(ct_trace_recover("whole", NULL, "saved", &part, NULL), CT_OK);
}

static void test_recording(void)
{
	char program[] = "true";
	char *command[] = {program, NULL};
	struct ct_wanted wanted = {
		.size = offsetof(struct ct_wanted, wait_for_start), .wait_for_start = true};
	struct ct_record_options options = {
		.size = offsetof(struct ct_record_options, pack_level),
		.command = command,
		.no_ledger = true,
		.output = "recorded",
		.wanted = &wanted,
		.pack_level = 99,
	};
	struct ct_orders orders = {.size = sizeof(orders), .ring_bytes = 1};
	struct ct_record_stats stats;
	struct ct_record *record = NULL;
	enum ct_status status;

	CHECK_EQUAL(ct_record_open(&options, &record, NULL), CT_OK);
	if (!record)
		return;
	while ((status = ct_record_step(record, 100, NULL)) == CT_OK)
		;
	CHECK_EQUAL(status, CT_END);
	ct_record_stats(record, &stats);
	CHECK(stats.has_begun && stats.has_ended);
	CHECK_EQUAL(ct_record_close(record, NULL), CT_OK);
	options.size = sizeof(options);
	options.pack_level = 0;
	options.orders = &orders;
	CHECK_EQUAL(ct_record_open(&options, &record, NULL), CT_ERR_USAGE);
	orders.ring_bytes = 0;
	orders.coarse_step_ns = -1;
	CHECK_EQUAL(ct_record_open(&options, &record, NULL), CT_ERR_USAGE);
	options.size = sizeof(options.size);
	CHECK_EQUAL(ct_record_open(&options, &record, NULL), CT_ERR_USAGE);
}

int main(void)
{
	made_enter();
	test_writing();
	test_parts();
	test_recording();
	return check_result();
}
