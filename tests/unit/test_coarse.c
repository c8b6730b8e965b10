/* SPDX-License-Identifier: MIT */
/*
 * The thread that advances coarse clocks (P-52): it advances every word that it was given and none that was taken away,
 * never backwards; and how far the words have been behind.
 */
#include <sched.h>

#include "check.h"
#include "base/clock.h"
#include "collect/coarse.h"
#include "corotracer/ctp.h"
#include "failing_memory.h"

#define STEP_NS UINT64_C(50000)

static struct coarse *opened(uint32_t max_words)
{
	struct coarse *coarse = NULL;

	CHECK_EQUAL(collect_coarse_open(STEP_NS, max_words, &coarse, NULL), CT_OK);
	if (!coarse)
		exit(1);
	return coarse;
}

/* If the steps never come, the test's time limit ends the wait. */
static void wait_for_steps(uint64_t *word, unsigned count)
{
	uint64_t before = ctp_load_relaxed(word), now;

	while (count > 0) {
		sched_yield();
		now = ctp_load_relaxed(word);
		CHECK(now >= before);
		count -= now != before;
		before = now;
	}
}

static void test_words(void)
{
	struct coarse *coarse = opened(2);
	uint64_t first = 0, second = 0, third = 0, left;
	uint64_t begin = clock_monotonic_ns();

	CHECK(collect_coarse_add(coarse, &first, begin));
	CHECK(ctp_load_relaxed(&first) >= begin);
	CHECK(collect_coarse_add(coarse, &second, begin));
	CHECK(!collect_coarse_add(coarse, &third, begin));
	wait_for_steps(&first, 3);
	wait_for_steps(&second, 3);
	CHECK(ctp_load_relaxed(&second) <= clock_monotonic_ns());
	collect_coarse_remove(coarse, &first);
	left = ctp_load_relaxed(&first);
	CHECK(collect_coarse_add(coarse, &third, begin));
	wait_for_steps(&third, 3);
	CHECK_EQUAL(ctp_load_relaxed(&first), left);
	/* Without words the thread sleeps, and goes on with the next word. */
	collect_coarse_remove(coarse, &second);
	collect_coarse_remove(coarse, &third);
	collect_coarse_remove(coarse, &third);
	CHECK(collect_coarse_add(coarse, &first, clock_monotonic_ns()));
	wait_for_steps(&first, 2);
	CHECK(collect_coarse_lag_ns(coarse) >= STEP_NS);
	collect_coarse_close(coarse);
}

/* The value of a word before it was added counts as lag; a value in the future does not. */
static void test_lag(void)
{
	struct coarse *coarse = opened(2);
	uint64_t word = 0, now_ns = clock_monotonic_ns();

	CHECK_EQUAL(collect_coarse_lag_ns(coarse), STEP_NS);
	CHECK(collect_coarse_add(coarse, &word, now_ns - 3000000000));
	CHECK(collect_coarse_lag_ns(coarse) >= 3000000000);
	collect_coarse_close(coarse);
	coarse = opened(1);
	CHECK(collect_coarse_add(coarse, &word, UINT64_MAX));
	CHECK(collect_coarse_lag_ns(coarse) < 3000000000);
	collect_coarse_close(coarse);
}

static void test_nothing(void)
{
	struct coarse *coarse = NULL;
	struct ct_error error;

	collect_coarse_close(NULL);
	collect_coarse_close(opened(1));
	fail_at = 1;
	CHECK_EQUAL(collect_coarse_open(STEP_NS, 1, &coarse, &error), CT_ERR_NO_MEMORY);
	fail_at = 0;
}

int main(void)
{
	test_words();
	test_lag();
	test_nothing();
	return check_result();
}
