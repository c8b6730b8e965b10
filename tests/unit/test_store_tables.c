/* SPDX-License-Identifier: MIT */
/*
 * Definitions, written and read back: tables, ids of several segments, times. Rules: see
 * docs/spec/trace-format.md.
 */
#include <stdint.h>
#include <stdlib.h>

#include "made_trace.h"
#include "store/definitions.h"
#include "store/format.h"

/* ------------------------------------------------------------------ byte form */

static const struct ct_definition every_type[] = {
	{.type = CT_DEFINE_RUN, .run = {{1, 255}, "h", "c", true, 300, true}},
	{.type = CT_DEFINE_PROCESS, .process = {UINT32_MAX, UINT64_MAX, 3, "p", "a \"b\" \xff"}},
	{.type = CT_DEFINE_SEGMENT, .segment = {1, 2, 3, 4, {9}, UINT64_MAX, true}},
	{.type = CT_DEFINE_THREAD, .thread = {1, 2, 3, ""}},
	{.type = CT_DEFINE_STREAM, .stream = {128, 16384}},
	{.type = CT_DEFINE_SITE,
		.site = {1, 2, 3, 4, 5, "f", "g", "r", "m", 6, 7, "c\tf\t8\n", 2, 3, 4}},
	{.type = CT_DEFINE_MAPPING, .mapping = {1, 2, 3, 4, "p", "b"}},
	{.type = CT_DEFINE_CLOCK, .clock = {1, 2, 3, 4, 5, 6}},
	{.type = CT_DEFINE_HEARTBEAT, .heartbeat = {1}},
	{.type = CT_DEFINE_LOSS, .loss = {1, 2, 3, 4, 5, 6, 7}},
	{.type = CT_DEFINE_ENDING, .ending = {1, CT_ENDING_SIGNALED, -5, true, 6}},
	{.type = CT_DEFINE_END, .end = {.monotonic_ns = 1, .nr_events = 2, .nr_lost = 3}},
	{.type = CT_DEFINE_NOTE, .note = {"odd", 2, CT_NO_OFFSET, true, 9, 1, 2, 3}},
	{.type = CT_DEFINE_STACK, .stack = {1, 300, 3, 4}},
};

#define NR_TYPES (sizeof(every_type) / sizeof(every_type[0]))

static struct store_bytes bytes_of(const struct text *text)
{
	const uint8_t *at = (const uint8_t *)text_peek(text);

	return (struct store_bytes){at, at + text->length, false};
}

static bool is_same_definition(const struct ct_definition *a, const struct ct_definition *b)
{
	struct text first = {0}, second = {0};
	bool is_same;

	store_definition_add(&first, a);
	store_definition_add(&second, b);
	is_same = first.length == second.length && memcmp(first.at, second.at, first.length) == 0;
	text_fini(&first);
	text_fini(&second);
	return is_same;
}

/* F-30, F-31. */
static void test_definitions_come_back(void)
{
	struct ct_definition back;
	struct text text = {0};
	struct store_bytes bytes;
	struct arena arena;
	size_t i;

	arena_init(&arena);
	for (i = 0; i < NR_TYPES; i++)
		store_definition_add(&text, &every_type[i]);
	bytes = bytes_of(&text);
	for (i = 0; i < NR_TYPES; i++) {
		CHECK_EQUAL(store_definition_take(&bytes, &arena, &back), CT_OK);
		CHECK_EQUAL(back.type, every_type[i].type);
		CHECK(is_same_definition(&back, &every_type[i]));
	}
	CHECK_EQUAL(store_definition_take(&bytes, &arena, &back), CT_END);
	text_fini(&text);
	arena_fini(&arena);
}

/* F-31, byte by byte: definitions in files must never be read otherwise. */
static void test_bytes_of_a_definition(void)
{
	static const uint8_t expected[] = {
		11, 11, 0xac, 0x02, 2, 9, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f};
	struct ct_definition ending = {.type = CT_DEFINE_ENDING,
		.ending = {300, CT_ENDING_SIGNALED, -5, true, (UINT64_C(1) << 41) - 1}};
	struct text text = {0};

	store_definition_add(&text, &ending);
	CHECK_EQUAL(text.length, sizeof(expected));
	CHECK(memcmp(text_peek(&text), expected, sizeof(expected)) == 0);
	text_fini(&text);
}

