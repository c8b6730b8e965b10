/* SPDX-License-Identifier: MIT */
/*
 * A ring that overwrites its oldest (P-26): two chunks of two records, three entries. Before a chunk's new content the
 * producer raises the floor (P3), and a fence holds the content back. The consumer copies, then looks at the floor
 * again, and throws away what lies below it. What it keeps is whole and in its place; what it does not get, it counts.
 */
#define EVENTS 6
#define CHUNK (2 - ONE_RECORD)
#define ENTRIES 3
#define CHUNKS 2

#define ONE_RECORD (shape == 1) /* a chunk */

#define FLOOR_LATE (wrong == 1)   /* the floor is raised after the new content */
#define NO_FENCE (wrong == 2)     /* the floor is stored with release, and nothing holds the content back */
#define NO_FLOOR (wrong == 3)     /* the floor is never raised */
#define FLOOR_FIRST (wrong == 4)  /* the consumer looks at the floor before it copies: no acquire of the words */
#define HEAD_RELAXED (wrong == 5) /* the head's store orders nothing before it */
#define READ_AHEAD (wrong == 6)   /* a record is copied before the head says that it is there: no acquire */
#define UNCOUNTED (wrong == 7)    /* what was overwritten before the copy is not counted */

#define HEAD 0
#define FLOOR 1
#define ENTRY 2
#define CONTENT (ENTRY + ENTRIES)
#define PLACES (CONTENT + CHUNKS * 2)
#define PROCESSORS 1
#define DEPTH 5
#include "memory.pml"

#define PRODUCER 0

bool is_over;

/* An entry holds the chunk's number + 1, so that one that was never written is seen. */
#define PLACE_OF(entry, position) (CONTENT + ((entry) - 1) * CHUNK + (position) % CHUNK)

inline raise_floor()
{
	if
	:: !NO_FLOOR -> store_release(PRODUCER, FLOOR, reclaimed * CHUNK) /* P3 */
	:: else
	fi;
	if
	:: !NO_FENCE -> fence_release(PRODUCER)
	:: else
	fi
}

proctype producer()
{
	byte head, assigned, reclaimed, chunk;
	byte in_flight[ENTRIES];

	do
	:: head < EVENTS ->
		if
		:: head / CHUNK < assigned
		:: else ->
			if
			:: assigned < CHUNKS -> chunk = assigned + 1
			:: else ->
				chunk = in_flight[reclaimed % ENTRIES];
				reclaimed++;
				if
				:: !FLOOR_LATE -> raise_floor()
				:: else
				fi
			fi;
			store(PRODUCER, ENTRY + assigned % ENTRIES, chunk);
			in_flight[assigned % ENTRIES] = chunk;
			chunk = 0;
			assigned++
		fi;
		store(PRODUCER, PLACE_OF(in_flight[(head / CHUNK) % ENTRIES], head), head + 1);
		if
		:: FLOOR_LATE && reclaimed > 0 -> raise_floor()
		:: else
		fi;
		head++;
		if
		:: HEAD_RELAXED -> store(PRODUCER, HEAD, head)
		:: else -> store_release(PRODUCER, HEAD, head) /* P1 */
		fi
	:: else -> break
	od;
	is_over = true
}

inline copy()
{
	entry = memory[ENTRY + (tail / CHUNK) % ENTRIES]; /* P3 */
	value = 0;
	if
	:: entry > 0 -> value = memory[PLACE_OF(entry, tail)] /* P3 */
	:: else
	fi
}

proctype consumer()
{
	byte head, tail, floor, entry, value, kept, overwritten;
	bool is_last;

	do
	:: is_last -> break
	:: else ->
		is_last = is_over && IS_DRAINED(PRODUCER);
		if
		:: READ_AHEAD -> copy()
		:: else
		fi;
		head = memory[HEAD]; /* P1 */
		/* What has gone before the copy. */
		floor = memory[FLOOR]; /* P3 */
		atomic {
			floor = (floor > head -> head : floor);
			if
			:: floor > tail ->
				overwritten = (UNCOUNTED -> overwritten : overwritten + floor - tail);
				tail = floor
			:: else
			fi
		}
		do
		:: tail < head ->
			if
			:: FLOOR_FIRST -> floor = memory[FLOOR]
			:: else
			fi;
			if
			:: !READ_AHEAD -> copy()
			:: else
			fi;
			if
			:: !FLOOR_FIRST -> floor = memory[FLOOR] /* P3 */
			:: else
			fi;
			atomic {
				if
				:: floor > tail -> overwritten++
				:: else -> assert(value == tail + 1); kept++
				fi;
				tail++;
				entry = 0;
				value = 0;
				floor = 0
			}
			if
			:: READ_AHEAD && tail < head -> copy()
			:: else
			fi
		:: else -> break
		od
	od;
	assert(kept + overwritten == EVENTS)
}

init {
	choose_case();
	atomic {
		run producer();
		run consumer();
		run drain(PRODUCER)
	}
}
