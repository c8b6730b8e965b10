/* SPDX-License-Identifier: MIT */
/*
 * Contexts: what a thread has to keep to leave one stack and come back to it later. The switch is
 * written in assembly for x86-64 and aarch64 (context_switch.S), where it saves what a call preserves and
 * no more; elsewhere, or with -DFIBER_USE_UCONTEXT, it is swapcontext, which also saves the signal mask
 * and so costs a system call.
 *
 * A context knows nothing of fibers, threads or tracing.
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
	void *stack_pointer; /* below it lie the registers; context_switch.S says in which order */
};
#endif

/*
 * context_make: a context that begins with entry(), on the stack of `bytes` bytes from `low` upwards.
 * entry never returns.
 */
void context_make(struct context *context, void *low, size_t bytes, void (*entry)(void));

/*
 * context_switch: keeps the present context in `from` and goes on in `to`. Returns when somebody
 * switches to `from`, perhaps on another thread: whatever was read from thread-local memory before
 * the call, errno's address included, may belong to another thread after it.
 */
void context_switch(struct context *from, struct context *to);

#endif