/* F-4: definitions without fields that an older writer did not know, and with fields that a newer one added. */
static void test_shorter_and_longer_definitions(void)
{
	static const uint8_t shorter[] = {CT_DEFINE_THREAD, 2, 7, 1};
	static const uint8_t longer[] = {CT_DEFINE_STREAM, 5, 7, 1, 99, 98, 97};
	struct store_bytes bytes = {shorter, shorter + sizeof(shorter), false};
	struct ct_definition back;
	struct arena arena;

	arena_init(&arena);
	CHECK_EQUAL(store_definition_take(&bytes, &arena, &back), CT_OK);
	CHECK_EQUAL(back.thread.thread, 7);
	CHECK_EQUAL(back.thread.tid, 0);
	CHECK_TEXT(back.thread.name, "");
	bytes = (struct store_bytes){longer, longer + sizeof(longer), false};
	CHECK_EQUAL(store_definition_take(&bytes, &arena, &back), CT_OK);
	CHECK_EQUAL(back.stream.segment, 1);
	CHECK_EQUAL(store_definition_take(&bytes, &arena, &back), CT_END);
	arena_fini(&arena);
}

/* F-30: a text longer than the limit is cut, and shows that it was. */
static void test_long_texts_are_cut(void)
{
	char *name = malloc(STORE_TEXT_MAX + 100);
	struct ct_definition thread = {.type = CT_DEFINE_THREAD, .thread = {1, 1, 1, name}}, back;
	struct text text = {0};
	struct store_bytes bytes;
	struct arena arena;

	arena_init(&arena);
	memset(name, 'x', STORE_TEXT_MAX + 99);
	name[STORE_TEXT_MAX + 99] = '\0';
	store_definition_add(&text, &thread);
	bytes = bytes_of(&text);
	CHECK_EQUAL(store_definition_take(&bytes, &arena, &back), CT_OK);
	CHECK_EQUAL(strlen(back.thread.name), STORE_TEXT_MAX);
	CHECK_TEXT(back.thread.name + STORE_TEXT_MAX - 5, "xx...");
	text_fini(&text);
	arena_fini(&arena);
	free(name);
}

/* --------------------------------------------------------------------- tables */

static void define_losses_and_ends(struct ct_sink *sink)
{
	made_define(sink,
		(struct ct_definition){.type = CT_DEFINE_LOSS,
			.loss = {1, 1, CTP_LOSS_FULL, 12, MADE_EPOCH + 7, MADE_EPOCH + 9, 0}});
	made_define(sink, (struct ct_definition){.type = CT_DEFINE_LOSS,
				  .loss = {9, 9, 77, 1, UINT64_MAX, UINT64_MAX, 0}});
	made_define(sink, (struct ct_definition){.type = CT_DEFINE_ENDING,
				  .ending = {1, CT_ENDING_SIGNALED, 11, true, MADE_EPOCH + 50}});
	made_define(sink, (struct ct_definition){.type = CT_DEFINE_MAPPING,
				  .mapping = {1, 0x1000, 0x2000, 16, "/lib/x", "ab"}});
}

static void check_losses_and_ends(const struct ct_tables *tables)
{
	CHECK_EQUAL(tables->nr_losses, 2);
	CHECK_EQUAL(tables->losses[0].process, 1);
	CHECK_EQUAL(tables->losses[0].thread, 1);
	CHECK_EQUAL(tables->losses[0].count, 12);
	CHECK_EQUAL(tables->losses[0].first, 7);
	CHECK_EQUAL(tables->losses[0].last, 9);
	/* F-6: processes and threads that no definition names; F-32: times that are not known. */
	CHECK_EQUAL(tables->losses[1].process, 0);
	CHECK_EQUAL(tables->losses[1].thread, 0);
	CHECK(tables->losses[1].first == CT_NO_TIME);
	CHECK(tables->losses[1].last == CT_NO_TIME);
	CHECK_EQUAL(tables->processes[1].ending, CT_ENDING_SIGNALED);
	CHECK_EQUAL(tables->processes[1].ending_value, 11);
	CHECK_EQUAL(tables->processes[1].ended, 50);
	CHECK(tables->processes[1].was_killed_by_engine_user);
	CHECK_EQUAL(tables->nr_mappings, 2);
	CHECK_EQUAL(tables->mappings[1].end, 0x2000);
	CHECK_TEXT(tables->mappings[1].build_id, "ab");
}

