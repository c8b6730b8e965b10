/* SPDX-License-Identifier: MIT */
/*
 * Segments made by hand for tests of the engine's side: the test plays the target, honest or hostile. The memory is a
 * sealed memfd, mapped with a forbidden page right behind it, so that a read beyond the end is noticed.
 */
#ifndef TESTS_MADE_SEGMENT_H
#define TESTS_MADE_SEGMENT_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "corotracer/ctp.h"

#define MADE_RINGS 4u
#define MADE_SITES 256u
#define MADE_NAME_BYTES 8192u
#ifndef MADE_CHUNKS
#define MADE_CHUNKS 16u
#endif

struct made_segment {
	int descriptor;
	size_t nr_bytes;
	char *base;
	struct ctp_header *header;
	struct ctp_orders *orders;
	struct ctp_ring *rings;
	struct ctp_site *sites;
	char *names;
	char *chunks; /* the real position, whatever happens to the header */
};

static inline size_t made_bytes(void)
{
	return 2 * CTP_PAGE_BYTES + 3 * CTP_PAGE_BYTES + MADE_SITES * sizeof(struct ctp_site) +
	       MADE_NAME_BYTES + (size_t)MADE_CHUNKS * CTP_CHUNK_BYTES;
}

static inline void made_fill(struct made_segment *made)
{
	struct ctp_header *header = made->header;

	header->version = CTP_VERSION;
	header->header_bytes = sizeof(*header);
	header->segment_bytes = made->nr_bytes;
	header->orders_offset = CTP_PAGE_BYTES;
	header->ring_offset = 2 * CTP_PAGE_BYTES;
	header->site_offset = 5 * CTP_PAGE_BYTES;
	header->name_offset = header->site_offset + MADE_SITES * sizeof(struct ctp_site);
	header->chunk_offset = header->name_offset + MADE_NAME_BYTES;
	header->ring_max = MADE_RINGS;
	header->site_max = MADE_SITES;
	header->name_bytes = MADE_NAME_BYTES;
	header->chunk_max = MADE_CHUNKS;
	header->clock = CTP_CLOCK_MONOTONIC;
	header->role = CTP_ROLE_PROBE;
	header->pid = (uint64_t)getpid();
	header->sites_used = 1;
	header->names_used = 8;
	header->state = CTP_SEGMENT_LIVE;
	ctp_store_release(&header->magic, CTP_MAGIC);
	made->orders = (void *)(made->base + header->orders_offset);
	made->rings = (void *)(made->base + header->ring_offset);
	made->sites = (void *)(made->base + header->site_offset);
	made->names = made->base + header->name_offset;
	made->chunks = made->base + header->chunk_offset;
}

/* A file that can be truncated, like one on a disk. */
static inline void made_open_unsealed(struct made_segment *made)
{
	char *room;

	made->nr_bytes = made_bytes();
	made->descriptor = memfd_create("made", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	room = mmap(NULL, made->nr_bytes + CTP_PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
		-1, 0);
	if (made->descriptor < 0 || ftruncate(made->descriptor, (off_t)made->nr_bytes) ||
		room == MAP_FAILED)
		abort();
	made->base = mmap(room, made->nr_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		made->descriptor, 0);
	if (made->base == MAP_FAILED)
		abort();
	made->header = (void *)made->base;
	made_fill(made);
}

static inline void made_open(struct made_segment *made)
{
	made_open_unsealed(made);
	if (fcntl(made->descriptor, F_ADD_SEALS, F_SEAL_SHRINK))
		abort();
}

static inline void made_close(struct made_segment *made)
{
	munmap(made->base, made->nr_bytes + CTP_PAGE_BYTES);
	if (made->descriptor >= 0)
		close(made->descriptor);
}

/* The address of record `position` of a ring, in the chunk that the ring's entry names. */
static inline struct ctp_record *made_record(
	struct made_segment *made, const struct ctp_ring *ring, uint64_t position)
{
	uint32_t chunk = ring->chunk[position / CTP_CHUNK_RECORDS % CTP_RING_CHUNKS];
	char *at = made->chunks + (size_t)chunk * CTP_CHUNK_BYTES;

	return (struct ctp_record *)(void *)at + position % CTP_CHUNK_RECORDS;
}

/* Writes one record at the head of a ring, and publishes it. The test sets the chunk entry. */
static inline void made_emit(struct made_segment *made, unsigned ring_index, uint64_t object,
	uint32_t site, unsigned kind, unsigned argument)
{
	struct ctp_ring *ring = &made->rings[ring_index];
	struct ctp_record *record = made_record(made, ring, ring->head);

	record->time = ring->head + 1;
	record->coro = 7;
	record->object = object;
	record->tail = CTP_TAIL(site, kind, argument, 0);
	ctp_store_release(&ring->head, ring->head + 1);
}

/* Claims a ring for a thread: its chunk's number, its number of rings, and the thread's start. */
static inline void made_claim(struct made_segment *made, unsigned ring_index, uint64_t tid)
{
	struct ctp_ring *ring = &made->rings[ring_index];
	unsigned i;

	for (i = 0; i < CTP_RING_CHUNKS; i++)
		ring->chunk[i] = (ring_index + i * MADE_RINGS) % MADE_CHUNKS;
	ring->owner = (uint32_t)tid;
	ring->claims++;
	if (made->header->rings_used <= ring_index)
		ctp_store_relaxed(&made->header->rings_used, ring_index + 1);
	made_emit(made, ring_index, tid, 0, CTP_KIND_THREAD_START, 0);
}

/* Writes a name at an offset; returns the offset behind it. */
static inline uint32_t made_name(struct made_segment *made, uint32_t offset, const char *text)
{
	uint32_t length = (uint32_t)strlen(text);

	memcpy(made->names + offset, &length, sizeof(length));
	memcpy(made->names + offset + sizeof(length), text, length);
	return offset + (uint32_t)sizeof(length) + length;
}

#endif
