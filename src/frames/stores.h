/* SPDX-License-Identifier: MIT */
/*
 * Follows the code of a coroutine function from its first instruction to its last, in the order in which it lies, and
 * says where it stores numbers into the frame.
 *
 * This is no execution: registers and the stack's slots hold a number, an address in the frame, or something unknown.
 * Behind a jump that is always taken, registers are what they were where the function first branched, since that is
 * where the code there is entered from. Instructions are decoded by Capstone. On other machines than x86-64 nothing is
 * found.
 */
#ifndef FRAMES_STORES_H
#define FRAMES_STORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/error.h"

#define STORES_MAX 4096u
#define STEPS_MAX 1048576u
#define STORES_NO_DISPATCH UINT32_MAX

/* An instruction that matters for the places around a store. */
struct stores_step {
	uint64_t address;
	uint64_t target; /* of a call or jump to a known address; 0: none */
	bool is_end;     /* what follows is not reached from here */
	bool is_store;   /* into the field of the frame: */
	uint64_t number;
};

struct stores {
	struct stores_step *steps;
	size_t count;
	/* the offset of the byte of the frame by which the code decides where to go first; STORES_NO_DISPATCH: none */
	uint32_t dispatch;
	uint32_t
		nr_in_use; /* bytes from the frame's beginning up to the last that the code names */
};

/* stores_prepare: opens Capstone; call it before stores_find. CT_ERR_UNSUPPORTED: it is not installed. */
enum ct_status stores_prepare(struct ct_error *reterr);

/*
 * stores_find: decodes `nr_bytes` bytes of code that lie at `address`. The first argument of the function is the
 * frame; `field_offset` and `field_bytes` say which field's stores are wanted. `is_ramp`: the function makes the frame
 * and any pointer may be the frame. False: out of memory; the caller frees ret_stores->steps.
 */
bool stores_find(const uint8_t *code, size_t nr_bytes, uint64_t address, uint32_t field_offset,
	uint32_t field_bytes, bool is_ramp, struct stores *ret_stores);

#endif
