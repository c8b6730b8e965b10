/* SPDX-License-Identifier: MIT */
/*
 * Prints an address within a function that was inlined into a second function, which was inlined into a third; then its
 * own memory map. With the macro OTHER, the result is a second program with a build id of its own.
 */
#include <stdio.h>

static void *where;

__attribute__((noinline)) static void note_caller(void)
{
	where = __builtin_return_address(0);
	__asm__ volatile("");
}

static inline __attribute__((always_inline)) void inner_function(void)
{
	note_caller();
	__asm__ volatile(""); /* so that the call above is not a jump */
}

static inline __attribute__((always_inline)) void middle_function(void)
{
	__asm__ volatile("");
	inner_function();
#ifdef OTHER
	__asm__ volatile("nop");
#endif
}

__attribute__((noinline)) static void outer_function(void)
{
	middle_function();
	__asm__ volatile("");
}

int main(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	int c;

	outer_function();
	printf("%p\n", where);
	while (maps && (c = getc(maps)) != EOF)
		putchar(c);
	return maps ? 0 : 1;
}
