/* SPDX-License-Identifier: MIT */
/*
 * Reads arguments of coroutines (given.h). GCC calls them in its frame as the program does, and all else after what
 * it is, or with the numbers of blocks behind; clang names local variables, too, so that the function is asked.
 */
#include <ctype.h>
#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

#include "frames/given.h"

#define ARGUMENTS_MAX 8u
#define ENUMERATORS_MAX 64u
#define NAME_MAX_BYTES 40
#define TEXT_MAX_BYTES 320u
#define DEPTH_MAX 4

/* ---------------------------------------------------------------- which members */

/* "Aw0_1_2", "text_2_3": what lies in a block of the function. */
static bool is_of_block(const char *name)
{
	const char *end = name + strlen(name);
	unsigned nr_numbers;

	for (nr_numbers = 0; nr_numbers < 2; nr_numbers++) {
		const char *digits = end;

		while (digits > name && isdigit((unsigned char)digits[-1]))
			digits--;
		if (digits == end || digits == name || digits[-1] != '_')
			return false;
		end = digits - 1;
	}
	return true;
}

static bool is_name(const char *name)
{
	size_t i;

	if (isdigit((unsigned char)name[0]))
		return false;
	for (i = 0; name[i]; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return false;
	return i > 0;
}

/* Is there a parameter of this name, in the function or where it is described once for all its copies? */
static bool has_parameter(Dwarf_Die *entry, const char *name, int depth)
{
	Dwarf_Attribute attribute;
	Dwarf_Die child, origin;
	const char *given;
	bool is_there = dwarf_child(entry, &child) == 0;

	for (; is_there; is_there = dwarf_siblingof(&child, &child) == 0) {
		given = dwarf_tag(&child) == DW_TAG_formal_parameter ? dwarf_diename(&child) : NULL;
		if (given && strcmp(given, name) == 0)
			return true;
	}
	return depth < DEPTH_MAX &&
	       (dwarf_attr(entry, DW_AT_abstract_origin, &attribute) ||
		       dwarf_attr(entry, DW_AT_specification, &attribute)) &&
	       dwarf_formref_die(&attribute, &origin) && has_parameter(&origin, name, depth + 1);
}

static bool is_argument(const struct code_function *function, Dwarf_Die *entry, const char *name)
{
	if (!is_name(name))
		return false;
	if (function->is_gcc)
		return strncmp(name, "_Coro_", 6) != 0 && !is_of_block(name);
	return strncmp(name, "__", 2) != 0 && has_parameter(entry, name, 0);
}

/* ---------------------------------------------------------------- types */

static bool set_enumerators(struct code *code, Dwarf_Die *type, struct code_argument *argument)
{
	struct code_enumerator found[ENUMERATORS_MAX], *kept;
	Dwarf_Attribute attribute;
	Dwarf_Die child;
	Dwarf_Sword value;
	const char *name;
	uint32_t nr = 0;
	bool is_there = dwarf_child(type, &child) == 0;

	for (; is_there && nr < ENUMERATORS_MAX; is_there = dwarf_siblingof(&child, &child) == 0) {
		name = dwarf_diename(&child);
		if (!name || !dwarf_attr(&child, DW_AT_const_value, &attribute) ||
			dwarf_formsdata(&attribute, &value) != 0)
			continue;
		found[nr].name = arena_text(&code->image->arena, name, strlen(name));
		if (!found[nr].name)
			return false;
		found[nr++].value = value;
	}
	kept = arena_array(&code->image->arena, nr + 1, sizeof(*kept));
	if (!kept)
		return false;
	memcpy(kept, found, nr * sizeof(*found));
	argument->enumerators = kept;
	argument->nr_enumerators = nr;
	return true;
}

static bool set_base(Dwarf_Die *type, struct code_argument *argument)
{
	Dwarf_Attribute attribute;
	Dwarf_Word encoding;

	if (!dwarf_attr(type, DW_AT_encoding, &attribute) ||
		dwarf_formudata(&attribute, &encoding) != 0)
		return false;
	switch (encoding) {
	case DW_ATE_boolean:
		argument->form = CODE_FORM_BOOL;
		return true;
	case DW_ATE_float:
		argument->form = CODE_FORM_FLOAT;
		return argument->bytes == sizeof(float) || argument->bytes == sizeof(double);
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		argument->form = CODE_FORM_SIGNED;
		return true;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		argument->form = CODE_FORM_UNSIGNED;
		return true;
	default:
		return false;
	}
}

static bool set_form(Dwarf_Die *type, struct code_argument *argument)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_base_type:
		return set_base(type, argument);
	case DW_TAG_enumeration_type:
		argument->form = CODE_FORM_ENUMERATION;
		return true;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		argument->form = CODE_FORM_POINTER;
		argument->bytes = sizeof(uint64_t);
		return true;
	default:
		return false;
	}
}

