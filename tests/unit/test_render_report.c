/* SPDX-License-Identifier: MIT */
/*
 * Whole reports, made by hand, in each format: compared with tests/unit/render_expected, whose path is the first
 * argument. With RENDER_UPDATE=1 in the environment the files are written instead.
 * Bounded formats stay bounded for a million coroutines, complete formats are complete, and no text of a hostile trace
 * gets through unescaped.
 */
#include <stdbool.h>
#include <sys/stat.h>

#include "failing_memory.h"
#include "made_report.h"

static const char *folder;

static const struct ct_loss losses[] = {
	{.process = 1,
		.thread = 2,
		.reason = CTP_LOSS_FULL,
		.count = 10,
		.first = 5000,
		.last = 6000},
	{.process = 1,
		.thread = 1,
		.reason = CTP_LOSS_FULL,
		.count = 3,
		.first = 7000,
		.last = 8000},
	{.process = 1,
		.thread = 2,
		.reason = CTP_LOSS_FULL,
		.count = 5,
		.first = 4000,
		.last = 5500},
};

static const struct ct_note notes[] = {
	{.text = "a block at offset 4096 is damaged, and was left out", .count = 2, .offset = 4096},
};

static const char *const remarks[] = {"the ledger was there from the first instruction on"};

static const struct ct_quality quality = {
	.nr_events = 12345,
	.nr_lost = 18,
	.nr_coros = 53,
	.nr_coros_mid_life = 1,
	.nr_frames_reused = 2,
	.nr_unmatched_wakes = 3,
	.nr_by_state = {[CT_STATE_WAITING] = 47, [CT_STATE_DESTROYED] = 6},
	.nr_destroyed_waiting = 2,
	.nr_destroyed_woken = 1,
	.observed_until = 3210000000,
	.has_lower_grades = true,
};

static void update(const char *path, const struct text *text)
{
	FILE *file = fopen(path, "w");

	CHECK(file != NULL);
	if (!file)
		return;
	CHECK_EQUAL(fwrite(text_peek(text), 1, text->length, file), text->length);
	CHECK_EQUAL(fclose(file), 0);
}

static char *contents(const char *path)
{
	FILE *file = fopen(path, "r");
	char *bytes = calloc(1, 65536);

	CHECK(file != NULL && bytes != NULL);
	if (file && bytes)
		CHECK(fread(bytes, 1, 65535, file) > 0);
	if (file)
		fclose(file);
	return bytes;
}

static void expect_file(
	const char *name, const struct ct_report *report, struct ct_report_options options)
{
	struct text text = rendered(report, options);
	char path[512];
	char *expected;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (getenv("RENDER_UPDATE")) {
		update(path, &text);
	} else {
		expected = contents(path);
		CHECK_TEXT(text_peek(&text), expected ? expected : "");
		free(expected);
	}
	text_fini(&text);
}

#define DISTRIBUTION(n, total)                                                                   \
	{                                                                                        \
		n, total, (total) / (n), (total) / (n), (total) / (n), (total) / 2, (total) / 2, \
			(total) / 2, (total) / 2                                                 \
	}

static const struct ct_wait_time waits_of_requests[] = {
	{CTP_RESOURCE_LOCK, 2900000000},
	{CTP_RESOURCE_NONE, 800000000},
	{CTP_RESOURCE_CHANNEL, 200000000},
	{CTP_RESOURCE_TIMER, 100000000},
};
static const struct ct_wait_time waits_of_queries[] = {{CTP_RESOURCE_CHANNEL, 1199000000}};
static const struct ct_span spans[] = {
	{"request", 1, 1, true, 41, 40, {1, 3209000000, 3209000000}, DISTRIBUTION(40, 4000000000),
		{1000000, 30000000, 250000000, 4000000000, 0}, waits_of_requests, 4},
	{"db.query", 1, 2, false, 80, 80, {0}, DISTRIBUTION(80, 1200000000),
		{0, 0, 1000000, 1199000000, 0}, waits_of_queries, 1},
	{"never ended", 1, 0, false, 1, 0, {1, 3100000000, 3100000000}, {0}, {0}, NULL, 0},
};
static const struct ct_task slowest[] = {
	{4711, 1, "request", 1000000, 3209000000, true, 12, {0, 9000000, 100000000, 3100000000, 0}},
	{4690, 1, "request", 1500000, 320000000, false, 17, {0, 0, 320000000, 0, 0}},
};
static const struct ct_counter counters[] = {
	{"open connections", 1, 2, 99, -3, -3, 64, 3100000000},
};

