/* SPDX-License-Identifier: MIT */
/*
 * Converts counts to times: straight lines between readings, in whole numbers, whatever the readings are.
 */
#include "check.h"
#include "base/timeline.h"

static int64_t at(const struct timeline *timeline, uint64_t raw)
{
	size_t hint = 0;

	return timeline_ns(timeline, raw, &hint);
}

static void test_without_readings_a_count_is_a_nanosecond(void)
{
	struct timeline timeline = {0};

	CHECK_EQUAL(at(&timeline, 12345), 12345);
	CHECK(timeline_hz(&timeline) == 0);
	CHECK(timeline_add(&timeline, 1000, 5000, 7));
	CHECK_EQUAL(at(&timeline, 1010), 5010);
	CHECK_EQUAL(at(&timeline, 990), 4990);
	CHECK_EQUAL(timeline.skew_ns, 7);
	timeline_fini(&timeline);
}

/* Two readings of 24 MHz, then one after a drift. */
static void test_lines_between_and_beyond(void)
{
	struct timeline timeline = {0};

	CHECK(timeline_add(&timeline, 24000000, 1000000000, 0));
	CHECK(timeline_add(&timeline, 72000000, 3000000000, 0));
	CHECK(timeline_add(&timeline, 48000000, 2000000000, 0));
	CHECK(timeline_add(&timeline, 96000000, 3500000000, 0)); /* twice as fast */
	CHECK_EQUAL(at(&timeline, 24000000), 1000000000);
	CHECK_EQUAL(at(&timeline, 36000000), 1500000000);
	CHECK_EQUAL(at(&timeline, 48000012), 2000000500);
	CHECK_EQUAL(at(&timeline, 84000000), 3250000000);
	CHECK_EQUAL(at(&timeline, 12000000), 500000000);
	CHECK_EQUAL(at(&timeline, 0), 0);
	/* After the last reading the slope of the last second or more holds: 1.5 s in 48 million. */
	CHECK_EQUAL(at(&timeline, 96000000 + 48000000), 5000000000);
	CHECK_EQUAL(timeline.nr_refused, 0);
	timeline_fini(&timeline);
}

static void test_readings_that_contradict_are_refused(void)
{
	struct timeline timeline = {0};

	CHECK(timeline_add(&timeline, 100, 1000, 0));
	CHECK(timeline_add(&timeline, 200, 2000, 0));
	CHECK(timeline_add(&timeline, 200, 2000, 0)); /* the same again: nothing new */
	CHECK_EQUAL(timeline.nr_refused, 0);
	CHECK(timeline_add(&timeline, 150, 2500, 0));
	CHECK(timeline_add(&timeline, 200, 2001, 0));
	CHECK(timeline_add(&timeline, 300, 1500, 0));
	CHECK(timeline_add(&timeline, 300, UINT64_MAX, 0));
	CHECK(timeline_add(&timeline, 201, 2000 + (1u << 15), 0));
	CHECK_EQUAL(timeline.nr_refused, 5);
	CHECK_EQUAL(timeline.pieces.count, 2);
	CHECK_EQUAL(at(&timeline, 150), 1500);
	timeline_fini(&timeline);
}

/* Whatever the readings are, time goes forward where the count does, up to the extremes. */
static void test_never_back(void)
{
	struct timeline timeline = {0};
	uint64_t raw = 17, ns = 40, state = 9, i;
	int64_t before = INT64_MIN, now;
	size_t hint = 0, nr_back = 0;

	for (i = 0; i < 40000; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		raw += 1 + (state >> 33) % 1000;
		ns += 1 + (state >> 20) % 3000;
		CHECK(timeline_add(&timeline, raw, ns, 0));
	}
	CHECK(timeline.pieces.count <= 16384);
	for (i = 0; i < raw + 1000; i += 3) {
		now = timeline_ns(&timeline, i, &hint);
		nr_back += now < before;
		before = now;
	}
	CHECK_EQUAL(nr_back, 0);
	CHECK(at(&timeline, UINT64_MAX) == INT64_MAX);
	CHECK(at(&timeline, UINT64_MAX / 2) >= before);
	CHECK(at(&timeline, 0) < at(&timeline, 17));
	timeline_fini(&timeline);
}

static void test_skew_is_the_distance_from_the_line(void)
{
	struct timeline timeline = {0};

	CHECK(timeline_add(&timeline, 0, 1000, 20));
	CHECK(timeline_add(&timeline, 1000, 2300, 10));
	CHECK_EQUAL(timeline.skew_ns, 20);
	CHECK(timeline_add(&timeline, 2000, 3000, 10));
	CHECK_EQUAL(timeline.skew_ns, 300);
	timeline_fini(&timeline);
}

int main(void)
{
	test_without_readings_a_count_is_a_nanosecond();
	test_lines_between_and_beyond();
	test_readings_that_contradict_are_refused();
	test_never_back();
	test_skew_is_the_distance_from_the_line();
	return check_result();
}
