/* SPDX-License-Identifier: MIT */
/*
 * Reading stations of version 1.
 *
 * The writers are other people's programs. A writer stores a slot's payload, then its sequence number with release;
 * some writers store an odd number before. The reader loads the number, then the payload, then the number again, each
 * sequentially consistent, so a later load never returns an older value. On existing machines this order costs no more
 * than acquire; it also orders version1_sleep before the loads that follow it, as the writer's fence orders its number
 * before its load of the flag.
 */
#include "version1/version1.h"

#include "corotracer/ctp.h"

_Static_assert(sizeof(struct version1_header) == VERSION1_STATION_BYTES, "the header");
_Static_assert(sizeof(struct version1_slot) == 64, "a slot");
_Static_assert(offsetof(struct version1_slot, is_active) == 0x3f, "the last byte of a slot");
_Static_assert(offsetof(struct version1_station, slots) == 0x40, "the slots of a station");
_Static_assert(sizeof(struct version1_station) == VERSION1_STATION_BYTES, "a station");

#define load(pointer) __atomic_load_n((pointer), __ATOMIC_SEQ_CST)

/* ------------------------------------------------------------------ the file */

void version1_format(void *base, uint32_t max_stations)
{
	struct version1_header *header = base;

	header->version = 1;
	header->max_stations = max_stations;
	header->magic = VERSION1_MAGIC;
}

uint32_t version1_allocated(const void *base)
{
	return load(&((const struct version1_header *)base)->allocated_count);
}

const struct version1_station *version1_station(const void *base, uint32_t index)
{
	return (const struct version1_station *)base + 1 + index;
}

void version1_sleep(void *base)
{
	struct version1_header *header = base;

	__atomic_exchange_n(&header->tracer_sleeping, 1, __ATOMIC_SEQ_CST);
}

void version1_wake(void *base)
{
	struct version1_header *header = base;

	ctp_store_relaxed(&header->tracer_sleeping, 0);
}

void version1_identify(
	const struct version1_station *station, struct version1_identity *ret_identity)
{
	ret_identity->is_dead = load(&station->is_dead) != 0;
	ret_identity->probe_id = load(&station->probe_id);
	ret_identity->birth_ns = load(&station->birth_ts);
}

/* ------------------------------------------------------------------ sequence numbers */

static unsigned slot_of(enum version1_discipline discipline, uint64_t number)
{
	return (number + (discipline == VERSION1_COUNTER)) % VERSION1_SLOTS;
}

/* One more than the number of the event that is complete under `seq` in this slot; 0: there is none. */
static uint64_t whole(enum version1_discipline discipline, unsigned slot, uint64_t seq)
{
	if (seq == 0 || seq > VERSION1_EVENTS_MAX)
		return 0;
	if (discipline == VERSION1_COUNTER)
		return seq % VERSION1_SLOTS == slot ? seq : 0;
	return seq % 2 == 0 ? (seq / 2 - 1) * VERSION1_SLOTS + slot + 1 : 0;
}

/* Before event `number`, the slot holds the event eight before it, nothing, or the mark that its writer is busy. */
static bool is_waiting(
	enum version1_discipline discipline, unsigned slot, uint64_t seq, uint64_t number)
{
	if (discipline == VERSION1_SEQUENCE_LOCK)
		return seq / 2 == number / VERSION1_SLOTS;
	return number < VERSION1_SLOTS
		       ? seq == 0
		       : whole(discipline, slot, seq) == number + 1 - VERSION1_SLOTS;
}

uint64_t version1_written(
	const struct version1_station *station, enum version1_discipline discipline)
{
	uint64_t latest = 0;
	unsigned i;

	for (i = 0; i < VERSION1_SLOTS; i++) {
		uint64_t present = whole(discipline, i, load(&station->slots[i].seq));

		if (present > latest)
			latest = present;
	}
	return latest;
}

/*
 * A counter stores only numbers whose remainder modulo 8 is the slot's own number, and fills slot 1 first. A sequence
 * lock cannot do that, because its numbers in neighbouring slots differ by at most two. The second slot is loaded
 * first, so that the earlier content of slot 0 is seen.
 */
enum version1_discipline version1_decide(const struct version1_station *station)
{
	uint64_t first = load(&station->slots[1].seq);
	unsigned i;

	for (i = 0; i < VERSION1_SLOTS; i++) {
		uint64_t seq = load(&station->slots[i].seq);

		if (seq && seq % VERSION1_SLOTS != i)
			return VERSION1_SEQUENCE_LOCK;
	}
	return first ? VERSION1_COUNTER : VERSION1_UNDECIDED;
}

/* ------------------------------------------------------------------ events */

/* With a counter: does an event that may be half overwritten fit the event after it? */
static bool fits(const struct version1_event *event, const struct version1_event *next)
{
	if (event->time > next->time || event->is_active == next->is_active)
		return false;
	/* A resumed coroutine suspends on the same thread. */
	return !event->is_active || event->tid == next->tid;
}

static bool copy(const struct version1_slot *slot, uint64_t seq, struct version1_event *ret_event)
{
	ret_event->time = load(&slot->timestamp);
	ret_event->tid = load(&slot->tid);
	ret_event->addr = load(&slot->addr);
	ret_event->is_active = load(&slot->is_active);
	return load(&slot->seq) == seq;
}

/* Is this event's slot the one that is written next, because all newer events are complete? */
static bool is_next_to_go(const struct version1_station *station, uint64_t number)
{
	unsigned last = slot_of(VERSION1_COUNTER, number + VERSION1_SLOTS - 1);

	return whole(VERSION1_COUNTER, last, load(&station->slots[last].seq)) >=
	       number + VERSION1_SLOTS;
}

static bool is_doubtful(
	const struct version1_station *station, uint64_t number, const struct version1_event *event)
{
	unsigned slot = slot_of(VERSION1_COUNTER, number + 1);
	struct version1_event next;

	if (!is_next_to_go(station, number))
		return false;
	return load(&station->slots[slot].seq) != number + 2 ||
	       !copy(&station->slots[slot], number + 2, &next) || !fits(event, &next);
}

enum version1_found version1_read(const struct version1_station *station,
	enum version1_discipline discipline, uint64_t number, struct version1_event *ret_event)
{
	unsigned index = slot_of(discipline, number);
	const struct version1_slot *slot = &station->slots[index];
	uint64_t seq = load(&slot->seq);

	if (whole(discipline, index, seq) != number + 1)
		return is_waiting(discipline, index, seq, number) ? VERSION1_NOT_YET
								  : VERSION1_GONE;
	if (!copy(slot, seq, ret_event))
		return VERSION1_GONE;
	if (discipline == VERSION1_COUNTER && is_doubtful(station, number, ret_event))
		return VERSION1_GONE;
	return VERSION1_TAKEN;
}