static const struct ct_worker workers[] = {
	{1, 0, 3000000000, 900000000, 600000000, 300000000, 1200000000, 1234, 150000000},
	{2, 1000000000, 1000000000, 0, 0, 0, 0, 0, 0},
};
/* The second place waited for less, and ran for longer. */
static const struct ct_place places[] = {
	{2, 1, DISTRIBUTION(100, 4000000000), DISTRIBUTION(100, 7000000),
		DISTRIBUTION(100, 50000000), {0}, {47, 47000000000, 2000000000},
		{1, 300000, 300000}, {2, 50000, 40000}, 1025, 1, 2100000000},
	{3, 1, DISTRIBUTION(10, 3000000000), DISTRIBUTION(10, 8000000), DISTRIBUTION(10, 60000000),
		DISTRIBUTION(110, 15000000), {0}, {0}, {0}, 1026, 2, 2200000000},
	{0, 0, {0}, {0}, {0}, DISTRIBUTION(1, 2), {0}, {0}, {0}, 0, 0, CT_NO_TIME},
};
static const struct ct_spawning spawnings[] = {
	{1, 1, 50, {47, 94000000000, 3000000000}, 10000, 15.625, DISTRIBUTION(3, 3000000)},
	{0, 0, 3, {3, 3000000, 1000000}, 5, 0.9, {0}},
};
static const struct ct_coro_times busiest[] = {
	{1026, 1, 2, 1, {1000, 2000000, 90000000, 3000000000, 0}, 111, 7, 400},
	{1, 1, 0, 0, {0, 0, 20, 0, 0}, 1, 0, 1},
};

static const struct ct_run_queue run_queues[] = {
	{CTP_HANDLE(CTP_RESOURCE_QUEUE, 0), 1, 0, "queue 0 everybody's", 900,
		{3000000000, 2.25, 1, 16, 60}},
	{CTP_HANDLE(CTP_RESOURCE_QUEUE, 2), 1, 1, "queue 2", 90, {2500000000, 0.25, 0, 1, 1}},
};

static const struct ct_statistics statistics = {
	.run_queues = run_queues,
	.nr_run_queues = 2,
	.total = {1000000, 15000000, 110000000, 7000000000, 0},
	.delays = DISTRIBUTION(110, 15000000),
	.ready = {3000000000, 2.5, 2, 17, 64},
	.nr_resumes = 1234,
	.nr_migrations = 7,
	.workers = workers,
	.nr_workers = 2,
	.places = places,
	.nr_places = 3,
	.spawnings = spawnings,
	.nr_spawnings = 2,
	.busiest = busiest,
	.nr_busiest = 2,
	.delayed = busiest,
	.nr_delayed = 1,
	.waiters = busiest,
	.nr_waiters = 1,
	.movers = busiest,
	.nr_movers = 1,
	.nr_refused = 3,
};

static void set_annotations(struct ct_report *report, struct ct_member *members)
{
	static const char *const said[] = {"", "GET /index.html", "", "", "", "", "", ""};

	report->spans = spans;
	report->nr_spans = 3;
	report->slowest = slowest;
	report->nr_slowest = 2;
	report->counters = counters;
	report->nr_counters = 1;
	report->nr_annotations_refused = 3;
	members[0].name = "session 1";
	members[0].task = "request 4711";
	if (members[0].nr_events <= sizeof(said) / sizeof(said[0]))
		members[0].event_texts = said;
}

