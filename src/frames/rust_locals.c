/* SPDX-License-Identifier: MIT */
/*
 * Reads the variables of async functions of Rust (rust_locals.h). The variant for a place where the function is
 * suspended has the variables that are alive there, and behind them, in each variant alike, all that was captured.
 */
#include <string.h>

#include "frames/debug_types.h"
#include "frames/rust_locals.h"
#include "frames/value.h"

#define MEMBERS_MAX 128u

struct variables {
	const char *names[MEMBERS_MAX];
	struct rust_value values[MEMBERS_MAX];
	uint32_t count;
};

static bool take(void *context, const char *name, const struct rust_value *member)
{
	struct variables *variables = context;

	if (variables->count == MEMBERS_MAX)
		return false;
	variables->names[variables->count] = name;
	variables->values[variables->count++] = *member;
	return true;
}

static bool count(void *context, const char *name, const struct rust_value *member)
{
	(void)name, (void)member;
	return ++*(uint32_t *)context < MEMBERS_MAX;
}

static uint32_t count_captured(const struct rust_value *function)
{
	struct rust_value first;
	uint32_t nr_captured = 0;

	if (rust_first_variant(function, &first))
		rust_each_member(&first, count, &nr_captured);
	return nr_captured;
}

/* A captured value that was moved away is still there, bit by bit. */
static bool outlives_moves(const struct rust_value *value)
{
	Dwarf_Die type = value->type;

	return !debug_is_class(&type) || strcmp(rust_type_name(value), "&str") == 0;
}

static bool is_among(const struct variables *variables, uint32_t nr_first, const char *name)
{
	uint32_t i;

	for (i = 0; i < nr_first; i++)
		if (strcmp(variables->names[i], name) == 0)
			return true;
	return false;
}

bool rust_locals_say(const struct rust_reading *reading, const struct rust_value *function,
	const struct rust_variant *now, struct text *text)
{
	struct variables variables = {.count = 0};
	uint32_t nr_alive, nr_captured, nr_values = 0, i;
	bool is_well = true;

	rust_each_member(&now->value, take, &variables);
	nr_captured = strcmp(now->name, "Unresumed") == 0 ? 0 : count_captured(function);
	nr_alive = variables.count > nr_captured ? variables.count - nr_captured : 0;
	for (i = 0; i < variables.count && is_well; i++) {
		const char *name = variables.names[i];

		if (strncmp(name, "__", 2) == 0 ||
			(i >= nr_alive && (!outlives_moves(&variables.values[i]) ||
						  is_among(&variables, nr_alive, name))))
			continue;
		is_well = rust_variable_say(
			reading, name, &variables.values[i], VALUE_TOLD_MAX, &nr_values, text);
	}
	return is_well;
}
