/* SPDX-License-Identifier: MIT */
/*
 * If a thread takes something from another thread, its stamp is later than the stamps that the other wrote before it
 * gave it away (P-95): tested with wakes and taking from a queue, over very many hand-offs through one word that two
 * processors exchange. And how early stamps without that order are believed to be.
 */
#include <pthread.h>
#include <sched.h>

#include "probe_reader.h"
#include "probe_tally.h"
#include "collect/reach.h"

#define NR_HAND_OFFS (IS_SANITIZED ? UINT64_C(20000) : UINT64_C(100000))

static CTP_ALIGNED(64) uint64_t word;
static unsigned nr_ended;
static uint64_t woken[NR_HAND_OFFS + 1];
static uint64_t taken[NR_HAND_OFFS + 1];

static void *give(void *context)
{
	uint64_t i, k;

	(void)context;
	for (i = 1; i <= NR_HAND_OFFS; i++) {
		ctp_wake(0, CTP_HANDLE(CTP_RESOURCE_COROUTINE, i), 0, CTP_OUTCOME_QUEUED);
		__atomic_exchange_n(&word, i, __ATOMIC_SEQ_CST);
		for (k = 0; k < i % 16 * 8; k++)
			CTP_SIGNAL_FENCE();
	}
	/* The last hand-off at least is taken, however late the other thread begins. */
	while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) != 0)
		sched_yield();
	__atomic_exchange_n(&word, NR_HAND_OFFS + 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&nr_ended, 1, __ATOMIC_RELEASE);
	return NULL;
}

/*
 * The thread tells of what it took without looking at it first, although it may have taken nothing: so the processor
 * has nothing to wait for.
 */
static void *take(void *context)
{
	uint64_t got = 0, k;

	(void)context;
	while (got <= NR_HAND_OFFS) {
		for (k = 0; k < 40; k++)
			CTP_SIGNAL_FENCE();
		got = __atomic_exchange_n(&word, 0, __ATOMIC_SEQ_CST);
		ctp_dequeue(got, CTP_HANDLE(CTP_RESOURCE_QUEUE, 1));
	}
	__atomic_fetch_add(&nr_ended, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void keep(void *context, uint32_t ring, uint64_t position, struct ctp_record record)
{
	(void)context, (void)ring, (void)position;
	if (CTP_TAIL_KIND(record.tail) == CTP_KIND_WAKE)
		woken[CTP_HANDLE_IDENTITY(record.object)] = record.time;
	if (CTP_TAIL_KIND(record.tail) == CTP_KIND_DEQUEUE && record.coro <= NR_HAND_OFFS &&
		taken[record.coro] == 0)
		taken[record.coro] = record.time;
}

static void hand_offs(void)
{
	uint64_t i, nr_taken = 0, nr_reversed = 0;
	struct reader reader;
	pthread_t threads[2];

	attach(&reader);
	CHECK(pthread_create(&threads[0], NULL, give, NULL) == 0);
	CHECK(pthread_create(&threads[1], NULL, take, NULL) == 0);
	while (__atomic_load_n(&nr_ended, __ATOMIC_ACQUIRE) < 2)
		reader_drain_all(&reader, keep, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	reader_drain_all(&reader, keep, NULL);
	for (i = 1; i <= NR_HAND_OFFS; i++) {
		/* A hand-off that was not taken in time was replaced by the next one. */
		nr_taken += taken[i] && woken[i];
		nr_reversed += taken[i] && taken[i] < woken[i];
	}
	CHECK(nr_taken > 0);
	CHECK_EQUAL(nr_reversed, 0);
}

static void test_reach(void)
{
	uint64_t reach = collect_reach_measure();

	CHECK(reach >= 5000 && reach <= 50000);
	CHECK_EQUAL(collect_reach_of(0), 5000);
	CHECK_EQUAL(collect_reach_of(3000), 12000);
	CHECK_EQUAL(collect_reach_of(UINT64_MAX), 50000);
}

int main(void)
{
	reader_listen();
	CHECK_EQUAL(in_child(hand_offs), 0);
	test_reach();
	return check_result();
}
