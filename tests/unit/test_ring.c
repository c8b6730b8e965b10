/* SPDX-License-Identifier: MIT */
/*
 * Harvesting one ring: order, threads, losses, and a producer that lies.
 */
#define MADE_CHUNKS 256u /* as many as a ring can have */
#include "check.h"
#include "made_segment.h"
#include "collect/ring.h"
#include "base/vec.h"

/* A record that the reader handed on, with the reader's number of its thread. */
struct taken {
	struct ctp_record record;
	uint32_t thread;
};

struct fixture {
	struct made_segment made;
	struct proto_layout layout;
	struct ctp_record *scratch;
	struct ring_reader reader;
	VEC(struct taken) taken;
	uint64_t nr_events;
	uint64_t nr_stops;
	uint32_t nr_threads;
};

static void take(void *context, struct ring_reader *reader, const struct ring_run *run)
{
	struct fixture *f = context;
	size_t i;

	(void)reader;
	CHECK(run->nr_records > 0);
	f->nr_events += run->nr_events;
	for (i = 0; i < run->nr_records; i++) {
		struct taken taken = {run->records[i], run->thread};

		if (!vec_push(&f->taken, taken))
			abort();
	}
}

/* In this test the reader's number of a thread is the thread's id. */
static uint32_t thread_started(void *context, uint64_t tid, uint64_t time)
{
	struct fixture *f = context;

	(void)time;
	f->nr_threads++;
	return (uint32_t)tid;
}

static void thread_stopped(void *context, uint32_t thread, uint64_t tid, uint64_t time)
{
	(void)time;
	CHECK_EQUAL(thread, tid);
	((struct fixture *)context)->nr_stops++;
}

static void open_fixture(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	made_open(&f->made);
	CHECK_EQUAL(proto_check(f->made.header, f->made.nr_bytes, &f->layout, NULL), CT_OK);
	f->scratch = calloc(CTP_CHUNK_RECORDS, sizeof(*f->scratch));
	f->reader = (struct ring_reader){.shared = f->made.rings, .stream = 1};
}

static void close_fixture(struct fixture *f)
{
	vec_fini(&f->taken);
	free(f->scratch);
	made_close(&f->made);
}

static uint64_t drain(struct fixture *f)
{
	const struct ring_space space = {&f->layout, f->made.base, f->scratch, NULL};
	const struct ring_consumer consumer = {f, take, thread_started, thread_stopped};

	return collect_ring_drain(&f->reader, &space, &consumer);
}

static void emit(struct fixture *f, uint64_t object, unsigned kind)
{
	made_emit(&f->made, 0, object, 0, kind, 0);
}

/*
 * P-21, P-22, P-23. Several laps through the chunks, drained in odd pieces: no record is missing, and all come in
 * order.
 */
static void test_order(void)
{
	struct fixture f;
	uint64_t i;

	open_fixture(&f);
	made_claim(&f.made, 0, 11);
	for (i = 1; i <= 20 * CTP_CHUNK_RECORDS; i++) {
		emit(&f, i, CTP_KIND_RESUME);
		if (i % 1777 == 0) {
			CHECK(drain(&f) > 0);
			CHECK_EQUAL(f.made.rings[0].tail, f.made.rings[0].head);
		}
	}
	drain(&f);
	CHECK_EQUAL(drain(&f), 0);
	CHECK_EQUAL(f.taken.count, 20 * CTP_CHUNK_RECORDS + 1);
	CHECK_EQUAL(f.nr_events, f.taken.count);
	for (i = 1; i < f.taken.count; i++)
		CHECK_EQUAL(f.taken.at[i].record.object, i);
	CHECK_EQUAL(f.reader.nr_corrupt, 0);
	close_fixture(&f);
}

/* P-24 */
static void test_threads(void)
{
	struct fixture f;

	open_fixture(&f);
	made_claim(&f.made, 0, 11);
	emit(&f, 0, CTP_KIND_RESUME);
	emit(&f, 11, CTP_KIND_THREAD_STOP);
	emit(&f, 12, CTP_KIND_THREAD_START);
	emit(&f, 0, CTP_KIND_RESUME);
	CHECK_EQUAL(drain(&f), 5);
	emit(&f, 0, CTP_KIND_RESUME);
	CHECK_EQUAL(drain(&f), 1);
	CHECK_EQUAL(f.nr_threads, 2);
	CHECK_EQUAL(f.nr_stops, 1);
	CHECK_EQUAL(f.taken.count, 6);
	CHECK_EQUAL(f.taken.at[0].thread, 11);
	CHECK_EQUAL(f.taken.at[2].thread, 11); /* the stop is still the old one's */
	CHECK_EQUAL(f.taken.at[3].thread, 12); /* the start is the new one's */
	CHECK_EQUAL(f.taken.at[5].thread, 12);
	close_fixture(&f);
}

