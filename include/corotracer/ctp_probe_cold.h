/* SPDX-License-Identifier: MIT */
/*
 * The probe's cold functions: attaching, rings and chunks, sites. Declared in ctp_probe.h.
 *
 * In C++ all of this is inline, and any number of translation units may include it. In C it defines the probe's state
 * and functions, so exactly one file of a program or library includes it: sdk/c/probe.c, or a library's private copy of
 * the probe.
 *
 * These functions must never print, block, abort, allocate, or change errno. The functions that an event can call are
 * safe in signal handlers: they take no lock, and run with asynchronous signals blocked, so that no handler finds their
 * work half done or jumps out of it.
 *
 * Limits that users should know:
 * - A shared object that holds the probe must not be unloaded (link it with -z nodelete), because each thread that ends
 *   calls a function of it.
 * - A thread finds its ring through thread-local storage. A thread made by a raw clone() without thread-local storage
 *   of its own shares its creator's and must not write events.
 * - A seccomp filter that ends the process at a system call must be installed after ctp_attach. Strict seccomp (mode 1)
 *   and PR_SET_TSC forbid reading the counter: the next event would end the process, so detach first.
 * - A signal handler that interrupted an event must not switch to another stack and write events there. fork() in such
 *   a handler should be followed by exec or _exit.
 */
#ifndef COROTRACER_CTP_PROBE_COLD_H
#define COROTRACER_CTP_PROBE_COLD_H

#ifndef _GNU_SOURCE
#error "define _GNU_SOURCE before the first #include"
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "corotracer/ctp_probe.h"

#if defined(__SANITIZE_THREAD__)
#define CTP_IS_THREAD_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CTP_IS_THREAD_SANITIZED 1
#endif
#endif
#ifndef CTP_IS_THREAD_SANITIZED
#define CTP_IS_THREAD_SANITIZED 0
#endif

#if defined(__cplusplus) && !CTP_IS_HEADER_ONLY
#error "older C++ than C++20 links libcorotracer-probe instead"
#endif

#ifdef __cplusplus
#define CTP_COLD_PART inline __attribute__((cold))
extern "C" {
#else
#define CTP_COLD_PART static __attribute__((cold, unused))
struct ctp_gate ctp_gate_page;
struct ctp_orders_place ctp_orders_page;
struct ctp_process ctp_process_state;
/* `used`: with link-time optimisation the only references may stand in assembly, which the compiler does not see. */
__attribute__((tls_model("initial-exec"), used)) __thread struct ctp_thread ctp_thread_state;
#endif

/*
 * Offsets of the parts of a segment in the memory of this process. A memfd has the parts at the same offsets; in a
 * flight recorder's file, which is small, they lie closer together.
 */
#define CTP_ALIGN_UP(bytes, unit) (((bytes) + (unit)-1) / (unit) * (unit))
#define CTP_MAP_ALIGNMENT (UINT64_C(2) << 20)
#define CTP_UNIT_BYTES UINT64_C(65536) /* no machine's pages are larger */
#define CTP_ORDERS_OFFSET ((uint64_t)CTP_PAGE_BYTES)
#define CTP_RING_OFFSET (2 * (uint64_t)CTP_PAGE_BYTES)
#define CTP_SITE_OFFSET \
	CTP_ALIGN_UP(CTP_RING_OFFSET + (uint64_t)CTP_RING_MAX * CTP_RING_STRIDE, CTP_UNIT_BYTES)
#define CTP_NAME_OFFSET (CTP_SITE_OFFSET + (uint64_t)CTP_SITE_MAX * sizeof(struct ctp_site))
#define CTP_ABOUT_OFFSET (CTP_NAME_OFFSET + CTP_NAME_BYTES)
#define CTP_CHUNK_OFFSET CTP_ALIGN_UP(CTP_ABOUT_OFFSET + CTP_UNIT_BYTES, CTP_MAP_ALIGNMENT)
CTP_STATIC_ASSERT(
	CTP_CHUNK_OFFSET % CTP_CHUNK_BYTES == 0, "a cursor's low bits tell a chunk's end");

/*
 * Signals are blocked while a cold function works, except signals that the thread causes by its own instructions: the
 * kernel would end the process at a fault whose signal is blocked.
 */
struct ctp_quiet {
	uint64_t mask;
	int saved_errno;
	bool is_masked;
};

#define CTP_SIGNAL_BIT(number) (UINT64_C(1) << ((number)-1))
#define CTP_ASYNCHRONOUS_SIGNALS                                                       \
	(~(CTP_SIGNAL_BIT(SIGILL) | CTP_SIGNAL_BIT(SIGTRAP) | CTP_SIGNAL_BIT(SIGBUS) | \
		CTP_SIGNAL_BIT(SIGFPE) | CTP_SIGNAL_BIT(SIGSEGV) | CTP_SIGNAL_BIT(SIGSYS)))

CTP_COLD_PART void ctp_quiet_begin(struct ctp_quiet *quiet)
{
	uint64_t block = CTP_ASYNCHRONOUS_SIGNALS;

	/*
	 * Signals are blocked by a raw system call: the C library's functions do not block the signals that the library
	 * uses itself.
	 */
	quiet->saved_errno = errno;
	quiet->is_masked =
		syscall(SYS_rt_sigprocmask, SIG_BLOCK, &block, &quiet->mask, sizeof(block)) == 0;
}

CTP_COLD_PART void ctp_quiet_end(const struct ctp_quiet *quiet)
{
	if (quiet->is_masked)
		syscall(SYS_rt_sigprocmask, SIG_SETMASK, &quiet->mask, NULL, sizeof(quiet->mask));
	errno = quiet->saved_errno;
}

/*
 * Here and below the probe makes, uses and closes its own descriptors by raw system calls. A library that stands
 * between the program and the C library, such as the descriptor ledger, therefore sees only the program's descriptors.
 */
CTP_COLD_PART int ctp_unseen_open(const char *path, int flags)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0600);
}

CTP_COLD_PART void ctp_unseen_close(int descriptor)
{
	syscall(SYS_close, descriptor);
}

/* Takes `amount` of the things that *used counts, up to `limit`. Returns false if fewer are left. */
CTP_COLD_PART bool ctp_hand_out(
	uint32_t *used, uint32_t amount, uint32_t limit, uint32_t *ret_first)
{
	uint32_t present = ctp_load_relaxed(used);

	do {
		if (present > limit || limit - present < amount)
			return false;
	} while (!__atomic_compare_exchange_n(
		used, &present, present + amount, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	*ret_first = present;
	return true;
}

CTP_COLD_PART char *ctp_segment_at(struct ctp_header *header, uint64_t offset)
{
	return (char *)(void *)header + offset;
}

/* Returns the orders in a segment: for cold functions, whose thread may still have the segment before. */
CTP_COLD_PART struct ctp_orders *ctp_orders_of(struct ctp_header *header)
{
	return (struct ctp_orders *)(void *)ctp_segment_at(header, CTP_ORDERS_OFFSET);
}

#ifdef __cplusplus
}
#endif

#include "corotracer/ctp_probe_wake.h"
#include "corotracer/ctp_probe_ring.h"
#include "corotracer/ctp_probe_site.h"
#include "corotracer/ctp_probe_segment.h"
#include "corotracer/ctp_probe_about.h"
#include "corotracer/ctp_probe_flight.h"
#include "corotracer/ctp_probe_attach.h"

#endif
