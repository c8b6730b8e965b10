/* SPDX-License-Identifier: MIT */
/*
 * How the chunks of a segment are shared out among its rings, and how an overwriting segment notes instants. A part of
 * ctp_probe_cold.h: include that.
 *
 * A ring that is drained takes the chunks that it needs, up to the engine's budget, and uses them again. A ring that
 * overwrites takes chunks as long as there are any, and keeps them. The last eighth of the chunks is therefore reserved
 * for the first chunks of later threads. When all chunks are taken, each ring has a share: the number of chunks divided
 * by the number of rings. A ring that has more than its share offers one chunk at a time to rings that have less (P10).
 * The giving ring's floor is raised first, so that a reader that meets the new owner's content throws it away.
 */
#ifndef COROTRACER_CTP_PROBE_SHARE_H
#define COROTRACER_CTP_PROBE_SHARE_H

#include <time.h>

#include "corotracer/ctp_probe_cold.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CTP_CHUNK_BUDGET (CTP_RING_CHUNKS - 1)
#define CTP_INSTANT_NS 2000u
#define CTP_RESERVE_PART \
	8u /* one eighth of an overwriting segment's chunks is reserved for later threads */

CTP_COLD_PART uint64_t ctp_nanoseconds(clockid_t clock)
{
	struct timespec now = {0, 0};

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/*
 * Notes an instant, for readers that read the segment when this machine's counter is gone (P-86). A reading that took
 * too long is dropped: another one will come.
 */
CTP_COLD_PART void ctp_instant_note(struct ctp_header *header)
{
	struct ctp_instant now;
	uint32_t taken;

	if ((header->features_compatible & CTP_FEATURE_FLIGHT) == 0 ||
		__atomic_exchange_n(&header->instants_lock, 1, __ATOMIC_ACQUIRE) != 0) /* P11 */
		return;
	now.monotonic_ns = ctp_nanoseconds(CLOCK_MONOTONIC);
	now.counter = ctp_time(header->clock);
	now.realtime_ns = ctp_nanoseconds(CLOCK_REALTIME);
	if (ctp_nanoseconds(CLOCK_MONOTONIC) - now.monotonic_ns < CTP_INSTANT_NS) {
		taken = ctp_load_relaxed(&header->instants_taken) + 1;
		header->instants[taken % 2] = now;
		ctp_store_release(&header->instants_taken, taken); /* P11 */
	}
	ctp_store_release(&header->instants_lock, 0); /* P11 */
}

CTP_COLD_PART uint32_t ctp_chunk_budget(struct ctp_header *header)
{
	uint32_t budget = ctp_load_relaxed(&ctp_orders_of(header)->chunks_per_ring);

	return budget == 0 || budget > CTP_CHUNK_BUDGET ? CTP_CHUNK_BUDGET : budget;
}

CTP_COLD_PART struct ctp_ring *ctp_ring_at(struct ctp_header *header, uint32_t index)
{
	return (struct ctp_ring *)(void *)ctp_segment_at(header, CTP_RING_OFFSET) + index;
}

CTP_COLD_PART bool ctp_is_overwriting(struct ctp_header *header)
{
	return ctp_load_relaxed(&ctp_orders_of(header)->policy) == CTP_POLICY_OVERWRITE_OLDEST;
}

/* Returns the number of rings, limited to the number that there can be. */
CTP_COLD_PART uint32_t ctp_rings_used(const struct ctp_header *header)
{
	uint32_t used = ctp_load_relaxed(&header->rings_used);

	return used < ctp_process_state.ring_max ? used : ctp_process_state.ring_max;
}

/* Returns how many chunks a ring may have when the rings compete for chunks. */
CTP_COLD_PART uint32_t ctp_chunk_share(const struct ctp_thread *thread)
{
	uint32_t rings = ctp_rings_used(thread->header);
	uint32_t share = rings > 0 ? thread->chunk_max / rings : thread->chunk_max;

	return share > 0 ? share : 1;
}

/* Returns whether the remaining chunks are reserved for later threads, which must be able to begin at once. */
CTP_COLD_PART bool ctp_is_rest_reserved(const struct ctp_thread *thread)
{
	uint32_t used = ctp_load_relaxed(&thread->header->chunks_used);
	uint32_t to_come = ctp_process_state.ring_max - ctp_rings_used(thread->header);
	uint32_t reserve = thread->chunk_max / CTP_RESERVE_PART;

	if (!ctp_is_overwriting(thread->header) || thread->ring->nr_owned == 0)
		return false;
	return used >= thread->chunk_max ||
	       thread->chunk_max - used <= (to_come < reserve ? to_come : reserve);
}

/* Orders the stores that concern a chunk's old content before the stores of its new content. */
CTP_COLD_PART void ctp_content_fence(void)
{
#if !CTP_IS_THREAD_SANITIZED
	__atomic_thread_fence(__ATOMIC_RELEASE); /* P3 */
#endif
}

/* Takes a chunk that another ring has offered because it had more than its share. */
CTP_COLD_PART bool ctp_surplus_take(const struct ctp_thread *thread, uint32_t *ret_number)
{
	uint32_t used = ctp_rings_used(thread->header);
	uint32_t i;

	for (i = 0; i < used; i++) {
		uint32_t *surplus = &ctp_ring_at(thread->header, i)->surplus;
		uint32_t taken;

		if (ctp_load_relaxed(surplus) == 0)
			continue;
		taken = __atomic_exchange_n(surplus, 0, __ATOMIC_ACQUIRE); /* P10 */
		if (taken == 0)
			continue;
		/*
		 * The giving ring raised its floor before it offered the chunk; the fence orders our stores after that.
		 */
		ctp_content_fence();
		*ret_number = taken - 1;
		return true;
	}
	return false;
}

CTP_COLD_PART bool ctp_chunk_find(const struct ctp_thread *thread, uint32_t *ret_number)
{
	if (!ctp_is_rest_reserved(thread) &&
		ctp_hand_out(&thread->header->chunks_used, 1, thread->chunk_max, ret_number))
		return true;
	return ctp_is_overwriting(thread->header) &&
	       thread->ring->nr_owned < ctp_chunk_share(thread) &&
	       ctp_surplus_take(thread, ret_number);
}

#ifdef __cplusplus
}
#endif

#endif
