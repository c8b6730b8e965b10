/* SPDX-License-Identifier: MIT */
/*
 * A function in a file whose name contains a detour: "../unit/symbol_elsewhere.h".
 */
#ifndef SYMBOL_ELSEWHERE_H
#define SYMBOL_ELSEWHERE_H

#include <stdint.h>

static const void *elsewhere_called;
static uint32_t line_elsewhere;

__attribute__((noinline)) static void elsewhere_note(void)
{
	elsewhere_called = __builtin_return_address(0);
	__asm__ volatile("");
}

__attribute__((noinline)) static void elsewhere_function(void)
{
	line_elsewhere = __LINE__ + 1;
	elsewhere_note();
	__asm__ volatile(""); /* so that the call above is not a jump */
}

#endif