/* A reader that comes in the middle takes the ring's owner for the thread. */
static void test_start_not_seen(void)
{
	struct fixture f;

	open_fixture(&f);
	made_claim(&f.made, 0, 11);
	f.reader.tail = 1;
	emit(&f, 0, CTP_KIND_RESUME);
	drain(&f);
	CHECK_EQUAL(f.taken.count, 1);
	CHECK_EQUAL(f.taken.at[0].thread, 11);
	close_fixture(&f);
}

/* P-3, P-25 */
static void test_counts(void)
{
	struct fixture f;

	open_fixture(&f);
	made_claim(&f.made, 0, 11);
	emit(&f, 0, CTP_KIND_CREATE);
	emit(&f, 0, CTP_KIND_CREATE);
	emit(&f, 0, CTP_KIND_DESTROY);
	made_emit(&f.made, 0, 40, 0, CTP_KIND_LOST, CTP_LOSS_FULL);
	made_emit(&f.made, 0, 2, 0, CTP_KIND_LOST, CTP_LOSS_NESTED);
	emit(&f, 0, 250); /* a kind of a later version: kept */
	drain(&f);
	CHECK_EQUAL(f.reader.nr_moves, 3);
	CHECK_EQUAL(f.reader.nr_told, 40);
	CHECK_EQUAL(f.reader.nr_told_other, 2);
	CHECK_EQUAL(f.taken.count, 7);
	CHECK_EQUAL(f.nr_events, 5);
	CHECK_EQUAL(CTP_TAIL_KIND(f.taken.at[6].record.tail), 250);
	made_emit(&f.made, 0, UINT64_MAX, 0, CTP_KIND_LOST, CTP_LOSS_FULL);
	drain(&f);
	CHECK(f.reader.nr_told == UINT64_MAX); /* no wrap */
	close_fixture(&f);
}

/* P-1. The records of a chunk that does not exist are counted, exactly; the records around them arrive. */
static void test_wild_chunk(void)
{
	struct fixture f;
	uint64_t i;

	open_fixture(&f);
	made_claim(&f.made, 0, 11);
	for (i = 1; i < 3 * CTP_CHUNK_RECORDS; i++)
		emit(&f, i, CTP_KIND_RESUME);
	f.made.rings[0].chunk[1] = MADE_CHUNKS;
	CHECK_EQUAL(drain(&f), 3 * CTP_CHUNK_RECORDS);
	CHECK_EQUAL(f.taken.count, 2 * CTP_CHUNK_RECORDS);
	CHECK_EQUAL(f.reader.nr_corrupt, CTP_CHUNK_RECORDS);
	CHECK_EQUAL(f.taken.at[CTP_CHUNK_RECORDS].record.object, 2 * CTP_CHUNK_RECORDS);
	close_fixture(&f);
}

/* P-4 */
static void test_head_goes_back(void)
{
	struct fixture f;

	open_fixture(&f);
	made_claim(&f.made, 0, 11);
	emit(&f, 1, CTP_KIND_RESUME);
	drain(&f);
	f.made.rings[0].head = 1;
	drain(&f);
	CHECK_EQUAL(f.reader.nr_corrupt, 1);
	CHECK_EQUAL(f.made.rings[0].tail, 1);
	emit(&f, 5, CTP_KIND_RESUME); /* and on from there */
	drain(&f);
	CHECK_EQUAL(f.taken.count, 3);
	CHECK_EQUAL(f.taken.at[2].record.object, 5);
	close_fixture(&f);
}

/* P-4 */
static void test_head_runs_away(void)
{
	const uint64_t heads[] = {
		(uint64_t)CTP_RING_CHUNKS * CTP_CHUNK_RECORDS + 1, UINT64_C(1) << 40, UINT64_MAX};
	struct fixture f;
	size_t i;

	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		open_fixture(&f);
		made_claim(&f.made, 0, 11);
		f.made.rings[0].head = heads[i];
		drain(&f);
		CHECK_EQUAL(f.reader.nr_corrupt, 1);
		CHECK_EQUAL(f.taken.count, 0);
		CHECK(f.reader.tail == heads[i]);
		CHECK_EQUAL(drain(&f), 0);
		close_fixture(&f);
	}
}

