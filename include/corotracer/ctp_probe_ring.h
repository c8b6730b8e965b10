/* SPDX-License-Identifier: MIT */
/*
 * Rings and chunks, the producer's side. A part of ctp_probe_cold.h: include that.
 *
 * A thread joins an attachment by claiming a ring (P4), which it keeps until it ends. A ring is a
 * sequence of records in chunks (ctp.h). Its book-keeping is the owner's alone:
 *
 *	[0, reclaimed)         chunk sequence numbers whose chunks went onto `spare`, or into use again
 *	[reclaimed, assigned)  in flight: being written, or waiting for the engine
 *	head / CTP_CHUNK_RECORDS is `assigned` where the next record needs a chunk, else one less
 *
 * So every chunk that the ring has taken is on `spare` or in flight, and as at most
 * CTP_RING_CHUNKS - 1 are taken, no two in flight share an entry of ring->chunk.
 *
 * All this lies in memory that the engine can write, too. A word read back from it is reduced or checked before it
 * decides an address.
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
#define CTP_RETRY_PERIOD 4096u /* refusals after which the reason is looked at again */
#define CTP_MADV_POPULATE_WRITE 23
#define CTP_STACK_SPAN (1 << 20) /* further apart is taken for two stacks */
#if CTP_IS_THREAD_SANITIZED
#define CTP_FRAME_MARGIN 0 /* the tool calls handlers itself, with no signal frame between */
#else
#define CTP_FRAME_MARGIN 512 /* less than any signal frame with its red zone */
#endif

CTP_COLD uint64_t ctp_time_slow(uint32_t clock)
{
	struct timespec now;

	(void)clock;
	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Record p's place, in a chunk that has been assigned; NULL where the chunk's number is not sound. */
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

/* Sets the thread's private words by what its ring has published. */
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

/* Drained chunks go onto the stack, so that the one drained last is taken first. */
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
 * Has the kernel find memory for a chunk now: a first touch in the middle of an event is dear, and would end the
 * program where there is no memory. Kernels before 5.14 cannot: the chunk is touched later.
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
	/* A number is never given back: keep it, to ask for its memory another time. */
	ring->unbacked = number + 1;
	if (!ctp_chunk_back(thread, number))
		return CTP_NO_CHUNK;
	ring->unbacked = 0;
	ring->nr_owned++;
	return number;
}

/* Takes the oldest records in flight back, and returns their chunk. */
CTP_COLD_PART uint32_t ctp_oldest_take(struct ctp_ring *ring)
{
	uint32_t number = ring->chunk[ring->reclaimed % CTP_RING_CHUNKS];

	ring->reclaimed++;
#if CTP_IS_THREAD_SANITIZED
	/* The tool knows no fences; on this machine an exchange orders as much. */
	__atomic_exchange_n(&ring->floor, ring->reclaimed * CTP_CHUNK_RECORDS, __ATOMIC_SEQ_CST);
#else
	ctp_store_release(&ring->floor, ring->reclaimed * CTP_CHUNK_RECORDS); /* P3 */
#endif
	/* A release store holds back what came before it, not the content that follows. */
	ctp_content_fence();
	return number;
}

/* More threads have come than there were: one chunk at a time is laid out for them. */
CTP_COLD_PART void ctp_surplus_give(const struct ctp_thread *thread)
{
	struct ctp_ring *ring = thread->ring;

	if (ring->nr_owned <= ctp_chunk_share(thread) || ctp_load_relaxed(&ring->surplus) != 0 ||
		ring->assigned - ring->reclaimed < 2)
		return;
	ring->nr_owned--;
	ctp_store_release(&ring->surplus, ctp_oldest_take(ring) + 1); /* P10 */
}

/* The flight recorder's way: the oldest records in flight give way. */
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

/* Makes room for one record: true when thread->cursor points to it. */
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
 * A ring that was full and where nothing has happened since is full still. This test is cheap: a stalled engine should
 * not cost its target system calls.
 */
CTP_COLD_PART bool ctp_is_still_full(const struct ctp_thread *thread)
{
	const struct ctp_ring *ring = thread->ring;

	return ring->full_drained == ctp_ring_drained(ring) + 1 &&
	       ring->full_orders == ctp_ring_orders(thread->header) &&
	       ring->dropped % CTP_RETRY_PERIOD != 0;
}

/* Writes a record of the probe's own; false: no room for it. */
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

/* Room for the event at `time`, after all that has to be said before it. */
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
	/* P4 acquire: the last owner's writes are seen; pairs with P4 in ctp_thread_leave */
	return ctp_load_relaxed(&ring->owner) == present &&
	       __atomic_compare_exchange_n(
		       &ring->owner, &present, tid, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* A thread that ended without giving its ring back: by a raw exit, or with no thread key to be had. */
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

		/* A ring without a claim yet is on its way to the thread that it was handed to. */
		if (ctp_load_relaxed(&ring->claims) == 0)
			continue;
		if (is_owner_asked ? ctp_owner_is_gone(owner) : owner == 0)
			if (ctp_owner_try(ring, owner, tid))
				return ring;
	}
	return NULL;
}

/* One ring given back, if there are any: a thread that has counted itself in finds one. */
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

/* A ring for this thread: one given back, else a fresh one, else one whose owner is gone. */
CTP_COLD_PART struct ctp_ring *ctp_ring_claim(struct ctp_header *header, uint32_t tid)
{
	struct ctp_ring *ring = ctp_ring_take_free(header, tid);
	uint32_t index;

	/* Without a key no thread gives back, so the dead are looked for before memory is taken. */
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

/* No ring was left for this thread, none has been given back since, and it is not time to look. */
CTP_COLD_PART bool ctp_is_still_ringless(const struct ctp_thread *thread)
{
	return !thread->ring && ctp_load_relaxed(&ctp_process_state.rings_free) == 0 &&
	       ctp_load_relaxed(&thread->header->untraced_events) % CTP_RETRY_PERIOD != 0;
}

/* Joins the present attachment. False: there is none, or no ring is left (counted). */
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

/* Added in one step each, for handlers can interrupt handlers here. */
CTP_COLD_PART void ctp_count_nested(const struct ctp_thread *thread)
{
	struct ctp_header *header = ctp_load_acquire(&ctp_process_state.header); /* P8 */

	if (ctp_has_ring(thread))
		__atomic_fetch_add(&thread->ring->nested, 1, __ATOMIC_RELAXED);
	else if (header)
		ctp_untraced(header);
}

/*
 * thread->busy says where the stack stood when the event under way began. A handler that interrupted it runs further
 * down by a signal frame at least, or on the signal stack. An event that comes from further up on the same stack proves
 * that the code below has been left for good, by siglongjmp: that event is given up and counted, though it may have
 * been published in its very last instruction. An event from further down after such a jump cannot be told from a
 * handler's: it is counted as nested, until an event from further up arrives.
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
	/* Multiples of CTP_ID_BLOCK are no ids: id 0 is none, and one word tells a block's end. */
	first = __atomic_fetch_add(&header->ids_used, CTP_ID_BLOCK, __ATOMIC_RELAXED) + 1;
	if (!is_nested)
		thread->id_next = first + 1;
	return first;
}

/* The thread key's destructor: the thread ends, or at least its key's turn has come. */
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
