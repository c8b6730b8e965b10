/* SPDX-License-Identifier: MIT */
/*
 * Contexts: what a thread must save to leave one stack and return to it later. For x86-64 and aarch64 the switch is
 * written in assembly (context_switch.S), and saves only the registers that a call preserves; elsewhere, or with
 * -DFIBER_USE_UCONTEXT, it is swapcontext, which also saves the signal mask and so costs a system call.
 *
 * Contexts are independent of fibers, threads and tracing.
 */
#ifndef FIBER_CONTEXT_H
#define FIBER_CONTEXT_H

#include <stddef.h>

#if !defined(FIBER_USE_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#define FIBER_USE_UCONTEXT 1
#endif

#ifdef FIBER_USE_UCONTEXT
#include <ucontext.h>
struct context {
	ucontext_t machine;
};
#else
struct context {
	void *stack_pointer; /* the registers lie below; context_switch.S has their order */
};
#endif

/*
 * context_make: a context that begins with entry(), on the stack of `bytes` bytes from `low` upwards.
 * entry never returns.
 */
void context_make(struct context *context, void *low, size_t bytes, void (*entry)(void));

/*
 * context_switch: saves the present context in `from` and continues in `to`. Returns when `from` is switched to,
 * perhaps on another thread: what was read from thread-local memory before the call, including errno's address, may
 * belong to another thread afterwards.
 */
void context_switch(struct context *from, struct context *to);

#endif
