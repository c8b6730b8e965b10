/* SPDX-License-Identifier: MIT */
/*
 * Orders to a segment's probe, and whether its events are wanted (P-18, P-29).
 */
#include "collect/collector.h"
#include "collect/segment.h"

void collect_segment_order(struct segment *segment)
{
	const struct collect *collect = segment->collect;
	struct ctp_orders *orders = collect_segment_orders(segment);

	ctp_store_relaxed(&orders->categories_off, collect->categories_off);
	/* A flight recorder has its own. */
	if (!segment->layout.is_flight) {
		ctp_store_relaxed(&orders->chunks_per_ring, collect->chunks_per_ring);
		ctp_store_relaxed(&orders->policy,
			collect->overwrites ? CTP_POLICY_OVERWRITE_OLDEST : CTP_POLICY_DROP_NEWEST);
	}
	if (collect->is_released)
		collect_segment_unwant(segment);
}

/* A number of its own for each time during which events are wanted: nothing is known of what was between. */
void collect_segment_want(struct segment *segment)
{
	struct ctp_orders *orders = collect_segment_orders(segment);
	uint32_t wanted = ctp_load_relaxed(&orders->wanted);

	if (wanted == 0) {
		wanted = ctp_load_relaxed(&orders->attachments) + 1;
		ctp_store_relaxed(&orders->attachments, wanted);
		wanted <<= CTP_WANTED_BITS;
	}
	ctp_store_relaxed(&orders->wanted, wanted | CTP_WANTED_ENGINE);
}

/* A flight recorder goes on. */
void collect_segment_unwant(struct segment *segment)
{
	struct ctp_orders *orders = collect_segment_orders(segment);
	uint32_t wanted = ctp_load_relaxed(&orders->wanted) & ~CTP_WANTED_ENGINE;

	ctp_store_relaxed(&orders->wanted, wanted & CTP_WANTED_FLIGHT ? wanted : 0);
}