static void check_process_and_thread(const struct ct_tables *tables)
{
	CHECK_EQUAL(tables->run_id[1], 2);
	CHECK_TEXT(tables->host, "host");
	CHECK_TEXT(tables->clock, "CLOCK_MONOTONIC");
	CHECK_EQUAL(tables->epoch_monotonic_ns, MADE_EPOCH);
	CHECK_EQUAL(tables->epoch_realtime_ns, MADE_EPOCH + 1);
	CHECK_EQUAL(tables->nr_processes, 2);
	CHECK_EQUAL(tables->processes[1].pid, 101);
	CHECK_EQUAL(tables->processes[1].attached, 5);
	CHECK(tables->processes[1].has_probe);
	CHECK(!tables->processes[1].has_ledger);
	CHECK_EQUAL(tables->nr_threads, 2);
	CHECK_EQUAL(tables->threads[1].tid, 1001);
	CHECK_EQUAL(tables->threads[1].process, 1);
	CHECK_TEXT(tables->threads[1].name, "worker");
}

static void test_tables(void)
{
	struct ct_sink *sink = made_sink("tables.ctrace");
	struct ct_source *source;

	made_start(sink, 1);
	made_heartbeat(sink, MADE_EPOCH + 2);
	define_losses_and_ends(sink);
	made_heartbeat(sink, MADE_EPOCH + 40);
	made_end(sink, MADE_EPOCH + 60, 0);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	source = made_source("tables.ctrace");
	check_process_and_thread(source->tables);
	check_losses_and_ends(source->tables);
	CHECK_EQUAL(source->tables->observed_from, 2); /* F-37 */
	CHECK_EQUAL(source->tables->observed_until, 60);
	CHECK(source->tables->is_complete);
	CHECK_EQUAL(source->tables->nr_notes, 0);
	CHECK_EQUAL(made_count(source), 0);
	source_close(source);
}

/* F-37: without a heartbeat the latest event ends what was observed. */
static void test_observation_without_heartbeat(void)
{
	struct ct_sink *sink = made_sink("silent.ctrace");
	struct ct_source *source;

	made_start(sink, 1);
	made_put_one(sink, 1, 70, CTP_KIND_RESUME, 1);
	made_put_one(sink, 1, 30, CTP_KIND_RESUME, 1);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	source = made_source("silent.ctrace");
	CHECK_EQUAL(source->tables->observed_from, 0);
	CHECK_EQUAL(source->tables->observed_until, 70);
	CHECK(!source->tables->is_complete);
	source_close(source);
}

/* F-33, F-70, F-73. */
static void test_defined_again(void)
{
	struct ct_sink *sink = made_sink("again.ctrace");
	struct ct_source *source;
	const struct ct_site *site;

	made_start(sink, 1);
	made_site(sink, 1, 1, "a.c");
	made_define(sink, (struct ct_definition){.type = CT_DEFINE_SITE,
				  .site = {1, 1, 9, 99, 9, "b.c", "f", "", "m", 0x10, 0, "c",
					  CTP_FORM_C, 0, 0}});
	made_define(sink, (struct ct_definition){.type = CT_DEFINE_PROCESS,
				  .process = {1, 0, 0, "/bin/other", ""}});
	made_define(sink,
		(struct ct_definition){.type = CT_DEFINE_THREAD, .thread = {1, 1, 0, "renamed"}});
	made_stream(sink, 1, 7);
	made_put_one(sink, 1, 70, CTP_KIND_RESUME, 1);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	source = made_source("again.ctrace");
	CHECK_EQUAL(source->tables->nr_sites, 2);
	site = &source->tables->sites[1];
	CHECK_TEXT(site->file, "a.c");
	CHECK_TEXT(site->function, "f");
	CHECK_EQUAL(site->line, 11);
	CHECK_EQUAL(site->column, 9);
	CHECK_EQUAL(site->address, 0x10);
	CHECK_TEXT(site->callers, "c");
	CHECK_EQUAL(site->form, CTP_FORM_C);
	CHECK_TEXT(source->tables->processes[1].program, "/bin/other");
	CHECK_TEXT(source->tables->processes[1].command_line, "app -x");
	CHECK_EQUAL(source->tables->processes[1].pid, 101);
	CHECK_TEXT(source->tables->threads[1].name, "renamed");
	CHECK_EQUAL(source->tables->threads[1].tid, 1001);
	CHECK_EQUAL(made_count(source), 1);
	source_close(source);
}

