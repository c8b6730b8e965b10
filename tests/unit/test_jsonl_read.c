/* SPDX-License-Identifier: MIT */
/*
 * JSON lines as a trace, by the rules of docs/spec/jsonl.md.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <unistd.h>

#include "check.h"
#include "base/io.h"
#include "jsonl/jsonl.h"
#include "jsonl/runs.h"
#include "base/text.h"
#include "write_output.h"
#include "opened.h"

#define FILE_NAME "read.jsonl"
#define START UINT64_C(1000000000000)
#define HOUR UINT64_C(3600000000000)

static void add_state(struct text *text, uint64_t probe_id, uint64_t tid, uint64_t seq,
	bool is_active, uint64_t ts)
{
	text_format(text,
		"{\"probe_id\":%" PRIu64 ",\"tid\":%" PRIu64
		",\"addr\":\"0x%016x\",\"seq\":%" PRIu64 ",\"is_active\":%s,\"ts\":%" PRIu64 "}\n",
		probe_id, tid, 0, seq, is_active ? "true" : "false", ts);
}

static void add_row(struct text *text, uint64_t probe_id, uint64_t tid, uint64_t seq, uint64_t ts)
{
	add_state(text, probe_id, tid, seq, seq % 2, ts);
}

/* This many coroutines, one after the other, with events 1 us apart. */
static uint64_t add_run(
	struct text *text, uint64_t first_tid, unsigned nr_coros, unsigned nr_events, uint64_t ts)
{
	unsigned seq, coro;

	for (seq = 1; seq <= nr_events; seq++) {
		for (coro = 1; coro <= nr_coros; coro++)
			add_row(text, coro, first_tid + coro % 2, seq, ts += 1000);
	}
	return ts;
}

static struct ct_source *open_file(struct text *text)
{
	struct ct_source *source = NULL;
	struct ct_error error = {0};

	if (write_output(FILE_NAME, text_peek(text), text->length, NULL))
		exit(1);
	text_fini(text);
	if (open_path(jsonl_source_open, FILE_NAME, &source, &error)) {
		fprintf(stderr, "%s\n", error.text);
		exit(1);
	}
	return source;
}

static struct ct_source *open_lines(const char *lines)
{
	struct text text = {0};

	text_add(&text, lines);
	return open_file(&text);
}

static bool has_note(struct ct_source *source, const char *piece)
{
	uint32_t i;

	for (i = 0; i < source->tables->nr_notes; i++) {
		if (strstr(source->tables->notes[i].text, piece))
			return true;
	}
	return false;
}

static uint64_t count_events(struct ct_source *source)
{
	const struct ct_event *event;
	ct_time last = INT64_MIN;
	uint64_t count = 0;

	source_reset(source, NULL);
	while (source_next(source, &event, NULL) == CT_OK) {
		CHECK(event->time >= last);
		CHECK_EQUAL(event->sequence, count);
		last = event->time;
		count++;
	}
	CHECK_EQUAL(count, source->tables->nr_events);
	return count;
}

/* The event with this number, from 0. */
static struct ct_event event_at(struct ct_source *source, unsigned number)
{
	const struct ct_event *event = NULL;
	unsigned i;

	source_reset(source, NULL);
	for (i = 0; i <= number; i++) {
		if (source_next(source, &event, NULL) != CT_OK)
			exit(1);
	}
	return *event;
}

static uint64_t sum_losses(struct ct_source *source)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < source->tables->nr_losses; i++)
		sum += source->tables->losses[i].count;
	return sum;
}

