/* SPDX-License-Identifier: MIT */
/* Reports the losses of a segment since the last call, with their time. */
#include "base/clock.h"
#include "collect/collector.h"
#include "collect/segment.h"

/* Makes a loss between the last settling and `end_ns`; 0: now, after the count has been read. */
static struct ct_define_loss loss_of(const struct segment *segment, const struct segment_ring *ring,
	uint32_t reason, uint64_t count, uint64_t end_ns)
{
	return (struct ct_define_loss){
		.process = segment->process->number,
		.thread = ring ? ring->reader.thread : 0,
		.reason = reason,
		.count = count,
		.first_monotonic_ns = segment->settled_ns,
		.last_monotonic_ns = end_ns ? end_ns : clock_monotonic_ns(),
	};
}

static void lose(const struct segment *segment, const struct segment_ring *ring, uint32_t reason,
	uint64_t count, uint64_t end_ns)
{
	struct ct_define_loss loss;

	if (count == 0)
		return;
	loss = loss_of(segment, ring, reason, count, end_ns);
	collect_output_lose(&segment->collect->output, &loss);
}

static void lose_overwritten(
	const struct segment *segment, struct segment_ring *ring, uint64_t count, uint64_t end_ns)
{
	struct ct_define_loss loss = loss_of(segment, ring, CTP_LOSS_OVERWRITTEN, count, end_ns);

	collect_adopt_lost_past(segment, ring, &loss);
	collect_output_lose(&segment->collect->output, &loss);
	ring->told_overwritten += count;
}

/* Returns the growth of `now` beyond *told; a counter that goes back is false, and counts nothing. */
static uint64_t grown(uint64_t now, uint64_t *told)
{
	uint64_t more = now > *told ? now - *told : 0;

	*told += more;
	return more;
}

/*
 * Dropped events are reported in the stream once there is room again. Until then they are a gap. If a record has
 * reported a part of the gap, the rest may have been dropped at any time since the gap began: the record may have
 * waited in the ring.
 */
static void watch_gap(const struct segment *segment, struct segment_ring *ring, uint64_t end_ns)
{
	uint64_t dropped = ctp_load_relaxed(&ring->reader.shared->dropped);
	uint64_t told = ring->reader.nr_told + ring->reader.told_before;
	uint64_t gap = dropped > told ? dropped - told : 0;

	if (gap == ring->gap_size && dropped == ring->nr_dropped)
		return;
	if (ring->gap_size == 0)
		ring->gap_first_ns = segment->settled_ns;
	ring->gap_last_ns = end_ns ? end_ns : clock_monotonic_ns();
	ring->gap_size = gap;
	ring->nr_dropped = dropped;
}

/* Reports the gap as a loss if no record will report it: the thread never had room again. */
static void lose_gap(const struct segment *segment, struct segment_ring *ring)
{
	struct ct_define_loss loss =
		loss_of(segment, ring, CTP_LOSS_FULL, ring->gap_size, ring->gap_last_ns);

	loss.first_monotonic_ns = ring->gap_first_ns;
	collect_output_lose(&segment->collect->output, &loss);
	ring->gap_size = 0;
}

static void settle_ring(
	const struct segment *segment, struct segment_ring *ring, uint64_t end_ns, bool is_last)
{
	struct ring_reader *reader = &ring->reader;

	lose(segment, ring, CTP_LOSS_NESTED,
		grown(ctp_load_relaxed(&reader->shared->nested), &ring->told_nested), end_ns);
	lose(segment, ring, CTP_LOSS_CORRUPT, grown(reader->nr_corrupt, &ring->told_corrupt),
		end_ns);
	if (collect_ring_overwritten(reader) > ring->told_overwritten)
		lose_overwritten(segment, ring,
			collect_ring_overwritten(reader) - ring->told_overwritten, end_ns);
	watch_gap(segment, ring, end_ns);
	if (is_last)
		lose_gap(segment, ring);
}

void collect_segment_settle(struct segment *segment, uint64_t end_ns, bool is_last)
{
	const struct ctp_header *header = segment->memory.base;
	/*
	 * Events that are lost while the counts are read may or may not be in the counts: that time belongs to both
	 * intervals.
	 */
	uint64_t began_ns = end_ns ? end_ns : clock_monotonic_ns();
	size_t i;

	for (i = 0; i < segment->rings.count; i++)
		if (segment->rings.at[i].was_written)
			settle_ring(segment, &segment->rings.at[i], end_ns, is_last);
	lose(segment, NULL, CTP_LOSS_NO_RING,
		grown(ctp_load_relaxed(&header->untraced_events), &segment->told_untraced), end_ns);
	segment->collect->nr_sites_refused +=
		grown(ctp_load_relaxed(&header->sites_refused), &segment->told_refused);
	segment->settled_ns = began_ns;
}
