/* SPDX-License-Identifier: MIT */
/*
 * Finds the function of a compilation unit that contains an address, and the functions inlined there.
 *
 * libdw would walk through the whole unit each time, which takes milliseconds in a large unit. Here a unit is walked
 * once, when it is first used; after that, a binary search and a walk through one function are enough.
 */
#ifndef SYMBOL_UNIT_FUNCTIONS_H
#define SYMBOL_UNIT_FUNCTIONS_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "base/map.h"
#include "base/vec.h"

struct function_range;

struct unit_functions {
	VEC(struct function_range) ranges; /* sorted */
};

/*
 * Functions beyond these limits get only their lines: a few bytes of a hostile file can refer to one long list of
 * ranges again and again.
 */
#define FUNCTION_RANGES_MAX 64u       /* of one function */
#define ENTRY_RANGES_MAX 1024u        /* of one block, or one function that was inlined */
#define FUNCTIONS_RANGES_MAX 1048576u /* of all functions of a file */

/*
 * symbol_entry_covers: is the address in one of the ranges of a function or a block? False if it has more ranges than
 * ENTRY_RANGES_MAX, and none of the first is it.
 */
bool symbol_entry_covers(Dwarf_Die *entry, Dwarf_Addr address);

/* All units that were used. A zeroed struct is empty. */
struct units_functions {
	struct map by_unit; /* the offset of a unit's entry, to an index in `units` */
	VEC(struct unit_functions) units;
	uint32_t nr_ranges; /* number of ranges that were read */
};

/* symbol_units_functions_fini: frees the memory. */
void symbol_units_functions_fini(struct units_functions *units);

/* More levels of functions than any compiler inlines; deeper levels are left out. */
#define SCOPES_MAX 64

/*
 * symbol_units_functions_find: finds the function that contains the address, and all functions inlined there. `scopes`
 * gets them, innermost first, and *ret_count their number; 0: no function of the unit is known to contain the address.
 * `unit` is the unit's entry with its functions; `skeleton` is its entry in the main file, or the same entry. Their
 * Dwarf must stay open. False: out of memory.
 */
bool symbol_units_functions_find(struct units_functions *units, Dwarf_Die *skeleton,
	Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die scopes[SCOPES_MAX], int *ret_count);

#endif
