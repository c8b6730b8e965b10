/* SPDX-License-Identifier: MIT */
/*
 * The row of calls on a stack, as places. The place of the row is the innermost that belongs to the program, not to a
 * library.
 */
#ifndef FRAMES_CALLS_H
#define FRAMES_CALLS_H

#include "frames/unwind.h"

struct found;

#define CALLS_MAX 256u
#define CALLS_WITH_REGISTERS 6u

/* Innermost first; the functions that were inlined count as calls. */
struct calls {
	uint32_t places[CALLS_MAX];
	bool are_own[CALLS_MAX];  /* the program's, not a library's */
	bool are_bare[CALLS_MAX]; /* of a file without debug information */
	size_t count;
	uint64_t addresses[CALLS_MAX]; /* in functions, without those that were inlined */
	uint64_t ends[CALLS_MAX];      /* and where their part of the stack ends */
	size_t nr_functions;
	/* the registers in each of the innermost functions */
	struct unwind registers[CALLS_WITH_REGISTERS];
	uint64_t end;        /* where the stack of the outermost begins */
	uint64_t outer;      /* an address in the outermost own function; 0: none */
	uint64_t outer_bare; /* the same, of code without debug information */
	bool is_of_thread;   /* the stack with which a thread began */
	bool is_bare;  /* no own call has a known line: those without debug information count */
	bool is_whole; /* the outermost function is the one with which a stack begins */
	uint64_t content;
};

struct calling {
	const struct image *image;
	const struct modules *modules;
	struct found *found; /* gets the places */
	uint64_t end;        /* of the memory that the stack lies in; 0: not known */
};

/*
 * calls_follow: goes from the function in which the registers are to its callers, as far as they are known. A function
 * whose own part of the stack lies on another one, only began this one, and is left out.
 */
void calls_follow(
	const struct calling *calling, const struct unwind *registers, struct calls *ret_calls);

/*
 * calls_place: returns the innermost own place, with the row as its stack. calls_place_around: returns the place of a
 * call of the same row, with the row as its stack. calls_function: returns the place where the outermost own function
 * is declared. Rows have at least one call.
 */
uint32_t calls_place(struct found *found, const struct calls *calls);
uint32_t calls_place_around(struct found *found, uint32_t place, uint32_t call);
uint32_t calls_function(const struct calling *calling, const struct calls *calls);

#endif
