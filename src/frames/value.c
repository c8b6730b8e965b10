/* SPDX-License-Identifier: MIT */
/* Reads the types of values, and says values (value.h). */
#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

#include "frames/debug_types.h"
#include "frames/value.h"

#define ENUMERATORS_MAX 64u
#define NAME_MAX_BYTES 40

static bool set_enumerators(struct arena *arena, Dwarf_Die *type, struct code_value *value)
{
	struct code_enumerator found[ENUMERATORS_MAX], *kept;
	Dwarf_Attribute attribute;
	Dwarf_Die child;
	Dwarf_Sword number;
	const char *name;
	uint32_t nr = 0;
	bool is_there = dwarf_child(type, &child) == 0;

	for (; is_there && nr < ENUMERATORS_MAX; is_there = dwarf_siblingof(&child, &child) == 0) {
		name = dwarf_diename(&child);
		if (!name || !dwarf_attr(&child, DW_AT_const_value, &attribute) ||
			dwarf_formsdata(&attribute, &number) != 0)
			continue;
		found[nr].name = arena_text(arena, name, strlen(name));
		if (!found[nr].name)
			return false;
		found[nr++].value = number;
	}
	kept = arena_array(arena, nr + 1, sizeof(*kept));
	if (!kept)
		return false;
	memcpy(kept, found, nr * sizeof(*found));
	value->enumerators = kept;
	value->nr_enumerators = nr;
	return true;
}

static bool set_base(Dwarf_Die *type, struct code_value *value)
{
	Dwarf_Attribute attribute;
	Dwarf_Word encoding;

	if (!dwarf_attr(type, DW_AT_encoding, &attribute) ||
		dwarf_formudata(&attribute, &encoding) != 0)
		return false;
	switch (encoding) {
	case DW_ATE_boolean:
		value->form = CODE_FORM_BOOL;
		return true;
	case DW_ATE_float:
		value->form = CODE_FORM_FLOAT;
		return value->bytes == sizeof(float) || value->bytes == sizeof(double);
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		value->form = CODE_FORM_SIGNED;
		return true;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		value->form = CODE_FORM_UNSIGNED;
		return true;
	default:
		return false;
	}
}

static bool set_form(Dwarf_Die *type, struct code_value *value)
{
	if (dwarf_tag(type) == DW_TAG_base_type)
		return set_base(type, value);
	if (debug_is_pointer(type)) {
		value->form = CODE_FORM_POINTER;
		value->bytes = sizeof(uint64_t);
		return true;
	}
	value->form = CODE_FORM_ENUMERATION;
	return dwarf_tag(type) == DW_TAG_enumeration_type;
}

bool value_take(struct arena *arena, Dwarf_Die *type, struct code_value *value)
{
	value->bytes = debug_bytes(type);
	if (!set_form(type, value) || value->bytes > sizeof(uint64_t))
		value->bytes = 0;
	return value->bytes == 0 || value->form != CODE_FORM_ENUMERATION ||
	       set_enumerators(arena, type, value);
}

static int64_t as_signed(uint64_t word, uint32_t bytes)
{
	unsigned unused = 64 - 8 * bytes;

	return (int64_t)(word << unused) >> unused;
}

static void add_float(struct text *text, uint64_t word, uint32_t bytes)
{
	double wide;
	float narrow;

	memcpy(&wide, &word, sizeof(wide));
	memcpy(&narrow, &word, sizeof(narrow));
	text_format(text, "%g", bytes == sizeof(narrow) ? (double)narrow : wide);
}

static void add_enumeration(struct text *text, const struct code_value *value, uint64_t word)
{
	int64_t number = as_signed(word, value->bytes);
	uint32_t i;

	for (i = 0; i < value->nr_enumerators; i++)
		if (value->enumerators[i].value == number ||
			(uint64_t)value->enumerators[i].value == word) {
			text_format(text, "%.*s", NAME_MAX_BYTES, value->enumerators[i].name);
			return;
		}
	text_format(text, "%" PRId64, number);
}

void value_add(struct text *text, const struct code_value *value, uint64_t word)
{
	switch (value->form) {
	case CODE_FORM_SIGNED:
		text_format(text, "%" PRId64, as_signed(word, value->bytes));
		return;
	case CODE_FORM_UNSIGNED:
		text_format(text, "%" PRIu64, word);
		return;
	case CODE_FORM_BOOL:
		text_add(text, word ? "true" : "false");
		return;
	case CODE_FORM_FLOAT:
		add_float(text, word, value->bytes);
		return;
	case CODE_FORM_POINTER:
		text_format(text, "0x%" PRIx64, word);
		return;
	case CODE_FORM_ENUMERATION:
		add_enumeration(text, value, word);
		return;
	}
}
