/* SPDX-License-Identifier: MIT */
/* Contexts: the first frame of each. */
#include "context.h"

#include <stdint.h>
#include <string.h>

#ifdef FIBER_USE_UCONTEXT

void context_make(struct context *context, void *low, size_t bytes, void (*entry)(void))
{
	getcontext(&context->machine);
	context->machine.uc_stack.ss_sp = low;
	context->machine.uc_stack.ss_size = bytes;
	context->machine.uc_link = NULL;
	makecontext(&context->machine, entry, 0);
}

void context_switch(struct context *from, struct context *to)
{
	swapcontext(&from->machine, &to->machine);
}

#else

/* In context_switch.S: calls the function whose address it finds in a register. */
void context_entry(void);

#ifdef __x86_64__
/* What context_switch pops, from the stack pointer upwards. */
struct first_frame {
	uint32_t mxcsr;
	uint32_t x87_control;
	uint64_t r15, r14, r13;
	uint64_t r12; /* context_entry calls what it points to */
	uint64_t rbx, rbp;
	uint64_t return_address;
};

static void fill(struct first_frame *frame, void (*entry)(void))
{
	__asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(frame->mxcsr), "=m"(frame->x87_control));
	frame->r12 = (uint64_t)(uintptr_t)entry;
	frame->return_address = (uint64_t)(uintptr_t)context_entry;
}
#else
struct first_frame {
	uint64_t x19; /* context_entry calls what it points to */
	uint64_t x20_to_x28[9], x29;
	uint64_t x30;
	uint64_t d8_to_d15[8];
	uint64_t fpcr;
	uint64_t padding;
};

static void fill(struct first_frame *frame, void (*entry)(void))
{
	__asm__ volatile("mrs %0, fpcr" : "=r"(frame->fpcr));
	frame->x19 = (uint64_t)(uintptr_t)entry;
	frame->x30 = (uint64_t)(uintptr_t)context_entry;
}
#endif

/* Both machines want the stack pointer at a multiple of 16 when context_entry makes its call. */
void context_make(struct context *context, void *low, size_t bytes, void (*entry)(void))
{
	uintptr_t top = ((uintptr_t)low + bytes) & ~(uintptr_t)15;
	struct first_frame *frame = (struct first_frame *)(top - 16 - sizeof(*frame));

	memset(frame, 0, sizeof(*frame)); /* a frame pointer of 0 ends the chain */
	fill(frame, entry);
	context->stack_pointer = frame;
}

#endif
