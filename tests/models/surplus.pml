/* SPDX-License-Identifier: MIT */
/*
 * A chunk that passes from a ring to another one (P-83, P10), while the first is read: two records in two chunks of one
 * each. The giver raises its floor (P3), then lays the oldest chunk out, and overwrites the other one itself. Two
 * takers want the chunk. The reader of the giver's ring keeps nothing of what they write, and one of them alone gets
 * it. The taker's own fence has no mistake here: memory is one for all; C11 asks for it.
 */
#define GIVE_FIRST (wrong == 1)     /* the chunk is laid out before the floor is raised */
#define GIVE_UNORDERED (wrong == 2) /* neither the fence nor the release orders floor and chunk */
#define TAKE_TWICE (wrong == 3)     /* taken by a load and a store, not by an exchange */
#define FLOOR_FIRST (wrong == 4)    /* the reader looks at the floor before it copies */

#define FLOOR 0
#define SURPLUS 1 /* the chunk's number + 1; 0: none */
#define CONTENT 2
#define PLACES (CONTENT + 2)
#define PROCESSORS 3
#define DEPTH 4
#include "memory.pml"

#define GIVER 0
#define FOREIGN 64

byte nr_taken;

proctype giver()
{
	if
	:: GIVE_FIRST -> store_release(GIVER, SURPLUS, 1)
	:: else
	fi;
	store_release(GIVER, FLOOR, 1); /* P3 */
	if
	:: GIVE_UNORDERED -> store(GIVER, SURPLUS, 1)
	:: !GIVE_FIRST && !GIVE_UNORDERED ->
		fence_release(GIVER);
		store_release(GIVER, SURPLUS, 1) /* P10 */
	:: else
	fi;
	store_release(GIVER, FLOOR, 2);
	fence_release(GIVER);
	store(GIVER, CONTENT + 1, 3)
}

proctype taker(byte cpu)
{
	byte taken;

	do
	:: memory[SURPLUS] != 0 ->
		if
		:: TAKE_TWICE -> taken = memory[SURPLUS]; memory[SURPLUS] = 0
		:: else -> atomic { taken = memory[SURPLUS]; memory[SURPLUS] = 0 } /* P10 */
		fi;
		if
		:: taken != 0 ->
			nr_taken++;
			assert(nr_taken == 1);
			store(cpu, CONTENT + taken - 1, FOREIGN + cpu);
			taken = 0
		:: else
		fi
	:: break
	od
}

/* Both records had been published before. */
proctype reader()
{
	byte tail, floor, value;

	do
	:: tail < 2 ->
		if
		:: FLOOR_FIRST -> floor = memory[FLOOR]; value = memory[CONTENT + tail]
		:: else -> value = memory[CONTENT + tail]; floor = memory[FLOOR] /* P3 */
		fi;
		assert(floor > tail || value == tail + 1);
		tail++
	:: else -> break
	od
}

init {
	choose_case();
	atomic {
		memory[CONTENT] = 1;
		memory[CONTENT + 1] = 2;
		run giver();
		run taker(1);
		run taker(2);
		run reader();
		run drain(0);
		run drain(1);
		run drain(2)
	}
}
