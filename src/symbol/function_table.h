/* SPDX-License-Identifier: MIT */
/*
 * The functions in the symbol tables of an ELF file, sorted by address.
 */
#ifndef SYMBOL_FUNCTION_TABLE_H
#define SYMBOL_FUNCTION_TABLE_H

#include <stdint.h>

#include "base/vec.h"

struct function_entry {
	uint64_t address;
	uint64_t bytes;   /* 0: unknown; the function reaches to the next one */
	const char *name; /* as in the file, which owns the text */
	uint32_t rank;    /* of several functions at one address, the highest rank is used */
};

/* A zeroed struct is empty. */
struct function_table {
	VEC(struct function_entry) functions;
};

/* symbol_function_table_fini: frees the memory. */
void symbol_function_table_fini(struct function_table *table);

/* symbol_function_table_sort: must be called after the last entry was pushed and before the first look-up. */
void symbol_function_table_sort(struct function_table *table);

/* symbol_function_table_find: finds the function that contains the address; NULL: there is none. */
const struct function_entry *symbol_function_table_find(
	const struct function_table *table, uint64_t address);

#endif
