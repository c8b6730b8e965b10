/* SPDX-License-Identifier: MIT */
/*
 * The statistics of comparisons, checked with numbers whose truth is known, and the pairing of places.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "diff/diff.h"
#include "diff/permute.h"

#define NR_SERIES 40u
#define MOST_RUNS 24u

/* ---------------------------------------------------------------- numbers */

static uint64_t seed;

static double draw(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(seed >> 11) / (double)(UINT64_C(1) << 53);
}

/* Approximately normal; every fourth series has runs that are far off. */
static double noise(uint32_t series)
{
	double sum = -6, i;

	for (i = 0; i < 12; i++)
		sum += draw();
	return series % 4 == 0 && draw() < 0.1 ? sum * 20 : sum;
}

/* Series scatter by 1 to 10 %; a third of them varies together from run to run. */
static void fill(double *values, uint32_t nr_runs)
{
	uint32_t run, series;

	for (run = 0; run < nr_runs; run++) {
		double mood = noise(1);

		for (series = 0; series < NR_SERIES; series++)
			values[series * nr_runs + run] =
				10 + (0.01 + 0.0025 * series) *
					     (noise(series) + (series % 3 == 0 ? mood : 0));
	}
}

static uint32_t count_alarms(uint32_t nr_before, uint32_t nr_after, uint32_t nr_trials)
{
	double values[NR_SERIES * MOST_RUNS], significance[NR_SERIES];
	uint32_t trial, series, nr_alarms = 0;

	for (trial = 0; trial < nr_trials; trial++) {
		bool is_alarm = false;

		fill(values, nr_before + nr_after);
		CHECK(diff_permute(values, NR_SERIES, nr_before, nr_after, significance));
		for (series = 0; series < NR_SERIES; series++)
			is_alarm |= significance[series] <= 0.05;
		nr_alarms += is_alarm;
	}
	return nr_alarms;
}

/* One false alarm in twenty comparisons of equal groups, of any sizes: 20 of 400, plus three standard deviations. */
static void test_equals(void)
{
	seed = 1;
	CHECK(count_alarms(5, 5, 400) <= 33);
	CHECK(count_alarms(4, 7, 400) <= 33);
	CHECK(count_alarms(12, 12, 40) <= 6);
}

/* With two runs on each side no difference is significant; with five on each side one can be. */
static void test_least(void)
{
	CHECK(diff_least_significance(1, 1) == 1);
	CHECK(fabs(diff_least_significance(2, 2) - 2.0 / 6) < 1e-12);
	CHECK(fabs(diff_least_significance(5, 5) - 2.0 / 252) < 1e-12);
	CHECK(fabs(diff_least_significance(4, 7) - 1.0 / 330) < 1e-12);
	CHECK(diff_least_significance(20, 20) < 0.001);
	CHECK_EQUAL(count_alarms(2, 2, 20), 0);
}

/* Twenty percent at one place of forty, while runs scatter by 3 %: found in 19 of 20 trials, and nowhere else. */
static void test_planted(void)
{
	double values[NR_SERIES * 16], significance[NR_SERIES];
	uint32_t trial, run, series, nr_found = 0, nr_elsewhere = 0;

	seed = 2;
	for (trial = 0; trial < 100; trial++) {
		fill(values, 16);
		for (run = 8; run < 16; run++)
			values[10 * 16 + run] += log(1.2);
		CHECK(diff_permute(values, NR_SERIES, 8, 8, significance));
		nr_found += significance[10] <= 0.05;
		for (series = 0; series < NR_SERIES; series++)
			nr_elsewhere += series != 10 && significance[series] <= 0.05;
	}
	CHECK(nr_found >= 95);
	CHECK(nr_elsewhere <= 12);
}

static void test_same_answer(void)
{
	double values[NR_SERIES * 24], first[NR_SERIES], second[NR_SERIES];

	seed = 3;
	fill(values, 24);
	CHECK(diff_permute(values, NR_SERIES, 12, 12, first));
	CHECK(diff_permute(values, NR_SERIES, 12, 12, second));
	CHECK(memcmp(first, second, sizeof(first)) == 0);
	CHECK(diff_permute(values, 0, 12, 12, NULL));
}