static void test_forms(void)
{
	struct ct_member *members = new_members(3);
	struct ct_finding finding = finding_of(members, 3);
	struct ct_tables all = tables;
	struct ct_report report = {
		.tables = &all,
		.quality = quality,
		.findings = &finding,
		.nr_findings = 1,
		.remarks = remarks,
		.nr_remarks = 1,
	};

	set_annotations(&report, members);
	report.statistics = statistics;
	report.quality.losses = losses;
	report.quality.nr_losses = 3;
	report.quality.nr_reordered = 2;
	report.quality.reordered_ns = 340;
	all.notes = notes;
	all.nr_notes = 1;
	all.sights = &(struct ct_sight){
		"thread worker (4712) is in take (queues.py:103)", 0, CT_NO_TIME, CT_NO_TIME};
	all.nr_sights = 1;
	expect_file("report.txt", &report, (struct ct_report_options){.max_members = 2});
	expect_file("report-narrow.txt", &report, (struct ct_report_options){.width = 72});
	expect_file("report-colour.txt", &report, (struct ct_report_options){.use_colour = true});
	expect_file("stats.txt", &report, (struct ct_report_options){.is_statistics = true});
	expect_file("stats-few.txt", &report,
		(struct ct_report_options){.is_statistics = true, .max_rows = 1});
	expect_file("stats.md", &report,
		(struct ct_report_options){.is_statistics = true, .format = CT_REPORT_MARKDOWN});
	expect_file("report-brief.txt", &report, (struct ct_report_options){.is_brief = true});
	expect_file("report.md", &report,
		(struct ct_report_options){.format = CT_REPORT_MARKDOWN, .max_members = 2});
	expect_file("report.html", &report,
		(struct ct_report_options){.format = CT_REPORT_HTML, .max_members = 2});
	expect_file("report.svg", &report, (struct ct_report_options){.format = CT_REPORT_SVG});
	expect_file("report.json", &report,
		(struct ct_report_options){.format = CT_REPORT_JSON, .max_members = 1});
	free(members);
}

static const struct ct_advice advice[] = {
	{CT_LACK_RESOURCE, 1, 2, 8, "AsyncRead",
		"8 coroutines wait at AsyncRead <7>, and what for is not recorded"},
	{CT_LACK_WAKER, 1, 3, 2, "", "2 coroutines wait at Poll <8>, and nobody can wake them"}};

static const struct ct_waiting waiting[] = {
	{2, 1, 8, 1025, 1020000000, 2020000000, 0, 40, 99000000, 12000000, false},
	{.site = 3, .process = 1, .nr_coros = 2, .coro = 17, .since = 1030000000},
	{.process = 1, .nr_coros = 1, .coro = 9, .since = 1040000000},
	{.site = 1, .process = 1, .nr_coros = 1, .coro = 4, .since = 1050000000},
	{.site = 1, .process = 1, .nr_coros = 1, .coro = 5, .since = 1060000000},
	{.site = 1, .process = 1, .nr_coros = 1, .coro = 6, .since = 1060000000},
	{.site = 1, .process = 1, .nr_coros = 1, .coro = 7, .since = 1060000000},
	{.site = 1, .process = 1, .nr_coros = 1, .coro = 8, .since = 1060000000},
	{1, 1, 1, 10, 1060000000, 2020000000, 0, 0, 0, 4200000, true},
};

static void test_nothing_found(void)
{
	static const struct ct_tables nothing_told = {
		.host = "", .clock = "CLOCK_MONOTONIC", .reason = "", .nr_processes = 1};
	struct ct_report report = {.tables = &tables,
		.quality = {.nr_events = 900,
			.nr_coros = 50,
			.nr_by_state = {[CT_STATE_WAITING] = 13, [CT_STATE_DESTROYED] = 37}},
		.waiting = waiting,
		.nr_waiting = sizeof(waiting) / sizeof(waiting[0]),
		.advice = advice,
		.nr_advice = 2};

	expect_file("no-finding.txt", &report, (struct ct_report_options){0});
	expect_file(
		"no-finding.md", &report, (struct ct_report_options){.format = CT_REPORT_MARKDOWN});
	expect_file(
		"no-finding.html", &report, (struct ct_report_options){.format = CT_REPORT_HTML});
	expect_file("no-finding.svg", &report, (struct ct_report_options){.format = CT_REPORT_SVG});
	expect_file(
		"no-finding.json", &report, (struct ct_report_options){.format = CT_REPORT_JSON});
	report.quality = (struct ct_quality){.nr_events = 900};
	report.nr_waiting = report.nr_advice = 0;
	expect_file("no-coroutine.txt", &report, (struct ct_report_options){0});
	report = (struct ct_report){.tables = &nothing_told};
	expect_file("nothing-told.txt", &report, (struct ct_report_options){0});
}