/* */
static void test_forms_of_a_row(void)
{
	struct ct_source *source = open_lines(
		"\xef\xbb\xbf{\"ts\":1000,\"is_active\":1,\"seq\":\"1\",\"addr\":0,\"tid\":"
		"\"0x65\","
		"\"probe_id\":7}\r\n"
		"  { \"probe_id\" : 7 , \"tid\" : 101 , \"addr\" : \"4096\" , \"seq\" : 2 ,"
		" \"is_active\" : false , \"ts\" : 2000 }  \n");
	struct ct_event event;

	CHECK_EQUAL(count_events(source), 3);
	CHECK_EQUAL(source->tables->nr_threads, 2);
	CHECK_EQUAL(source->tables->threads[1].tid, 101);
	event = event_at(source, 0);
	CHECK_EQUAL(event.kind, CTP_KIND_RESUME);
	CHECK_EQUAL(event.coro, 7);
	CHECK_EQUAL(event.time + source->tables->epoch_monotonic_ns, 1000);
	event = event_at(source, 1);
	CHECK_EQUAL(event.kind, CTP_KIND_FRAME);
	CHECK_EQUAL(event.object, 4096);
	CHECK_EQUAL(event_at(source, 2).kind, CTP_KIND_SUSPEND);
	source_close(source);
}

/* */
static void test_bad_lines(void)
{
	static const char *const bad[] = {
		"{}",
		"[]",
		"nonsense",
		"{\"probe_id\":1,\"tid\":1,\"addr\":\"0x0\",\"seq\":1,\"is_active\":true}",
		"{\"probe_id\":-1,\"tid\":1,\"addr\":\"0x0\",\"seq\":1,\"is_active\":true,\"ts\":"
		"5}",
		"{\"probe_id\":1,\"tid\":1,\"addr\":\"0x0\",\"seq\":1,\"is_active\":2,\"ts\":5}",
		"{\"probe_id\":1,\"tid\":1,\"addr\":\"0x0\",\"seq\":1.5,\"is_active\":true,\"ts\":"
		"5}",
		"{\"probe_id\":1,\"tid\":1,\"addr\":\"zz\",\"seq\":1,\"is_active\":true,\"ts\":5}",
		"{\"probe_id\":1,\"tid\":1,\"addr\":\"0x0\",\"seq\":1,\"is_active\":true,"
		"\"ts\":99999999999999999999}",
		"{\"probe_id\":1,\"tid\":1,\"addr\":\"0x11111111111111111\",\"seq\":1,"
		"\"is_active\":true,\"ts\":5}",
		"{\"probe_id\":1,\"tid\":1,\"addr\":\"0x0\",\"seq\":1,\"is_active\":true,\"ts\":5}"
		"}",
		"{\"probe_id\":1,\"tid\":1,\"addr\":\"0x0\",\"seq\":1,\"is_active\":true,\"ts\":5,"
		"\"x\":[1,}",
		"{\"probe_id\":1,\"tid\":1,\"addr\":\"0x0\",\"seq\":1,\"is_active\":true,\"ts\":5,"
		"\"x\":\"\\q\"}",
	};
	size_t count = sizeof(bad) / sizeof(*bad), i;
	struct ct_source *source;
	struct text text = {0};

	add_row(&text, 1, 1, 1, 1000);
	for (i = 0; i < count; i++)
		text_format(&text, "%s\n", bad[i]);
	text_add(&text, "\n  \n");
	for (i = 0; i < 70000; i++)
		text_char(&text, 'x');
	text_char(&text, '\n');
	add_row(&text, 1, 1, 2, 2000);
	text_add(&text, "{\"probe_id\":1,\"ti");
	source = open_file(&text);
	CHECK_EQUAL(count_events(source), 2);
	CHECK(has_note(
		source, "14 lines are no rows and were left out (lines 2, 3, 4, 5, 6, ...)"));
	CHECK(has_note(source, "the last line (19) is cut short"));
	source_close(source);
}

