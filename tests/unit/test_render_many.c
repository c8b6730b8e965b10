/* SPDX-License-Identifier: MIT */
/*
 * Reports of very many coroutines, findings and sites: the printed part is bounded, the rest is counted, and the work
 * grows only with the report.
 */
#include "failing_memory.h"
#include "made_report.h"

#define MILLION 1000000u

static void test_million(void)
{
	struct ct_member *members = new_members(MILLION);
	struct ct_finding finding = finding_of(members, MILLION);
	struct ct_report report = {.tables = &tables, .findings = &finding, .nr_findings = 1};
	struct text text;

	text = rendered(&report, (struct ct_report_options){0});
	CHECK(text.length < 20000);
	CHECK(strstr(text_peek(&text), "... and 999,990 more") != NULL);
	text_fini(&text);
	text = rendered(&report, (struct ct_report_options){.format = CT_REPORT_MARKDOWN});
	CHECK(text.length < 20000);
	text_fini(&text);
	text = rendered(&report, (struct ct_report_options){.format = CT_REPORT_HTML});
	CHECK(text.length < 30000);
	CHECK(strstr(text_peek(&text), "... and 999,990 more") != NULL);
	text_fini(&text);
	/* The output for programs lists every member: a thousand are enough to see it. */
	finding.nr_members = 1000;
	text = rendered(&report, (struct ct_report_options){.format = CT_REPORT_JSON});
	CHECK_EQUAL(count_of(text_peek(&text), "\"since_ns\""), 1000);
	text_fini(&text);
	free(members);
}

/* What a report that is passed on in pieces amounted to, and what it cost. */
struct passed {
	size_t nr_bytes;
	size_t largest;
	uint32_t nr_pieces;
	uint32_t nr_until_refusal; /* 0: none is refused */
	unsigned long nr_allocations;
};

static bool take_piece(void *context, const char *bytes, size_t nr_bytes)
{
	struct passed *passed = context;

	CHECK_EQUAL(strlen(bytes), nr_bytes);
	passed->nr_bytes += nr_bytes;
	passed->largest = nr_bytes > passed->largest ? nr_bytes : passed->largest;
	return ++passed->nr_pieces != passed->nr_until_refusal;
}

/* Renders a report with that many findings, each of a site of its own. */
static struct passed pass_findings(
	uint32_t nr_findings, struct ct_report_options options, uint32_t nr_until_refusal)
{
	struct passed passed = {.nr_until_refusal = nr_until_refusal};
	struct ct_member *members = new_members(1);
	struct ct_finding *findings = calloc(nr_findings, sizeof(*findings));
	struct ct_site *places = calloc(nr_findings + 4, sizeof(*places));
	struct ct_tables all = tables;
	struct ct_report report = {
		.tables = &all, .findings = findings, .nr_findings = nr_findings};
	struct text text = {.drain = take_piece, .drain_context = &passed};
	uint32_t i;

	for (i = 0; findings && places && i < nr_findings + 4; i++)
		places[i] = tables.sites[i % 3 + 1];
	all.sites = places;
	all.nr_sites = nr_findings + 4;
	for (i = 0; findings && places && i < nr_findings; i++) {
		findings[i] = finding_of(members, 1);
		findings[i].wait_site = i + 4;
	}
	options.size = sizeof(options);
	nr_allocations = 0;
	CHECK_EQUAL(render_report(&report, &options, &text, NULL),
		nr_until_refusal ? CT_ERR_NO_MEMORY : CT_OK);
	passed.nr_allocations = nr_allocations;
	text_pass_on(&text, 0);
	text_fini(&text);
	free(places);
	free(findings);
	free(members);
	return passed;
}

/*
 * Twice the findings and sites take twice the work, as far as memory asked for and bytes written show it; the memory
 * held at once does not grow with them.
 */
