/* SPDX-License-Identifier: MIT */
/*
 * Functions of compilation units, sorted by address (unit_functions.h).
 */
#include <dwarf.h>
#include <stdlib.h>

#include "symbol/unit_functions.h"

#define DEPTH_MAX 64 /* the depth of nested namespaces and classes */

struct function_range {
	Dwarf_Addr begin;
	Dwarf_Addr end;
	Dwarf_Die function;
};

void symbol_units_functions_fini(struct units_functions *units)
{
	size_t i;

	for (i = 0; i < units->units.count; i++)
		vec_fini(&units->units.at[i].ranges);
	vec_fini(&units->units);
	map_fini(&units->by_unit);
}

/* ------------------------------------------------------------ reading a unit */

struct reading {
	struct unit_functions functions;
	uint32_t *nr_ranges; /* of all units */
};

/* Empty ranges count like others, because reading them takes as long. */
static bool add_function(struct reading *reading, Dwarf_Die *function)
{
	struct function_range range = {.function = *function};
	Dwarf_Addr base;
	ptrdiff_t next = 0;
	uint32_t i;

	for (i = 0; i < FUNCTION_RANGES_MAX && *reading->nr_ranges < FUNCTIONS_RANGES_MAX; i++) {
		next = dwarf_ranges(function, next, &base, &range.begin, &range.end);
		if (next <= 0)
			break;
		++*reading->nr_ranges;
		if (range.begin < range.end && !vec_push(&reading->functions.ranges, range))
			return false;
	}
	return true;
}

bool symbol_entry_covers(Dwarf_Die *entry, Dwarf_Addr address)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t next = 0;
	uint32_t i;

	for (i = 0; i < ENTRY_RANGES_MAX; i++) {
		next = dwarf_ranges(entry, next, &base, &begin, &end);
		if (next <= 0)
			return false;
		if (begin <= address && address < end)
			return true;
	}
	return false;
}

/* Entries that can contain functions, besides the unit itself: those of local classes and lambdas lie in functions. */
static bool holds_functions(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_namespace ||
	       tag == DW_TAG_module || tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type;
}

static bool add_functions(struct reading *reading, Dwarf_Die *within, unsigned depth)
{
	Dwarf_Die entry;
	bool is_there = dwarf_child(within, &entry) == 0;

	for (; is_there; is_there = dwarf_siblingof(&entry, &entry) == 0) {
		int tag = dwarf_tag(&entry);

		if (tag == DW_TAG_subprogram && !add_function(reading, &entry))
			return false;
		if (holds_functions(tag) && depth < DEPTH_MAX &&
			!add_functions(reading, &entry, depth + 1))
			return false;
	}
	return true;
}

static int compare(const void *left, const void *right)
{
	const struct function_range *a = left, *b = right;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

/* NULL: out of memory. */
static const struct unit_functions *functions_of(
	struct units_functions *units, Dwarf_Die *skeleton, Dwarf_Die *unit)
{
	struct reading reading = {.nr_ranges = &units->nr_ranges};
	struct unit_functions *fresh = &reading.functions;
	Dwarf_Off offset = dwarf_dieoffset(skeleton);
	uint32_t index;

	if (map_get(&units->by_unit, offset, &index))
		return &units->units.at[index];
	index = (uint32_t)units->units.count;
	if (!add_functions(&reading, unit, 0) || !vec_push(&units->units, *fresh)) {
		vec_fini(&fresh->ranges);
		return NULL;
	}
	if (fresh->ranges.count)
		qsort(fresh->ranges.at, fresh->ranges.count, sizeof(*fresh->ranges.at), compare);
	return map_put(&units->by_unit, offset, index) ? &units->units.at[index] : NULL;
}

/* ------------------------------------------------------------ looking up */

static const struct function_range *find_range(
	const struct unit_functions *functions, Dwarf_Addr address)
{
	size_t nr = vec_count_while(
		functions->ranges.count, i, functions->ranges.at[i].begin <= address);

	if (nr == 0 || address >= functions->ranges.at[nr - 1].end)
		return NULL;
	return &functions->ranges.at[nr - 1];
}

/* Finds the part of a scope that contains the address; false: there is none. */
static bool find_inner(Dwarf_Die *scope, Dwarf_Addr address, Dwarf_Die *ret_inner)
{
	Dwarf_Die entry;
	bool is_there = dwarf_child(scope, &entry) == 0;

	for (; is_there; is_there = dwarf_siblingof(&entry, &entry) == 0) {
		int tag = dwarf_tag(&entry);

		if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
			    tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
			symbol_entry_covers(&entry, address)) {
			*ret_inner = entry;
			return true;
		}
	}
	return false;
}

static void reverse(Dwarf_Die *scopes, int count)
{
	int i;

	for (i = 0; i < count / 2; i++) {
		Dwarf_Die swapped = scopes[i];

		scopes[i] = scopes[count - 1 - i];
		scopes[count - 1 - i] = swapped;
	}
}

bool symbol_units_functions_find(struct units_functions *units, Dwarf_Die *skeleton,
	Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die scopes[SCOPES_MAX], int *ret_count)
{
	const struct unit_functions *functions = functions_of(units, skeleton, unit);
	const struct function_range *range;
	Dwarf_Die scope;
	int count = 0, depth;

	if (!functions)
		return false;
	*ret_count = 0;
	range = find_range(functions, address);
	if (!range)
		return true;
	scopes[count++] = scope = range->function;
	for (depth = 0; depth < 4 * SCOPES_MAX && count < SCOPES_MAX; depth++) {
		if (!find_inner(&scope, address, &scope))
			break;
		if (dwarf_tag(&scope) == DW_TAG_inlined_subroutine)
			scopes[count++] = scope;
	}
	reverse(scopes, count);
	*ret_count = count;
	return true;
}
