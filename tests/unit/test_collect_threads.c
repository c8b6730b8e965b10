/* SPDX-License-Identifier: MIT */
/*
 * Telling threads apart by id and time when several rings name them in any order.
 */
#include "check.h"
#include "collect/threads.h"

static uint32_t fresh;

/* The thread's number; *ret_is_new: was it new? */
static uint32_t find(struct threads *threads, uint64_t tid, uint64_t time, bool *ret_is_new)
{
	uint32_t number = collect_threads_find(threads, tid, time, fresh + 1, ret_is_new);

	if (*ret_is_new)
		fresh++;
	return number;
}

/* P-13. One thread, seen through two segments. */
static void test_two_rings_one_thread(void)
{
	struct threads threads = {0};
	bool is_new;

	fresh = 0;
	CHECK_EQUAL(find(&threads, 500, 100, &is_new), 1);
	CHECK(is_new);
	CHECK_EQUAL(find(&threads, 500, 90, &is_new), 1); /* the ledger wrote earlier */
	CHECK(!is_new);
	CHECK_EQUAL(find(&threads, 501, 100, &is_new), 2);
	collect_threads_stopped(&threads, 1, 500, 200);
	CHECK_EQUAL(find(&threads, 500, 150, &is_new), 1); /* read late, but it lived then */
	CHECK(!is_new);
	collect_threads_fini(&threads);
}

static void test_id_is_used_again(void)
{
	struct threads threads = {0};
	bool is_new;

	fresh = 0;
	CHECK_EQUAL(find(&threads, 500, 100, &is_new), 1);
	collect_threads_stopped(&threads, 1, 500, 200);
	CHECK_EQUAL(find(&threads, 500, 300, &is_new), 2);
	CHECK(is_new);
	/* Only now is the other ring read: first the old thread, then the new one. */
	CHECK_EQUAL(find(&threads, 500, 110, &is_new), 1);
	collect_threads_stopped(&threads, 1, 500, 210); /* its last record */
	CHECK_EQUAL(find(&threads, 500, 205, &is_new), 1);
	CHECK_EQUAL(find(&threads, 500, 310, &is_new), 2);
	CHECK(!is_new);
	collect_threads_stopped(&threads, 2, 500, 400);
	CHECK_EQUAL(find(&threads, 500, 500, &is_new), 3);
	collect_threads_stopped(&threads, 77, 500, 600); /* of an unknown thread */
	collect_threads_stopped(&threads, 1, 12345, 600);
	CHECK_EQUAL(find(&threads, 500, 700, &is_new), 3);
	collect_threads_fini(&threads);
}

static void test_bound(void)
{
	struct threads threads = {0};
	bool is_new;
	uint64_t tid;

	fresh = 0;
	for (tid = 1; tid <= THREADS_MAX; tid++)
		CHECK_EQUAL(find(&threads, tid, 0, &is_new), tid);
	CHECK_EQUAL(find(&threads, tid, 0, &is_new), 0);
	CHECK(!is_new);
	CHECK_EQUAL(find(&threads, 17, 0, &is_new), 17);
	collect_threads_fini(&threads);
}

int main(void)
{
	test_two_rings_one_thread();
	test_id_is_used_again();
	test_bound();
	return check_result();
}
