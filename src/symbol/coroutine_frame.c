/* SPDX-License-Identifier: MIT */
/* The parts of C++20 coroutines, and their frames in debug information (debug_entry.h). */
#include <dwarf.h>
#include <string.h>

#include "symbol/debug_entry.h"

#define PARTS (sizeof(parts) / sizeof(*parts))

static const struct coroutine_part parts[] = {
	{".actor", true, true},
	{".resume", true, false},
	{".destroy", false, false}, /* of both compilers */
	{".cleanup", false, false},
};

const struct coroutine_part *symbol_coroutine_part(const char *symbol)
{
	size_t length = strlen(symbol), i;

	for (i = 0; i < PARTS; i++) {
		size_t nr_bytes = strlen(parts[i].suffix);

		if (length > nr_bytes && strcmp(symbol + length - nr_bytes, parts[i].suffix) == 0)
			return &parts[i];
	}
	return NULL;
}

bool symbol_coroutine_is_part(const char *symbol)
{
	size_t i;

	for (i = 0; i < PARTS; i++)
		if (strstr(symbol, parts[i].suffix))
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

static bool find_child(Dwarf_Die *function, int tag, const char *name, Dwarf_Die *ret_child)
{
	bool is_there = dwarf_child(function, ret_child) == 0;

	for (; is_there; is_there = dwarf_siblingof(ret_child, ret_child) == 0) {
		const char *its_name =
			dwarf_tag(ret_child) == tag ? dwarf_diename(ret_child) : NULL;

		if (its_name && strcmp(its_name, name) == 0)
			return true;
	}
	return false;
}

/* Clang's parts have a variable of the frame's type, with a name that no program may use. */
static bool frame_of_clang(Dwarf_Die *function, Dwarf_Die *ret_frame)
{
	Dwarf_Die child, type;

	if (!find_child(function, DW_TAG_variable, "__coro_frame", &child) ||
		!type_of(&child, &type))
		return false;
	if (dwarf_tag(&type) == DW_TAG_pointer_type)
		return type_of(&type, ret_frame);
	*ret_frame = type;
	return true;
}

/*
 * GCC's parts have a pointer to the frame as their argument. A program may call an argument of its own like that, but
 * no type of its own has a dot in its name.
 */
static bool frame_of_gcc(Dwarf_Die *function, Dwarf_Die *ret_frame)
{
	Dwarf_Die child, type;
	const char *name;

	if (!find_child(function, DW_TAG_formal_parameter, "frame_ptr", &child) ||
		!type_of(&child, &type) || dwarf_tag(&type) != DW_TAG_pointer_type ||
		!type_of(&type, ret_frame))
		return false;
	name = dwarf_diename(ret_frame);
	return name && strchr(name, '.');
}

bool symbol_coroutine_frame(Dwarf_Die *function, Dwarf_Die *ret_frame)
{
	return frame_of_clang(function, ret_frame) || frame_of_gcc(function, ret_frame);
}
