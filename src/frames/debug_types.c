/* SPDX-License-Identifier: MIT */
/* Reads types from debug information (debug_types.h). */
#include <dwarf.h>
#include <string.h>

#include "frames/debug_types.h"

bool debug_number(Dwarf_Die *entry, unsigned name, uint64_t *ret_number)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	if (!dwarf_attr_integrate(entry, name, &attribute) ||
		dwarf_formudata(&attribute, &number) != 0)
		return false;
	*ret_number = number;
	return true;
}

bool debug_type(Dwarf_Die *entry, Dwarf_Die *ret_type)
{
	Dwarf_Attribute attribute;
	Dwarf_Die type;

	return dwarf_attr_integrate(entry, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, &type) && dwarf_peel_type(&type, ret_type) == 0;
}

bool debug_is_class(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

bool debug_has_members(Dwarf_Die *type)
{
	return debug_is_class(type) || dwarf_tag(type) == DW_TAG_union_type;
}

bool debug_is_pointer(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

bool debug_is_await_suspend(Dwarf_Die *function)
{
	static const char suspend[] = "await_suspend";
	const char *name = dwarf_diename(function);
	size_t nr_bytes = sizeof(suspend) - 1;

	return name && strncmp(name, suspend, nr_bytes) == 0 &&
	       (name[nr_bytes] == '\0' || name[nr_bytes] == '<');
}

uint32_t debug_bytes(Dwarf_Die *type)
{
	Dwarf_Word bytes;

	return dwarf_aggregate_size(type, &bytes) == 0 && bytes <= UINT32_MAX ? (uint32_t)bytes : 0;
}

bool debug_offset(Dwarf_Die *member, uint32_t *ret_offset)
{
	uint64_t offset = 0;

	if (!debug_number(member, DW_AT_data_member_location, &offset) || offset > UINT32_MAX / 2)
		return false;
	*ret_offset = (uint32_t)offset;
	return true;
}
