/* SPDX-License-Identifier: MIT */
/* Finds what setjmp saved (jumps.h). */
#include <string.h>

#include "frames/jumps.h"
#include "frames/switches.h"
#include "frames/walk.h"
#include "symbol/debug_entry.h"

#define WORD sizeof(uint64_t)

/* tcbhead_t, sysdeps/x86_64/nptl/tls.h of glibc, in words: its own address twice, and the numbers */
#define TCB_SELF 2u
#define TCB_STACK_GUARD 5u
#define TCB_POINTER_GUARD 6u
#define TCB_WORDS 7u

/* sysdeps/x86_64/jmpbuf-offsets.h and setjmp.S of glibc: words of a jmp_buf, by DWARF's numbers of registers */
static const uint8_t in_buffer[] = {3, 6, 12, 13, 14, 15, 7, 16};

#define BUFFER_WORDS (sizeof(in_buffer) / sizeof(*in_buffer))
#define TURNED_BITS 17u

/* ---------------------------------------------------------------- the secret number */

/* A guard of the stack ends with a zero byte, so that no text can hold it. */
static bool look_for_guard(
	void *context, const uint64_t *words, size_t count, uint64_t address, bool is_stack)
{
	struct jumps *jumps = context;
	uint64_t block[TCB_WORDS];
	size_t i;

	(void)is_stack;
	for (i = 0; i < count; i++) {
		/* The rest of a block may lie in the next piece of the walk. */
		if (words[i] != address + i * WORD ||
			image_read(jumps->image, words[i], block, sizeof(block)) != sizeof(block) ||
			block[TCB_SELF] != words[i] || (block[TCB_STACK_GUARD] & 0xff) != 0 ||
			!block[TCB_STACK_GUARD] || !block[TCB_POINTER_GUARD])
			continue;
		jumps->guard = block[TCB_POINTER_GUARD];
		return false;
	}
	return true;
}

static bool uses_longjmp(const struct modules *modules)
{
	static const char *const names[] = {"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"};
	size_t i, k;

	for (i = 0; i < modules->count; i++)
		for (k = 0; k < sizeof(names) / sizeof(*names); k++)
			if (modules->at[i].debug &&
				symbol_debug_info_imports(modules->at[i].debug, names[k]))
				return true;
	return false;
}

bool jumps_find(struct jumps *jumps, const struct image *image, const struct modules *modules,
	uint64_t code_start, uint64_t code_end)
{
	struct walk walk = {.take = look_for_guard, .context = jumps, .is_below = true};

	*jumps = (struct jumps){image, modules, 0, code_start, code_end};
	return !uses_longjmp(modules) || walk_memory(&walk, image) || jumps->guard;
}

/* ---------------------------------------------------------------- what was saved */

static uint64_t plain(const struct jumps *jumps, uint64_t word)
{
	return (word >> TURNED_BITS | word << (64 - TURNED_BITS)) ^ jumps->guard;
}

static bool is_longjmp(const struct jumps *jumps, uint64_t function)
{
	const struct module *module = unwind_module(jumps->image, jumps->modules, function);
	const struct function_entry *entry =
		module ? symbol_function_table_find(symbol_debug_info_functions(module->debug),
				 function - module->bias)
		       : NULL;

	return entry && entry->address == function - module->bias && strstr(entry->name, "longjmp");
}

/*
 * The function that called setjmp then called longjmp, and has called nothing since: others that call setjmp, to come
 * back after a failure, go on to call something else.
 */
static bool was_left(const struct jumps *jumps, uint64_t stack)
{
	uint64_t called_from, function;

	return image_read_word(jumps->image, stack - WORD, &called_from) &&
	       called_from >= jumps->code_start && called_from < jumps->code_end &&
	       switches_called(jumps->image, called_from, &function) && is_longjmp(jumps, function);
}

bool jumps_take(const struct jumps *jumps, uint64_t address, uint64_t word,
	struct unwind *ret_registers, uint64_t *ret_buffer)
{
	uint64_t words[BUFFER_WORDS], code;
	size_t i;

	/* No saved address is mixed to zero, of which memory has most words. */
	if (!jumps->guard || !word)
		return false;
	code = plain(jumps, word);
	if (code < jumps->code_start || code >= jumps->code_end)
		return false;
	*ret_buffer = address - (BUFFER_WORDS - 1) * WORD;
	if (image_read(jumps->image, *ret_buffer, words, sizeof(words)) != sizeof(words))
		return false;
	memset(ret_registers, 0, sizeof(*ret_registers));
	for (i = 0; i < BUFFER_WORDS; i++) {
		unsigned number = in_buffer[i];
		bool is_mixed =
			number == UNWIND_RBP || number == UNWIND_RSP || number == UNWIND_RIP;

		ret_registers->at[number] = is_mixed ? plain(jumps, words[i]) : words[i];
		ret_registers->known |= UINT32_C(1) << number;
	}
	ret_registers->is_returned = true;
	return was_left(jumps, ret_registers->at[UNWIND_RSP]);
}
