/* SPDX-License-Identifier: MIT */
/*
 * Symbols and debug information of one ELF file, through elfutils.
 *
 * Built without elfutils (-Dsymbols=disabled) these functions exist all the same and find nothing.
 * Addresses are as the file's own tables count them.
 */
#ifndef SYMBOL_DEBUG_INFO_H
#define SYMBOL_DEBUG_INFO_H

#include "base/arena.h"
#include "symbol/symbol.h"

struct debug_info;

/*
 * symbol_debug_info_open: opens the file, and the separate debug file that belongs to it, where one is
 * installed, below that root or ours. NULL: it cannot be used; *ret_remark says why (a constant text).
 */
struct debug_info *symbol_debug_info_open(int root, const char *path, const char **ret_remark);

/* symbol_debug_info_close: NULL is allowed. */
void symbol_debug_info_close(struct debug_info *debug);

/*
 * symbol_debug_info_find: fills in function, file, line, callers, extent and remark of *place for an address.
 * `is_entry`: it is the first instruction of a function. Texts go to the arena. False: out of memory.
 */
bool symbol_debug_info_find(struct debug_info *debug, struct arena *arena, uint64_t address,
	bool is_entry, struct symbol_place *place);

#endif
