/* SPDX-License-Identifier: MIT */
/*
 * Harvesting one ring. The head is read once a call: the reader never polls it, because a reader that polls the
 * producer's cache line makes the producer several times slower.
 */
#include "base/count.h"
#include "collect/ring.h"

#define ADOPT_TRIES 100u
#define RING_RECORDS ((uint64_t)CTP_RING_CHUNKS * CTP_CHUNK_RECORDS)

/*
 * Moves the reader to where the producer claims to be. How much the false claim hid cannot be known, so it counts as
 * one record.
 */
static void resynchronise(struct ring_reader *reader, uint64_t head)
{
	reader->nr_corrupt++;
	reader->tail = head;
	ctp_store_release(&reader->shared->tail, head); /* P2 */
}

static void hand_on(struct ring_reader *reader, const struct ring_consumer *consumer,
	const struct ctp_record *records, size_t nr_records, uint64_t nr_events)
{
	struct ring_run run = {records, nr_records, nr_events, reader->thread};

	if (nr_records == 0)
		return;
	if (run.thread == 0) {
		/* The ring was claimed before this reader came: the owner is the best guess. */
		reader->thread = consumer->thread_started(consumer->context,
			ctp_load_relaxed(&reader->shared->owner), ctp_load_relaxed(&records->time));
		run.thread = reader->thread;
	}
	consumer->take(consumer->context, reader, &run);
}

static void note_lost(struct ring_reader *reader, const struct ctp_record *record, uint64_t tail)
{
	uint64_t count = ctp_load_relaxed(&record->object);

	count_add(CTP_TAIL_ARGUMENT(tail) == CTP_LOSS_FULL ? &reader->nr_told
							   : &reader->nr_told_other,
		count);
}

/* Only a few kinds of record need more than to be passed on. */
static inline bool is_noted(unsigned kind)
{
	static const uint64_t noted = UINT64_C(1) << CTP_KIND_LOST |
				      UINT64_C(1) << CTP_KIND_THREAD_START |
				      UINT64_C(1) << CTP_KIND_THREAD_STOP;

	return kind < 64 && noted >> kind & 1;
}

/*
 * Splits a piece of one chunk where the ring passes from one thread to another. The records may change during this
 * loop; a wrong decision can only concern events of the process that changed them.
 */
static void hand_on_by_thread(struct ring_reader *reader, const struct ring_consumer *consumer,
	const struct ctp_record *records, size_t nr_records)
{
	const struct ctp_record *begin = records;
	const struct ctp_record *end = records + nr_records;
	const struct ctp_record *record;
	uint64_t nr_lost = 0, nr_moves = 0;

	for (record = records; record < end; record++) {
		uint64_t tail = ctp_load_relaxed(&record->tail);
		unsigned kind = CTP_TAIL_KIND(tail);

		nr_moves += kind <= CTP_KIND_DETAIL;
		if (!is_noted(kind))
			continue;
		switch (kind) {
		case CTP_KIND_LOST:
			reader->nr_beside++;
			nr_lost++;
			note_lost(reader, record, tail);
			break;
		case CTP_KIND_THREAD_START:
			reader->nr_beside++;
			hand_on(reader, consumer, begin, (size_t)(record - begin),
				(uint64_t)(record - begin) - nr_lost);
			begin = record;
			nr_lost = 0;
			reader->thread = consumer->thread_started(consumer->context,
				ctp_load_relaxed(&record->object), ctp_load_relaxed(&record->time));
			break;
		case CTP_KIND_THREAD_STOP:
			reader->nr_beside++;
			consumer->thread_stopped(consumer->context, reader->thread,
				ctp_load_relaxed(&record->object), ctp_load_relaxed(&record->time));
			break;
		default:
			break;
		}
	}
	reader->nr_moves += nr_moves;
	hand_on(reader, consumer, begin, (size_t)(end - begin), (uint64_t)(end - begin) - nr_lost);
}

/* Asked once per chunk, as a rule: the probe makes the kernel find memory for a whole chunk at once. */
static bool is_backed(struct ring_reader *reader, const struct ring_space *space,
	const struct ctp_record *chunk, uint64_t length)
{
	if (!space->memory || reader->backed == chunk)
		return true;
	if (collect_memory_holds(space->memory, chunk, CTP_CHUNK_BYTES)) {
		reader->backed = chunk;
		return true;
	}
	return collect_memory_holds(
		space->memory, chunk + reader->tail % CTP_CHUNK_RECORDS, length * sizeof(*chunk));
}

