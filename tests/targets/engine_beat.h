/* SPDX-License-Identifier: MIT */
/*
 * For targets that end at once: by the second heartbeat the engine has read everything that was recorded before,
 * including sites and the program's mappings.
 */
#ifndef TESTS_ENGINE_BEAT_H
#define TESTS_ENGINE_BEAT_H

#include <sched.h>

#include "corotracer/ctp_probe.h"

static inline void wait_for_engine(void)
{
	const uint64_t *beat = &ctp_orders_page.orders.engine_heartbeat_ns;
	int i;

	for (i = 0; i < 2; i++) {
		uint64_t before = ctp_load_relaxed(beat);

		while (ctp_load_relaxed(beat) == before)
			sched_yield();
	}
}

#endif