static void define_stack(struct ct_sink *sink, uint32_t id, uint32_t site, uint32_t caller)
{
	made_define(sink,
		(struct ct_definition){.type = CT_DEFINE_STACK, .stack = {1, id, site, caller}});
}

/* F-74: whatever a file says, no chain of callers leads back to a site in it. */
static void test_stacks(void)
{
	struct ct_sink *sink = made_sink("stacks.ctrace");
	struct ct_source *source;
	const struct ct_tables *tables;

	made_start(sink, 1);
	made_site(sink, 1, 1, "a.c");
	made_define(sink, (struct ct_definition){.type = CT_DEFINE_SITE,
				  .site = {1, 2, .file = "b.c", .stack = 5}});
	made_define(sink, (struct ct_definition){.type = CT_DEFINE_SITE,
				  .site = {1, 3, .file = "c.c", .stack = 77}});
	define_stack(sink, 4, 1, 5);
	define_stack(sink, 5, 2, 4);
	define_stack(sink, 5, 1, 0);
	define_stack(sink, 6, 99, 0);
	define_stack(sink, 7, 2, 7);
	made_stream(sink, 1, 7);
	made_put_one(sink, 1, 70, CTP_KIND_RESUME, 1);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	source = made_source("stacks.ctrace");
	tables = source->tables;
	CHECK_EQUAL(tables->nr_stacks, 4);
	CHECK_EQUAL(tables->stacks[1].site, 1);
	CHECK_EQUAL(tables->stacks[1].caller, 0);
	CHECK_EQUAL(tables->stacks[2].site, 2);
	CHECK_EQUAL(tables->stacks[2].caller, 1);
	CHECK_EQUAL(tables->stacks[3].site, 2);
	CHECK_EQUAL(tables->stacks[3].caller, 0);
	CHECK_EQUAL(tables->sites[1].stack, 0);
	CHECK_EQUAL(tables->sites[2].stack, 2);
	CHECK_EQUAL(tables->sites[3].stack, 0);
	source_close(source);
}

/* What the engine itself observes of a process does not make that process one that attached. */
static void test_engine_is_no_attaching(void)
{
	struct ct_sink *sink = made_sink("engine.ctrace");
	struct ct_source *source;

	made_start(sink, 1);
	made_process(sink, 2);
	made_segment(sink, 2, 2, CTP_ROLE_ENGINE, CTP_CLOCK_MONOTONIC);
	made_stream(sink, 2, 2);
	made_put_one(sink, 2, 70, CTP_KIND_THREAD_STATE, 1);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	source = made_source("engine.ctrace");
	CHECK(source->tables->processes[2].attached == CT_NO_TIME);
	CHECK(!source->tables->processes[2].has_probe && !source->tables->processes[2].has_ledger);
	CHECK_EQUAL(made_count(source), 1);
	source_close(source);
}

