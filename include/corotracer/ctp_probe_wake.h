/* SPDX-License-Identifier: MIT */
/*
 * The probe's half of the sleep handshake (P-90 to P-92): waking an engine that sleeps. A part of ctp_probe_cold.h:
 * include that.
 *
 *	probe:  publish head; load sleeping; where it is 1: exchange it with 0, and wake
 *	engine: sleeping = 1; barrier on every processor; are there news?; wait while sleeping is 1
 *
 * The load may come before the head is seen by others: no fence stands between. The engine's barrier
 * (membarrier) is one on this side, too, if the process has registered for it. An unregistered one is passed
 * over in silence, and its events could be slept through; so the segment says whether it has.
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

/* No handler may leave the function between the two: nobody else would wake the engine any more. */
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

/* Registered by another copy of the probe, or by the program; or before a fork. Kernels before 6.3 do not tell. */
CTP_COLD_PART bool ctp_is_barrier_registered(void)
{
	const struct ctp_header *before = ctp_load_relaxed(&ctp_process_state.header);
	long registered = syscall(SYS_membarrier, CTP_MEMBARRIER_GET_REGISTRATIONS, 0, 0);

	if (registered > 0 && (registered & MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) != 0)
		return true;
	return before && (before->features_compatible & CTP_FEATURE_WAKES) != 0;
}

/*
 * Takes part in the handshake, where that is cheap: a process of several threads waits some 14 ms for the kernel
 * when it registers for the first time.
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
