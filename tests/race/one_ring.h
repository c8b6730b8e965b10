/* SPDX-License-Identifier: MIT */
/*
 * The collector's collect_ring_drain step by step, for a test that interleaves it; must be included before the probe's
 * functions. The steps are the protocol's accesses: the four operations of ctp.h are redefined here, each with a point
 * at which another actor may continue. The test defines check_record, which gets every record.
 */
#ifndef TESTS_ONE_RING_H
#define TESTS_ONE_RING_H

#include "corotracer/ctp.h"
#include "schedule.h"

#undef ctp_load_relaxed
#undef ctp_load_acquire
#undef ctp_store_relaxed
#undef ctp_store_release
#define ctp_load_relaxed(pointer) (schedule_point(), __atomic_load_n((pointer), __ATOMIC_RELAXED))
#define ctp_load_acquire(pointer) (schedule_point(), __atomic_load_n((pointer), __ATOMIC_ACQUIRE))
#define ctp_store_relaxed(pointer, value) \
	(schedule_point(), __atomic_store_n((pointer), (value), __ATOMIC_RELAXED))
#define ctp_store_release(pointer, value) \
	(schedule_point(), __atomic_store_n((pointer), (value), __ATOMIC_RELEASE))

#include "../../src/collect/ring.c"

static void check_record(const struct ctp_record *record);

/* Like the collector's, but for chunks of this test's size. */
const struct ctp_record *proto_chunk(
	const struct proto_layout *layout, const void *base, uint32_t number)
{
	if (number >= layout->chunk_max)
		return NULL;
	return (const void *)((const char *)base + layout->chunk_offset +
			      (uint64_t)number * CTP_CHUNK_BYTES);
}

/* Like the collector's; all memory of these tests has been written. */
bool collect_memory_holds(const struct memory *memory, const void *at, size_t nr_bytes)
{
	return memory && at && nr_bytes;
}

static void take_run(void *context, struct ring_reader *from, const struct ring_run *run)
{
	size_t i;

	(void)context;
	(void)from;
	for (i = 0; i < run->nr_records; i++)
		check_record(&run->records[i]);
}

static uint32_t start_thread(void *context, uint64_t tid, uint64_t time)
{
	(void)context;
	(void)tid;
	(void)time;
	return 1;
}

static void stop_thread(void *context, uint32_t thread, uint64_t tid, uint64_t time)
{
	(void)context;
	(void)thread;
	(void)tid;
	(void)time;
}

static const struct ring_consumer consumer = {NULL, take_run, start_thread, stop_thread};

#endif
