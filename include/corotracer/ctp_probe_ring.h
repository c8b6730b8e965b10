/* SPDX-License-Identifier: MIT */
/*
 * Rings and chunks, the producer's side. A part of ctp_probe_cold.h: include that.
 *
 * A thread joins an attachment by claiming a ring (P4), which the thread keeps until it ends. A ring is a sequence of
 * records in chunks (ctp.h). Only the owner uses the ring's book-keeping:
 *
 *	[0, reclaimed)         chunk sequence numbers whose chunks went onto `spare`, or into use again
 *	[reclaimed, assigned)  in flight: being written, or waiting for the engine
 *	head / CTP_CHUNK_RECORDS is `assigned` where the next record needs a chunk, else one less
 *
 * Every chunk that the ring has taken is therefore either on `spare` or in flight. Because a ring takes at most
 * CTP_RING_CHUNKS - 1 chunks, no two chunks in flight share an entry of ring->chunk.
 *
 * The book-keeping lies in memory that the engine can write, too. A word read back from there is reduced or checked
 * before it is used for an address.
 */
#ifndef COROTRACER_CTP_PROBE_RING_H
#define COROTRACER_CTP_PROBE_RING_H

#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

#include "corotracer/ctp_probe_cold.h"
#include "corotracer/ctp_probe_share.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CTP_NO_CHUNK UINT32_MAX
#define CTP_RETRY_PERIOD 4096u /* refusals after which the reason for refusing is checked again */
#define CTP_MADV_POPULATE_WRITE 23
/* stack pointers further apart than this count as those of two stacks */
#define CTP_STACK_SPAN (1 << 20)
#if CTP_IS_THREAD_SANITIZED
/* the sanitizer calls signal handlers itself, with no signal frame between */
#define CTP_FRAME_MARGIN 0
#else
#define CTP_FRAME_MARGIN 512 /* smaller than any signal frame with its red zone */
#endif

