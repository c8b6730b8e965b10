/* SPDX-License-Identifier: MIT */
/*
 * Code that leaves a stack, as libraries of stackful coroutines write it themselves: it stores all registers that a
 * function has to keep, the stack pointer, and the address to go on at, side by side into memory (minicoro, marl,
 * libdill; x86-64). What is stored where, is read from the code, which is found by its bytes: no name is needed.
 */
#ifndef FRAMES_SWITCHES_H
#define FRAMES_SWITCHES_H

#include "base/vec.h"
#include "frames/pushes.h"
#include "frames/unwind.h"

#define SWITCHES_MAX 16u /* different ones in a program */

/* Bytes from the first register stored to each, by DWARF's numbers. */
struct switched {
	uint32_t offsets[UNWIND_REGISTERS];
	uint32_t bytes;
	uint64_t code;       /* where the stores are */
	uint64_t resumed_at; /* where it goes on; 0: where the switching function returns to */
	bool is_at_return;   /* what is there returns at once: that address is on the stack */
};

struct switches {
	struct switched at[SWITCHES_MAX];
	size_t count;
	struct pushes pushes;
};

/* switches_find: looks through all code of files. */
void switches_find(
	struct switches *switches, const struct image *image, const struct modules *modules);

/*
 * switches_take: does the word at the address belong to a stack that was left so? Its registers are then set, and the
 * address of the first one that was stored.
 */
bool switches_take(const struct switches *switches, const struct image *image, uint64_t address,
	uint64_t word, struct unwind *ret_registers, uint64_t *ret_first);

/*
 * switches_called: is there a call in front of the address? *ret_function is then what it calls, also through a jump of
 * the linker's; 0: the code does not say which function.
 */
bool switches_called(const struct image *image, uint64_t address, uint64_t *ret_function);

#endif
