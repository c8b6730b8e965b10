/* SPDX-License-Identifier: MIT */
/* Goes outwards from the promise's constructor or destructor: to the coroutine's own function, and to its caller. */
#include <string.h>

#include "session/caller.h"

/* A component of a qualified name: "X" of "a::X<int>::y". */
struct component {
	const char *start;
	size_t length; /* without template arguments */
};

static bool component_equals(const struct component *left, const struct component *right)
{
	return left->length > 0 && left->length == right->length &&
	       memcmp(left->start, right->start, left->length) == 0;
}

/* Returns the place after the bracket that closes the one at `text`, of either kind. */
static const char *skip_brackets(const char *text)
{
	unsigned depth = 0;

	for (; *text; text++) {
		if (*text == '<' || *text == '(')
			depth++;
		else if ((*text == '>' || *text == ')') && --depth == 0)
			return text + 1;
	}
	return text;
}

/* Reads one component and returns the text after it. A name may begin with "(anonymous namespace)". */
static const char *read_component(const char *text, struct component *ret_component)
{
	ret_component->start = text;
	if (*text == '(')
		text = skip_brackets(text);
	while (*text && *text != ':' && *text != '<' && *text != '(')
		text++;
	ret_component->length = (size_t)(text - ret_component->start);
	return *text == '<' ? skip_brackets(text) : text;
}

/* Reads a whole name: returns its last component, and the one before that. */
static void read_name(
	const char *function, struct component *ret_before, struct component *ret_last)
{
	*ret_last = (struct component){.start = function};
	do {
		*ret_before = *ret_last;
		if (*function == ':')
			function += strspn(function, ":");
		function = read_component(function, ret_last);
	} while (*function == ':');
}

bool caller_is_constructor(const char *function)
{
	struct component before, last;

	read_name(function, &before, &last);
	return component_equals(&before, &last);
}

bool caller_is_destructor(const char *function)
{
	struct component before, last;

	read_name(function, &before, &last);
	if (last.length == 0 || *last.start != '~')
		return false;
	last.start++;
	last.length--;
	return component_equals(&before, &last);
}

static const char *function_at(const struct symbol_place *place, uint32_t depth)
{
	return depth == 0 ? place->function : place->callers[depth - 1].function;
}

/*
 * Returns how many such functions surround the address: functions of the promise, and of its base classes and members.
 */
static uint32_t count_around(
	const struct symbol_place *place, bool (*is_such)(const char *function))
{
	uint32_t depth = 0;

	while (depth <= place->nr_callers && is_such(function_at(place, depth)))
		depth++;
	return depth;
}

/* Moves the place outwards to the call that lies `depth` functions further out. */
static void step_out(struct symbol_place *place, uint32_t depth)
{
	if (depth == 0)
		return;
	place->function = place->callers[depth - 1].function;
	place->file = place->callers[depth - 1].file;
	place->line = place->callers[depth - 1].line;
	place->column = 0;
	place->callers += depth;
	place->nr_callers -= depth;
}

/* Returns whether this is coroutine_handle's destroy(), or the destructor of an owner of the handle. */
static bool is_passing_on(const char *function)
{
	return strncmp(function, "std::", 5) == 0 || caller_is_destructor(function);
}

/*
 * Finds the function that called the destroyer, past functions that only pass the call on. If the compiler does not
 * turn the destroyer's last call into a jump, the return address lies in the destroyer, whose caller is not known.
 */
static enum ct_status resolve_destroyer(struct symbol_resolver *resolver,
	const struct ct_mapping *mappings, uint32_t nr_mappings, const struct collect_site *site,
	struct symbol_place *place, struct ct_error *reterr)
{
	const char *coroutine = function_at(place, place->nr_callers);
	enum ct_status status = symbol_resolve(resolver, mappings, nr_mappings, site->process,
		site->address, CTP_SITE_ADDRESS, place, reterr);
	uint32_t depth;

	if (status)
		return status;
	depth = count_around(place, is_passing_on);
	if (strcmp(place->function, coroutine) == 0)
		*place = (struct symbol_place){.extent = SYMBOL_NOTHING};
	else
		step_out(place, depth <= place->nr_callers ? depth : place->nr_callers);
	return CT_OK;
}

enum ct_status caller_resolve(struct symbol_resolver *resolver, const struct ct_mapping *mappings,
	uint32_t nr_mappings, const struct collect_site *site, struct symbol_place *ret_place,
	struct ct_error *reterr)
{
	enum ct_status status = symbol_resolve(resolver, mappings, nr_mappings, site->process,
		site->inside, CTP_SITE_ADDRESS, ret_place, reterr);
	bool is_destroyed;
	uint32_t depth;

	if (status || ret_place->extent < SYMBOL_LINE)
		return status;
	is_destroyed = caller_is_destructor(ret_place->function);
	depth = count_around(
		ret_place, is_destroyed ? caller_is_destructor : caller_is_constructor);
	if (is_destroyed && depth > ret_place->nr_callers)
		*ret_place = (struct symbol_place){.extent = SYMBOL_NOTHING};
	else if (is_destroyed && depth == ret_place->nr_callers)
		return resolve_destroyer(resolver, mappings, nr_mappings, site, ret_place, reterr);
	else if (depth >= ret_place->nr_callers)
		return symbol_resolve(resolver, mappings, nr_mappings, site->process, site->address,
			CTP_SITE_ADDRESS, ret_place, reterr);
	else
		step_out(ret_place, depth + 1);
	return CT_OK;
}