bool given_take(struct code *code, struct code_function *function, Dwarf_Die *entry,
	Dwarf_Die *member, uint32_t offset)
{
	struct code_argument argument = {.offset = offset};
	const char *name = dwarf_diename(member);
	Dwarf_Attribute attribute;
	Dwarf_Die named, type;
	Dwarf_Word bytes = 0;

	if (!name || function->shape.arguments.count == ARGUMENTS_MAX ||
		!is_argument(function, entry, name) ||
		!dwarf_attr_integrate(member, DW_AT_type, &attribute) ||
		!dwarf_formref_die(&attribute, &named) || dwarf_peel_type(&named, &type) != 0)
		return true;
	if (dwarf_aggregate_size(&type, &bytes) == 0)
		argument.bytes = (uint32_t)bytes;
	if (!set_form(&type, &argument) || argument.bytes == 0 || argument.bytes > sizeof(uint64_t))
		return true;
	if (argument.form == CODE_FORM_ENUMERATION && !set_enumerators(code, &type, &argument))
		return false;
	argument.name = arena_text(&code->image->arena, name, strlen(name));
	return argument.name && vec_push(&function->shape.arguments, argument);
}

/* ---------------------------------------------------------------- values */

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

static void add_enumeration(struct text *text, const struct code_argument *argument, uint64_t word)
{
	int64_t value = as_signed(word, argument->bytes);
	uint32_t i;

	for (i = 0; i < argument->nr_enumerators; i++)
		if (argument->enumerators[i].value == value ||
			(uint64_t)argument->enumerators[i].value == word) {
			text_format(text, "%.*s", NAME_MAX_BYTES, argument->enumerators[i].name);
			return;
		}
	text_format(text, "%" PRId64, value);
}

static void add_value(struct text *text, const struct code_argument *argument, uint64_t word)
{
	switch (argument->form) {
	case CODE_FORM_SIGNED:
		text_format(text, "%" PRId64, as_signed(word, argument->bytes));
		return;
	case CODE_FORM_UNSIGNED:
		text_format(text, "%" PRIu64, word);
		return;
	case CODE_FORM_BOOL:
		text_add(text, word ? "true" : "false");
		return;
	case CODE_FORM_FLOAT:
		add_float(text, word, argument->bytes);
		return;
	case CODE_FORM_POINTER:
		text_format(text, "0x%" PRIx64, word);
		return;
	case CODE_FORM_ENUMERATION:
		add_enumeration(text, argument, word);
		return;
	}
}

void given_tell(const struct code_function *function, const struct image *image, uint64_t frame,
	struct text *text)
{
	size_t i;

	for (i = 0; i < function->shape.arguments.count && text->length < TEXT_MAX_BYTES; i++) {
		const struct code_argument *argument = &function->shape.arguments.at[i];
		uint64_t word = 0;

		if (image_read(image, frame + argument->offset, &word, argument->bytes) !=
			argument->bytes)
			continue;
		text_format(text, "%s%.*s = ", text->length ? ", " : "arguments: ", NAME_MAX_BYTES,
			argument->name);
		add_value(text, argument, word);
	}
}
