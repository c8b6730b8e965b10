/* SPDX-License-Identifier: MIT */
/*
 * P-26. The flight recorder's ring under a producer that laps its reader all the time: no record is torn, repeated or
 * out of order, and read + overwritten = written. Under the thread sanitizer, the test also shows that the two sides
 * agree on the order of their stores and loads.
 */
#include <pthread.h>

#include "check.h"
#include "made_segment.h"
#include "collect/ring.h"

#define NR_CHUNKS 3u
#define NR_LOOKS 3000

struct fixture {
	struct made_segment made;
	uint32_t is_enough;
	uint64_t next; /* the least number that may come */
	uint64_t nr_taken;
	uint64_t nr_torn;
};

/* A word of record `number`: a record mixed from any two others does not fit. */
static uint64_t word(uint64_t number, unsigned index)
{
	return (number + 1) * UINT64_C(0x9e3779b97f4a7c15) + index;
}

static void put(struct fixture *f, uint64_t number)
{
	struct ctp_record *record = made_record(&f->made, f->made.rings, number);

	ctp_store_release(&record->time, number);
	ctp_store_release(&record->coro, word(number, 1));
	ctp_store_release(&record->object, word(number, 2));
	ctp_store_release(
		&record->tail, CTP_TAIL((uint32_t)word(number, 3), CTP_KIND_COUNTER, 0, 0));
}

/* The producer's side of the rule: it stores the floor first, then the chunk's entry, then the chunk's content. */
static void *produce(void *context)
{
	struct fixture *f = context;
	struct ctp_ring *ring = f->made.rings;
	uint64_t number;

	for (number = 0; !ctp_load_relaxed(&f->is_enough); number++) {
		uint64_t sequence = number / CTP_CHUNK_RECORDS;

		if (number % CTP_CHUNK_RECORDS == 0) {
			if (sequence >= NR_CHUNKS)
				ctp_store_release(&ring->floor,
					(sequence - NR_CHUNKS + 1) * CTP_CHUNK_RECORDS);
			ctp_store_release(&ring->chunk[sequence % CTP_RING_CHUNKS],
				(uint32_t)(sequence % NR_CHUNKS));
		}
		put(f, number);
		ctp_store_release(&ring->head, number + 1);
	}
	return NULL;
}

static void take(void *context, struct ring_reader *reader, const struct ring_run *run)
{
	struct fixture *f = context;
	size_t i;

	(void)reader;
	for (i = 0; i < run->nr_records; i++) {
		const struct ctp_record *record = &run->records[i];

		f->nr_torn += record->time < f->next || record->coro != word(record->time, 1) ||
			      record->object != word(record->time, 2) ||
			      CTP_TAIL_SITE(record->tail) != (uint32_t)word(record->time, 3);
		f->next = record->time + 1;
	}
	f->nr_taken += run->nr_records;
}

static uint32_t thread_started(void *context, uint64_t tid, uint64_t time)
{
	(void)context;
	(void)tid;
	(void)time;
	return 1;
}

static void thread_stopped(void *context, uint32_t thread, uint64_t tid, uint64_t time)
{
	(void)context;
	(void)thread;
	(void)tid;
	(void)time;
}

int main(void)
{
	struct fixture f = {.next = 0};
	struct proto_layout layout;
	struct ring_reader reader = {.is_overwriting = true};
	struct ring_space space = {.layout = &layout};
	const struct ring_consumer consumer = {&f, take, thread_started, thread_stopped};
	pthread_t producer;
	int nr_looks = 0;

	made_open(&f.made);
	CHECK_EQUAL(proto_check(f.made.header, f.made.nr_bytes, &layout, NULL), CT_OK);
	reader.shared = f.made.rings;
	space.base = f.made.base;
	space.scratch = calloc(CTP_CHUNK_RECORDS, sizeof(*space.scratch));
	if (pthread_create(&producer, NULL, produce, &f))
		abort();
	while (nr_looks < NR_LOOKS)
		nr_looks += collect_ring_drain(&reader, &space, &consumer) > 0;
	ctp_store_relaxed(&f.is_enough, 1);
	pthread_join(producer, NULL);
	collect_ring_drain(&reader, &space, &consumer);
	CHECK_EQUAL(f.nr_torn, 0);
	CHECK_EQUAL(reader.nr_corrupt, 0);
	CHECK(f.nr_taken > 0);
	CHECK_EQUAL(f.nr_taken + reader.nr_overwritten, f.made.rings[0].head);
	fprintf(stderr, "%llu read, %llu overwritten\n", (unsigned long long)f.nr_taken,
		(unsigned long long)reader.nr_overwritten);
	free(space.scratch);
	made_close(&f.made);
	return check_result();
}