static void test_growth(void)
{
	unsigned format;

	for (format = CT_REPORT_TEXT; format <= CT_REPORT_HTML; format++) {
		struct ct_report_options options = {.format = (enum ct_report_format)format,
			.max_findings = UINT32_MAX,
			.max_members = UINT32_MAX};
		struct passed small = pass_findings(1000, options, 0);
		struct passed large = pass_findings(2000, options, 0);

		CHECK(small.nr_pieces > 10);
		CHECK(large.nr_bytes > small.nr_bytes * 19 / 10);
		CHECK(large.nr_bytes < small.nr_bytes * 21 / 10);
		CHECK(large.nr_allocations < small.nr_allocations * 21 / 10 + 10);
		CHECK(large.largest < 2 * 65536);
		/* Where the caller gives no bound, the default one holds. */
		options.max_findings = 0;
		if (format == CT_REPORT_JSON)
			continue;
		CHECK(pass_findings(2000, options, 0).nr_bytes < small.nr_bytes / 10);
	}
	/* Rendering ends at the piece that is refused: no further piece is passed on. */
	CHECK_EQUAL(pass_findings(1000, (struct ct_report_options){.format = CT_REPORT_JSON}, 3)
			    .nr_pieces,
		3);
}

/* Findings that are not printed are counted, by rule. */
static void test_many_findings(void)
{
	static struct ct_finding findings[200];
	struct ct_member *members = new_members(1);
	struct ct_report report = {.tables = &tables, .findings = findings, .nr_findings = 200};
	struct ct_report_options options = {0};
	struct text text;
	unsigned i;

	for (i = 0; i < 200; i++) {
		findings[i] = finding_of(members, 1);
		findings[i].rule = i % 4 ? CT_RULE_LOST_WAKEUP : CT_RULE_CRASH;
	}
	text = rendered(&report, options);
	CHECK(strstr(text_peek(&text), "200 findings: 200 likely") != NULL);
	CHECK_EQUAL(count_of(text_peek(&text), "How sure, and what next"), 20);
	CHECK(strstr(text_peek(&text), "... and 180 more: 135 lost-wakeup, 45 crash\n") != NULL);
	CHECK(strstr(text_peek(&text), "--all") != NULL);
	text_fini(&text);
	options.max_findings = 30;
	options.format = CT_REPORT_MARKDOWN;
	text = rendered(&report, options);
	CHECK_EQUAL(count_of(text_peek(&text), "### likely: "), 30);
	CHECK(strstr(text_peek(&text), "\n... and 170 more: ") != NULL);
	text_fini(&text);
	options.format = CT_REPORT_HTML;
	text = rendered(&report, options);
	CHECK_EQUAL(count_of(text_peek(&text), "<section "), 30);
	CHECK(strstr(text_peek(&text), "... and 170 more: ") != NULL);
	text_fini(&text);
	options.format = CT_REPORT_JSON;
	text = rendered(&report, options);
	CHECK_EQUAL(count_of(text_peek(&text), "\"says\""), 200);
	text_fini(&text);
	free(members);
}

/* A signal may have cancelled all that waited: then those of the moment that was judged are listed. */
static void test_waits_before_a_signal(void)
{
	static const struct ct_waiting waiting[] = {
		{.site = 1, .process = 1, .nr_coros = 9, .coro = 4, .since = 1050000000}};
	struct ct_report report = {.tables = &tables,
		.quality = {.nr_events = 900, .nr_coros = 50},
		.waiting = waiting,
		.nr_waiting = 1};
	struct text text = rendered(&report, (struct ct_report_options){.width = 2000});

	CHECK(strstr(text_peek(&text), "waited: 9 coroutines, before the program ended; "
				       "no finding is about them") != NULL);
	CHECK(strstr(text_peek(&text), "still waiting") == NULL);
	text_fini(&text);
	report.nr_waiting = 0;
	text = rendered(&report, (struct ct_report_options){.width = 2000});
	CHECK(strstr(text_peek(&text), "waited: ") == NULL);
	text_fini(&text);
}

int main(void)
{
	test_million();
	test_growth();
	test_many_findings();
	test_waits_before_a_signal();
	return check_result();
}