/* ---------------------------------------------------------------- places */

#define SITE(line_number, name)                                                                    \
	{                                                                                          \
		.process = 1, .line = line_number, .file = "../app/server.c", .function = "serve", \
		.reason = name, .module = "", .callers = ""                                        \
	}

static const struct ct_site nowhere = {
	.file = "", .function = "", .reason = "", .module = "", .callers = ""};

/* A report of waits at these lines of one function, with so many nanoseconds each; 0: no wait there. */
struct made {
	struct ct_site sites[4];
	struct ct_place places[3];
	struct ct_finding finding;
	struct ct_tables tables;
	struct ct_report report;
};

static const struct ct_report *make(struct made *made, const uint32_t *lines, const int64_t *ns)
{
	uint32_t i;

	memset(made, 0, sizeof(*made));
	made->sites[0] = nowhere;
	for (i = 0; i < 3; i++) {
		made->sites[i + 1] = (struct ct_site)SITE(lines[i], "AsyncRead");
		made->places[i] = (struct ct_place){.site = i + 1, .process = 1};
		made->places[i].waits = (struct ct_distribution){
			.count = ns[i] ? 100 : 0, .total_ns = 100 * ns[i], .p50_ns = ns[i]};
	}
	made->finding = (struct ct_finding){.rule = CT_RULE_LOST_WAKEUP, .wait_site = 1};
	made->tables.sites = made->sites;
	made->tables.nr_sites = 4;
	made->report.tables = &made->tables;
	made->report.statistics.places = made->places;
	made->report.statistics.nr_places = 3;
	return &made->report;
}

static const uint32_t old_lines[] = {10, 11, 12}, moved_lines[] = {11, 12, 13};

static struct ct_diff *begin(void)
{
	struct ct_diff *diff = NULL;
	struct ct_error error;

	CHECK_EQUAL(ct_diff_new(NULL, &diff, &error), CT_OK);
	return diff;
}

static void add(struct ct_diff *diff, bool is_after, const uint32_t *lines, const int64_t *ns)
{
	struct ct_error error;
	struct made made;

	CHECK_EQUAL(ct_diff_add(diff, is_after, make(&made, lines, ns), &error), CT_OK);
}

static const struct ct_difference *judge(struct ct_diff *diff, uint32_t *ret_count)
{
	struct ct_error error;

	CHECK_EQUAL(ct_diff_judge(diff, &error), CT_OK);
	return ct_diff_peek(diff, ret_count);
}

/* Code that moved by a line, so that equal line numbers mean different places. */
static void test_moved(void)
{
	const int64_t before[] = {1000, 5000, 90000}, after[] = {1000, 20000, 90000};
	const struct ct_difference *differences;
	struct ct_diff *diff = begin();
	uint32_t count;

	add(diff, false, old_lines, before);
	add(diff, true, moved_lines, after);
	differences = judge(diff, &count);
	CHECK_EQUAL(count, 3);
	CHECK(!ct_diff_is_tested(diff));
	CHECK_EQUAL(differences[0].change, CT_CHANGE_SLOWER);
	CHECK_EQUAL(differences[0].line_before, 11);
	CHECK_EQUAL(differences[0].line_after, 12);
	CHECK(fabs(differences[0].after / differences[0].before - 4) < 0.01);
	CHECK(isnan(differences[0].significance));
	CHECK_EQUAL(differences[1].change, CT_CHANGE_NONE);
	ct_diff_free(diff);
}

/* One run on each side: a difference of up to a microsecond, or of less than twice, may be chance. */
static void test_one_run(void)
{
	const int64_t before[] = {100, 50000, 90000}, after[] = {900, 90000, 20000};
	const struct ct_difference *differences;
	struct ct_diff *diff = begin();
	uint32_t count;

	add(diff, false, old_lines, before);
	add(diff, true, old_lines, after);
	differences = judge(diff, &count);
	CHECK_EQUAL(count, 3);
	CHECK_EQUAL(differences[0].change, CT_CHANGE_FASTER);
	CHECK_EQUAL(differences[0].line_after, 12);
	CHECK_EQUAL(differences[1].change, CT_CHANGE_NONE);
	ct_diff_free(diff);
}

