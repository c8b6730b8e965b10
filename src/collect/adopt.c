/* SPDX-License-Identifier: MIT */
/*
 * Segments that were written before the engine came: segments that waited, segments that another engine left, and
 * flight recorders, whose past is part of the recording.
 *
 * Everything here is read from memory that the target may write at the same time. What is read decides which thread's
 * the events are, and where a loss lay, but never which memory is accessed.
 */
#include "base/clock.h"
#include "collect/collector.h"

#define RING_RECORDS ((uint64_t)CTP_RING_CHUNKS * CTP_CHUNK_RECORDS)

/* ------------------------------------------------------------------ the segment */

/* Defines the loss of what came before the recording, whose size is not known. */
static void lose_beginning(const struct segment *segment)
{
	struct ct_definition definition = {.type = CT_DEFINE_LOSS};

	definition.loss = (struct ct_define_loss){
		.process = segment->process->number,
		.reason = CTP_LOSS_BEFORE,
		.count = 1,
		.first_monotonic_ns = segment->layout.attached.monotonic_ns,
		.last_monotonic_ns = segment->settled_ns,
	};
	/* This is not a loss of the recording: it is in no count. */
	collect_output_define(&segment->collect->output, &definition);
}

void collect_adopt_segment(struct segment *segment)
{
	const struct ctp_header *header = segment->memory.base;

	segment->told_untraced = ctp_load_relaxed(&header->untraced_events);
	segment->told_refused = ctp_load_relaxed(&header->sites_refused);
	if (!segment->layout.is_flight)
		lose_beginning(segment);
	collect_segment_want(segment);
}

/* ------------------------------------------------------------------ the segment's rings */

/* Returns the record at a position whose memory was written; NULL: there is none. */
static const struct ctp_record *record_at(
	const struct segment *segment, const struct ctp_ring *ring, uint64_t position)
{
	uint64_t entry = position / CTP_CHUNK_RECORDS % CTP_RING_CHUNKS;
	const struct ctp_record *chunk = proto_chunk(
		&segment->layout, segment->memory.base, ctp_load_relaxed(&ring->chunk[entry]));

	if (!chunk)
		return NULL;
	if (segment->memory.descriptor >= 0 && position % CTP_CHUNK_RECORDS == 0 &&
		!collect_memory_holds(&segment->memory, chunk, CTP_CHUNK_BYTES))
		return NULL;
	return chunk + position % CTP_CHUNK_RECORDS;
}

uint32_t collect_adopt_first_thread(struct segment *segment, const struct segment_ring *ring)
{
	const struct ctp_ring *shared = ring->reader.shared;
	uint64_t position = ctp_load_acquire(&shared->floor); /* P3 */
	uint64_t head = ctp_load_acquire(&shared->head);      /* P1 */
	const struct ctp_record *first = record_at(segment, shared, position), *record;

	if (head - position > RING_RECORDS)
		return 0;
	for (; position < head; position++) {
		unsigned kind;

		record = record_at(segment, shared, position);
		kind = record ? CTP_TAIL_KIND(ctp_load_relaxed(&record->tail)) : 0;
		if (kind == CTP_KIND_THREAD_STOP)
			return collect_process_thread_told(segment->collect, segment->process,
				ctp_load_relaxed(&record->object),
				ctp_load_relaxed(first ? &first->time : &record->time));
		if (kind == CTP_KIND_THREAD_START)
			return record == first ? 0
					       : collect_process_thread(
							 segment->collect, segment->process, 0, 0);
	}
	return 0;
}

void collect_adopt_ring(
	struct segment *segment, const struct ring_space *space, struct segment_ring *ring)
{
	collect_ring_adopt(&ring->reader, space);
	ring->told_nested = ctp_load_relaxed(&ring->reader.shared->nested);
	/*
	 * Threads pass rings on to one another: the last owner need not be the one that wrote the first remaining
	 * records.
	 */
	if (!segment->layout.is_flight)
		return;
	ring->lost_before = ctp_load_acquire(&ring->reader.shared->floor); /* P3 */
	ring->reader.thread = collect_adopt_first_thread(segment, ring);
}

/* ------------------------------------------------------------------ events that a recorder no longer has */

void collect_adopt_note_first(
	const struct segment *segment, struct segment_ring *ring, uint64_t raw)
{
	if (ring->has_first || !segment->is_found)
		return;
	ring->has_first = true;
	ring->first_raw = raw;
}

/* Converts a raw time on the line between the recorder's beginning and this recording's. */
static uint64_t time_ns(const struct segment *segment, uint64_t raw)
{
	const struct ctp_instant *from = &segment->layout.attached;
	const struct clock_reading *to = &segment->collect->first_reading;

	if (segment->layout.clock != CTP_CLOCK_COUNTER)
		return raw;
	if (raw >= to->counter || to->counter <= from->counter ||
		to->monotonic_ns <= from->monotonic_ns)
		return to->monotonic_ns;
	if (raw <= from->counter)
		return from->monotonic_ns;
	return from->monotonic_ns +
	       (uint64_t)((unsigned __int128)(raw - from->counter) *
			  (to->monotonic_ns - from->monotonic_ns) / (to->counter - from->counter));
}

void collect_adopt_lost_past(
	const struct segment *segment, const struct segment_ring *ring, struct ct_define_loss *loss)
{
	if (ring->lost_before == 0 || ring->told_overwritten > 0)
		return;
	loss->first_monotonic_ns = segment->layout.attached.monotonic_ns;
	if (ring->has_first && loss->count <= ring->lost_before)
		loss->last_monotonic_ns = time_ns(segment, ring->first_raw);
	/* The ring was passed on between threads: the thread is not known. */
	if (ctp_load_relaxed(&ring->reader.shared->claims) != 1)
		loss->thread = 0;
}
