/* SPDX-License-Identifier: MIT */
/*
 * What else can be read of an ELF file that is open for its symbols (debug_info.h): the code's bytes, all functions,
 * and the entries of the debug information as elfutils has them. Only builds with elfutils have these functions.
 */
#ifndef SYMBOL_DEBUG_ENTRY_H
#define SYMBOL_DEBUG_ENTRY_H

#include <elfutils/libdw.h>

#include "symbol/debug_info.h"
#include "symbol/function_table.h"
#include "symbol/unit_functions.h"

/* symbol_debug_info_functions: the functions of the symbol tables, by address; they live as long as `debug`. */
const struct function_table *symbol_debug_info_functions(const struct debug_info *debug);

/*
 * symbol_debug_info_code: returns the bytes of the section that contains the address, from the address on; they live as
 * long as `debug`. NULL: no section contains it, or the section has no bytes in the file.
 */
const uint8_t *symbol_debug_info_code(
	const struct debug_info *debug, uint64_t address, size_t *ret_nr_bytes);

/*
 * symbol_debug_info_frames: returns the call frame information of the file; addresses in it are smaller by *ret_bias.
 * NULL: there is none.
 */
Dwarf_CFI *symbol_debug_info_frames(struct debug_info *debug, Dwarf_Addr *ret_bias);

/* symbol_debug_info_imports: does the file take a function of this name from another one? */
bool symbol_debug_info_imports(const struct debug_info *debug, const char *name);

/*
 * symbol_debug_info_scopes: finds the function at an address, and those inlined there; see symbol_units_functions_find.
 * *ret_count is 0 if the file has no debug information. False: out of memory.
 */
bool symbol_debug_info_scopes(
	struct debug_info *debug, uint64_t address, Dwarf_Die scopes[SCOPES_MAX], int *ret_count);

/* symbol_debug_info_bias: by how much the addresses above are greater than those of elfutils' entries. */
uint64_t symbol_debug_info_bias(const struct debug_info *debug);

/*
 * symbol_entry_first_code: the lowest address, from this one on, of code that belongs to this line of the file in which
 * the entry is declared; the highest of all: there is none. Goes through all lines of the entry's unit.
 */
Dwarf_Addr symbol_entry_first_code(Dwarf_Die *entry, int line, Dwarf_Addr from);

/* A part into which a compiler splits a C++20 coroutine. */
struct coroutine_part {
	const char *suffix; /* of its symbol */
	bool is_resume;     /* else it destroys the coroutine */
	bool is_gcc;        /* no other compiler calls a part so */
};

/*
 * symbol_coroutine_part: returns the part whose suffix the symbol ends with; NULL: none.
 * symbol_coroutine_is_part: is this the symbol of a part, or of a piece that was split off from one (".actor.cold")?
 * symbol_coroutine_frame: finds the type of the frame by the entry of such a part; false: it is not described.
 */
const struct coroutine_part *symbol_coroutine_part(const char *symbol);
bool symbol_coroutine_is_part(const char *symbol);
bool symbol_coroutine_frame(Dwarf_Die *function, Dwarf_Die *ret_frame);

#endif
