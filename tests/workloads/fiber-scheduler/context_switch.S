/* SPDX-License-Identifier: MIT */
/*
 * context_switch(from, to): saves what the calling convention lets a function expect back, stores the
 * stack pointer at *from, and returns on the stack whose pointer is at *to. context.c lays out the
 * first frame of a stack in the same order. context_entry is where that frame returns to: it is marked
 * as the outermost one, so that unwinders stop there.
 *
 * Thread-local storage is addressed by a register that is not switched: it stays the thread's own.
 */
#if !defined(FIBER_USE_UCONTEXT) && defined(__x86_64__)

	.text
	.globl context_switch
	.hidden context_switch
	.type context_switch, @function
	.p2align 4
context_switch:
	.cfi_startproc
	endbr64
	pushq %rbp
	pushq %rbx
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	subq $8, %rsp
	stmxcsr (%rsp)
	fnstcw 4(%rsp)
	movq %rsp, (%rdi)
	movq (%rsi), %rsp
	/* Both stacks look alike from here to the return. */
	.cfi_def_cfa_offset 64
	fldcw 4(%rsp)
	ldmxcsr (%rsp)
	addq $8, %rsp
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbx
	popq %rbp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size context_switch, . - context_switch

	.globl context_entry
	.hidden context_entry
	.type context_entry, @function
	.p2align 4
context_entry:
	.cfi_startproc
	.cfi_undefined rip
	endbr64
	callq *%r12
	ud2
	.cfi_endproc
	.size context_entry, . - context_entry

#elif !defined(FIBER_USE_UCONTEXT) && defined(__aarch64__)

	.text
	.globl context_switch
	.hidden context_switch
	.type context_switch, %function
	.p2align 4
context_switch:
	.cfi_startproc
	hint #34 /* bti c */
	sub sp, sp, #176
	.cfi_def_cfa_offset 176
	stp x19, x20, [sp, #0]
	stp x21, x22, [sp, #16]
	stp x23, x24, [sp, #32]
	stp x25, x26, [sp, #48]
	stp x27, x28, [sp, #64]
	stp x29, x30, [sp, #80]
	stp d8, d9, [sp, #96]
	stp d10, d11, [sp, #112]
	stp d12, d13, [sp, #128]
	stp d14, d15, [sp, #144]
	mrs x9, fpcr
	str x9, [sp, #160]
	mov x9, sp
	str x9, [x0]
	ldr x9, [x1]
	mov sp, x9
	ldp x19, x20, [sp, #0]
	ldp x21, x22, [sp, #16]
	ldp x23, x24, [sp, #32]
	ldp x25, x26, [sp, #48]
	ldp x27, x28, [sp, #64]
	ldp x29, x30, [sp, #80]
	ldp d8, d9, [sp, #96]
	ldp d10, d11, [sp, #112]
	ldp d12, d13, [sp, #128]
	ldp d14, d15, [sp, #144]
	ldr x9, [sp, #160]
	msr fpcr, x9
	add sp, sp, #176
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
	.size context_switch, . - context_switch

	.globl context_entry
	.hidden context_entry
	.type context_entry, %function
	.p2align 4
context_entry:
	.cfi_startproc
	.cfi_undefined x30
	hint #34
	blr x19
	brk #1
	.cfi_endproc
	.size context_entry, . - context_entry

#endif

	.section .note.GNU-stack, "", %progbits
