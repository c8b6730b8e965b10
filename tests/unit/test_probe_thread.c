/* SPDX-License-Identifier: MIT */
/*
 * Rings that pass from thread to thread: claimed with a start, given back with a stop, found again if a thread ended
 * without a stop, and missing if none is left. Protocol rules P-20, P-24, P-28.
 */
#include <pthread.h>

#include "probe_tally.h"

static void *short_thread(void *context)
{
	emit_numbered(*(uint64_t *)context);
	return NULL;
}

/*
 * One short thread after the other: THREAD_START stands first in the ring, THREAD_STOP last, and the ring is given
 * back.
 */
static void short_threads(void)
{
	uint64_t i, threads = IS_SANITIZED ? 2000 : 10000;
	struct tally tally = {0};
	struct reader reader;

	attach(&reader);
	for (i = 0; i < threads; i++) {
		pthread_t thread;

		CHECK(pthread_create(&thread, NULL, short_thread, &i) == 0);
		pthread_join(thread, NULL);
		reader_drain_all(&reader, tally_record, &tally);
	}
	CHECK_EQUAL(tally.numbered, threads);
	CHECK_EQUAL(tally.starts, threads);
	CHECK_EQUAL(tally.stops, threads);
	CHECK_EQUAL(tally.unpaired + tally.out_of_order + tally.torn, 0);
	CHECK_EQUAL(reader.header->rings_used, 1);
	/* Two chunks are used where a chunk's end falls between a thread's records. */
	CHECK_EQUAL(reader.header->chunks_used, 2);
	CHECK_EQUAL(reader_ring(&reader, 0)->claims, threads);
	CHECK_EQUAL(reader_ring(&reader, 0)->owner, 0);
}

static void *start_short_threads(void *context)
{
	uint64_t i, count = *(uint64_t *)context;

	for (i = 0; i < count; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, short_thread, &i) != 0)
			return (void *)1;
		pthread_join(thread, NULL);
	}
	return NULL;
}

static void tally_any(void *context, uint32_t ring, uint64_t position, struct ctp_record record)
{
	struct tally *tally = (struct tally *)context + ring;

	tally_record(tally, 0, position, record);
}

/* Several threads claim and give back rings at once: two threads never share a ring, and few rings are used. */
static void short_threads_at_once(void)
{
	uint64_t per_starter = IS_SANITIZED ? 200 : 1000, numbered = 0, unpaired = 0, torn = 0;
	static struct tally tallies[64];
	struct reader reader;
	pthread_t starters[8];
	void *result;
	unsigned i;

	attach(&reader);
	for (i = 0; i < 8; i++)
		CHECK(pthread_create(&starters[i], NULL, start_short_threads, &per_starter) == 0);
	for (i = 0; i < 8; i++) {
		pthread_join(starters[i], &result);
		CHECK(result == NULL);
	}
	CHECK(reader.header->rings_used <= 16);
	reader_drain_all(&reader, tally_any, tallies);
	for (i = 0; i < 64; i++) {
		numbered += tallies[i].numbered;
		unpaired += tallies[i].unpaired + (tallies[i].starts != tallies[i].stops) +
			    (tallies[i].starts != tallies[i].numbered);
		torn += tallies[i].torn;
	}
	CHECK_EQUAL(numbered, 8 * per_starter);
	CHECK_EQUAL(unpaired, 0);
	CHECK_EQUAL(torn, 0);
}

/* A ring is full when its thread ends, and still full when the next thread claims it. */
static void claim_full_ring(void)
{
	struct tally tally = {0};
	struct reader reader;
	pthread_t thread;
	uint64_t many = CTP_CHUNK_RECORDS + 10, one = 7;

	attach(&reader);
	reader.orders->chunks_per_ring = 1;
	CHECK(pthread_create(&thread, NULL, emit_many, &many) == 0);
	pthread_join(thread, NULL);
	CHECK(pthread_create(&thread, NULL, short_thread, &one) == 0);
	pthread_join(thread, NULL);
	CHECK_EQUAL(reader_ring(&reader, 0)->dropped, 12);
	reader_drain_all(&reader, tally_record, &tally);
	CHECK(pthread_create(&thread, NULL, short_thread, &one) == 0);
	pthread_join(thread, NULL);
	reader_drain_all(&reader, tally_record, &tally);
	CHECK_EQUAL(tally.numbered, CTP_CHUNK_RECORDS);
	CHECK_EQUAL(tally.lost_told, 12);
	CHECK_EQUAL(tally.starts, 2);
	CHECK_EQUAL(tally.stops, 1);
	CHECK_EQUAL(tally.unpaired + tally.torn, 0);
}

struct late_drain {
	struct reader *reader;
	struct tally *tally;
};

static void *fill_then_drain(void *context)
{
	struct late_drain *late = context;
	uint64_t i;

	for (i = 0; i < CTP_CHUNK_RECORDS + 5; i++)
		emit_numbered(i);
	reader_drain_all(late->reader, tally_record, late->tally);
	return NULL;
}

