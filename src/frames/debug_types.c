/* SPDX-License-Identifier: MIT */
/* Reads types from debug information (debug_types.h). */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
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

bool debug_is_called(Dwarf_Die *entry, const char *name)
{
	const char *given = dwarf_diename(entry);

	return given && strcmp(given, name) == 0;
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

/* ---------------------------------------------------------------- names of classes */

/* Names that only tell versions of a library apart, such as std::__n4861 and std::__cxx11, are left out. */
static bool is_scope_name(Dwarf_Die *scope)
{
	int tag = dwarf_tag(scope);
	const char *name = dwarf_diename(scope);

	return name && strncmp(name, "__", 2) != 0 &&
	       (tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
		       tag == DW_TAG_namespace);
}

static const char *full_name(struct arena *arena, Dwarf_Die *class_entry)
{
	struct text name = {0};
	Dwarf_Die *scopes = NULL;
	const char *result;
	int i = dwarf_getscopes_die(class_entry, &scopes);

	while (--i >= 0) {
		if (!is_scope_name(&scopes[i]))
			continue;
		if (name.length > 0)
			text_add(&name, "::");
		text_add(&name, dwarf_diename(&scopes[i]));
	}
	free(scopes);
	result = arena_text(arena, text_peek(&name), name.length);
	text_fini(&name);
	return result;
}

const char *debug_class_name(struct class_names *names, Dwarf_Die *class_entry)
{
	uint64_t key = (uint64_t)(uintptr_t)class_entry->addr;
	uint32_t index = (uint32_t)names->names.count;
	const char *name;

	if (map_get(&names->by_entry, key, &index))
		return names->names.at[index];
	name = full_name(names->arena, class_entry);
	return name && vec_push(&names->names, name) && map_put(&names->by_entry, key, index)
		       ? name
		       : NULL;
}

void debug_class_names_fini(struct class_names *names)
{
	vec_fini(&names->names);
	map_fini(&names->by_entry);
}
