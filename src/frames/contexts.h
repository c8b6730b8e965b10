/* SPDX-License-Identifier: MIT */
/*
 * The contexts of stackful coroutines that a program has saved: what swapcontext(3) saves, what jump_fcontext of
 * Boost.Context does, what the program's own code does (switches.h), and setjmp(3) (jumps.h); x86-64.
 */
#ifndef FRAMES_CONTEXTS_H
#define FRAMES_CONTEXTS_H

#include "base/map.h"
#include "base/vec.h"
#include "frames/jumps.h"
#include "frames/switches.h"

/* What the code in front of the address at which a context goes on may say: the later, the surer. */
enum context_call {
	CONTEXT_CALL_OTHER, /* another function is called there: since, the stack was used again */
	CONTEXT_CALL_UNKNOWN, /* which one is called is not known */
	CONTEXT_CALL_SWITCH,  /* the function that saves contexts */
};

struct context {
	uint64_t address;     /* of what was saved */
	uint64_t stack_start; /* of its stack; 0: not known */
	uint64_t stack_end;
	struct unwind registers;
	bool is_reached; /* something in memory leads to it */
	enum context_call call;
};

/* A word in memory that may be a pointer to a context. */
struct context_pointer {
	uint64_t address;
	uint32_t context; /* index */
};

struct contexts {
	const struct image *image;
	const struct switches *switches;
	struct jumps jumps;
	VEC(struct context) at;
	/* by the program's own code; those next to their stack come first, as others of it may be of the past */
	VEC(struct context) own;
	VEC(struct context_pointer) pointers; /* by address */
	struct map by_address;
	struct map calls;    /* what the calls in front of addresses lead to (pushes.h) */
	uint64_t code_start; /* all code lies in between */
	uint64_t code_end;
	uint64_t nr_left_out; /* words behind the last context that there was room for */
	bool is_out_of_memory;
};

/* contexts_find: finds all that are saved, some of which may be of the past. Free with contexts_fini in any case. */
bool contexts_find(struct contexts *contexts, const struct image *image,
	const struct modules *modules, const struct switches *switches);
void contexts_fini(struct contexts *contexts);

#endif