/* */
static void test_no_row_at_all(void)
{
	static const char *const files[][2] = {
		{"{\"format\": \"x\"}\n{}\n",
			"read.jsonl:1: no line is a row of a trace; of this one, "
			"'probe_id' is missing"},
		{"{\"probe_id\":1", "read.jsonl:1: the only line is cut short"},
		{"{\"probe_id\":1,\"tid\":1,\"addr\":\"0x0\",\"seq\":1,\"is_active\":true,\"ts\":0}"
		 "\n",
			"read.jsonl:1: none of its 1 rows has a time that can be true"},
	};
	struct ct_source *source = NULL;
	struct ct_error error;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		write_output(FILE_NAME, files[i][0], strlen(files[i][0]), NULL);
		CHECK_EQUAL(
			open_path(jsonl_source_open, FILE_NAME, &source, &error), CT_ERR_FORMAT);
		CHECK_TEXT(error.text, files[i][1]);
	}
}

/* */
static void test_further_keys(void)
{
	struct ct_source *source = open_lines(
		"{\"probe_id\":1,\"tid\":1,\"addr\":\"0x0\",\"seq\":1,\"is_active\":true,\"ts\":10,"
		"\"host\":{\"a\":[1,-2.5e3,{\"b\":\"\\u00e9\\\"\"}],\"c\":null},\"x\":true}\n"
		"{\"probe_id\":1,\"tid\":1,\"addr\":\"0x1000\",\"seq\":2,\"is_active\":true,\"ts\":"
		"20,"
		"\"event\":\"wake\"}\n"
		"{\"probe_id\":1,\"tid\":1,\"addr\":\"0x0\",\"seq\":3,\"is_active\":true,\"ts\":30,"
		"\"event\":\"kind-200\",\"zone\":1}\n"
		"{\"probe_id\":1,\"tid\":1,\"addr\":\"0x0\",\"seq\":4,\"is_active\":true,\"ts\":40,"
		"\"event\":\"of another world\"}\n"
		"{\"probe_id\":0,\"tid\":1,\"addr\":\"0x5\",\"seq\":0,\"is_active\":false,\"ts\":"
		"50,"
		"\"event\":\"descriptor-close\"}\n");

	CHECK_EQUAL(count_events(source), 4);
	CHECK_EQUAL(event_at(source, 1).kind, CTP_KIND_WAKE);
	CHECK_EQUAL(event_at(source, 1).object, 0x1000);
	CHECK_EQUAL(event_at(source, 2).kind, 200);
	CHECK_EQUAL(event_at(source, 3).kind, CTP_KIND_DESCRIPTOR_CLOSE);
	CHECK_EQUAL(event_at(source, 3).coro, 0);
	CHECK(has_note(source,
		"2 rows have further keys (lines 1, 3), which stay in the file, and which nothing "
		"here reads: 'host' 1 time, 'x' 1 time, 'zone' 1 time"));
	CHECK(has_note(source, "5 rows were read, from which come 4 events"));
	CHECK(has_note(source, "1 row is of a kind that has no name here (line 4)"));
	CHECK_EQUAL(sum_losses(source), 0);
	source_close(source);
}

/* as many further keys as fit into a line; only a limited number is kept. */
static void test_many_further_keys(void)
{
	struct text text = {0};
	struct ct_source *source;
	unsigned line, i;

	for (line = 1; line <= 3; line++) {
		text_format(&text,
			"{\"probe_id\":1,\"tid\":1,\"addr\":\"0x%x\",\"seq\":%u,\"is_active\":%s,"
			"\"ts\":%u",
			line % 2 ? 0 : 0x1000, line, line % 2 ? "true" : "false", line);
		for (i = 0; i < 3000; i++)
			text_format(&text, ",\"key %u\":[%u]", i, i);
		text_add(&text, ",\"\":0,\"0123456789012345678901234567890123456789\":0}\n");
	}
	source = open_file(&text);
	CHECK_EQUAL(count_events(source), 4);
	CHECK(has_note(source, "3 rows have further keys (lines 1, 2, 3), "));
	CHECK(has_note(source, ": 'key 0' 3 times, 'key 1' 3 times, "));
	CHECK(has_note(source, ", 'key 15' 3 times, others 8,958 times"));
	CHECK(has_note(source,
		"3 rows were read, from which come 4 events, 1 of them for an addr that its "
		"coroutine had not named before"));
	source_close(source);
}

