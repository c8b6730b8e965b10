/* SPDX-License-Identifier: MIT */
/*
 * Where a thread of another process runs, and the bytes of its stack, at one moment: what the kernel copies while the
 * thread is interrupted by a clock of its processor time (perf_event_open). Nobody stops the process. x86-64.
 */
#ifndef KERNEL_PERF_STACK_H
#define KERNEL_PERF_STACK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PERF_STACK_BYTES 16384u
#define PERF_STACK_REGISTERS 17u

struct perf_stack {
	uint64_t registers
		[PERF_STACK_REGISTERS]; /* by DWARF's numbers, of which 7 is the stack pointer */
	uint32_t known;                 /* a bit for each */
	uint32_t nr_bytes;              /* from the stack pointer on */
	uint8_t bytes[PERF_STACK_BYTES];
};

/*
 * perf_stack_take: takes up to nr_wanted of them, a millisecond of the thread's processor time apart, and waits at most
 * so long. Returns how many there were: 0 if the thread does not run, or the kernel refuses.
 */
size_t perf_stack_take(pid_t tid, struct perf_stack *stacks, size_t nr_wanted, unsigned longest_ms);

#endif