/* There is room again when the thread ends: the loss is told before the thread's end. */
static void loss_told_at_end(void)
{
	struct tally tally = {0};
	struct reader reader;
	struct late_drain late = {&reader, &tally};
	pthread_t thread;

	attach(&reader);
	reader.orders->chunks_per_ring = 1;
	CHECK(pthread_create(&thread, NULL, fill_then_drain, &late) == 0);
	pthread_join(thread, NULL);
	CHECK_EQUAL(tally.numbered, CTP_CHUNK_RECORDS - 1);
	reader_drain_all(&reader, tally_record, &tally);
	CHECK_EQUAL(tally.lost_told, 6);
	CHECK_EQUAL(tally.stops, 1);
	CHECK_EQUAL(CTP_TAIL_KIND(tally.lost.tail), CTP_KIND_LOST);
	CHECK_EQUAL(tally.unpaired + tally.torn, 0);
}

/* No ring is left for a thread: its events are counted, and recorded again as soon as a ring is given back. */
static void no_ring_left(void)
{
	struct tally tally = {0};
	struct reader reader;
	pthread_t thread;
	uint64_t number = 0, many = 10000;

	attach(&reader);
	CHECK(pthread_create(&thread, NULL, short_thread, &number) == 0);
	pthread_join(thread, NULL);
	emit_numbered(1); /* has the ring now */
	ctp_store_relaxed(&reader.header->rings_used, CTP_RING_MAX);
	CHECK(pthread_create(&thread, NULL, emit_many, &many) == 0);
	pthread_join(thread, NULL);
	CHECK_EQUAL(reader.header->untraced_events, many);
	reader_drain(&reader, 0, UINT64_MAX, tally_record, &tally);
	CHECK_EQUAL(tally.numbered, 2);
	CHECK_EQUAL(tally.unpaired + tally.torn, 0);
}

/* The kernel's numbers end at 4,194,304; a lower one may become the next thread's at any time. */
#define NEVER_A_THREAD ((uint32_t)INT32_MAX)

/* The owner of a ring ended without telling the probe: the ring is found where no other is left. */
static void dead_owner(void)
{
	struct reader reader;
	pthread_t thread;
	uint64_t number = 0;

	attach(&reader);
	CHECK(pthread_create(&thread, NULL, short_thread, &number) == 0);
	pthread_join(thread, NULL);
	CHECK(ctp_load_relaxed(&reader_ring(&reader, 0)->owner) == 0);
	emit_numbered(1);
	/* From here on the main thread's ring seems to belong to a thread that has ended. */
	ctp_store_relaxed(&reader_ring(&reader, 0)->owner, NEVER_A_THREAD);
	ctp_store_relaxed(&reader.header->rings_used, CTP_RING_MAX);
	CHECK(pthread_create(&thread, NULL, short_thread, &number) == 0);
	pthread_join(thread, NULL);
	CHECK_EQUAL(reader.header->untraced_events, 0);
	CHECK_EQUAL(reader_ring(&reader, 0)->claims, 3);
}

/* Thread-specific data whose destructor emits after the probe has given the ring back. */
static pthread_key_t late_key;

static void late_destructor(void *context)
{
	uintptr_t rounds_left = (uintptr_t)context;

	emit_numbered(100 + rounds_left);
	if (rounds_left > 1)
		pthread_setspecific(late_key, (void *)(rounds_left - 1));
}

static void *late_thread(void *context)
{
	emit_numbered(*(uint64_t *)context);
	pthread_setspecific(late_key, (void *)2);
	return NULL;
}

static void late_destructors(void)
{
	struct tally tally = {0};
	struct reader reader;
	pthread_t thread;
	uint64_t number = 0;

	attach(&reader);
	CHECK(pthread_key_create(&late_key, late_destructor) == 0); /* after the probe's */
	CHECK(pthread_create(&thread, NULL, late_thread, &number) == 0);
	pthread_join(thread, NULL);
	reader_drain_all(&reader, tally_record, &tally);
	CHECK_EQUAL(tally.numbered, 3);
	CHECK_EQUAL(tally.starts, 3);
	CHECK_EQUAL(tally.stops, 3);
	CHECK_EQUAL(tally.unpaired + tally.torn, 0);
	CHECK_EQUAL(reader_ring(&reader, 0)->owner, 0);
	CHECK_EQUAL(reader.header->rings_used, 1);
}

int main(void)
{
	reader_listen();
	CHECK_EQUAL(in_child(short_threads), 0);
	CHECK_EQUAL(in_child(short_threads_at_once), 0);
	CHECK_EQUAL(in_child(claim_full_ring), 0);
	CHECK_EQUAL(in_child(loss_told_at_end), 0);
	CHECK_EQUAL(in_child(no_ring_left), 0);
	CHECK_EQUAL(in_child(dead_owner), 0);
	CHECK_EQUAL(in_child(late_destructors), 0);
	return check_result();
}
