/* SPDX-License-Identifier: MIT */
/*
 * What a runtime does besides running coroutines: pauses and garbage collection, its processors, system calls of
 * coroutines. A part of ctp_probe.h: include that.
 *
 * For runtimes that have a garbage collector of their own, or processors as Go's scheduler has them (P): without these
 * calls the time that collector and processors cost is charged to the coroutines that ran, or waited, during that time.
 * All functions are async-signal-safe, and do nothing while the program is not traced. Ranges and processors are of the
 * category `runtime`.
 */
#ifndef COROTRACER_CTP_PROBE_RUNTIME_H
#define COROTRACER_CTP_PROBE_RUNTIME_H

#include "corotracer/ctp_probe.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * ctp_range_begin, ctp_range_end: something such as CTP_RANGE_PAUSE goes on from the begin to the end. def/ranges.def
 * says for each kind of range whether it concerns the process, the calling thread, a processor, or a coroutine. `coro`
 * is the coroutine that the range concerns, or for a pause the coroutine that began it (0: none). `processor` is
 * CTP_HANDLE(CTP_RESOURCE_PROCESSOR, number) for a range that concerns a processor, else 0. One range of a kind goes on
 * at a time for the same process, thread, processor or coroutine: a further beginning ends the range before it. Begin
 * and end may be written by different threads, except for ranges of a thread. `site` is the place where the range
 * begins, and its name.
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
 * ctp_processor_state: the processor with this number is in this state from here on; if the state is running, or in a
 * system call, the calling thread has the processor. Record every processor at least once: the number of processors is
 * the number of those recorded and not gone.
 */
CTP_INLINE void ctp_processor_state(uint64_t number, enum ctp_processor state)
{
	ctp_emit_of(CTP_CATEGORY_RUNTIME, 0, CTP_HANDLE(CTP_RESOURCE_PROCESSOR, number),
		CTP_TAIL(0, CTP_KIND_PROCESSOR, state, 0));
}

/*
 * ctp_syscall_begin, ctp_syscall_end: `coro`, which runs on this thread, enters the system call of this number (0: not
 * stated), and comes back from it. The thread's processor may be taken away during the call. In that case pass is_ready
 * = true: the coroutine then waits for another processor, and a resume follows. Otherwise the coroutine runs on.
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
