/* SPDX-License-Identifier: MIT */
/*
 * What a runtime does besides running coroutines: pauses and garbage collection, its processors, system calls of
 * coroutines. A part of ctp_probe.h: include that.
 *
 * For runtimes that have a collector of their own, or processors as Go's scheduler has them (P): without these calls
 * the time that they cost is told as that of whoever ran, or waited, meanwhile. All are async-signal-safe, and do
 * nothing while nothing traces. Ranges and processors are of the category `runtime`.
 */
#ifndef COROTRACER_CTP_PROBE_RUNTIME_H
#define COROTRACER_CTP_PROBE_RUNTIME_H

#include "corotracer/ctp_probe.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * ctp_range_begin, ctp_range_end: what goes on from the one to the other, such as CTP_RANGE_PAUSE; def/ranges.def says
 * whom each kind concerns: the process, the calling thread, a processor, or a coroutine. `coro` is the coroutine, or
 * of a pause the one that began it, 0: none; `processor` is CTP_HANDLE(CTP_RESOURCE_PROCESSOR, number) of a range that
 * concerns one, else 0. One of a kind goes on at a time for the same one: a further beginning ends the one before it.
 * The two may be told by different threads, but for ranges of a thread. `site` is where it begins, and its name.
 */
CTP_INLINE void ctp_range_begin(
	uint64_t coro, uint64_t processor, enum ctp_range range, uint32_t site)
{
	ctp_emit_of(CTP_CATEGORY_RUNTIME, coro, processor,
		CTP_TAIL(site, CTP_KIND_RANGE_BEGIN, range, 0));
}

CTP_INLINE void ctp_range_end(uint64_t coro, uint64_t processor, enum ctp_range range)
{
	ctp_emit_of(
		CTP_CATEGORY_RUNTIME, coro, processor, CTP_TAIL(0, CTP_KIND_RANGE_END, range, 0));
}

/*
 * ctp_processor_state: the processor of this number is in this state from here on; where it is running, or in a system
 * call, the calling thread has it. Each is told of once at least: as many as were, and are not gone, are there.
 */
CTP_INLINE void ctp_processor_state(uint64_t number, enum ctp_processor state)
{
	ctp_emit_of(CTP_CATEGORY_RUNTIME, 0, CTP_HANDLE(CTP_RESOURCE_PROCESSOR, number),
		CTP_TAIL(0, CTP_KIND_PROCESSOR, state, 0));
}

/*
 * ctp_syscall_begin, ctp_syscall_end: `coro`, which runs on this thread, is in the system call of this number (0: not
 * told), and comes back. The thread's processor may be taken away meanwhile: then `is_ready`, the coroutine waits for
 * another one, and a resume follows; else it runs on.
 */
CTP_INLINE void ctp_syscall_begin(uint64_t coro, uint64_t number, uint32_t site)
{
	ctp_emit(coro, number, CTP_TAIL(site, CTP_KIND_SYSCALL_BEGIN, 0, 0));
}

CTP_INLINE void ctp_syscall_end(uint64_t coro, bool is_ready)
{
	ctp_emit(coro, 0, CTP_TAIL(0, CTP_KIND_SYSCALL_END, 0, is_ready ? CTP_SYSCALL_READY : 0));
}

#ifdef __cplusplus
}
#endif

#endif