/* Checks whether the words stand in a report: what it says before anything else, and what it advises. */
static void expect_words(const struct ct_report *report, const char *words, bool is_there)
{
	struct text text = rendered(report, (struct ct_report_options){.width = 2000});

	CHECK_EQUAL(strstr(text_peek(&text), words) != NULL, is_there);
	text_fini(&text);
}

/* Where not everything was judged, or recorded, no verdict claims to speak of everything. */
static void test_verdict_of_a_part(void)
{
	struct ct_report report = {.tables = &tables,
		.quality = {.nr_events = 900,
			.nr_coros = 50,
			.nr_by_state = {[CT_STATE_WAITING] = 13}}};

	expect_words(&report, "Nothing found; 43 of 43 rules could judge", true);
	expect_words(&report, "they may still be woken", true);
	report.quality.nr_allowed = 2;
	expect_words(&report, "Nothing found outside allowed places; 43 of 43 rules", true);
	expect_words(&report, "those at allowed places are not judged", true);
	expect_words(&report, "may still be woken", false);
	report.quality.nr_allowed = 0;
	report.quality.nr_left_out = 1;
	expect_words(&report, "Nothing found, in what was not left out; 43 of 43 rules", true);
	expect_words(&report, "the events that were left out may show why", true);
	expect_words(&report, "may still be woken", false);
}

/* Why a probe told of no coroutine: the first advice follows from how the trace was recorded. */
static void test_advice(void)
{
	struct ct_loss loss = {.process = 1, .count = 1, .reason = CTP_LOSS_BEFORE};
	struct ct_report report = {.tables = &tables, .quality = {.nr_events = 900}};

	expect_words(&report, "is it linked: does the program record", true);
	expect_words(&report, "is it idle", false);
	report.quality.losses = &loss;
	report.quality.nr_losses = 1;
	expect_words(&report, "is it idle: recording began while the program ran", true);
	report.quality.nr_coros = 1;
	expect_words(&report, "not recorded: coroutines that have done nothing since", true);
	report.live = (struct ct_live){.pid = 4711, .known = "", .trouble = ""};
	expect_words(&report, "not recorded", false);
	report.quality.nr_coros = 0;
	loss.reason = CTP_LOSS_PAUSED;
	expect_words(&report, "was it started: recording was stopped for a time", true);
	expect_words(&report, "is it idle", false);
	loss.reason = CTP_LOSS_SAMPLE;
	report.quality.nr_left_out = 1;
	expect_words(&report, "was it wanted: events were left out", true);
}

/* The time for which something lasted ends where its coroutine does. */
static void test_duration_of_the_gone(void)
{
	struct ct_member *members = new_members(2);
	struct ct_finding finding = finding_of(members, 2);
	struct ct_report report = {.tables = &tables, .findings = &finding, .nr_findings = 1};
	uint32_t i;

	report.quality.observed_until = 3000000000;
	for (i = 0; i < 2; i++) {
		members[i].since = 1000000000;
		members[i].coro.state = CT_STATE_DESTROYED;
		members[i].until = members[i].coro.destroyed = 1250000000 + 250000000 * i;
	}
	expect_words(&report, "for 250 ms to 500 ms until they were destroyed", true);
	members[1].coro.state = CT_STATE_WAITING;
	members[1].until = 3000000000;
	expect_words(&report,
		"for 250 ms to 2.00 s until they were destroyed, or observation ended", true);
	finding.nr_members = 1;
	expect_words(&report, "for 250 ms until it was destroyed", true);
	expect_words(&report, "2.00 s", false);
	free(members);
}

/* Every list says how many of its entries are left out. */
static void test_many_counters(void)
{
	struct ct_counter many[23];
	struct ct_report report = {.tables = &tables, .counters = many, .nr_counters = 23};
	uint32_t i;

	for (i = 0; i < 23; i++)
		many[i] = counters[0];
	expect_words(&report, "... and 3 more (--format json has all)", true);
	report.nr_counters = 20;
	expect_words(&report, "more (--format", false);
}