CTP_COLD uint64_t ctp_time_slow(uint32_t clock)
{
	struct timespec now;

	(void)clock;
	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/*
 * Returns the place of the record at `position`, whose chunk has been assigned; NULL if the chunk's number is not
 * valid.
 */
CTP_COLD_PART struct ctp_record *ctp_record_place(struct ctp_thread *thread, uint64_t position)
{
	uint64_t sequence = position / CTP_CHUNK_RECORDS;
	uint32_t number = ctp_load_relaxed(&thread->ring->chunk[sequence % CTP_RING_CHUNKS]);
	char *chunk;

	if (number >= thread->chunk_max)
		return NULL;
	chunk = ctp_segment_at(
		thread->header, CTP_CHUNK_OFFSET + (uint64_t)number * CTP_CHUNK_BYTES);
	return (struct ctp_record *)(void *)chunk + position % CTP_CHUNK_RECORDS;
}

/* Sets the thread's private words from what its ring has published. */
CTP_COLD_PART void ctp_cursor_reset(struct ctp_thread *thread)
{
	uint64_t head = ctp_load_relaxed(&thread->ring->head);

	thread->cursor = NULL;
	thread->head = head;
	if (head / CTP_CHUNK_RECORDS < thread->ring->assigned)
		thread->cursor = ctp_record_place(thread, head);
}

CTP_COLD_PART uint64_t ctp_ring_drained(const struct ctp_ring *ring)
{
	uint64_t head = ctp_load_relaxed(&ring->head);
	uint64_t tail = ctp_load_acquire(&ring->tail); /* P2 */

	return (tail < head ? tail : head) / CTP_CHUNK_RECORDS;
}

/* Puts drained chunks onto the stack, so that the chunk drained last is taken first. */
CTP_COLD_PART void ctp_chunks_reclaim(struct ctp_ring *ring)
{
	uint64_t drained = ctp_ring_drained(ring);
	uint32_t nr_free = ctp_load_relaxed(&ring->nr_free);

	while (ring->reclaimed < drained && ring->reclaimed < ring->assigned &&
		nr_free < CTP_RING_CHUNKS) {
		ring->spare[nr_free++] = ring->chunk[ring->reclaimed % CTP_RING_CHUNKS];
		ring->reclaimed++;
	}
	ctp_store_relaxed(&ring->nr_free, nr_free);
}

/*
 * Makes the kernel find memory for a chunk now. A first touch in the middle of an event would be expensive, and would
 * end the program if there were no memory. Kernels before 5.14 do not know the advice: there the chunk is touched
 * later.
 */
CTP_COLD_PART bool ctp_chunk_back(struct ctp_thread *thread, uint32_t number)
{
	char *chunk = ctp_segment_at(
		thread->header, CTP_CHUNK_OFFSET + (uint64_t)number * CTP_CHUNK_BYTES);

	return madvise(chunk, CTP_CHUNK_BYTES, CTP_MADV_POPULATE_WRITE) == 0 || errno == EINVAL;
}

CTP_COLD_PART uint32_t ctp_chunk_new(struct ctp_thread *thread)
{
	struct ctp_ring *ring = thread->ring;
	uint32_t number = ring->unbacked - 1;

	if (ring->nr_owned >= ctp_chunk_budget(thread->header))
		return CTP_NO_CHUNK;
	if (ring->unbacked == 0 && !ctp_chunk_find(thread, &number))
		return CTP_NO_CHUNK;
	if (number >= thread->chunk_max)
		return CTP_NO_CHUNK;
	/* A chunk number is never given back: keep the number, and ask for its memory another time. */
	ring->unbacked = number + 1;
	if (!ctp_chunk_back(thread, number))
		return CTP_NO_CHUNK;
	ring->unbacked = 0;
	ring->nr_owned++;
	return number;
}

/* Takes back the chunk with the oldest records in flight, and returns its number. */
CTP_COLD_PART uint32_t ctp_oldest_take(struct ctp_ring *ring)
{
	uint32_t number = ring->chunk[ring->reclaimed % CTP_RING_CHUNKS];

	ring->reclaimed++;
#if CTP_IS_THREAD_SANITIZED
	/* The sanitizer does not know fences; on this machine an exchange orders as much. */
	__atomic_exchange_n(&ring->floor, ring->reclaimed * CTP_CHUNK_RECORDS, __ATOMIC_SEQ_CST);
#else
	ctp_store_release(&ring->floor, ring->reclaimed * CTP_CHUNK_RECORDS); /* P3 */
#endif
	/*
	 * A release store orders the stores before it, but not the stores of the new content after it: those need the
	 * fence.
	 */
	ctp_content_fence();
	return number;
}

/*
 * Gives one chunk up to other rings if this ring owns more than its share, because more threads have come. At most one
 * chunk of a ring is on offer at a time.
 */
CTP_COLD_PART void ctp_surplus_give(const struct ctp_thread *thread)
{
	struct ctp_ring *ring = thread->ring;

	if (ring->nr_owned <= ctp_chunk_share(thread) || ctp_load_relaxed(&ring->surplus) != 0 ||
		ring->assigned - ring->reclaimed < 2)
		return;
	ring->nr_owned--;
	ctp_store_release(&ring->surplus, ctp_oldest_take(ring) + 1); /* P10 */
}

/* Takes a chunk as the flight recorder does: the oldest records in flight are overwritten. */
CTP_COLD_PART uint32_t ctp_chunk_overwrite(struct ctp_thread *thread)
{
	struct ctp_ring *ring = thread->ring;

	if (!ctp_is_overwriting(thread->header) || ring->reclaimed >= ring->assigned)
		return CTP_NO_CHUNK;
	ctp_surplus_give(thread);
	return ctp_oldest_take(ring);
}

CTP_COLD_PART uint32_t ctp_chunk_take(struct ctp_thread *thread)
{
	struct ctp_ring *ring = thread->ring;
	uint32_t number;

	ctp_chunks_reclaim(ring);
	if (ring->nr_free > 0) {
		ring->nr_free--;
		return ring->spare[ring->nr_free % CTP_RING_CHUNKS];
	}
	number = ctp_chunk_new(thread);
	return number != CTP_NO_CHUNK ? number : ctp_chunk_overwrite(thread);
}

/* Makes room for one record. Returns true when thread->cursor points to the room. */
CTP_COLD_PART bool ctp_room_make(struct ctp_thread *thread)
{
	struct ctp_ring *ring = thread->ring;
	uint64_t sequence = thread->head / CTP_CHUNK_RECORDS;

	if (sequence >= ring->assigned) {
		uint32_t number = ctp_chunk_take(thread);

		if (number >= thread->chunk_max)
			return false;
		ctp_store_relaxed(&ring->chunk[sequence % CTP_RING_CHUNKS], number);
		ring->assigned = sequence + 1;
		ctp_instant_note(thread->header);
	}
	thread->cursor = ctp_record_place(thread, thread->head);
	return thread->cursor != NULL;
}

CTP_COLD_PART uint64_t ctp_ring_orders(struct ctp_header *header)
{
	uint64_t policy = ctp_load_relaxed(&ctp_orders_of(header)->policy);

	return (policy << 32) | ctp_chunk_budget(header);
}

CTP_COLD_PART void ctp_drop(struct ctp_ring *ring, uint64_t time)
{
	uint64_t dropped = ring->dropped;

	if (dropped == ring->dropped_told)
		ctp_store_relaxed(&ring->dropped_first, time);
	ctp_store_relaxed(&ring->dropped, dropped + 1);
}

/*
 * A ring that was full is still full if the engine has drained nothing and changed no order since. This test is cheap:
 * a stalled engine should not cost its target system calls.
 */
CTP_COLD_PART bool ctp_is_still_full(const struct ctp_thread *thread)
{
	const struct ctp_ring *ring = thread->ring;

	return ring->full_drained == ctp_ring_drained(ring) + 1 &&
	       ring->full_orders == ctp_ring_orders(thread->header) &&
	       ring->dropped % CTP_RETRY_PERIOD != 0;
}

/* Writes a record that is not an event. Returns false if there is no room for the record. */
CTP_COLD_PART bool ctp_put(struct ctp_thread *thread, const struct ctp_record *record)
{
	if (!ctp_room_make(thread))
		return false;
	ctp_store_relaxed(&thread->ring->nr_beside, thread->ring->nr_beside + 1);
	ctp_publish(thread, record->time, record->coro, record->object, record->tail);
	return true;
}

CTP_COLD_PART bool ctp_tell_lost(struct ctp_thread *thread, uint64_t time)
{
	struct ctp_ring *ring = thread->ring;
	struct ctp_record lost = {time, ring->dropped_first, ring->dropped - ring->dropped_told,
		CTP_TAIL(0, CTP_KIND_LOST, CTP_LOSS_FULL, 0)};

	if (lost.object == 0)
		return true;
	if (!ctp_put(thread, &lost))
		return false;
	ctp_store_relaxed(&ring->dropped_told, ring->dropped);
	return true;
}

CTP_COLD_PART bool ctp_tell_start(struct ctp_thread *thread, uint64_t time)
{
	struct ctp_record start = {time, 0, thread->tid, CTP_TAIL(0, CTP_KIND_THREAD_START, 0, 0)};

	if (!thread->owes_start)
		return true;
	if (!ctp_put(thread, &start))
		return false;
	thread->owes_start = 0;
	return true;
}

/* Makes room for the event at `time`, after the records that must stand before the event: LOST and THREAD_START. */
CTP_COLD_PART bool ctp_ring_prepare(struct ctp_thread *thread, uint64_t time)
{
	struct ctp_ring *ring = thread->ring;

	if (ctp_room_make(thread) && ctp_tell_lost(thread, time) && ctp_tell_start(thread, time) &&
		ctp_room_make(thread)) {
		ring->full_drained = 0;
		return true;
	}
	ring->full_drained = ctp_ring_drained(ring) + 1;
	ring->full_orders = ctp_ring_orders(thread->header);
	ctp_drop(ring, time);
	return false;
}

CTP_COLD_PART bool ctp_owner_try(struct ctp_ring *ring, uint32_t present, uint32_t tid)
{
	/* P4 acquire: the last owner's writes are visible; pairs with P4 in ctp_thread_leave */
	return ctp_load_relaxed(&ring->owner) == present &&
	       __atomic_compare_exchange_n(
		       &ring->owner, &present, tid, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/*
 * Returns whether the owner has ended without giving its ring back: by a raw exit, or because there was no thread key.
 */
CTP_COLD_PART bool ctp_owner_is_gone(uint32_t owner)
{
	return owner != 0 && syscall(SYS_tgkill, getpid(), (int)owner, 0) != 0 && errno == ESRCH;
}

CTP_COLD_PART struct ctp_ring *ctp_ring_reuse(
	struct ctp_header *header, uint32_t tid, bool is_owner_asked)
{
	uint32_t used = ctp_rings_used(header);
	uint32_t i;

	for (i = 0; i < used; i++) {
		struct ctp_ring *ring = ctp_ring_at(header, i);
		uint32_t owner = ctp_load_relaxed(&ring->owner);

		/* A ring that has never been claimed has just been handed to another thread, which will claim it. */
		if (ctp_load_relaxed(&ring->claims) == 0)
			continue;
		if (is_owner_asked ? ctp_owner_is_gone(owner) : owner == 0)
			if (ctp_owner_try(ring, owner, tid))
				return ring;
	}
	return NULL;
}

/* Takes one ring that was given back, if there is any. A thread that has decremented the count finds a ring. */
CTP_COLD_PART struct ctp_ring *ctp_ring_take_free(struct ctp_header *header, uint32_t tid)
{
	uint32_t *nr_free = &ctp_process_state.rings_free;
	uint32_t present = ctp_load_relaxed(nr_free);
	struct ctp_ring *ring;

	do {
		if (present == 0)
			return NULL;
	} while (!__atomic_compare_exchange_n(
		nr_free, &present, present - 1, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)); /* P4 */
	ring = ctp_ring_reuse(header, tid, false);
	if (!ring)
		__atomic_fetch_add(nr_free, 1, __ATOMIC_RELAXED);
	return ring;
}

/*
 * Returns a ring for this thread: one that was given back, else a fresh one, else one whose owner is gone; NULL: none.
 */
CTP_COLD_PART struct ctp_ring *ctp_ring_claim(struct ctp_header *header, uint32_t tid)
{
	struct ctp_ring *ring = ctp_ring_take_free(header, tid);
	uint32_t index;

	/* Without a thread key no thread gives its ring back: look for dead owners before taking new memory. */
	if (!ring && !ctp_process_state.has_thread_key)
		ring = ctp_ring_reuse(header, tid, true);
	if (!ring && ctp_hand_out(&header->rings_used, 1, ctp_process_state.ring_max, &index)) {
		ring = ctp_ring_at(header, index);
		ctp_store_relaxed(&ring->owner, tid);
	}
	return ring ? ring : ctp_ring_reuse(header, tid, true);
}

CTP_COLD_PART void ctp_untraced(struct ctp_header *header)
{
	__atomic_fetch_add(&header->untraced_events, 1, __ATOMIC_RELAXED);
}

/*
 * Returns whether the thread still has to do without a ring: no ring was left for the thread, no ring has been given
 * back since, and the next full search is not due yet.
 */
CTP_COLD_PART bool ctp_is_still_ringless(const struct ctp_thread *thread)
{
	return !thread->ring && ctp_load_relaxed(&ctp_process_state.rings_free) == 0 &&
	       ctp_load_relaxed(&thread->header->untraced_events) % CTP_RETRY_PERIOD != 0;
}

/* Joins the present attachment. Returns false if there is no attachment, or no ring is left (counted). */
CTP_COLD_PART bool ctp_thread_join(struct ctp_thread *thread)
{
	struct ctp_process *process = &ctp_process_state;
	uint32_t pass = ctp_load_acquire(&ctp_gate_page.pass);          /* P8 */
	struct ctp_header *header = ctp_load_acquire(&process->header); /* P8 */

	if (pass == 0 || !header)
		return false;
	if (thread->pass == pass && thread->ring)
		return true;
	thread->cursor = NULL;
	thread->current = thread->before_spawn = 0;
	thread->header = header;
	thread->chunk_max = process->chunk_max;
	thread->tid = (uint32_t)syscall(SYS_gettid);
	thread->ring = ctp_ring_claim(header, thread->tid);
	thread->pass = pass;
	if (!thread->ring) {
		ctp_untraced(header);
		return false;
	}
	thread->owes_start = 1;
	ctp_store_relaxed(&thread->ring->claims, thread->ring->claims + 1);
	ctp_cursor_reset(thread);
	if (process->has_thread_key)
		pthread_setspecific((pthread_key_t)process->thread_key, thread);
	return true;
}

CTP_COLD bool ctp_next_chunk(struct ctp_thread *thread, uint64_t time)
{
	struct ctp_quiet quiet;
	bool has_room;

	if (thread->pass != 0 && thread->pass == ctp_load_relaxed(&ctp_gate_page.pass)) {
		if (thread->ring && ctp_is_still_full(thread)) {
			ctp_drop(thread->ring, time);
			return false;
		}
		if (ctp_is_still_ringless(thread)) {
			ctp_untraced(thread->header);
			return false;
		}
	}
	ctp_quiet_begin(&quiet);
	has_room = ctp_thread_join(thread) && ctp_ring_prepare(thread, time);
	ctp_quiet_end(&quiet);
	return has_room;
}

CTP_COLD_PART bool ctp_is_on_signal_stack(void)
{
	stack_t present;

	return sigaltstack(NULL, &present) == 0 && (present.ss_flags & SS_ONSTACK) != 0;
}

CTP_COLD_PART bool ctp_has_ring(const struct ctp_thread *thread)
{
	return thread->ring && thread->pass == ctp_load_relaxed(&ctp_gate_page.pass);
}

/* Each count is one atomic addition, because signal handlers can interrupt signal handlers here. */
CTP_COLD_PART void ctp_count_nested(const struct ctp_thread *thread)
{
	struct ctp_header *header = ctp_load_acquire(&ctp_process_state.header); /* P8 */

	if (ctp_has_ring(thread))
		__atomic_fetch_add(&thread->ring->nested, 1, __ATOMIC_RELAXED);
	else if (header)
		ctp_untraced(header);
}

/*
 * thread->busy holds the stack pointer at the beginning of the event under way. A handler that interrupted the event
 * runs further down the stack by at least a signal frame, or on the signal stack. If an event comes from further up on
 * the same stack, the code below has been left for good, by siglongjmp: the interrupted event is given up and counted
 * as lost, although it may have been published in its very last instruction. After such a jump, an event from further
 * down cannot be distinguished from a handler's event: it is counted as nested, until an event from further up arrives.
 */
CTP_COLD bool ctp_nested(struct ctp_thread *thread, uintptr_t stack)
{
	intptr_t above = (intptr_t)(stack - thread->busy);

	if (above < -CTP_FRAME_MARGIN || above >= CTP_STACK_SPAN || ctp_is_on_signal_stack()) {
		ctp_count_nested(thread);
		return false;
	}
	if ((thread->busy & CTP_BUSY_ID) == 0)
		ctp_count_nested(thread);
	if (ctp_has_ring(thread))
		ctp_cursor_reset(thread);
	return true;
}

CTP_COLD uint64_t ctp_id_refill(struct ctp_thread *thread, bool is_nested)
{
	struct ctp_header *header = ctp_load_acquire(&ctp_process_state.header); /* P8 */
	uint64_t first;

	if (!header)
		return 0;
	/*
	 * Multiples of CTP_ID_BLOCK are not ids: id 0 means no coroutine, and id_next at a multiple means that the
	 * block is used up.
	 */
	first = __atomic_fetch_add(&header->ids_used, CTP_ID_BLOCK, __ATOMIC_RELAXED) + 1;
	if (!is_nested)
		thread->id_next = first + 1;
	return first;
}

/* Destructor of the thread key: the thread ends, or at least the turn of its key has come. */
CTP_COLD_PART void ctp_thread_leave(void *unused)
{
	struct ctp_thread *thread = ctp_thread_self();
	struct ctp_ring *ring = thread->ring;
	struct ctp_quiet quiet;

	(void)unused;
	ctp_quiet_begin(&quiet);
	if (ring && thread->pass != 0 && thread->pass == ctp_load_relaxed(&ctp_gate_page.pass)) {
		struct ctp_record stop = {ctp_time(CTP_PASS_CLOCK(thread->pass)), 0, thread->tid,
			CTP_TAIL(0, CTP_KIND_THREAD_STOP, 0, 0)};

		ctp_cursor_reset(thread);
		if (ctp_tell_lost(thread, stop.time) && ctp_tell_start(thread, stop.time))
			ctp_put(thread, &stop);
		ctp_store_release(&ring->owner, 0);                                     /* P4 */
		__atomic_fetch_add(&ctp_process_state.rings_free, 1, __ATOMIC_RELEASE); /* P4 */
	}
	thread->pass = 0;
	thread->ring = NULL;
	thread->cursor = NULL;
	thread->busy = 0;
	ctp_quiet_end(&quiet);
}

#ifdef __cplusplus
}
#endif

#endif
