/* SPDX-License-Identifier: MIT */
/*
 * The memory that all processors share, and for each processor the stores that have not reached it. They reach it
 * in any order but: two to the same place keep theirs, a release store comes after all before it, and a release
 * fence lets nothing behind it pass what stands before it. This is what aarch64 may do. x86-64 does less: its stores
 * keep their order, and are late for its own later loads all the same.
 *
 * The model that includes this defines PLACES, PROCESSORS, DEPTH (stores that a processor can have under way) and
 * `shape` and `wrong` (see run). No model loads what it has stored itself: a producer keeps its own copy of its head.
 * Loads happen in program order; a model of a load that may come early says so itself.
 */
#define PLAIN 0
#define RELEASE 1
#define FENCE 2 /* no store: orders those around it */

byte shape; /* which case is looked at; of the environment, as the next */
byte wrong; /* which of the mistakes is made; 0: none */

byte memory[PLACES];

typedef buffer {
	byte place[DEPTH];
	byte value[DEPTH];
	byte order[DEPTH];
	byte count;
};
buffer under_way[PROCESSORS];

inline choose_case()
{
	c_code {
		now.shape = getenv("SHAPE") ? atoi(getenv("SHAPE")) : 0;
		now.wrong = getenv("WRONG") ? atoi(getenv("WRONG")) : 0;
	}
}

inline put(cpu, where, what, how)
{
	atomic {
		under_way[cpu].count < DEPTH;
		if
		:: how == FENCE && under_way[cpu].count == 0 /* nothing to order */
		:: else ->
			under_way[cpu].place[under_way[cpu].count] = where;
			under_way[cpu].value[under_way[cpu].count] = what;
			under_way[cpu].order[under_way[cpu].count] = how;
			under_way[cpu].count++
		fi
	}
}

inline store(cpu, where, what)
{
	put(cpu, where, what, PLAIN)
}

inline store_release(cpu, where, what)
{
	put(cpu, where, what, RELEASE)
}

inline fence_release(cpu)
{
	put(cpu, 0, 0, FENCE)
}

#define IS_DRAINED(cpu) (under_way[cpu].count == 0)

/* Takes the store at `i` out of those under way; `j` is used up. */
inline close_gap(cpu, i, j)
{
	j = i;
	do
	:: j + 1 < under_way[cpu].count ->
		under_way[cpu].place[j] = under_way[cpu].place[j + 1];
		under_way[cpu].value[j] = under_way[cpu].value[j + 1];
		under_way[cpu].order[j] = under_way[cpu].order[j + 1];
		j++
	:: else -> break
	od;
	under_way[cpu].count--;
	under_way[cpu].place[j] = 0;
	under_way[cpu].value[j] = 0;
	under_way[cpu].order[j] = 0
}

/* Brings stores of one processor into memory, whenever and in whatever order it may. */
proctype drain(byte cpu)
{
	byte i, j;

end:	do
	:: atomic {
		under_way[cpu].count > 0;
		/* Any before the first fence ... */
		do
		:: i + 1 < under_way[cpu].count && under_way[cpu].order[i + 1] != FENCE -> i++
		:: break
		od;
		d_step {
			/* ... but the first of those to its place, and a release store only as the first of all. */
			j = 0;
			do
			:: under_way[cpu].place[j] != under_way[cpu].place[i] -> j++
			:: else -> break
			od;
			i = (under_way[cpu].order[j] == RELEASE -> 0 : j);
			memory[under_way[cpu].place[i]] = under_way[cpu].value[i];
			close_gap(cpu, i, j);
			do
			:: under_way[cpu].count > 0 && under_way[cpu].order[0] == FENCE -> close_gap(cpu, 0, j)
			:: else -> break
			od;
			i = 0;
			j = 0
		}
	   }
	od
}
