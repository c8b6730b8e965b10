/* SPDX-License-Identifier: MIT */
/*
 * Rings: every record in its place and in order across chunks, a full ring's exact losses, and the
 * flight recorder's floor. Protocol rules P-20 to P-23, P-25, P-26, P-28.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include "probe_tally.h"

/* A reader that runs beside the writer until it is told that no more comes. */
struct follower {
	struct reader *reader;
	struct tally *tally;
	uint64_t step; /* at most so many records at a time */
	uint32_t is_done;
};

static void *follow(void *context)
{
	struct follower *follower = context;
	bool is_last;

	do {
		is_last = ctp_load_acquire(&follower->is_done) != 0;
		while (reader_drain(follower->reader, 0, follower->step, tally_record,
			       follower->tally) == follower->step)
			sched_yield();
		sched_yield();
	} while (!is_last);
	return NULL;
}

static void write_beside_reader(struct follower *follower, uint64_t count, uint64_t lead)
{
	struct ctp_ring *ring = reader_ring(follower->reader, 0);
	pthread_t thread;
	uint64_t i;

	CHECK(pthread_create(&thread, NULL, follow, follower) == 0);
	for (i = 0; i < count; i++) {
		/* The writer never runs further ahead of the reader than `lead`, so no event can be lost. */
		while (i >= lead && ctp_load_relaxed(&ring->tail) + lead < i)
			sched_yield();
		emit_numbered(i);
	}
	ctp_store_release(&follower->is_done, 1);
	pthread_join(thread, NULL);
}

static void slow_reader(void)
{
	struct tally tally = {0};
	struct reader reader;
	struct follower follower = {&reader, &tally, 1000, 0};
	uint64_t count = 40 * CTP_CHUNK_RECORDS + 17;

	attach(&reader);
	write_beside_reader(&follower, count, 6 * CTP_CHUNK_RECORDS);
	CHECK_EQUAL(tally.numbered, count);
	CHECK_EQUAL(tally.out_of_order, 0);
	CHECK_EQUAL(tally.torn, 0);
	CHECK_EQUAL(tally.backwards, 0);
	CHECK_EQUAL(tally.starts, 1);
	CHECK_EQUAL(tally.last_tid, getpid());
	CHECK_EQUAL(reader_ring(&reader, 0)->dropped, 0);
	CHECK_EQUAL(reader_ring(&reader, 0)->head, count + 1);
	/* Drained chunks are used again: the ring needs as many as the writer was ahead, and two more. */
	CHECK(reader.header->chunks_used <= 8);
}

/* Positions are consecutive, the entry of each position is that of its chunk, and one chunk stays warm. */
static void lone_chunk(void)
{
	struct tally tally = {0};
	struct reader reader;
	uint64_t i;

	attach(&reader);
	for (i = 0; i < 10 * CTP_CHUNK_RECORDS; i++) {
		emit_numbered(i);
		reader_drain_all(&reader, tally_record, &tally);
	}
	CHECK_EQUAL(tally.numbered, 10 * CTP_CHUNK_RECORDS);
	CHECK_EQUAL(tally.out_of_order, 0);
	CHECK_EQUAL(tally.torn, 0);
	CHECK_EQUAL(reader.header->chunks_used, 1);
}

static void warmest_first(void)
{
	struct tally tally = {0};
	struct reader reader;
	struct ctp_ring *ring;
	uint64_t i;

	attach(&reader);
	ring = reader_ring(&reader, 0);
	for (i = 0; i < 3 * CTP_CHUNK_RECORDS; i++)
		emit_numbered(i);
	reader_drain_all(&reader, tally_record, &tally);
	/* Chunks 0, 1 and 2 are drained in this order; the ring then takes chunk 2 for its next records. */
	while (ring->head % CTP_CHUNK_RECORDS != 0)
		emit_numbered(i++);
	reader_drain_all(&reader, tally_record, &tally);
	emit_numbered(i++);
	CHECK_EQUAL(ring->chunk[(ring->head / CTP_CHUNK_RECORDS) % CTP_RING_CHUNKS], 3);
	CHECK_EQUAL(reader.header->chunks_used, 4);
}

