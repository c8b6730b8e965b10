/* SPDX-License-Identifier: MIT */
/*
 * A ring that drops its newest (P-20 to P-25): chunks of two records, three entries, two chunks or one. The producer
 * publishes with release (P1), and takes a chunk again only when the tail has passed it (P2). What finds no room is
 * counted, and the next record tells of it. The consumer gets every event once, whole, in order, or its count in the
 * right place. That P2 is loaded with acquire has no mistake of its own here: no processor stores before a load that
 * decides whether it stores at all; a compiler might.
 */
#define EVENTS 8
#define CHUNK 2
#define ENTRIES 3
#define CHUNKS (2 - ONE_CHUNK)
#define LOST 64 /* such a record tells of value - LOST events */

#define ONE_CHUNK (shape == 1) /* of two records */

#define HEAD_RELAXED (wrong == 1)   /* the head's store orders nothing before it */
#define HEAD_FIRST (wrong == 2)     /* the head is stored before the record */
#define ENTRY_LATE (wrong == 3)     /* a chunk's entry is written after its first record was published */
#define READ_AHEAD (wrong == 4)     /* a record is read before the head says that it is there: no acquire */
#define TAIL_EARLY (wrong == 5)     /* the tail passes a record that is still to be read: no release */
#define TAIL_UNREAD (wrong == 6)    /* a chunk is taken again whatever the tail says */
#define DROP_UNCOUNTED (wrong == 7) /* what finds no room is not counted */

#define HEAD 0
#define TAIL 1
#define ENTRY 2
#define CONTENT (ENTRY + ENTRIES)
#define PLACES (CONTENT + 2 * CHUNK)
#define PROCESSORS 1
#define DEPTH 4
#include "memory.pml"

#define PRODUCER 0

byte dropped, told;
bool is_over;

/* An entry holds the chunk's number + 1, so that one that was never written is seen. */
#define PLACE_OF(entry, position) (CONTENT + ((entry) - 1) * CHUNK + (position) % CHUNK)

inline publish(value)
{
	if
	:: HEAD_FIRST -> store_release(PRODUCER, HEAD, head + 1)
	:: else
	fi;
	store(PRODUCER, PLACE_OF(in_flight[(head / CHUNK) % ENTRIES], head), value);
	head++;
	if
	:: HEAD_RELAXED -> store(PRODUCER, HEAD, head)
	:: !HEAD_RELAXED && !HEAD_FIRST -> store_release(PRODUCER, HEAD, head)
	:: else
	fi;
	if
	:: ENTRY_LATE -> store(PRODUCER, ENTRY + ((head - 1) / CHUNK) % ENTRIES, in_flight[((head - 1) / CHUNK) % ENTRIES])
	:: else
	fi
}

/* What lies below the tail is put on the stack of spare chunks; then one is taken from it, or a new one. */
inline make_room()
{
	has_room = true;
	if
	:: head / CHUNK < assigned
	:: else ->
		tail = memory[TAIL];
		d_step {
			do
			:: reclaimed < assigned && (TAIL_UNREAD || tail / CHUNK > reclaimed) ->
				spare[nr_spare] = in_flight[reclaimed % ENTRIES];
				nr_spare++;
				reclaimed++
			:: else -> break
			od;
			chunk = 0;
			if
			:: nr_spare > 0 -> nr_spare--; chunk = spare[nr_spare]; spare[nr_spare] = 0
			:: nr_spare == 0 && owned < CHUNKS -> owned++; chunk = owned
			:: else -> has_room = false
			fi;
			tail = 0
		}
		if
		:: has_room && !ENTRY_LATE -> store(PRODUCER, ENTRY + assigned % ENTRIES, chunk)
		:: else
		fi;
		if
		:: has_room -> in_flight[assigned % ENTRIES] = chunk; assigned++
		:: else
		fi
	fi
}

inline drop()
{
	dropped = (DROP_UNCOUNTED -> dropped : dropped + 1)
}

proctype producer()
{
	byte event, head, tail, assigned, reclaimed, owned, chunk, nr_spare;
	byte in_flight[ENTRIES], spare[2];
	bool has_room;

	do
	:: event < EVENTS ->
		event++;
		make_room();
		if
		:: has_room && dropped > told ->
			publish(LOST + dropped - told);
			told = dropped;
			make_room()
		:: else
		fi;
		if
		:: has_room -> publish(event)
		:: else -> drop()
		fi
	:: else -> break
	od;
	is_over = true
}

inline take(value)
{
	if
	:: value >= LOST -> next = next + value - LOST
	:: else -> assert(value == next + 1); next++
	fi
}

proctype consumer()
{
	byte head, tail, next, early, entry, value;
	bool is_last, is_early;

	do
	:: is_last -> break
	:: else ->
		is_last = is_over && IS_DRAINED(PRODUCER);
		entry = memory[ENTRY + (tail / CHUNK) % ENTRIES];
		is_early = READ_AHEAD && entry > 0;
		if
		:: is_early -> early = memory[PLACE_OF(entry, tail)]
		:: else
		fi;
		head = memory[HEAD];
		do
		:: tail < head ->
			if
			:: TAIL_EARLY -> memory[TAIL] = tail + 1
			:: else
			fi;
			entry = memory[ENTRY + (tail / CHUNK) % ENTRIES];
			assert(entry != 0);
			value = (is_early -> early : memory[PLACE_OF(entry, tail)]);
			atomic { take(value); is_early = false; early = 0; entry = 0; value = 0; tail++ }
			memory[TAIL] = tail
		:: else -> break
		od
	od;
	assert(next + dropped - told == EVENTS)
}

init {
	choose_case();
	atomic {
		run producer();
		run consumer();
		run drain(PRODUCER)
	}
}