/* a file whose rows make no events is still a trace. */
static void test_no_event_at_all(void)
{
	struct ct_source *source = open_lines(
		"{\"probe_id\":1,\"tid\":1,\"addr\":\"0x0\",\"seq\":1,\"is_active\":true,\"ts\":10,"
		"\"event\":\"of another world\"}\n");

	CHECK_EQUAL(source->tables->nr_events, 0);
	CHECK_EQUAL(count_events(source), 0);
	CHECK(has_note(source, "1 row was read, from which come 0 events"));
	source_close(source);
}

/* rows that cannot be true take no memory, whatever ids they name. */
static void test_garbage_is_bounded(void)
{
	struct jsonl_tracker tracker = {.thread_max = 1};
	struct jsonl_place place;
	uint64_t i;

	for (i = 0; i < 4 * JSONL_EARLY_MAX; i++) {
		struct jsonl_row row = {.probe_id = i, .tid = i, .seq = 1, .line = i + 1};

		CHECK(jsonl_tracker_take(&tracker, &row, 1, &place) == JSONL_IMPOSSIBLE);
	}
	CHECK(tracker.early.count <= JSONL_EARLY_MAX);
	CHECK(tracker.coros.count == 0 && tracker.nr_threads == 0);
	jsonl_tracker_fini(&tracker);
}

/* impossible rows at any position, and any number of them in a row. */
static void test_impossible_rows(void)
{
	struct ct_source *source;
	struct text text = {0};
	uint64_t end;
	unsigned i;

	add_row(&text, 1, 100, 1, UINT64_C(1) << 56);
	end = add_run(&text, 100, 4, 50, START);
	add_row(&text, 1, 100, 51, 0);
	add_row(&text, 1, 100, 52, end + 1000);
	for (i = 0; i < 20; i++)
		add_row(&text, 2, 100, 51 + i, UINT64_C(1) << 56);
	source = open_file(&text);
	CHECK_EQUAL(source->tables->nr_impossible, 22);
	CHECK_EQUAL(source->tables->nr_processes, 2);
	CHECK_EQUAL(count_events(source), 201);
	CHECK_EQUAL(source->tables->observed_until, 200000);
	CHECK_EQUAL(source->tables->processes[1].ended, 200000);
	CHECK_EQUAL(sum_losses(source), 0);
	CHECK(has_note(source, "1 has the time 0 (line 202)"));
	source_close(source);
}

/* a program may be silent for hours, if it then goes on. */
static void test_silence_is_possible(void)
{
	struct ct_source *source;
	struct text text = {0};
	uint64_t end = add_run(&text, 100, 2, 4, START);

	add_row(&text, 1, 101, 5, end + 40 * HOUR);
	source = open_file(&text);
	CHECK_EQUAL(source->tables->nr_impossible, 1);
	source_close(source);
	end = add_run(&text, 100, 2, 4, START);
	add_row(&text, 1, 101, 5, end + 5 * HOUR);
	add_row(&text, 1, 101, 6, end + 5 * HOUR + 1000);
	source = open_file(&text);
	CHECK_EQUAL(source->tables->nr_impossible, 0);
	CHECK_EQUAL(source->tables->nr_processes, 2);
	source_close(source);
}

/* time goes on, time goes back, thread ids are the same. */
static void test_runs_are_told_apart(void)
{
	struct ct_source *source;
	struct text text = {0};
	uint64_t end;

	end = add_run(&text, 100, 5, 20, START);
	end = add_run(&text, 200, 5, 20, end + 5000);
	add_run(&text, 300, 5, 20, START / 2);
	add_run(&text, 300, 5, 20, end + HOUR);
	source = open_file(&text);
	CHECK_EQUAL(source->tables->nr_processes, 5);
	CHECK(has_note(source, "4 runs stand in this file"));
	CHECK(has_note(source, "at lines 1, 101, 201, 301)"));
	CHECK(has_note(source, "5 probe_ids are used by more than one run"));
	CHECK_EQUAL(count_events(source), 400);
	CHECK_EQUAL(event_at(source, 0).process, 3);
	CHECK_EQUAL(event_at(source, 399).process, 4);
	CHECK_EQUAL(sum_losses(source), 0);
	source_close(source);
}

