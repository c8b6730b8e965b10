/* SPDX-License-Identifier: MIT */
/*
 * The sleep handshake (P-90 to P-94, P12): two producers, each with a ring, in one segment or in two. A producer
 * publishes its head, and then looks at `sleeping` with a plain load: no fence, so that the head may still be under
 * way. The engine sets `sleeping`, has every processor pass a barrier, looks at the heads again, and waits on the
 * words. Something else ends its sleep once at most, then only a wake does: where one is lost, the engine waits for
 * ever, which is the error that is looked for.
 */
#define EVENTS_OF(cpu) (TWO_SEGMENTS || cpu == 1 -> 1 : 2)
#define PRODUCERS 2
#define SEGMENTS (TWO_SEGMENTS + 1)

#define TWO_SEGMENTS (shape == 1)

#define NO_BARRIER (wrong == 1)     /* the engine looks again without any barrier */
#define OWN_FENCE (wrong == 2)      /* a fence in the engine alone stands in the barrier's place */
#define NOT_REGISTERED (wrong == 3) /* the barrier passes one producer over: its process has not registered */
#define NO_SECOND_LOOK (wrong == 4) /* the engine does not look again */
#define LOOK_FIRST (wrong == 5)     /* the engine looks again before the barrier */
#define WAKE_FIRST (wrong == 6)     /* the producer wakes, and then sets `sleeping` to 0 */
#define WAIT_BLINDLY (wrong == 7)   /* the engine waits whatever the word holds by now */
#define NO_CLAIM (wrong == 8)       /* the producer wakes, and leaves `sleeping` as it is */

#define HEAD 0
#define SLEEPING PRODUCERS
#define PLACES (SLEEPING + 2)
#define ENGINE PRODUCERS
#define PROCESSORS (PRODUCERS + 1)
#define DEPTH 3
#include "memory.pml"

#define SEGMENT_OF(cpu) (TWO_SEGMENTS * cpu)

bool is_queued[2]; /* the engine, by the kernel, to be woken at this word */
bool is_woken;

/* The kernel's: takes the waiter, if it is there. */
inline futex_wake(word)
{
	atomic {
		if
		:: is_queued[word] -> is_queued[word] = false; is_woken = true
		:: else
		fi
	}
}

proctype producer(byte cpu)
{
	byte head;
	bool is_claimed;

	do
	:: head < EVENTS_OF(cpu) ->
		head++;
		store_release(cpu, HEAD + cpu, head); /* P1 */
		is_claimed = memory[SLEEPING + SEGMENT_OF(cpu)] == 1; /* P12 */
		if
		:: is_claimed && !NO_CLAIM && !WAKE_FIRST ->
			/* The exchange is a release: the head is published before. */
			atomic {
				IS_DRAINED(cpu);
				is_claimed = memory[SLEEPING + SEGMENT_OF(cpu)] == 1;
				memory[SLEEPING + SEGMENT_OF(cpu)] = 0
			}
		:: else
		fi;
		if
		:: is_claimed -> futex_wake(SEGMENT_OF(cpu))
		:: else
		fi;
		if
		:: is_claimed && WAKE_FIRST -> memory[SLEEPING + SEGMENT_OF(cpu)] = 0
		:: else
		fi;
		is_claimed = false
	:: else -> break
	od
}

/* One look: every head once. */
inline look()
{
	has_news = false;
	i = 0;
	do
	:: i < PRODUCERS ->
		atomic {
			has_news = has_news || memory[HEAD + i] != seen[i];
			seen[i] = memory[HEAD + i];
			i++
		}
	:: else -> i = 0; break
	od
}

inline set_sleeping(value)
{
	store(ENGINE, SLEEPING, value);
	if
	:: TWO_SEGMENTS -> store(ENGINE, SLEEPING + 1, value)
	:: else
	fi
}

inline barrier()
{
	if
	:: NO_BARRIER
	:: else ->
		/* Each of them at some moment of the call. */
		IS_DRAINED(ENGINE);
		if
		:: OWN_FENCE
		:: else ->
			IS_DRAINED(0);
			if
			:: NOT_REGISTERED
			:: else -> IS_DRAINED(1)
			fi
		fi
	fi
}

/* futex_waitv: word by word, compared and queued in one step; one that has changed already ends it. */
inline futex_wait()
{
	is_woken = false;
	do
	:: i < SEGMENTS ->
		atomic {
			if
			:: memory[SLEEPING + i] == 1 || WAIT_BLINDLY -> is_queued[i] = true
			:: else -> is_woken = true
			fi;
			i++
		}
	:: else -> break
	od;
	is_woken;
	atomic {
		is_queued[0] = false;
		is_queued[1] = false;
		i = 0
	}
}

#define IS_EVERYTHING_SEEN (seen[0] == EVENTS_OF(0) && seen[1] == EVENTS_OF(1))

proctype engine()
{
	byte i, seen[PRODUCERS];
	bool has_news, was_disturbed;

	do
	:: IS_EVERYTHING_SEEN -> break
	:: else ->
		look();
		if
		:: has_news || IS_EVERYTHING_SEEN
		:: else ->
			set_sleeping(1);
			if
			:: LOOK_FIRST -> look(); barrier()
			:: NO_SECOND_LOOK -> barrier()
			:: else -> barrier(); look()
			fi;
			if
			:: has_news
			:: !has_news -> futex_wait()
			:: !has_news && !was_disturbed -> was_disturbed = true /* by a socket, or by the time */
			fi;
			set_sleeping(0)
		fi
	od
}

init {
	choose_case();
	atomic {
		run producer(0);
		run producer(1);
		run engine();
		run drain(0);
		run drain(1);
		run drain(ENGINE)
	}
}
