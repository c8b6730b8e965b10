/* SPDX-License-Identifier: MIT */
/*
 * Stacks that were left by longjmp(3): QEMU's coroutines, and others that use swapcontext(3) only to begin one. What
 * setjmp(3) of glibc saved, it keeps with three registers turned and mixed with a secret number, which each thread has
 * in its thread control block; x86-64.
 */
#ifndef FRAMES_JUMPS_H
#define FRAMES_JUMPS_H

#include "frames/unwind.h"

struct jumps {
	const struct image *image;
	const struct modules *modules;
	uint64_t guard; /* the secret number; 0: the program leaves no stack so */
	uint64_t code_start;
	uint64_t code_end; /* all code lies in between */
};

/*
 * jumps_find: finds the secret number, if some file of the program uses longjmp. Code lies between these addresses.
 * False: out of memory.
 */
bool jumps_find(struct jumps *jumps, const struct image *image, const struct modules *modules,
	uint64_t code_start, uint64_t code_end);

/*
 * jumps_take: is the word at the address the saved place of a stack that was then left by longjmp? Its registers are
 * then set, and the address of the jmp_buf.
 */
bool jumps_take(const struct jumps *jumps, uint64_t address, uint64_t word,
	struct unwind *ret_registers, uint64_t *ret_buffer);

#endif