/* One more wait of the same kind in a function: the others keep their lines and their partners. */
static void test_one_more(void)
{
	const int64_t before[] = {1000, 0, 90000}, after[] = {1000, 20000, 90000};
	const struct ct_difference *differences;
	struct ct_diff *diff = begin();
	uint32_t count;

	add(diff, false, old_lines, before);
	add(diff, true, old_lines, after);
	differences = judge(diff, &count);
	CHECK_EQUAL(count, 3);
	CHECK_EQUAL(differences[0].change, CT_CHANGE_NEW);
	CHECK_EQUAL(differences[0].line_after, 11);
	CHECK(isnan(differences[0].before) && differences[0].nr_before == 0);
	CHECK_EQUAL(differences[1].change, CT_CHANGE_NONE);
	ct_diff_free(diff);
}

/* Many runs: a place that is slower by a tenth in all of them, beside places that scatter. */
static void test_many_runs(void)
{
	const struct ct_difference *differences;
	struct ct_diff *diff = begin();
	uint32_t count, i;

	for (i = 0; i < 12; i++) {
		bool is_after = i % 2;
		int64_t far = 1000 * (1 + i / 2 % 3);
		const int64_t ns[] = {far, is_after ? 55000 + i : 50000 + i, is_after ? 0 : 9000};

		add(diff, is_after, old_lines, ns);
	}
	differences = judge(diff, &count);
	CHECK(ct_diff_is_tested(diff));
	CHECK_EQUAL(count, 3);
	CHECK_EQUAL(differences[0].change, CT_CHANGE_SLOWER);
	CHECK_EQUAL(differences[0].line_after, 11);
	CHECK(differences[0].significance <= 0.05);
	CHECK_EQUAL(differences[1].change, CT_CHANGE_GONE);
	CHECK_EQUAL(differences[1].line_before, 12);
	CHECK_EQUAL(differences[2].change, CT_CHANGE_NONE);
	ct_diff_free(diff);
}

/* A finding in one run of many: reported, because it has its evidence. */
static void test_new_finding(void)
{
	const int64_t ns[] = {1000, 1000, 1000};
	const struct ct_difference *differences;
	struct ct_diff *diff = begin();
	struct ct_error error;
	struct made made;
	uint32_t count, i;

	for (i = 0; i < 10; i++)
		add(diff, i % 2, old_lines, ns);
	make(&made, old_lines, ns);
	made.report.findings = &made.finding;
	made.report.nr_findings = 1;
	CHECK_EQUAL(ct_diff_add(diff, true, &made.report, &error), CT_OK);
	differences = judge(diff, &count);
	CHECK_EQUAL(differences[0].change, CT_CHANGE_NEW);
	CHECK_EQUAL(differences[0].measure, CT_MEASURE_FINDING);
	CHECK_EQUAL(differences[0].nr_after, 1);
	CHECK_TEXT(differences[0].what, ct_rule_name(CT_RULE_LOST_WAKEUP));
	CHECK_EQUAL(differences[1].change, CT_CHANGE_NONE);
	ct_diff_free(diff);
}

static void test_refused(void)
{
	const struct ct_diff_options wrong = {.size = sizeof(wrong), .significance = 1};
	struct ct_diff *diff = begin(), *none = NULL;
	const int64_t ns[] = {1, 2, 3};
	struct ct_error error;

	CHECK_EQUAL(ct_diff_new(&wrong, &none, &error), CT_ERR_USAGE);
	CHECK(!none);
	add(diff, false, old_lines, ns);
	CHECK_EQUAL(ct_diff_judge(diff, &error), CT_ERR_USAGE);
	CHECK_EQUAL(ct_diff_write(diff, NULL, "-", &error), CT_ERR_USAGE);
	ct_diff_free(diff);
	ct_diff_free(NULL);
}

int main(void)
{
	test_equals();
	test_least();
	test_planted();
	test_same_answer();
	test_moved();
	test_one_run();
	test_one_more();
	test_many_runs();
	test_new_finding();
	test_refused();
	return check_result();
}