/* F-34, F-52: a site belongs to its segment; an event's thread cannot be one of another process. */
static void test_names_of_two_segments(void)
{
	struct ct_sink *sink = made_sink("names.ctrace");
	struct ctp_record record = {
		.time = MADE_EPOCH + 1, .tail = CTP_TAIL(1, CTP_KIND_PARK, 0, 0)};
	struct ct_source *source;
	const struct ct_event *event;

	made_start(sink, 1);
	made_process(sink, 2);
	made_segment(sink, 2, 2, CTP_ROLE_LEDGER, CTP_CLOCK_MONOTONIC);
	made_stream(sink, 2, 2);
	made_thread(sink, 2, 1);
	made_site(sink, 2, 1, "second.c");
	made_site(sink, 1, 1, "first.c");
	CHECK_EQUAL(made_put(sink, 1, &record, 1), CT_OK);
	record.time++;
	CHECK_EQUAL(made_put(sink, 2, &record, 1), CT_OK);
	record.time++;
	record.tail = CTP_TAIL(77, CTP_KIND_PARK, 0, 0);
	CHECK_EQUAL(made_put(sink, 1, &record, 1), CT_OK);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	source = made_source("names.ctrace");
	CHECK(source->tables->processes[2].has_ledger && !source->tables->processes[2].has_probe);
	CHECK_EQUAL(source_next(source, &event, NULL), CT_OK);
	CHECK_TEXT(source->tables->sites[event->site].file, "first.c");
	CHECK_EQUAL(source->tables->sites[event->site].process, 1);
	CHECK_EQUAL(source_next(source, &event, NULL), CT_OK);
	CHECK_TEXT(source->tables->sites[event->site].file, "second.c");
	CHECK_EQUAL(event->process, 2);
	CHECK_EQUAL(event->thread, 0);
	CHECK_EQUAL(source_next(source, &event, NULL), CT_OK);
	CHECK_EQUAL(event->site, 0);
	source_close(source);
}

static void put_words(
	struct ct_sink *sink, uint32_t stream, unsigned kind, uint64_t coro, uint64_t object)
{
	struct ctp_record record = {MADE_EPOCH + stream, coro, object, CTP_TAIL(0, kind, 0, 0)};

	CHECK_EQUAL(made_put(sink, stream, &record, 1), CT_OK);
}

/* F-35. */
static void test_ids_of_further_segments(void)
{
	static const uint64_t second = UINT64_C(1) << 48;
	static const struct {
		unsigned kind;
		uint64_t coro, object, told_coro, told_object;
	} cases[] = {
		{CTP_KIND_WAKE, 3, CTP_HANDLE(CTP_RESOURCE_COROUTINE, 4), second + 3,
			CTP_HANDLE(CTP_RESOURCE_COROUTINE, second + 4)},
		{CTP_KIND_WAKE, 0, CTP_HANDLE(CTP_RESOURCE_FRAME, 4), 0,
			CTP_HANDLE(CTP_RESOURCE_FRAME, 4)},
		{CTP_KIND_SWITCH, 3, 4, second + 3, second + 4},
		{CTP_KIND_AWAIT, 3, 0, second + 3, 0},
		{CTP_KIND_CREATE, 3, 0x1000, second + 3, 0x1000},
		{CTP_KIND_DESCRIPTOR_IO, 3, CTP_DESCRIPTOR(1, 1), 3, CTP_DESCRIPTOR(1, 1)},
		{CTP_KIND_DESCRIPTOR_ARM, 3, CTP_DESCRIPTOR(1, 1), 3, CTP_DESCRIPTOR(1, 1)},
		{CTP_KIND_DESCRIPTOR_READY, 3, 0, 3, 0},
		{CTP_KIND_DESCRIPTOR_TIMER, 3, CTP_DESCRIPTOR(1, 1), 3, CTP_DESCRIPTOR(1, 1)},
		{CTP_KIND_THREAD_STATE, 3, 4, 3, 4},
		{CTP_KIND_LOST, MADE_EPOCH + 3, 4, 3, 4}, /* a time */
	};
	struct ct_sink *sink = made_sink("ids.ctrace");
	struct ct_source *source;
	const struct ct_event *event;
	size_t i;

	made_start(sink, 1);
	made_segment(sink, 2, 1, CTP_ROLE_LEDGER, CTP_CLOCK_MONOTONIC);
	made_segment(sink, 3, 1, CTP_ROLE_PROBE, CTP_CLOCK_MONOTONIC);
	made_stream(sink, 2, 3);
	put_words(sink, 1, CTP_KIND_WAKE, 3, CTP_HANDLE(CTP_RESOURCE_COROUTINE, 4));
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		put_words(sink, 2, cases[i].kind, cases[i].coro, cases[i].object);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	source = made_source("ids.ctrace");
	CHECK_EQUAL(source_next(source, &event, NULL), CT_OK);
	CHECK_EQUAL(event->coro, 3);
	CHECK_EQUAL(event->object, CTP_HANDLE(CTP_RESOURCE_COROUTINE, 4));
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK_EQUAL(source_next(source, &event, NULL), CT_OK);
		CHECK_EQUAL(event->coro, cases[i].told_coro);
		CHECK_EQUAL(event->object, cases[i].told_object);
	}
	source_close(source);
}

