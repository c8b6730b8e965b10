/* SPDX-License-Identifier: MIT */
/*
 * The engine asleep and the thread that looks at epoll for it (src/collect/sleep.h, P13): they wait for each other on
 * one futex, in turns. Whatever arrives at epoll ends the engine's sleep; at the end the thread ends, too. Where one of
 * them waits for ever with something left to do, an error is found.
 */
#define ARRIVALS 3

#define WAKE_FIRST (wrong == 1)   /* the thread wakes the engine, and then gives the turn back */
#define WAIT_BLINDLY (wrong == 2) /* the engine waits whatever the word holds by now */
#define END_LOST (wrong == 3)     /* the thread gives the turn back by a store, over the engine's word that all ends */

#define PLACES 1
#define PROCESSORS 1
#define DEPTH 1
#include "memory.pml"

#define ENGINE_LOOKS 0
#define THREAD_LOOKS 1
#define ENDS 2

byte turn;
byte arrived; /* and not taken from epoll yet */
bool is_stop; /* the event descriptor is readable */
bool engine_waits, thread_waits;

proctype arrivals()
{
	byte i;

	do
	:: i < ARRIVALS -> i++; arrived++
	:: else -> break
	od
}

/* Wakes whoever waits on the word. */
inline wake()
{
	atomic {
		engine_waits = false;
		thread_waits = false
	}
}

proctype watch()
{
	do
	:: turn == ENDS -> break
	:: turn == ENGINE_LOOKS ->
		atomic { thread_waits = turn == ENGINE_LOOKS };
		!thread_waits
	:: turn == THREAD_LOOKS ->
		arrived > 0 || is_stop;
		if
		:: WAKE_FIRST -> wake()
		:: else
		fi;
		atomic { turn = (turn == THREAD_LOOKS || END_LOST -> ENGINE_LOOKS : turn) };
		if
		:: !WAKE_FIRST -> wake()
		:: else
		fi
	od
}

proctype engine()
{
	byte taken;

	do
	:: taken < ARRIVALS ->
		atomic { taken = taken + arrived; arrived = 0 };
		if
		:: taken == ARRIVALS
		:: else ->
			if
			:: turn == ENGINE_LOOKS -> turn = THREAD_LOOKS; wake()
			:: else
			fi;
			atomic { engine_waits = turn == THREAD_LOOKS || WAIT_BLINDLY };
			!engine_waits
		fi
	:: else -> break
	od;
	turn = ENDS;
	wake();
	is_stop = true
}

init {
	choose_case();
	atomic {
		run arrivals();
		run watch();
		run engine()
	}
}