static void test_evidence_of_one_event(void)
{
	struct ct_member *members = new_members(1);
	struct ct_finding finding = finding_of(members, 1);
	struct ct_report report = {.tables = &tables, .findings = &finding, .nr_findings = 1};
	struct text text;

	finding.last_sequence = finding.first_sequence;
	text = rendered(&report, (struct ct_report_options){0});
	CHECK(strstr(text_peek(&text), "event 13: corotracer dump --events 13 FILE") != NULL);
	text_fini(&text);
	text = rendered(&report, (struct ct_report_options){.trace = "it's\n"});
	CHECK(strstr(text_peek(&text), "dump --events 13 'it'\\''s\\x0a'") != NULL);
	text_fini(&text);
	free(members);
}

/* The text has no byte that a terminal obeys, except line ends. */
static bool is_harmless(const char *text)
{
	for (; *text; text++) {
		if (((unsigned char)*text < 0x20 && *text != '\n') || *text == 0x7f)
			return false;
	}
	return true;
}

static void test_hostile(void)
{
	static const char evil[] = "\033]0;owned\a\n| [x](http://evil) <script>@all";
	struct ct_process evil_process[2] = {
		processes[0], {.program = evil, .command_line = evil, .ended = CT_NO_TIME}};
	struct ct_thread evil_thread[2] = {threads[0], {.process = 1, .name = evil}};
	struct ct_site evil_site[2] = {sites[0],
		{.file = evil, .function = evil, .reason = evil, .module = evil, .callers = evil}};
	struct ct_event evil_event = {.kind = 255,
		.coro = FIRST_CORO,
		.site = UINT32_MAX,
		.thread = UINT32_MAX,
		.process = UINT32_MAX,
		.object = UINT64_MAX,
		.argument = 255};
	struct ct_step evil_step = {.text = evil, .site = 1, .thread = 1, .coro = 1};
	const char *const texts[] = {evil};
	struct ct_member member = {.coro = {.id = 1, .spawn_site = 1, .function_site = UINT32_MAX},
		.resource = evil,
		.cause = evil_step,
		.events = &evil_event,
		.nr_events = 1};
	struct ct_finding finding = {.title = evil,
		.next_step = evil,
		.peers = evil,
		.members = &member,
		.nr_members = 1,
		.nr_peers = 1,
		.steps = &evil_step,
		.nr_steps = 1,
		.lowered = texts,
		.nr_lowered = 1,
		.evidence = texts,
		.nr_evidence = 1,
		.wait_site = 1,
		.cause_site = 1,
		.look_site = 1,
		.process = UINT32_MAX};
	struct ct_note note = {.text = evil, .count = 1};
	struct ct_tables all = {.host = evil,
		.reason = evil,
		.reason_time = CT_NO_TIME,
		.clock = evil,
		.processes = evil_process,
		.nr_processes = 2,
		.threads = evil_thread,
		.nr_threads = 2,
		.sites = evil_site,
		.nr_sites = 2,
		.notes = &note,
		.nr_notes = 1};
	struct ct_report report = {.tables = &all,
		.findings = &finding,
		.nr_findings = 1,
		.remarks = texts,
		.nr_remarks = 1};
	struct ct_span span = {.name = texts[0], .nr_begun = 1, .nr_ended = 1};
	struct ct_task task = {.name = texts[0], .id = 1};
	struct ct_counter counter = {.name = texts[0], .nr_values = 1};
	struct text text;

	report.spans = &span;
	report.slowest = &task;
	report.counters = &counter;
	report.nr_spans = report.nr_slowest = report.nr_counters = 1;
	text = rendered(&report, (struct ct_report_options){0});
	CHECK(is_harmless(text_peek(&text)));
	text_fini(&text);
	text = rendered(&report, (struct ct_report_options){.format = CT_REPORT_MARKDOWN});
	CHECK(is_harmless(text_peek(&text)));
	CHECK(strstr(text_peek(&text), "<script>") == NULL);
	CHECK(strstr(text_peek(&text), "](http") == NULL || strstr(text_peek(&text), "\\](http"));
	CHECK(strstr(text_peek(&text), " @all") == NULL);
	text_fini(&text);
	text = rendered(&report, (struct ct_report_options){.format = CT_REPORT_HTML});
	CHECK(is_harmless(text_peek(&text)));
	CHECK(strstr(text_peek(&text), "<script>") == NULL);
	CHECK(strstr(text_peek(&text), "&lt;script&gt;") != NULL);
	text_fini(&text);
	text = rendered(&report, (struct ct_report_options){.format = CT_REPORT_JSON});
	CHECK(is_harmless(text_peek(&text)));
	text_fini(&text);
}