/* An engine does not count a loss's record among its events: that is no fault of the file. */
static void test_end_with_losses(void)
{
	struct ct_sink *sink = made_sink("losses.ctrace");
	struct ct_source *source;

	made_start(sink, 1);
	put_words(sink, 1, CTP_KIND_PARK, 0, 0);
	put_words(sink, 1, CTP_KIND_LOST, MADE_EPOCH + 3, 4);
	put_words(sink, 1, CTP_KIND_UNPARK, 0, 0);
	made_define(sink, (struct ct_definition){.type = CT_DEFINE_END,
				  .end = {.monotonic_ns = MADE_EPOCH + 10, .nr_events = 2}});
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	source = made_source("losses.ctrace");
	CHECK_EQUAL(made_count(source), 3);
	CHECK(source->tables->is_complete);
	CHECK_EQUAL(source->tables->nr_notes, 0);
	source_close(source);
}

/* ---------------------------------------------------------------------- times */

/* A counter of 2.1 GHz that drifts by 40 millionths within an hour. */
static uint64_t drifting(uint64_t ns)
{
	double seconds = (double)ns / 1e9;

	return (uint64_t)(seconds * 2.1e9 * (1 + 40e-6 * seconds / 3600));
}

/* F-36: with a reading each second the times of events in between are right to a microsecond, and never go back. */
static void test_drifting_counter(void)
{
	struct ct_sink *sink = made_sink("drift.ctrace");
	const uint64_t hour = UINT64_C(3600000000000), step = 77777777;
	struct ct_source *source;
	const struct ct_event *event;
	struct ctp_record record = {.tail = CTP_TAIL(0, CTP_KIND_PARK, 0, 0)};
	int64_t error, largest = 0, before = INT64_MIN;
	uint64_t ns, nr_back = 0;

	made_start(sink, 0);
	made_segment(sink, 2, 1, CTP_ROLE_PROBE, CTP_CLOCK_COUNTER);
	made_stream(sink, 1, 2);
	for (ns = 0; ns <= hour; ns += 1000000000)
		made_clock(sink, CTP_CLOCK_COUNTER, drifting(ns), MADE_EPOCH + ns);
	/* The events go on for three seconds after the last reading. */
	for (ns = 0; ns <= hour + 3000000000; ns += step) {
		record.time = drifting(ns);
		CHECK_EQUAL(made_put(sink, 1, &record, 1), CT_OK);
	}
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	source = made_source("drift.ctrace");
	for (ns = 0; source_next(source, &event, NULL) == CT_OK; ns += step) {
		error = event->time - (int64_t)ns;
		largest = llabs(error) > largest ? llabs(error) : largest;
		nr_back += event->time < before;
		before = event->time;
	}
	CHECK_EQUAL(nr_back, 0);
	CHECK(ns > hour);
	CHECK(largest < 1000);
	CHECK_TEXT(source->tables->clock, "counter");
	CHECK(source->tables->clock_hz > 2.0999e9 && source->tables->clock_hz < 2.1002e9);
	CHECK(source->tables->clock_skew_ns < 1000);
	/* F-71: the reach that holds where nobody measured it. */
	CHECK_EQUAL(source->tables->reach_ns, 5000);
	source_close(source);
}