/* The reader takes the longest step that is possible, and ends where the memory does. */
static void test_head_at_the_limit(void)
{
	struct fixture f;

	open_fixture(&f);
	made_claim(&f.made, 0, 11);
	f.made.rings[0].head = (uint64_t)CTP_RING_CHUNKS * CTP_CHUNK_RECORDS;
	CHECK_EQUAL(drain(&f), (uint64_t)CTP_RING_CHUNKS * CTP_CHUNK_RECORDS);
	CHECK_EQUAL(f.reader.nr_corrupt, 0);
	close_fixture(&f);
}

/* No ring holds more than all chunks of its segment, whatever chunks its entries name. */
static void test_head_beyond_the_segment(void)
{
	struct fixture f;

	open_fixture(&f);
	made_claim(&f.made, 0, 11);
	f.layout.chunk_max = 2;
	f.made.rings[0].head = 2 * CTP_CHUNK_RECORDS + 1;
	CHECK_EQUAL(drain(&f), 1);
	CHECK_EQUAL(f.reader.nr_corrupt, 1);
	CHECK_EQUAL(f.taken.count, 0);
	f.made.rings[0].head += 2 * CTP_CHUNK_RECORDS;
	CHECK_EQUAL(drain(&f), 2 * CTP_CHUNK_RECORDS);
	close_fixture(&f);
}

/* P-26. Records that were overwritten before the reader looked are counted, the rest arrive. */
static void test_overwritten(void)
{
	struct fixture f;
	uint64_t i;

	open_fixture(&f);
	f.reader.is_overwriting = true;
	made_claim(&f.made, 0, 11);
	for (i = 1; i < 6 * CTP_CHUNK_RECORDS + 10; i++)
		emit(&f, i, CTP_KIND_RESUME);
	ctp_store_release(&f.made.rings[0].floor, 3 * CTP_CHUNK_RECORDS);
	drain(&f);
	CHECK_EQUAL(f.reader.nr_overwritten, 3 * CTP_CHUNK_RECORDS);
	CHECK_EQUAL(f.taken.count, 3 * CTP_CHUNK_RECORDS + 10);
	CHECK_EQUAL(f.taken.at[0].record.object, 3 * CTP_CHUNK_RECORDS);
	CHECK_EQUAL(f.taken.at[0].thread, 11); /* its start is gone: the owner's */
	f.made.rings[0].floor = UINT64_MAX;
	emit(&f, i, CTP_KIND_RESUME);
	drain(&f);
	CHECK_EQUAL(f.reader.nr_corrupt, 1);
	close_fixture(&f);
}

/*
 * P-28. The thread's start is among the records that were overwritten before they were read, and does not count as an
 * event.
 */
static void test_overwritten_events(void)
{
	struct fixture f;
	uint64_t i;

	open_fixture(&f);
	f.reader.is_overwriting = true;
	made_claim(&f.made, 0, 11);
	f.made.rings[0].nr_beside = 1;
	for (i = 1; i < 10; i++)
		emit(&f, i, CTP_KIND_RESUME);
	f.made.rings[0].floor = 5;
	drain(&f);
	CHECK_EQUAL(f.taken.count, 5);
	CHECK_EQUAL(f.reader.nr_overwritten, 5);
	CHECK_EQUAL(collect_ring_overwritten(&f.reader), 4);
	close_fixture(&f);
}

/* Where the previous reader has seen the thread's start, all overwritten records of the next reader are events. */
static void test_overwritten_adopted(void)
{
	struct fixture f;
	struct ring_space space;
	uint64_t i;

	open_fixture(&f);
	space = (struct ring_space){&f.layout, f.made.base, f.scratch, NULL};
	made_claim(&f.made, 0, 11);
	f.made.rings[0].nr_beside = 1;
	for (i = 1; i < 10; i++)
		emit(&f, i, CTP_KIND_RESUME);
	drain(&f);
	f.reader =
		(struct ring_reader){.shared = f.made.rings, .stream = 1, .is_overwriting = true};
	collect_ring_adopt(&f.reader, &space);
	for (; i < 30; i++)
		emit(&f, i, CTP_KIND_RESUME);
	f.made.rings[0].floor = 15;
	drain(&f);
	CHECK_EQUAL(collect_ring_overwritten(&f.reader), 5);
	CHECK_EQUAL(f.taken.count, 10 + 15);
	close_fixture(&f);
}

int main(void)
{
	test_order();
	test_threads();
	test_start_not_seen();
	test_counts();
	test_wild_chunk();
	test_head_goes_back();
	test_head_runs_away();
	test_head_at_the_limit();
	test_head_beyond_the_segment();
	test_overwritten();
	test_overwritten_events();
	test_overwritten_adopted();
	return check_result();
}