/*
 * With any one allocation missing a report is whole, or refused; never shorter without saying so. Returns how many
 * allocations a report takes.
 */
static long render_with_failures(const struct ct_report *report, struct ct_report_options options)
{
	struct text whole = rendered(report, options);
	long nth;

	options.size = sizeof(options);
	for (nth = 1;; nth++) {
		struct text text = {0};
		enum ct_status status;

		fail_at = nth;
		status = render_report(report, &options, &text, NULL);
		CHECK(status == CT_OK || status == CT_ERR_NO_MEMORY);
		if (status == CT_OK)
			CHECK_TEXT(text_peek(&text), text_peek(&whole));
		text_fini(&text);
		if (fail_at > 0)
			break;
	}
	fail_at = 0;
	text_fini(&whole);
	return nth;
}

static void test_missing_memory(void)
{
	struct ct_member *members = new_members(3);
	struct ct_finding finding = finding_of(members, 3);
	struct ct_tables all = tables;
	struct ct_report report = {.tables = &all,
		.quality = quality,
		.findings = &finding,
		.nr_findings = 1,
		.remarks = remarks,
		.nr_remarks = 1};
	unsigned format;

	report.quality.losses = losses;
	report.quality.nr_losses = 3;
	for (format = CT_REPORT_TEXT; format <= CT_REPORT_HTML; format++) {
		struct ct_report_options options = {.format = (enum ct_report_format)format};

		CHECK(render_with_failures(&report, options) > 5);
	}
	CHECK(render_with_failures(&report, (struct ct_report_options){.format = CT_REPORT_SVG}) >
		5);
	free(members);
}

/* The report on a part of a recording says so before anything else (F-67), and why the part was written (F-68). */
static void test_part(void)
{
	struct ct_tables all = tables;
	struct ct_report report = {.tables = &all, .quality = quality};

	all.first_generation = 12;
	all.last_generation = 20;
	all.nr_before = 1234567;
	all.nr_carried = 40;
	all.nr_not_carried = 2;
	all.is_cut = true;
	all.reason = "asked for";
	all.reason_time = 1500000000;
	expect_file("part.txt", &report, (struct ct_report_options){.is_brief = false});
	all.last_generation = all.first_generation;
	expect_file("part_single.txt", &report, (struct ct_report_options){.is_brief = false});
}

/* A caller that was built with an older header knows fewer options. */
static void test_options(void)
{
	struct ct_report report = {.tables = &tables};
	struct ct_report_options options = {
		.size = offsetof(struct ct_report_options, use_colour), .use_colour = true};
	struct text text = {0};
	struct ct_error error;

	CHECK_EQUAL(render_report(&report, &options, &text, NULL), CT_OK);
	CHECK(strchr(text_peek(&text), '\033') == NULL);
	text_clear(&text);
	CHECK_EQUAL(render_report(&report, NULL, &text, NULL), CT_OK);
	CHECK(text.length > 0);
	options.format = (enum ct_report_format)99;
	CHECK_EQUAL(render_report(&report, &options, &text, &error), CT_ERR_USAGE);
	text_fini(&text);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: test_render_report FOLDER\n");
		return 1;
	}
	folder = argv[1];
	test_forms();
	test_nothing_found();
	test_verdict_of_a_part();
	test_advice();
	test_duration_of_the_gone();
	test_many_counters();
	test_evidence_of_one_event();
	test_hostile();
	test_missing_memory();
	test_part();
	test_options();
	return check_result();
}
