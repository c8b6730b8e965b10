/* SPDX-License-Identifier: MIT */
/*
 * Wakes, as they are kept. A part of model.h.
 */
#ifndef MODEL_WAKING_H
#define MODEL_WAKING_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "event/wakes.h"

/* One wake of a coroutine. */
struct model_waking {
	ct_time time; /* CT_NO_TIME: none */
	uint64_t sequence;
	uint32_t coro; /* the waker; 0: a thread */
	uint32_t thread;
	uint32_t site;
	uint8_t outcome; /* enum ctp_outcome */
	/*
	 * Nobody was told, and the waker is the one that suspended last on that thread: its awaiter goes on until the
	 * thread's next resume. So nothing is claimed by it of a coroutine that seems to have done this to itself.
	 */
	bool is_leaving;
	bool was_taken; /* of a remark that no waker is left: one had been taken (CTP_WAKER_TAKEN) */
};

/* model_is_remark: does it say something of the target, and wake nobody (P-37)? */
static inline bool model_is_remark(uint8_t outcome)
{
	return outcome == CTP_OUTCOME_NO_WAKER || outcome == CTP_OUTCOME_PASSED_ON;
}

#endif
