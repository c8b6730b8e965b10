/* SPDX-License-Identifier: MIT */
/*
 * Symbols and debug information of one ELF file, read with elfutils.
 *
 * In a build without elfutils (-Dsymbols=disabled) these functions exist, but find nothing. Addresses are those of the
 * file's own tables.
 */
#ifndef SYMBOL_DEBUG_INFO_H
#define SYMBOL_DEBUG_INFO_H

#include "base/arena.h"
#include "symbol/symbol.h"

struct debug_info;

/*
 * symbol_debug_info_open: opens the file, and its separate debug file if one is installed below that root or ours.
 * NULL: the file cannot be used; *ret_remark says why (a constant text).
 */
struct debug_info *symbol_debug_info_open(int root, const char *path, const char **ret_remark);

/* symbol_debug_info_close: NULL is allowed. */
void symbol_debug_info_close(struct debug_info *debug);

/*
 * symbol_debug_info_find: fills in function, file, line, callers, extent and remark of *place for an address.
 * `is_entry`: the address is the first instruction of a function. Texts are allocated from the arena. False: out of
 * memory.
 */
bool symbol_debug_info_find(struct debug_info *debug, struct arena *arena, uint64_t address,
	bool is_entry, struct symbol_place *place);

#endif
