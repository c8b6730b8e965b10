/* SPDX-License-Identifier: MIT */
/*
 * Conditions in the syntax of users, invalid conditions, and printed conditions; and the histogram behind their
 * statistics, compared with numbers in an array.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "condition/condition.h"
#include "corotracer/ct.h"
#include "base/histogram.h"

static struct condition read(const char *text)
{
	struct condition condition = {.statistic = ""};
	struct ct_error error = {0};

	if (condition_parse(text, CONDITION_LIVE, &condition, &error))
		fprintf(stderr, "%s\n", error.text);
	CHECK_EQUAL(error.status, CT_OK);
	return condition;
}

static void test_reading(void)
{
	struct condition condition = read("sched_latency.p99 > 5ms");

	CHECK_EQUAL(condition.metric, CONDITION_SCHED_LATENCY);
	CHECK(condition.share == 0.99 && condition.limit == 5e6);
	CHECK(strcmp(condition.comparison, ">") == 0);
	condition = read(" region(db.query)  .max>=150 ms");
	CHECK_EQUAL(condition.metric, CONDITION_REGION);
	CHECK(strcmp(condition.name, "db.query") == 0 && condition.share == 1.0);
	CHECK(condition.limit == 150e6 && strcmp(condition.comparison, ">=") == 0);
	condition = read("task(GET /).p99.9<1.5s");
	CHECK(condition.share == 0.999 && condition.limit == 1.5e9);
	condition = read("live_coroutines > 100k");
	CHECK(condition.limit == 100000 && *condition.statistic == '\0');
	condition = read("counter(queue length) <= 0");
	CHECK(condition.limit == 0 && strcmp(condition.name, "queue length") == 0);
	CHECK(read("stalled > 2min").limit == 120e9);
	CHECK(read("stalled >0.5 h ").limit == 1800e9);
	CHECK(read("no_progress > 10s").limit == 10e9);
	condition = read("waiting(handle(int) const) > 30 s");
	CHECK(strcmp(condition.name, "handle(int) const") == 0 && condition.limit == 30e9);
	CHECK_EQUAL(condition.metric, CONDITION_WAITING);
	condition = read("finding(lost-wakeup) >= likely");
	CHECK(condition.limit == CT_GRADE_LIKELY && strcmp(condition.name, "lost-wakeup") == 0);
	CHECK(read("finding(*) > suspect").limit == CT_GRADE_SUSPECT);
}

static void test_what_can_not_be_read(void)
{
	static const char *const wrong[] = {"", "latency > 5", "sched_latency > 5ms",
		"sched_latency.p98 > 5ms", "sched_latency.p99 5ms", "sched_latency.p99 > ms",
		"sched_latency.p99 > 5", "sched_latency.p99 > 5ms now", "live_coroutines > 5ms",
		"live_coroutines > -5", "live_coroutines > nan", "live_coroutines > 1e30",
		"region.p99 > 5ms", "region() .p99 > 5ms", "region(x > 5ms", "live_coroutinesx > 5",
		"sched_latency.p999 > 5ms", "sched_latency.p99 > 5 0ms", "stalled > 9999999h",
		"no_progress > 5", "no_progress(x) > 5s", "waiting > 5s", "waiting(x) > likely",
		"finding > likely", "finding(lost-wakeups) > likely", "finding(*) > 5s",
		"finding(*) >= certain"};
	struct condition condition;
	struct ct_error error;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		error = (struct ct_error){0};
		CHECK_EQUAL(condition_parse(wrong[i], CONDITION_LIVE, &condition, &error),
			CT_ERR_USAGE);
		CHECK(strstr(error.text, wrong[i]) != NULL);
	}
}

static struct condition read_of_report(const char *text)
{
	struct condition condition = {.statistic = ""};
	struct ct_error error = {0};

	if (condition_parse(text, CONDITION_REPORT, &condition, &error))
		fprintf(stderr, "%s\n", error.text);
	CHECK_EQUAL(error.status, CT_OK);
	return condition;
}

/* Conditions about a whole trace: if a name has two meanings, the kind of the number decides. */
static void test_reading_assertions(void)
{
	struct condition condition = read_of_report("findings >= likely == 0");

	CHECK_EQUAL(condition.metric, CONDITION_FINDINGS);
	CHECK(condition.least == CT_GRADE_LIKELY && condition.unit == CONDITION_COUNT);
	CHECK(strcmp(condition.comparison, "==") == 0 && condition.limit == 0);
	condition = read_of_report("finding(lost-*) < likely");
	CHECK(condition.least == CT_GRADE_NONE && condition.unit == CONDITION_GRADE);
	CHECK(read_of_report("finding(lost-*) != 3").unit == CONDITION_COUNT);
	CHECK(read_of_report("waiting(f) == 0").unit == CONDITION_COUNT);
	CHECK(read_of_report("waiting(f) < 2s").unit == CONDITION_TIME);
	CHECK(read_of_report("sched_latency.count > 2k").limit == 2000);
	CHECK(read_of_report("wait(f).mean <= 2us").asked == CONDITION_STATISTIC_MEAN);
	condition = read_of_report("utilisation >= 40 %");
	CHECK(condition.unit == CONDITION_SHARE && condition.limit == 0.4);
}