/*
 * Returns the chunk that holds record `position`, or NULL if its entry names no chunk. Acquire: if an overwriting
 * producer has put a later chunk there, the floor above it is visible afterwards.
 */
static const struct ctp_record *find_chunk(
	const struct ring_reader *reader, const struct ring_space *space, uint64_t position)
{
	uint64_t entry = (position / CTP_CHUNK_RECORDS) % CTP_RING_CHUNKS;

	return proto_chunk(space->layout, space->base,
		ctp_load_acquire(&reader->shared->chunk[entry])); /* P3 */
}

/* Returns how many records from `position` on lie in the same chunk, before `head`. */
static uint64_t piece_length(uint64_t position, uint64_t head)
{
	uint64_t rest_of_chunk = CTP_CHUNK_RECORDS - position % CTP_CHUNK_RECORDS;
	uint64_t published = head - position;

	return published < rest_of_chunk ? published : rest_of_chunk;
}

static void drain_in_place(struct ring_reader *reader, const struct ring_space *space,
	const struct ring_consumer *consumer, uint64_t head)
{
	while (reader->tail != head) {
		const struct ctp_record *chunk = find_chunk(reader, space, reader->tail);
		uint64_t length = piece_length(reader->tail, head);

		if (chunk && is_backed(reader, space, chunk, length))
			hand_on_by_thread(reader, consumer,
				chunk + reader->tail % CTP_CHUNK_RECORDS, (size_t)length);
		else
			reader->nr_corrupt += length;
		reader->tail += length;
		ctp_store_release(&reader->shared->tail, reader->tail); /* P2 */
	}
}

/*
 * Loads each word with acquire: none of these loads can move below the load of floor that follows. If a word was
 * overwritten before it was read, that load sees the floor above the word.
 */
static void copy_records(struct ctp_record *to, const struct ctp_record *from, uint64_t nr_records)
{
	uint64_t i;

	for (i = 0; i < nr_records; i++) {
		to[i].time = ctp_load_acquire(&from[i].time);     /* P3 */
		to[i].coro = ctp_load_acquire(&from[i].coro);     /* P3 */
		to[i].object = ctp_load_acquire(&from[i].object); /* P3 */
		to[i].tail = ctp_load_acquire(&from[i].tail);     /* P3 */
	}
}

/* Moves past records that the producer has taken back. Returns false if the floor is false. */
static bool skip_overwritten(struct ring_reader *reader, uint64_t head)
{
	uint64_t floor = ctp_load_acquire(&reader->shared->floor); /* P3 */

	/*
	 * The producer may have lapped the ring since the head was read; only a newer head shows whether the floor is
	 * false.
	 */
	if (floor > head && floor > ctp_load_acquire(&reader->shared->head)) /* P1 */
		return false;
	if (floor > head)
		floor = head;
	if (floor > reader->tail) {
		reader->nr_overwritten += floor - reader->tail;
		reader->tail = floor;
	}
	return head - reader->tail <= RING_RECORDS;
}

/* Returns how many of `length` copied records from the tail on were overwritten during the copy. */
static uint64_t count_overwritten(const struct ring_reader *reader, uint64_t length)
{
	uint64_t floor = ctp_load_acquire(&reader->shared->floor); /* P3 */

	if (floor <= reader->tail)
		return 0;
	return floor - reader->tail < length ? floor - reader->tail : length;
}

static void drain_by_copy(struct ring_reader *reader, const struct ring_space *space,
	const struct ring_consumer *consumer, uint64_t head)
{
	while (reader->tail < head) {
		const struct ctp_record *chunk = find_chunk(reader, space, reader->tail);
		uint64_t length = piece_length(reader->tail, head);
		uint64_t gone;

		if (chunk && !is_backed(reader, space, chunk, length))
			chunk = NULL;
		if (chunk)
			copy_records(
				space->scratch, chunk + reader->tail % CTP_CHUNK_RECORDS, length);
		gone = count_overwritten(reader, length);
		reader->nr_overwritten += gone;
		if (chunk)
			hand_on_by_thread(
				reader, consumer, space->scratch + gone, (size_t)(length - gone));
		else
			reader->nr_corrupt += length - gone;
		reader->tail += length;
		if (!reader->is_kept)
			ctp_store_release(&reader->shared->tail, reader->tail); /* P2 */
	}
}

