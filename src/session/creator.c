/* SPDX-License-Identifier: MIT */
/*
 * From the promise's constructor outwards: to the coroutine's first function, and to its caller.
 */
#include <string.h>

#include "session/creator.h"

/* A part of a qualified name: "X" of "a::X<int>::y". */
struct component {
	const char *start;
	size_t length; /* without template arguments */
};

static bool component_equals(const struct component *left, const struct component *right)
{
	return left->length > 0 && left->length == right->length &&
	       memcmp(left->start, right->start, left->length) == 0;
}

/* Behind the bracket that closes the one at `text`, of either kind. */
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

/*
 * Reads one component and returns what follows it. A name may begin with "(anonymous namespace)".
 */
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

bool creator_is_constructor(const char *function)
{
	struct component last = {.start = function}, before;

	do {
		before = last;
		if (*function == ':')
			function += strspn(function, ":");
		function = read_component(function, &last);
	} while (*function == ':');
	return component_equals(&before, &last);
}

static const char *function_at(const struct symbol_place *place, uint32_t depth)
{
	return depth == 0 ? place->function : place->callers[depth - 1].function;
}

/* How many constructors surround the address: those of the promise, and of what it is made of. */
static uint32_t count_constructors(const struct symbol_place *place)
{
	uint32_t depth = 0;

	while (depth <= place->nr_callers && creator_is_constructor(function_at(place, depth)))
		depth++;
	return depth;
}

enum ct_status creator_resolve(struct symbol_resolver *resolver, const struct ct_mapping *mappings,
	uint32_t nr_mappings, const struct collect_site *site, struct symbol_place *ret_place,
	struct ct_error *reterr)
{
	enum ct_status status = symbol_resolve(resolver, mappings, nr_mappings, site->process,
		site->inside, CTP_SITE_ADDRESS, ret_place, reterr);
	uint32_t depth;

	if (status || ret_place->extent < SYMBOL_LINE)
		return status;
	depth = count_constructors(ret_place);
	if (depth >= ret_place->nr_callers)
		return symbol_resolve(resolver, mappings, nr_mappings, site->process, site->address,
			CTP_SITE_ADDRESS, ret_place, reterr);
	ret_place->function = ret_place->callers[depth].function;
	ret_place->file = ret_place->callers[depth].file;
	ret_place->line = ret_place->callers[depth].line;
	ret_place->column = 0;
	ret_place->callers += depth + 1;
	ret_place->nr_callers -= depth + 1;
	return CT_OK;
}
