/* SPDX-License-Identifier: MIT */
/*
 * Wakes, as the model keeps them. A part of model.h.
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
	 * The event names no waker, and `coro` is the coroutine that suspended last on that thread: its awaiter runs
	 * on until the thread's next resume. Therefore this wake does not prove that a coroutine has woken itself.
	 */
	bool is_leaving;
	/* of a remark that no waker is left: a waker had been taken (CTP_WAKER_TAKEN) */
	bool was_taken;
	/* of a notify: nothing of it is kept (CTP_NOTIFY_UNKEPT) */
	bool is_unkept;
};

/* model_is_remark: does this outcome only say something about the target, and wake nobody (P-37)? */
static inline bool model_is_remark(uint8_t outcome)
{
	return outcome == CTP_OUTCOME_NO_WAKER || outcome == CTP_OUTCOME_PASSED_ON;
}

#endif
