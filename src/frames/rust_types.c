/* SPDX-License-Identifier: MIT */
/* Reads what rustc says of its types (rust_types.h): structures, with a part of variants in enumerations. */
#include <dwarf.h>
#include <string.h>

#include "frames/debug_types.h"
#include "frames/rust_types.h"

#define MEMBERS_MAX 4096u
#define STATE_NAME "__state"

static bool entry_of(Dwarf_Die *entry, unsigned name, Dwarf_Die *ret_entry)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(entry, name, &attribute) && dwarf_formref_die(&attribute, ret_entry);
}

/* A member's value, from where the value that has it lies. */
static bool value_of(
	const struct rust_value *outer, Dwarf_Die *member, struct rust_value *ret_value)
{
	uint64_t offset = 0;

	debug_number(member, DW_AT_data_member_location, &offset);
	ret_value->address = outer->address + offset;
	return entry_of(member, DW_AT_type, &ret_value->type);
}

const char *rust_type_name(const struct rust_value *value)
{
	Dwarf_Die type = value->type;
	const char *name = dwarf_diename(&type);

	return name ? name : "";
}

bool rust_member(const struct rust_value *value, const char *name, struct rust_value *ret_member)
{
	Dwarf_Die type = value->type, child;
	uint32_t i;
	bool is_there = dwarf_child(&type, &child) == 0;

	for (i = 0; is_there && i < MEMBERS_MAX; i++) {
		if (dwarf_tag(&child) == DW_TAG_member && debug_is_called(&child, name))
			return value_of(value, &child, ret_member);
		is_there = dwarf_siblingof(&child, &child) == 0;
	}
	return false;
}

bool rust_each_member(const struct rust_value *value,
	bool (*take)(void *context, const char *name, const struct rust_value *member),
	void *context)
{
	Dwarf_Die type = value->type, child;
	struct rust_value member;
	const char *name;
	uint32_t i;
	bool is_there = dwarf_child(&type, &child) == 0;

	for (i = 0; is_there && i < MEMBERS_MAX; i++) {
		name = dwarf_tag(&child) == DW_TAG_member ? dwarf_diename(&child) : NULL;
		if (name && value_of(value, &child, &member) && !take(context, name, &member))
			return false;
		is_there = dwarf_siblingof(&child, &child) == 0;
	}
	return true;
}

uint64_t rust_bytes(const struct rust_value *value)
{
	Dwarf_Die type = value->type;

	return debug_bytes(&type);
}

bool rust_only_member(const struct rust_value *value, struct rust_value *ret_member)
{
	Dwarf_Die type = value->type, child;
	struct rust_value member;
	unsigned count = 0;
	uint32_t i;
	bool is_there = dwarf_child(&type, &child) == 0;

	for (i = 0; is_there && i < MEMBERS_MAX; i++) {
		if (dwarf_tag(&child) == DW_TAG_variant_part)
			return false;
		if (dwarf_tag(&child) == DW_TAG_member && value_of(value, &child, &member) &&
			rust_bytes(&member) > 0) {
			*ret_member = member;
			count++;
		}
		is_there = dwarf_siblingof(&child, &child) == 0;
	}
	return count == 1;
}

/* ---------------------------------------------------------------- variants */

static bool find_variants(const struct rust_value *value, Dwarf_Die *ret_part)
{
	Dwarf_Die type = value->type;
	uint32_t i;
	bool is_there = dwarf_child(&type, ret_part) == 0;

	for (i = 0; is_there && i < MEMBERS_MAX; i++) {
		if (dwarf_tag(ret_part) == DW_TAG_variant_part)
			return true;
		is_there = dwarf_siblingof(ret_part, ret_part) == 0;
	}
	return false;
}

bool rust_has_variants(const struct rust_value *value)
{
	Dwarf_Die part;

	return find_variants(value, &part);
}

bool rust_is_async(const struct rust_value *value)
{
	Dwarf_Die part, discriminator;

	return find_variants(value, &part) && entry_of(&part, DW_AT_discr, &discriminator) &&
	       debug_is_called(&discriminator, STATE_NAME);
}

static bool read_discriminator(const struct image *image, const struct rust_value *value,
	Dwarf_Die *part, uint64_t *ret_number)
{
	Dwarf_Die entry;
	struct rust_value discriminator;
	Dwarf_Word bytes;

	if (!entry_of(part, DW_AT_discr, &entry) || !value_of(value, &entry, &discriminator) ||
		dwarf_aggregate_size(&discriminator.type, &bytes) != 0 || bytes == 0 ||
		bytes > sizeof(*ret_number))
		return false;
	*ret_number = 0;
	return image_read(image, discriminator.address, ret_number, bytes) == bytes;
}

/* A variant without a number stands for all other numbers. */
static bool has_number(Dwarf_Die *variant, uint64_t number, bool *ret_is_for_others)
{
	uint64_t own;

	*ret_is_for_others = !debug_number(variant, DW_AT_discr_value, &own);
	return !*ret_is_for_others && own == number;
}

static bool find_variant(Dwarf_Die *part, uint64_t number, Dwarf_Die *ret_variant)
{
	Dwarf_Die child;
	bool is_there = dwarf_child(part, &child) == 0, is_for_others, is_found = false;
	uint32_t i;

	for (i = 0; is_there && i < MEMBERS_MAX; i++) {
		if (dwarf_tag(&child) == DW_TAG_variant) {
			if (has_number(&child, number, &is_for_others)) {
				*ret_variant = child;
				return true;
			}
			if (is_for_others) {
				*ret_variant = child;
				is_found = true;
			}
		}
		is_there = dwarf_siblingof(&child, &child) == 0;
	}
	return is_found;
}

bool rust_variant_now(
	const struct image *image, const struct rust_value *value, struct rust_variant *ret_variant)
{
	Dwarf_Die part, variant, member;
	uint64_t number;
	int line;

	memset(ret_variant, 0, sizeof(*ret_variant));
	if (!find_variants(value, &part) || !read_discriminator(image, value, &part, &number) ||
		!find_variant(&part, number, &variant) || dwarf_child(&variant, &member) != 0 ||
		dwarf_tag(&member) != DW_TAG_member ||
		!value_of(value, &member, &ret_variant->value))
		return false;
	ret_variant->name = rust_type_name(&ret_variant->value);
	ret_variant->file = dwarf_decl_file(&member);
	if (!ret_variant->file)
		ret_variant->file = "";
	if (dwarf_decl_line(&member, &line) == 0 && line > 0)
		ret_variant->line = (uint32_t)line;
	return true;
}

bool rust_first_variant(const struct rust_value *value, struct rust_value *ret_variant)
{
	Dwarf_Die part, variant, member;

	return find_variants(value, &part) && find_variant(&part, 0, &variant) &&
	       dwarf_child(&variant, &member) == 0 && dwarf_tag(&member) == DW_TAG_member &&
	       value_of(value, &member, ret_variant);
}

bool rust_pointer_type(const struct rust_value *pointer, Dwarf_Die *ret_type)
{
	Dwarf_Die type = pointer->type;

	return dwarf_tag(&type) == DW_TAG_pointer_type && entry_of(&type, DW_AT_type, ret_type);
}

bool rust_pointed(
	const struct image *image, const struct rust_value *pointer, struct rust_value *ret_value)
{
	return rust_pointer_type(pointer, &ret_value->type) &&
	       image_read_word(image, pointer->address, &ret_value->address);
}
