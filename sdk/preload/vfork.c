/* SPDX-License-Identifier: MIT */
/*
 * vfork(): the child borrows its parent's thread, memory and thread-locals until it executes a program or ends.
 *
 * Meanwhile the child closes and duplicates its own descriptors, with this thread's ring at hand; if that were
 * recorded, the parent would seem to have closed its descriptors. So the thread is marked as lent for that time. A
 * function that returns twice cannot be forwarded by C code: this is the system call itself, with the return address
 * kept in a register, because the child would overwrite it on the stack.
 */
#include "forward.h"

#include <errno.h>

/* ledger_vfork_failed: sets errno for the assembly below. */
__attribute__((used, visibility("hidden"))) int ledger_vfork_failed(int number);

int ledger_vfork_failed(int number)
{
	errno = number;
	return -1;
}

#if defined(__x86_64__)
__asm__(".text\n"
	".globl vfork\n"
	".type vfork, @function\n"
	"vfork:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	movq ledger_is_lent@gottpoff(%rip), %rsi\n"
	"	addl $1, %fs:(%rsi)\n"
	"	popq %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.cfi_register %rip, %rdi\n"
	"	movl $58, %eax\n"
	"	syscall\n"
	"	pushq %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_offset %rip, -8\n"
	"	testl %eax, %eax\n"
	"	jz 1f\n"
	"	subl $1, %fs:(%rsi)\n"
	"	cmpl $-4095, %eax\n"
	"	jae 2f\n"
	"1:	ret\n"
	"2:	negl %eax\n"
	"	movl %eax, %edi\n"
	"	jmp ledger_vfork_failed\n"
	"	.cfi_endproc\n"
	".size vfork, .-vfork\n");
#else
__asm__(".text\n"
	".globl vfork\n"
	".type vfork, %function\n"
	"vfork:\n"
	"	.cfi_startproc\n"
	"	hint #34\n" /* bti c */
	"	mrs x9, tpidr_el0\n"
	"	adrp x10, :gottprel:ledger_is_lent\n"
	"	ldr x10, [x10, :gottprel_lo12:ledger_is_lent]\n"
	"	add x9, x9, x10\n"
	"	ldr w10, [x9]\n"
	"	add w10, w10, #1\n"
	"	str w10, [x9]\n"
	"	mov x0, #0x4111\n" /* CLONE_VM | CLONE_VFORK | SIGCHLD */
	"	mov x1, xzr\n"
	"	mov x8, #220\n" /* clone */
	"	svc #0\n"
	"	cbz w0, 1f\n"
	"	ldr w10, [x9]\n"
	"	sub w10, w10, #1\n"
	"	str w10, [x9]\n"
	"	cmn w0, #4095\n"
	"	b.cs 2f\n"
	"1:	ret\n"
	"2:	neg w0, w0\n"
	"	b ledger_vfork_failed\n"
	"	.cfi_endproc\n"
	".size vfork, .-vfork\n");
#endif
