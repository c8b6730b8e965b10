/* SPDX-License-Identifier: MIT */
/*
 * Code that leaves a stack by pushing the registers that a function has to keep, and storing the stack pointer alone,
 * as Ruby's fibers and libcoro do; x86-64. Such code is known by its bytes, and what it pushed by the call that led
 * to it.
 */
#ifndef FRAMES_PUSHES_H
#define FRAMES_PUSHES_H

#include "base/map.h"
#include "frames/unwind.h"

#define PUSHES_MAX 8u /* different ones in a program */
#define PUSHED_REGISTERS 6u

struct pushed {
	uint64_t code;                       /* where the stack pointer is stored */
	uint8_t registers[PUSHED_REGISTERS]; /* by DWARF's numbers, the lowest on the stack first */
};

struct pushes {
	struct pushed at[PUSHES_MAX];
	size_t count;
};

/*
 * pushes_read: if the instruction at bytes + at, of `count` bytes at `address`, stores the stack pointer after all
 * registers were pushed, the code is added.
 */
void pushes_read(
	struct pushes *pushes, const uint8_t *bytes, size_t at, size_t count, uint64_t address);

/*
 * pushes_take: is the word at the address where a stack goes on that was left so? Its registers are then set, and the
 * stored stack pointer, which somebody must have. `known` keeps what was read of code; it is the caller's, and empty at
 * first. *ret_is_out_of_memory is set if memory is lacking.
 */
bool pushes_take(const struct pushes *pushes, const struct image *image, struct map *known,
	uint64_t address, uint64_t word, struct unwind *ret_registers, uint64_t *ret_stack,
	bool *ret_is_out_of_memory);

#endif
