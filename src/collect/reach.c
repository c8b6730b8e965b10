/* SPDX-License-Identifier: MIT */
/*
 * One thread puts the counter's reading into a word; the other one takes it out and reads the counter. While the word's
 * cache line is under way between the two, the second reading may have been executed before the first.
 */

#include "base/clock.h"
#include "corotracer/ctp.h"
#include "collect/reach.h"
#include "base/thread.h"

#define MEASURE_NS 1000000u
#define FACTOR 4u      /* a millisecond does not show the largest value */
#define LEAST_NS 5000u /* largest seen on other machines: 2.9 us */
#define MOST_NS 50000u /* beyond this a thread was interrupted between the two */

struct hand_off {
	CTP_ALIGNED(64) uint64_t word;
	CTP_ALIGNED(64) uint32_t is_over;
};

static void *give(void *context)
{
	struct hand_off *hand_off = context;

	while (!ctp_load_relaxed(&hand_off->is_over))
		__atomic_exchange_n(&hand_off->word, clock_counter(), __ATOMIC_RELAXED);
	return NULL;
}

/* Returns by how many counts, at most, a reading lay before the reading that was taken in front of it. */
static uint64_t take(struct hand_off *hand_off, uint64_t until_ns)
{
	uint64_t furthest = 0, given, taken;
	unsigned i;

	while (clock_monotonic_ns() < until_ns) {
		for (i = 0; i < 64; i++) {
			given = __atomic_exchange_n(&hand_off->word, 0, __ATOMIC_RELAXED);
			taken = clock_counter();
			if (given > taken && given - taken > furthest)
				furthest = given - taken;
		}
	}
	return furthest;
}

uint64_t collect_reach_of(uint64_t furthest_ns)
{
	uint64_t reach = furthest_ns < MOST_NS ? furthest_ns * FACTOR : MOST_NS;

	if (reach > MOST_NS)
		return MOST_NS;
	return reach < LEAST_NS ? LEAST_NS : reach;
}

uint64_t collect_reach_measure(void)
{
	struct hand_off hand_off = {0};
	struct clock_reading before, after;
	pthread_t thread;
	uint64_t furthest;
	double rate;

	if (thread_start(&thread, give, &hand_off))
		return collect_reach_of(0);
	clock_glance(&before);
	furthest = take(&hand_off, before.monotonic_ns + MEASURE_NS);
	clock_glance(&after);
	ctp_store_relaxed(&hand_off.is_over, 1);
	pthread_join(thread, NULL);
	rate = (double)(after.monotonic_ns - before.monotonic_ns) /
	       (double)(after.counter - before.counter);
	return collect_reach_of((uint64_t)((double)furthest * rate));
}
