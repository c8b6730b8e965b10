/* SPDX-License-Identifier: MIT */
/*
 * Sorts and searches functions by address (function_table.h). Symbol tables overlap: a function can have several names,
 * and assembly code omits sizes.
 */
#include <stdlib.h>
#include <string.h>

#include "symbol/function_table.h"

void symbol_function_table_fini(struct function_table *table)
{
	vec_fini(&table->functions);
}

/* Orders by address; of several functions at one address, the one that should be found comes last. */
static int compare(const void *left, const void *right)
{
	const struct function_entry *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return strcmp(b->name, a->name);
}

void symbol_function_table_sort(struct function_table *table)
{
	if (table->functions.count)
		qsort(table->functions.at, table->functions.count, sizeof(*table->functions.at),
			compare);
}

const struct function_entry *symbol_function_table_find(
	const struct function_table *table, uint64_t address)
{
	size_t nr = vec_count_while(
		table->functions.count, i, table->functions.at[i].address <= address);
	const struct function_entry *entry;

	if (nr == 0)
		return NULL;
	entry = &table->functions.at[nr - 1];
	if (entry->bytes != 0 && address - entry->address >= entry->bytes)
		return NULL;
	return entry;
}