/* Names that exist only for a running program, or only for a whole trace; and the position that the error names. */
static void test_what_is_no_assertion(void)
{
	static const struct {
		const char *text;
		uint64_t offset;
	} wrong[] = {{"stalled > 2s", 0}, {"sched_latency.p96 < 2ms", 14},
		{"lost >= likely == 0", 8}, {"findings >= likely", 9},
		{"finding(lost-*)  > suspect", 17}, {"sched_latency.count < 2ms", 22},
		{"lost = 0", 5}, {"findings >= likely >= proven", 22}, {"utilisation > 4", 14},
		{"region(a).p99 < 2ms,", 16}};
	struct condition condition;
	struct ct_error error;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		CHECK_EQUAL(condition_parse(wrong[i].text, CONDITION_REPORT, &condition, &error),
			CT_ERR_USAGE);
		CHECK_EQUAL(error.offset, wrong[i].offset);
	}
	/* The sentence is complete, although there are more names than fit. */
	condition_parse("waitings(read_reply) == 0", CONDITION_REPORT, &condition, &error);
	CHECK(strcmp(error.text + strlen(error.text) - strlen(" others"), " others") == 0);
	CHECK_EQUAL(
		condition_parse("findings == 0", CONDITION_LIVE, &condition, &error), CT_ERR_USAGE);
	CHECK_EQUAL(condition_parse("sched_latency.mean > 1s", CONDITION_LIVE, &condition, &error),
		CT_ERR_USAGE);
}

static void test_comparing(void)
{
	struct condition over = read("live_coroutines > 100");
	struct condition below = read("live_coroutines <= 100");

	CHECK(!condition_holds(&over, 100) && condition_holds(&over, 101));
	CHECK(condition_holds(&below, 100) && !condition_holds(&below, 101));
	/* A value within a tenth of the limit is near it. */
	CHECK(condition_is_near(&over, 91) && !condition_is_near(&over, 90));
	CHECK(condition_is_near(&below, 109) && !condition_is_near(&below, 110));
	over = read("live_coroutines == 100");
	below = read("live_coroutines != 100");
	CHECK(condition_holds(&over, 100) && !condition_holds(&over, 101));
	CHECK(condition_holds(&below, 101) && !condition_holds(&below, 100));
}

static void test_telling_grades(void)
{
	struct condition condition = read("finding(lost-*) >= likely");
	struct text text = {0};

	condition_tell(&condition, CT_GRADE_PROVEN, &text);
	CHECK(strcmp(text_peek(&text), "finding(lost-*) is proven, asked for was >= likely") == 0);
	text_fini(&text);
}

static void test_telling(void)
{
	struct condition condition = read("region(db.query).p99 > 150ms");
	struct text text = {0};

	condition_tell(&condition, 212e6, &text);
	CHECK(strcmp(text_peek(&text),
		      "region(db.query).p99 is 212 ms, over the limit of 150 ms") == 0);
	text_fini(&text);
}

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Numbers of all sizes: the histogram's value lies between the true one and 1/32 above it. */
static void test_histogram(void)
{
	static const double shares[] = {0.0001, 0.5, 0.9, 0.99, 0.999, 1.0};
	static uint64_t values[20000];
	struct histogram *histogram = calloc(2, sizeof(*histogram));
	uint64_t random = 1, told, exact;
	size_t i, count = sizeof(values) / sizeof(values[0]);

	for (i = 0; i < count; i++) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
		values[i] = i == 0 ? UINT64_MAX : i == 1 ? 0 : random >> (random >> 58);
		histogram_add(&histogram[i % 2], values[i]);
	}
	histogram_merge(&histogram[0], &histogram[1]);
	CHECK_EQUAL(histogram[0].count, count);
	qsort(values, count, sizeof(values[0]), compare);
	for (i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		exact = values[(size_t)ceil(shares[i] * (double)count) - 1];
		told = histogram_at(&histogram[0], shares[i]);
		CHECK(told >= exact && (told - exact) <= exact / 32);
	}
	CHECK_EQUAL(histogram_at(&histogram[0], 1.0), UINT64_MAX);
	memset(histogram, 0, sizeof(*histogram));
	CHECK_EQUAL(histogram_at(histogram, 0.5), 0);
	free(histogram);
}

/* A small histogram gives the same values as a full one, whatever it holds and however often it had to grow. */
static void check_small(unsigned nr_bits, unsigned count)
{
	static const double shares[] = {0.0001, 0.25, 0.5, 0.9, 0.99, 1.0};
	struct histogram *small = NULL, *whole = calloc(2, sizeof(*whole));
	uint64_t random = nr_bits, room = 1 << 20, before = room;
	unsigned i;

	for (i = 0; i < count; i++) {
		uint64_t value;

		random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
		value = random >> (64 - nr_bits) >> (random >> 32) % nr_bits;
		CHECK(histogram_count(&small, value, &room));
		histogram_add(&whole[0], value);
	}
	for (i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
		CHECK_EQUAL(histogram_at(small, shares[i]), histogram_at(&whole[0], shares[i]));
	histogram_merge(&whole[1], small);
	CHECK(memcmp(&whole[0], &whole[1], sizeof(*whole)) == 0);
	CHECK(before - room <= sizeof(*small));
	free(small);
	free(whole);
}

static void test_small_histogram(void)
{
	struct histogram *small = NULL;
	uint64_t room = 200, i;

	for (i = 1; i <= 64; i++)
		check_small((unsigned)i, (unsigned)(i * i));
	check_small(64, 100000);
	for (i = 0; i < 6; i++)
		CHECK(histogram_count(&small, i << 20, &room));
	/* There is no room for a seventh bucket, but values of existing buckets still count. */
	CHECK(!histogram_count(&small, UINT64_MAX, &room));
	CHECK(histogram_count(&small, 0, &room));
	CHECK_EQUAL(small->count, 7);
	CHECK_EQUAL(small->max, 5 << 20);
	free(small);
}

int main(void)
{
	test_reading();
	test_what_can_not_be_read();
	test_reading_assertions();
	test_what_is_no_assertion();
	test_comparing();
	test_telling();
	test_telling_grades();
	test_histogram();
	test_small_histogram();
	return check_result();
}
