/* SPDX-License-Identifier: MIT */
/*
 * A segment whose peer writes anything at any time. The input is a list of stores: two bytes of position, eight of
 * value; after every fourth store the engine looks. The harness checks only that the reader stays inside the memory (a
 * forbidden page lies behind it) and comes to an end.
 */
#include <stdint.h>

#include "made_segment.h"
#include "proto/proto.h"
#include "collect/ring.h"

#define STORE_BYTES 10u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

struct harness {
	struct made_segment made;
	struct proto_layout layout;
	struct ring_reader readers[MADE_RINGS];
	struct ctp_record scratch[CTP_CHUNK_RECORDS];
	uint64_t sum; /* over every word that a consumer would read */
};

static void take(void *context, struct ring_reader *reader, const struct ring_run *run)
{
	struct harness *harness = context;
	size_t i;

	(void)reader;
	for (i = 0; i < run->nr_records; i++)
		harness->sum += run->records[i].time ^ run->records[i].coro ^
				run->records[i].object ^ run->records[i].tail;
}

static uint32_t thread_started(void *context, uint64_t tid, uint64_t time)
{
	(void)context;
	(void)time;
	return (uint32_t)tid | 1;
}

static void thread_stopped(void *context, uint32_t thread, uint64_t tid, uint64_t time)
{
	(void)context;
	(void)thread;
	(void)tid;
	(void)time;
}

static void look(struct harness *harness)
{
	const struct ring_space space = {
		&harness->layout, harness->made.base, harness->scratch, NULL};
	const struct ring_consumer consumer = {harness, take, thread_started, thread_stopped};
	static struct proto_site site;
	struct proto_layout again;
	char program[64];
	uint32_t i;

	/* A second engine that finds the memory as it is now. */
	if (proto_check(harness->made.header, harness->made.nr_bytes, &again, NULL) == CT_OK) {
		for (i = 0; i < again.site_max; i += 17)
			proto_read_site(&again, harness->made.base, i, &site);
		proto_fact(&again, harness->made.base, "program", program, sizeof(program));
		harness->sum += strlen(program);
	}
	for (i = 0; i < MADE_RINGS; i++)
		collect_ring_drain(&harness->readers[i], &space, &consumer);
	for (i = 0; i < MADE_SITES; i++)
		if (proto_read_site(&harness->layout, harness->made.base, i, &site))
			harness->sum += strlen(site.file) + strlen(site.function);
}

/* The position is mapped into the header, the rings, the sites and names, or the first records. */
static void store(struct harness *harness, const uint8_t *bytes)
{
	size_t interesting = harness->made.nr_bytes - (size_t)(MADE_CHUNKS - 1) * CTP_CHUNK_BYTES;
	size_t place = (size_t)(bytes[0] | bytes[1] << 8) * 8 % interesting;

	memcpy(harness->made.base + place, bytes + 2, 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	struct harness *harness = calloc(1, sizeof(*harness));
	unsigned i;

	made_open(&harness->made);
	for (i = 0; i < MADE_RINGS; i++) {
		made_claim(&harness->made, i, 100 + i);
		harness->readers[i].shared = &harness->made.rings[i];
		harness->readers[i].is_overwriting = i % 2;
	}
	if (proto_check(harness->made.header, harness->made.nr_bytes, &harness->layout, NULL))
		abort();
	for (i = 0; nr_bytes >= STORE_BYTES; i++) {
		store(harness, bytes);
		bytes += STORE_BYTES;
		nr_bytes -= STORE_BYTES;
		if (i % 4 == 3)
			look(harness);
	}
	look(harness);
	made_close(&harness->made);
	free(harness);
	return 0;
}
