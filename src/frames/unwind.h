/* SPDX-License-Identifier: MIT */
/* The callers of a function on any stack, by the call frame information of the files that hold the code; x86-64. */
#ifndef FRAMES_UNWIND_H
#define FRAMES_UNWIND_H

#include <elfutils/libdw.h>

#include "frames/modules.h"

/* By DWARF's numbers; the rest is not followed. */
#define UNWIND_RBX 3u
#define UNWIND_RBP 6u
#define UNWIND_RSP 7u
#define UNWIND_R12 12u
#define UNWIND_RIP 16u
#define UNWIND_REGISTERS IMAGE_REGISTERS

struct unwind {
	uint64_t at[UNWIND_REGISTERS];
	uint32_t known;   /* a bit for each */
	bool is_returned; /* the address is that behind a call */
};

/*
 * unwind_module: returns the file that has the code at the address; NULL: none that could be read. unwind_step: goes to
 * the caller. False: there is none, or it is not known.
 */
const struct module *unwind_module(
	const struct image *image, const struct modules *modules, uint64_t address);
bool unwind_step(const struct image *image, const struct modules *modules, struct unwind *unwind);

/*
 * unwind_value: the value of a variable of up to eight bytes, by its location in DWARF, in the function in which the
 * registers are. `frame_address`: the stack pointer of its caller. `address`: of the code, in the module's file.
 * False: it is not known there.
 */
bool unwind_value(const struct image *image, const struct unwind *unwind, uint64_t frame_address,
	uint64_t address, Dwarf_Die *function, Dwarf_Die *variable, uint64_t *ret_value);

#endif