/* the same run twice; and runs of addresses, which do not collide. */
static void test_copied_and_foreign_runs(void)
{
	struct ct_source *source;
	struct text text = {0};
	uint64_t ts, i;

	add_run(&text, 100, 3, 10, START);
	add_run(&text, 100, 3, 10, START);
	source = open_file(&text);
	CHECK_EQUAL(source->tables->nr_processes, 3);
	CHECK_EQUAL(count_events(source), 60);
	source_close(source);
	ts = add_run(&text, 100, 3, 10, START) + 200000000;
	for (i = 0; i < 40; i++)
		add_row(&text, 0x7f0000001000 + i % 4 * 256, 500, i / 4 + 1, ts + i);
	source = open_file(&text);
	CHECK_EQUAL(source->tables->nr_processes, 3);
	source_close(source);
}

/* while other coroutines go on, and when there are none. */
static void test_lives(void)
{
	struct ct_source *source;
	struct text text = {0};
	uint64_t ts = START, seq, i;
	struct ct_event event;

	for (i = 0; i < 4; i++) {
		for (seq = 1; seq <= 4; seq++) {
			add_row(&text, 9, 100, i * 4 + seq, ts += 10);
			add_row(&text, 7, 100, seq, ts += 10);
		}
	}
	source = open_file(&text);
	CHECK_EQUAL(source->tables->nr_processes, 2);
	CHECK(has_note(source, "3 times a probe_id was given out anew"));
	event = event_at(source, 1);
	CHECK_EQUAL(event.coro, 7);
	event = event_at(source, 9);
	CHECK_EQUAL(event.coro & 0xffff, 7);
	CHECK(event.coro != 7);
	CHECK(event.coro != event_at(source, 17).coro);
	CHECK_EQUAL(sum_losses(source), 0);
	source_close(source);
	for (i = 0; i < 3; i++) {
		for (seq = 1; seq <= 4; seq++)
			add_row(&text, 0x7f0000001000, 100, seq, ts += 10);
	}
	source = open_file(&text);
	CHECK_EQUAL(source->tables->nr_processes, 2);
	CHECK(has_note(source, "2 times a probe_id was given out anew"));
	source_close(source);
}

/* rows read and events lost add up to the rows that were written. */
static void test_gaps(void)
{
	struct ct_source *source;
	struct text text = {0};
	uint64_t ts = START, i, nr_rows = 0;

	for (i = 1; i <= 1000; i++) {
		ts += 100;
		if (i % 7 == 0 || i < 4)
			continue;
		add_row(&text, 1, 100, i, ts);
		add_state(&text, 2, 100, 2 * i, i % 2, ts + 1);
		nr_rows += 2;
	}
	source = open_file(&text);
	CHECK_EQUAL(source->tables->nr_impossible, 0);
	CHECK_EQUAL(nr_rows + sum_losses(source), 2000);
	CHECK_EQUAL(source->tables->nr_losses, 2);
	CHECK_EQUAL(source->tables->losses[0].coro, 1);
	CHECK_EQUAL(source->tables->losses[0].reason, CTP_LOSS_SEQUENCE);
	CHECK(has_note(source, "seq rises by two"));
	CHECK_EQUAL(event_at(source, 0).flags, 0);
	/* 4, 5, 6, then 8, for both coroutines. */
	CHECK_EQUAL(event_at(source, 6).flags, CT_FLAG_AFTER_GAP);
	CHECK_EQUAL(event_at(source, 7).flags, CT_FLAG_AFTER_GAP);
	CHECK_EQUAL(event_at(source, 8).flags, 0);
	source_close(source);
}

