/* SPDX-License-Identifier: MIT */
/*
 * The probe's half of the sleep handshake (P-90 to P-92): waking an engine that sleeps. A part of ctp_probe_cold.h:
 * include that.
 *
 *	probe:  publish head; load sleeping; if it is 1: exchange it with 0, and wake the engine
 *	engine: sleeping = 1; barrier on every processor; if there are no new records: wait while sleeping is 1
 *
 * The probe's load may come before other processors see the head, because no fence stands between. The engine's barrier
 * (membarrier) also acts as a fence in the probe, if the probe's process has registered for it. The kernel silently
 * passes over an unregistered process, whose events the engine could then sleep through; so the segment says whether
 * its process has registered (CTP_FEATURE_WAKES).
 */
#ifndef COROTRACER_CTP_PROBE_WAKE_H
#define COROTRACER_CTP_PROBE_WAKE_H

#include <linux/futex.h>
#include <linux/membarrier.h>
#if defined(__has_include)
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define CTP_KNOWS_SINGLE_THREADED 1
#endif
#endif

#include "corotracer/ctp_probe_cold.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CTP_MEMBARRIER_GET_REGISTRATIONS (1 << 9)

/*
 * No signal handler may leave the function between the exchange and the wake: no other thread would wake the engine
 * then.
 */
CTP_COLD void ctp_engine_wake(void)
{
	uint32_t *sleeping = &ctp_orders_page.orders.sleeping;
	struct ctp_quiet quiet;

	ctp_quiet_begin(&quiet);
	if (__atomic_exchange_n(sleeping, 0, __ATOMIC_ACQ_REL) == 1) /* P12 */
		syscall(SYS_futex, sleeping, FUTEX_WAKE, 1, NULL, NULL, 0);
	ctp_quiet_end(&quiet);
}

CTP_COLD_PART bool ctp_is_single_threaded(void)
{
#ifdef CTP_KNOWS_SINGLE_THREADED
	return __libc_single_threaded != 0;
#else
	return false;
#endif
}

/*
 * Returns whether the process is known to have registered: by another copy of the probe, by the program, or before a
 * fork. Kernels before 6.3 do not answer the question.
 */
CTP_COLD_PART bool ctp_is_barrier_registered(void)
{
	const struct ctp_header *before = ctp_load_relaxed(&ctp_process_state.header);
	long registered = syscall(SYS_membarrier, CTP_MEMBARRIER_GET_REGISTRATIONS, 0, 0);

	if (registered > 0 && (registered & MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) != 0)
		return true;
	return before && (before->features_compatible & CTP_FEATURE_WAKES) != 0;
}

/*
 * Makes the process take part in the handshake, if that is cheap: a process of several threads waits some 14 ms for the
 * kernel when it registers for the first time.
 */
CTP_COLD_PART bool ctp_barrier_register(void)
{
	return (ctp_is_barrier_registered() || ctp_is_single_threaded()) &&
	       syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

#ifdef __cplusplus
}
#endif

#endif
