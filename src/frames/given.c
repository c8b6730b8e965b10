/* SPDX-License-Identifier: MIT */
/*
 * Reads arguments of coroutines (given.h). GCC calls them in its frame as the program does, and all else after what
 * it is, or with the numbers of blocks behind; clang names local variables, too, so that the function is asked.
 */
#include <ctype.h>
#include <dwarf.h>
#include <string.h>

#include "frames/debug_types.h"
#include "frames/given.h"
#include "frames/value.h"

#define DEPTH_MAX 4

/* ---------------------------------------------------------------- which members */

size_t given_name_length(const char *name)
{
	const char *end = name + strlen(name);
	unsigned nr_numbers;

	for (nr_numbers = 0; nr_numbers < 2; nr_numbers++) {
		const char *digits = end;

		while (digits > name && isdigit((unsigned char)digits[-1]))
			digits--;
		if (digits == end || digits == name || digits[-1] != '_')
			return strlen(name);
		end = digits - 1;
	}
	return (size_t)(end - name);
}

/* "Aw0_1_2", "text_2_3": what lies in a block of the function. */
static bool is_of_block(const char *name)
{
	return given_name_length(name) < strlen(name);
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

/* ---------------------------------------------------------------- the whole */

bool given_take(struct code *code, struct code_function *function, Dwarf_Die *entry,
	Dwarf_Die *member, uint32_t offset)
{
	struct code_value argument = {.offset = offset};
	const char *name = dwarf_diename(member);
	Dwarf_Die type;

	if (!name || function->shape.arguments.count == VALUE_TOLD_MAX ||
		!is_argument(function, entry, name) || !debug_type(member, &type))
		return true;
	if (!value_take(&code->image->arena, &type, &argument))
		return false;
	value_take_text(&type, &argument);
	if (argument.bytes == 0)
		return true;
	argument.name = arena_text(&code->image->arena, name, strlen(name));
	return argument.name && vec_push(&function->shape.arguments, argument);
}

void given_tell(const struct code_function *function, const struct image *image, uint64_t frame,
	struct text *text)
{
	size_t i;

	for (i = 0; i < function->shape.arguments.count && text->length < VALUE_WORDS_MAX_BYTES;
		i++) {
		const struct code_value *argument = &function->shape.arguments.at[i];

		value_tell(text, text->length ? ", " : "arguments: ", image, frame, argument);
	}
}
