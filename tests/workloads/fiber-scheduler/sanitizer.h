/* SPDX-License-Identifier: MIT */
/*
 * Announces each switch to the address and the thread sanitizer: both track accesses to a stack, and would take another
 * stack for a wild pointer or another thread. Without a sanitizer these functions do nothing.
 *
 * Around each switch:	sanitizer_leave(from, to, is_last); context_switch(...); sanitizer_arrive(self);
 * and at the beginning of a new context sanitizer_arrive alone.
 */
#ifndef FIBER_SANITIZER_H
#define FIBER_SANITIZER_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define FIBER_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_HAS_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define FIBER_HAS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FIBER_HAS_TSAN 1
#endif
#endif

#ifdef FIBER_HAS_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef FIBER_HAS_TSAN
#include <sanitizer/tsan_interface.h>
#endif

/* The sanitizers' data for one context, a fiber's or a thread's own. */
struct sanitizer_context {
	const void *low; /* of its stack; NULL: a thread's, unknown before its first switch */
	size_t bytes;
	void *fake_stack; /* address sanitizer: holds its locals while it does not run */
	void *fiber;      /* thread sanitizer: its name for this context */
};

/* sanitizer_thread: the context of the calling thread's own stack. */
static inline void sanitizer_thread(struct sanitizer_context *context)
{
	*context = (struct sanitizer_context){0};
#ifdef FIBER_HAS_TSAN
	context->fiber = __tsan_get_current_fiber();
#endif
}

/* sanitizer_begin, sanitizer_end: begin and end a fiber's context on this stack; another context calls the end. */
static inline void sanitizer_begin(struct sanitizer_context *context, void *low, size_t bytes)
{
	*context = (struct sanitizer_context){.low = low, .bytes = bytes};
#ifdef FIBER_HAS_TSAN
	context->fiber = __tsan_create_fiber(0);
#endif
}

static inline void sanitizer_end(struct sanitizer_context *context)
{
#ifdef FIBER_HAS_TSAN
	__tsan_destroy_fiber(context->fiber);
#endif
#ifdef FIBER_HAS_ASAN
	/* Memory that its last frames poisoned would be reported when the next fiber uses the stack. */
	__asan_unpoison_memory_region(context->low, context->bytes);
#endif
	*context = (struct sanitizer_context){0};
}

/* sanitizer_leave: the running context `from` is about to switch to `to`; is_last: for good. */
static inline void sanitizer_leave(
	struct sanitizer_context *from, struct sanitizer_context *to, bool is_last)
{
	(void)from;
	(void)to;
	(void)is_last;
#ifdef FIBER_HAS_ASAN
	__sanitizer_start_switch_fiber(is_last ? NULL : &from->fake_stack, to->low, to->bytes);
#endif
#ifdef FIBER_HAS_TSAN
	__tsan_switch_to_fiber(to->fiber, 0);
#endif
}

/*
 * sanitizer_arrive: `self` runs again, or for the first time. `thread` is the context of the thread's own stack, whose
 * address becomes known when it is first left.
 */
static inline void sanitizer_arrive(
	struct sanitizer_context *self, struct sanitizer_context *thread, bool was_thread)
{
	(void)self;
	(void)thread;
	(void)was_thread;
#ifdef FIBER_HAS_ASAN
	{
		const void *low;
		size_t bytes;

		__sanitizer_finish_switch_fiber(self->fake_stack, &low, &bytes);
		if (was_thread) {
			thread->low = low;
			thread->bytes = bytes;
		}
	}
#endif
}

#endif
