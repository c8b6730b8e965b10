/* SPDX-License-Identifier: MIT */
/*
 * The contexts of stackful coroutines that a program has saved: what swapcontext(3) saves, what jump_fcontext of
 * Boost.Context does, and what the program's own code does (switches.h); x86-64.
 */
#ifndef FRAMES_CONTEXTS_H
#define FRAMES_CONTEXTS_H

#include "base/map.h"
#include "base/vec.h"
#include "frames/switches.h"

struct context {
	uint64_t address;     /* of what was saved */
	uint64_t stack_start; /* of its stack; 0: not known */
	uint64_t stack_end;
	struct unwind registers;
	bool is_reached; /* something in memory leads to it */
};

struct contexts {
	const struct image *image;
	const struct switches *switches;
	VEC(struct context) at;
	/* by the program's own code; those next to their stack come first, as others of it may be of the past */
	VEC(struct context) own;
	struct map by_address;
	uint64_t code_start; /* all code lies in between */
	uint64_t code_end;
	bool is_out_of_memory;
};

/* contexts_find: finds all that are saved, some of which may be of the past. Free with contexts_fini in any case. */
bool contexts_find(
	struct contexts *contexts, const struct image *image, const struct switches *switches);
void contexts_fini(struct contexts *contexts);

#endif