/*
 * Returns whether the head can be true. A ring has no more room than its segment has: all rings may name one chunk, and
 * claim to be full.
 */
static bool is_head_possible(
	struct ring_reader *reader, const struct ring_space *space, uint64_t head)
{
	uint64_t room = (uint64_t)space->layout->chunk_max * CTP_CHUNK_RECORDS;

	if (head < reader->tail)
		return false;
	if (reader->is_overwriting)
		return skip_overwritten(reader, head) && head - reader->tail <= room;
	return head - reader->tail <= (room < RING_RECORDS ? room : RING_RECORDS);
}

/* Returns the losses of full rings that LOST records report which are still to be read. */
static uint64_t sum_of_lost(
	const struct ring_reader *reader, const struct ring_space *space, uint64_t head)
{
	uint64_t position = reader->tail, sum = 0;

	while (position < head) {
		const struct ctp_record *chunk = find_chunk(reader, space, position);
		uint64_t length = piece_length(position, head), i;

		for (i = 0; chunk && i < length; i++) {
			const struct ctp_record *record = &chunk[position % CTP_CHUNK_RECORDS + i];
			uint64_t tail = ctp_load_relaxed(&record->tail);

			if (CTP_TAIL_KIND(tail) == CTP_KIND_LOST &&
				CTP_TAIL_ARGUMENT(tail) == CTP_LOSS_FULL)
				count_add(&sum, ctp_load_relaxed(&record->object));
		}
		position += length;
	}
	return sum;
}

void collect_ring_adopt(struct ring_reader *reader, const struct ring_space *space)
{
	uint64_t told, head, to_come;
	unsigned attempt = 0;

	if (reader->is_kept)
		return;
	do {
		told = ctp_load_relaxed(&reader->shared->dropped_told);
		head = ctp_load_acquire(&reader->shared->head); /* P1 */
	} while (
		told != ctp_load_relaxed(&reader->shared->dropped_told) && ++attempt < ADOPT_TRIES);
	reader->tail = ctp_load_relaxed(&reader->shared->tail);
	/* Records that the last reader saw are not among those that will be overwritten. */
	if (reader->tail > 0)
		reader->nr_beside = ctp_load_relaxed(&reader->shared->nr_beside);
	if (reader->tail > head ||
		(!reader->is_overwriting && head - reader->tail > RING_RECORDS)) {
		resynchronise(reader, head);
		return;
	}
	reader->told_before = told;
	if (reader->is_overwriting)
		return;
	to_come = sum_of_lost(reader, space, head);
	reader->told_before = told > to_come ? told - to_come : 0;
}

uint64_t collect_ring_drain(struct ring_reader *reader, const struct ring_space *space,
	const struct ring_consumer *consumer)
{
	uint64_t head = ctp_load_acquire(&reader->shared->head); /* P1 */
	uint64_t before;

	if (head == reader->tail)
		return 0;
	if (!is_head_possible(reader, space, head)) {
		resynchronise(reader, head);
		return 1;
	}
	before = reader->tail; /* after the records that were overwritten */
	if (reader->is_overwriting)
		drain_by_copy(reader, space, consumer, head);
	else
		drain_in_place(reader, space, consumer, head);
	return reader->tail - before;
}

void collect_ring_give_up(struct ring_reader *reader)
{
	uint64_t head = ctp_load_acquire(&reader->shared->head); /* P1 */

	if (head != reader->tail)
		resynchronise(reader, head);
}

bool collect_ring_has_news(const struct ring_reader *reader)
{
	return ctp_load_acquire(&reader->shared->head) != reader->tail; /* P1 */
}

uint64_t collect_ring_overwritten(const struct ring_reader *reader)
{
	uint64_t nr_beside = ctp_load_relaxed(&reader->shared->nr_beside);
	uint64_t unseen = nr_beside > reader->nr_beside ? nr_beside - reader->nr_beside : 0;

	return reader->nr_overwritten > unseen ? reader->nr_overwritten - unseen : 0;
}
