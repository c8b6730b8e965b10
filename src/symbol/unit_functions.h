/* SPDX-License-Identifier: MIT */
/*
 * Finds the function of a compilation unit that holds an address, and those that were inlined there.
 *
 * libdw answers that by walking through the whole unit each time, which takes milliseconds in a large one. Here a
 * unit is walked once, when it is first asked about; then a search and a walk through the one function will do.
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

/* Functions beyond have lines only: a few bytes of a hostile file can name one long list of ranges again and again. */
#define FUNCTION_RANGES_MAX 64u       /* of one function */
#define FUNCTIONS_RANGES_MAX 1048576u /* of all functions of a file */

/* All units that were asked about. Zeroed is empty. */
struct units_functions {
	struct map by_unit; /* the offset of its entry, to an index into `units` */
	VEC(struct unit_functions) units;
	uint32_t nr_ranges; /* that were read */
};

/* symbol_units_functions_fini: gives the memory back. */
void symbol_units_functions_fini(struct units_functions *units);

/* More functions within each other than anybody inlines; what is deeper is not told. */
#define SCOPES_MAX 64

/*
 * symbol_units_functions_find: the function that holds the address and all that were inlined into it there, innermost
 * first, into `scopes`; how many in *ret_count, 0 where no function of the unit is known to. `unit` is the entry of a
 * unit with its functions, `skeleton` the one in the main file that stands for it, or the same; their Dwarf must stay
 * open.
 * False: out of memory.
 */
bool symbol_units_functions_find(struct units_functions *units, Dwarf_Die *skeleton,
	Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die scopes[SCOPES_MAX], int *ret_count);

#endif
