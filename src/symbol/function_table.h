/* SPDX-License-Identifier: MIT */
/*
 * The functions that an ELF file's symbol tables name, sorted by address.
 */
#ifndef SYMBOL_FUNCTION_TABLE_H
#define SYMBOL_FUNCTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct function_entry {
	uint64_t address;
	uint64_t bytes;   /* 0: not told; it reaches to the next one */
	const char *name; /* as in the file; the file's owner keeps it */
	uint32_t rank;    /* among several at one address, the highest counts */
};

/* Zeroed is empty. */
struct function_table {
	VEC(struct function_entry) functions;
};

/* symbol_function_table_fini: gives the memory back. */
void symbol_function_table_fini(struct function_table *table);

/* symbol_function_table_sort: after the last entry was pushed, before the first look-up. */
void symbol_function_table_sort(struct function_table *table);

/* symbol_function_table_find: the function that holds the address; NULL: none. */
const struct function_entry *symbol_function_table_find(
	const struct function_table *table, uint64_t address);

#endif