/* F-36: a trace without any reading still has times in order. */
static void test_no_clock_reading(void)
{
	struct ct_sink *sink = made_sink("clockless.ctrace");
	struct ct_source *source;
	const struct ct_event *event;

	made_process(sink, 1);
	made_segment(sink, 1, 1, CTP_ROLE_PROBE, CTP_CLOCK_COUNTER);
	made_stream(sink, 1, 1);
	made_put_one(sink, 1, 105, CTP_KIND_PARK, 0);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	source = made_source("clockless.ctrace");
	CHECK_EQUAL(source_next(source, &event, NULL), CT_OK);
	CHECK_EQUAL(event->time, 100);
	CHECK_EQUAL(source->tables->processes[1].attached, 0);
	source_close(source);
}

/* F-71, F-72: the largest reach counts, and what one segment's probe does holds for its process. */
static void test_reach(void)
{
	struct ct_sink *sink = made_sink("reach.ctrace");
	struct ct_definition reading = {.type = CT_DEFINE_CLOCK,
		.clock = {.clock = CTP_CLOCK_COUNTER, .raw = 1, .monotonic_ns = MADE_EPOCH + 1}};
	struct ct_definition segment = {.type = CT_DEFINE_SEGMENT,
		.segment = {.segment = 2,
			.process = 1,
			.role = CTP_ROLE_PROBE,
			.clock = CTP_CLOCK_COUNTER,
			.has_bare_resumes = true}};
	struct ct_source *source;

	made_start(sink, 0);
	made_define(sink, segment);
	reading.clock.reach_ns = 9000;
	made_define(sink, reading);
	reading.clock.raw = 1000000001;
	reading.clock.monotonic_ns = MADE_EPOCH + 1000000001;
	reading.clock.reach_ns = 8000;
	made_define(sink, reading);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	source = made_source("reach.ctrace");
	CHECK_EQUAL(source->tables->reach_ns, 9000);
	CHECK(source->tables->processes[1].has_bare_resumes);
	source_close(source);
}

static void define_sight(struct ct_sink *sink, const char *text, uint64_t look, uint64_t begun_ns)
{
	made_define(sink, (struct ct_definition){.type = CT_DEFINE_NOTE,
				  .note = {.text = text,
					  .count = 1,
					  .offset = CT_NO_OFFSET,
					  .is_sight = true,
					  .look = look,
					  .begun_ns = begun_ns}});
}

/* F-39: a later look takes the place of an earlier one, and of nothing else, whatever their times are. */
static void test_looks(void)
{
	struct ct_sink *sink = made_sink("looks.ctrace");
	const struct ct_sight *sights;
	struct ct_source *source;

	made_start(sink, 0);
	define_sight(sink, "of none, timed", 0, MADE_EPOCH + 5);
	define_sight(sink, "first, without a time", 1, 0);
	define_sight(sink, "of none", 0, 0);
	define_sight(sink, "first", 1, MADE_EPOCH + 6);
	define_sight(sink, "second", 2, MADE_EPOCH + 7);
	define_sight(sink, "first, late", 1, MADE_EPOCH + 8);
	define_sight(sink, "third", 3, MADE_EPOCH + 9);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	source = made_source("looks.ctrace");
	sights = source->tables->sights;
	CHECK_EQUAL(source->tables->nr_sights, 3);
	CHECK_TEXT(sights[0].text, "of none, timed");
	CHECK_EQUAL(sights[0].begun, 5);
	CHECK_TEXT(sights[1].text, "of none");
	CHECK(sights[1].begun == CT_NO_TIME);
	CHECK_TEXT(sights[2].text, "third");
	CHECK_EQUAL(sights[2].begun, 9);
	source_close(source);
}

int main(void)
{
	made_enter();
	test_definitions_come_back();
	test_bytes_of_a_definition();
	test_shorter_and_longer_definitions();
	test_long_texts_are_cut();
	test_tables();
	test_observation_without_heartbeat();
	test_defined_again();
	test_stacks();
	test_engine_is_no_attaching();
	test_names_of_two_segments();
	test_ids_of_further_segments();
	test_end_with_losses();
	test_drifting_counter();
	test_no_clock_reading();
	test_reach();
	test_looks();
	return check_result();
}
