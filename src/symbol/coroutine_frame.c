/* SPDX-License-Identifier: MIT */
/* The frames of C++20 coroutines in debug information (debug_entry.h). */
#include <dwarf.h>
#include <string.h>

#include "symbol/debug_entry.h"

bool symbol_coroutine_is_part(const char *symbol)
{
	static const char *const parts[] = {".actor", ".resume", ".destroy", ".cleanup"};
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(symbol, parts[i]))
			return true;
	return false;
}

static bool type_of(Dwarf_Die *entry, Dwarf_Die *ret_type)
{
	Dwarf_Attribute attribute;
	Dwarf_Die type;

	return dwarf_attr_integrate(entry, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, &type) && dwarf_peel_type(&type, ret_type) == 0;
}

/* GCC's parts have a pointer to the frame as their argument; clang's have a variable of the frame's type. */
static bool is_frame(Dwarf_Die *entry)
{
	int tag = dwarf_tag(entry);
	const char *name = tag == DW_TAG_formal_parameter || tag == DW_TAG_variable
				   ? dwarf_diename(entry)
				   : NULL;

	return name && (strcmp(name, "frame_ptr") == 0 || strcmp(name, "__coro_frame") == 0);
}

bool symbol_coroutine_frame(Dwarf_Die *function, Dwarf_Die *ret_frame)
{
	Dwarf_Die child, type;
	bool is_there = dwarf_child(function, &child) == 0;

	while (is_there && !is_frame(&child))
		is_there = dwarf_siblingof(&child, &child) == 0;
	if (!is_there || !type_of(&child, &type))
		return false;
	if (dwarf_tag(&type) == DW_TAG_pointer_type)
		return type_of(&type, ret_frame);
	*ret_frame = type;
	return true;
}