/* Without a reader P-25 and P-28 hold to the last event. */
static void drop_newest(void)
{
	const uint64_t capacity = 4 * CTP_CHUNK_RECORDS - 1; /* THREAD_START takes one */
	const uint64_t count = capacity + 12345;
	struct tally tally = {0};
	struct reader reader;
	struct ctp_ring *ring;
	uint64_t i, gap_from = 0, gap_to = 0;

	attach(&reader);
	reader.orders->chunks_per_ring = 4;
	ring = reader_ring(&reader, 0);
	errno = 7;
	for (i = 0; i < count; i++) {
		if (i == capacity)
			gap_from = ctp_time(reader.header->clock);
		emit_numbered(i);
		if (i == capacity)
			gap_to = ctp_time(reader.header->clock);
	}
	CHECK_EQUAL(errno, 7);
	CHECK_EQUAL(ring->head, capacity + 1);
	CHECK_EQUAL(ring->dropped, 12345);
	CHECK_EQUAL(ring->dropped_told, 0);
	CHECK(ring->dropped_first >= gap_from && ring->dropped_first <= gap_to);
	reader_drain_all(&reader, tally_record, &tally);
	for (; i < count + 100; i++)
		emit_numbered(i);
	reader_drain_all(&reader, tally_record, &tally);
	CHECK_EQUAL(tally.numbered + ring->dropped, count + 100);
	CHECK_EQUAL(tally.lost_records, 1);
	CHECK_EQUAL(tally.lost_told, 12345);
	CHECK_EQUAL(tally.lost.coro, ring->dropped_first);
	CHECK_EQUAL(CTP_TAIL_ARGUMENT(tally.lost.tail), CTP_LOSS_FULL);
	CHECK_EQUAL(tally.numbered_before_lost, capacity);
	CHECK_EQUAL(tally.out_of_order, 1);
	CHECK_EQUAL(tally.torn + tally.backwards, 0);
	CHECK_EQUAL(ring->dropped_told, ring->dropped);
	CHECK_EQUAL(reader.header->chunks_used, 4);
}

/*
 * The ring is filled and drained by turns, with budgets down to one chunk; read and dropped events always make up the
 * total.
 */
static void drop_repeatedly(void)
{
	struct tally tally = {0};
	struct reader reader;
	uint64_t count = 0;
	unsigned round;

	attach(&reader);
	for (round = 0; round < 50; round++) {
		uint64_t end = count + 3 * CTP_CHUNK_RECORDS + round * 37;

		ctp_store_relaxed(&reader.orders->chunks_per_ring, 1 + round % 3);
		for (; count < end; count++)
			emit_numbered(count);
		reader_drain(&reader, 0, 777 + round * 100, tally_record, &tally);
	}
	reader_drain_all(&reader, tally_record, &tally);
	emit_numbered(count++);
	reader_drain_all(&reader, tally_record, &tally);
	CHECK_EQUAL(tally.numbered + reader_ring(&reader, 0)->dropped, count);
	CHECK_EQUAL(tally.lost_told, reader_ring(&reader, 0)->dropped);
	CHECK_EQUAL(tally.out_of_order, tally.lost_records);
	CHECK(tally.lost_records > 5);
	CHECK_EQUAL(tally.torn + tally.backwards, 0);
	CHECK_EQUAL(reader.header->chunks_used, 3);
}

/* The writer uses the whole budget, then the whole segment, and exceeds neither. */
static void fill_everything(void)
{
	struct tally tally = {0};
	struct reader reader;
	struct ctp_ring *ring;
	uint64_t i, count = (CTP_RING_CHUNKS + 3) * CTP_CHUNK_RECORDS;

	attach(&reader);
	ring = reader_ring(&reader, 0);
	for (i = 0; i < count; i++)
		emit_numbered(i);
	CHECK_EQUAL(ring->nr_owned, CTP_RING_CHUNKS - 1);
	CHECK_EQUAL(ring->head, (CTP_RING_CHUNKS - 1) * CTP_CHUNK_RECORDS);
	CHECK_EQUAL(ring->head - 1 + ring->dropped, count);
	reader_drain_all(&reader, tally_record, &tally);
	CHECK_EQUAL(tally.numbered, ring->head - 1);
	CHECK_EQUAL(tally.out_of_order + tally.torn + tally.backwards, 0);
}