/* */
static void test_end_is_not_told(void)
{
	struct ct_source *source;
	struct text text = {0};

	add_run(&text, 100, 2, 3, START);
	source = open_file(&text);
	CHECK(source->tables->has_no_end);
	CHECK(!source->tables->is_complete);
	CHECK(strstr(source->tables->notes[0].text, "does not record when observation ended"));
	CHECK_EQUAL(source->tables->processes[1].attached, 0);
	CHECK_EQUAL(source->tables->processes[1].ended, 5000);
	source_close(source);
}

/* as an older engine wrote rows, station by station. */
static void test_order(void)
{
	const unsigned nr_coros = 50, nr_scans = 400;
	struct ct_source *source;
	struct text text = {0};
	unsigned scan, coro, slot;

	for (scan = 0; scan < nr_scans; scan++) {
		for (coro = 0; coro < nr_coros; coro++) {
			for (slot = 0; slot < 8; slot++) {
				uint64_t seq = scan * 8 + (slot == 0 ? 8 : slot);

				add_row(&text, coro + 1, 100 + coro % 4, seq,
					START + (seq * nr_coros + coro) * 100);
			}
		}
	}
	source = open_file(&text);
	CHECK_EQUAL(source->tables->nr_processes, 2);
	CHECK_EQUAL(source->tables->nr_impossible, 0);
	CHECK_EQUAL(sum_losses(source), 0);
	CHECK_EQUAL(count_events(source), 8 * nr_scans * nr_coros);
	CHECK(!has_note(source, "too far out of order"));
	source_close(source);
}

/* */
static void test_rows_that_stand_there_twice(void)
{
	struct ct_source *source;
	struct text text = {0};
	uint64_t ts = START, seq;

	for (seq = 1; seq <= 10; seq++) {
		add_row(&text, 1, 100, seq, ts += 10);
		add_row(&text, 1, 100, seq, ts);
		add_row(&text, 2, 100, seq, ts += 10);
	}
	source = open_file(&text);
	CHECK_EQUAL(source->tables->nr_processes, 2);
	CHECK_EQUAL(count_events(source), 20);
	CHECK(has_note(
		source, "10 rows stand there once more, and count once (lines 2, 5, 8, 11, 14"));
	source_close(source);
}

/* */
static void test_limit_of_runs(void)
{
	struct ct_source *source;
	struct text text = {0};
	unsigned i;

	for (i = 0; i < 300; i++)
		add_run(&text, 1000 + 10 * i, 3, 3, START + i * 1000000);
	source = open_file(&text);
	CHECK_EQUAL(source->tables->nr_processes, 257);
	CHECK(has_note(source, "further ones are not distinguished"));
	CHECK_EQUAL(count_events(source), 2700);
	source_close(source);
}

static void test_first_bytes(void)
{
	CHECK(jsonl_is_ours("{\"probe_id\":1", 13));
	CHECK(jsonl_is_ours("\xef\xbb\xbf \n {", 7));
	CHECK(jsonl_is_ours("damaged\n{", 9));
	CHECK(!jsonl_is_ours("damaged {", 9));
	CHECK(!jsonl_is_ours("", 0));
	CHECK(!jsonl_is_ours("{\0", 2));
}

int main(void)
{
	test_forms_of_a_row();
	test_bad_lines();
	test_no_row_at_all();
	test_further_keys();
	test_many_further_keys();
	test_no_event_at_all();
	test_garbage_is_bounded();
	test_impossible_rows();
	test_silence_is_possible();
	test_runs_are_told_apart();
	test_copied_and_foreign_runs();
	test_lives();
	test_gaps();
	test_end_is_not_told();
	test_order();
	test_rows_that_stand_there_twice();
	test_limit_of_runs();
	test_first_bytes();
	unlink(FILE_NAME);
	return check_result();
}