static void no_chunk_left(void)
{
	struct reader reader;
	struct ctp_ring *ring;
	uint64_t i;

	attach(&reader);
	ring = reader_ring(&reader, 0);
	ctp_store_relaxed(&reader.header->chunks_used, reader.header->chunk_max - 1);
	for (i = 0; i < 2 * CTP_CHUNK_RECORDS; i++)
		emit_numbered(i);
	CHECK_EQUAL(ring->chunk[0], reader.header->chunk_max - 1);
	CHECK_EQUAL(ring->head, CTP_CHUNK_RECORDS);
	CHECK_EQUAL(ring->dropped, CTP_CHUNK_RECORDS + 1);
	CHECK_EQUAL(reader.header->chunks_used, reader.header->chunk_max);
	/* A ring that was refused a chunk asks again, though nothing in the ring itself has changed. */
	ctp_store_relaxed(&reader.header->chunks_used, 5);
	for (i = 0; i < 3 * CTP_CHUNK_RECORDS; i++)
		emit_numbered(i);
	CHECK(ring->head > CTP_CHUNK_RECORDS);
	CHECK_EQUAL(ring->chunk[1], 5);
}

/* The flight recorder refuses nothing, and the newest records remain, whole. */
static void overwrite_unread(void)
{
	struct tally tally = {0};
	struct reader reader;
	struct ctp_ring *ring;
	uint64_t i, count = 20 * CTP_CHUNK_RECORDS + 5;

	attach(&reader);
	reader.orders->chunks_per_ring = 4;
	reader.orders->policy = CTP_POLICY_OVERWRITE_OLDEST;
	ring = reader_ring(&reader, 0);
	for (i = 0; i < count; i++)
		emit_numbered(i);
	CHECK_EQUAL(ring->dropped, 0);
	CHECK_EQUAL(ring->head, count + 1);
	CHECK_EQUAL(ring->floor, 17 * CTP_CHUNK_RECORDS);
	reader_drain_all(&reader, tally_record, &tally);
	CHECK_EQUAL(tally.numbered, ring->head - ring->floor);
	CHECK_EQUAL(tally.next, count);
	CHECK_EQUAL(tally.out_of_order, 1);
	CHECK_EQUAL(tally.torn + tally.backwards, 0);
	CHECK_EQUAL(reader.overwritten, ring->floor);
}

/* The reader copies while the writer overwrites: no record that passes the check against the floor is torn. */
static void overwrite_under_reader(void)
{
	uint64_t count = (IS_SANITIZED ? 100 : 1000) * CTP_CHUNK_RECORDS;
	struct tally tally = {0};
	struct reader reader;
	struct ctp_ring *ring;
	pthread_t thread;

	attach(&reader);
	reader.orders->chunks_per_ring = 2;
	reader.orders->policy = CTP_POLICY_OVERWRITE_OLDEST;
	ring = reader_ring(&reader, 0);
	CHECK(pthread_create(&thread, NULL, emit_many, &count) == 0);
	while (ctp_load_acquire(&ring->head) < count)
		reader_drain_all(&reader, tally_record, &tally);
	pthread_join(thread, NULL);
	reader_drain_all(&reader, tally_record, &tally);
	CHECK_EQUAL(tally.torn + tally.backwards, 0);
	CHECK_EQUAL(ring->dropped, 0);
	CHECK_EQUAL(tally.next, count);
	CHECK_EQUAL(tally.numbered + tally.starts + tally.stops + reader.overwritten, ring->head);
}

int main(void)
{
	reader_listen();
	CHECK_EQUAL(in_child(slow_reader), 0);
	CHECK_EQUAL(in_child(lone_chunk), 0);
	CHECK_EQUAL(in_child(warmest_first), 0);
	CHECK_EQUAL(in_child(drop_newest), 0);
	CHECK_EQUAL(in_child(drop_repeatedly), 0);
	CHECK_EQUAL(in_child(fill_everything), 0);
	CHECK_EQUAL(in_child(no_chunk_left), 0);
	CHECK_EQUAL(in_child(overwrite_unread), 0);
	CHECK_EQUAL(in_child(overwrite_under_reader), 0);
	return check_result();
}
