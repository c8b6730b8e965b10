/* SPDX-License-Identifier: MIT */
/* Finds the program's own code on a stack, and counts places. */
#include "analyze/hot_places.h"

#include <string.h>

#include "say/say.h"

#define CALLS_LOOKED_AT 64u

/* ---------------------------------------------------------------- whose code */

static bool begins(const char *text, size_t bytes, const char *with)
{
	return bytes >= strlen(with) && memcmp(text, with, strlen(with)) == 0;
}

/* Code of libraries, and of headers that come with compilers and systems. */
static bool is_own(const struct ct_site *site, const char *file, size_t file_bytes)
{
	bool is_of_system = begins(site->module, strlen(site->module), "/usr/") ||
			    begins(site->module, strlen(site->module), "/lib");

	if (site->module[0] == '[' || (is_of_system && strstr(site->module, ".so")))
		return false;
	return !begins(file, file_bytes, "/usr/include/") && !begins(file, file_bytes, "/usr/lib/");
}

/* Code without a name is as one function of its module. */
static struct hot_place place_of_site(const struct ct_site *site, uint32_t index)
{
	const char *file = site->function[0] ? site->file : site->module;

	return (struct hot_place){.function = site->function,
		.function_bytes = strlen(site->function),
		.file = file,
		.file_bytes = strlen(file),
		.line = site->line,
		.site = index};
}

/* Looks through one call, and the functions into which it was inlined, innermost first. */
static bool find_own_in(const struct ct_tables *tables, uint32_t index, struct hot_place *ret_place)
{
	const struct ct_site *site = say_peek_site(tables, index);
	const char *callers = site->callers;
	struct ct_caller caller;

	if (!site->function[0])
		return false;
	*ret_place = place_of_site(site, index);
	if (is_own(site, site->file, ret_place->file_bytes))
		return true;
	while (ct_caller_next(&callers, &caller)) {
		if (!is_own(site, caller.file, caller.file_bytes))
			continue;
		ret_place->function = caller.function;
		ret_place->function_bytes = caller.function_bytes;
		ret_place->file = caller.file;
		ret_place->file_bytes = caller.file_bytes;
		ret_place->line = caller.line;
		return true;
	}
	return false;
}

static struct hot_place find_place(const struct ct_tables *tables, uint32_t index)
{
	const struct ct_site *site = say_peek_site(tables, index);
	uint32_t stack = site->stack, count = 0;
	struct hot_place place;

	if (find_own_in(tables, index, &place))
		return place;
	while (stack && stack < tables->nr_stacks && count++ < CALLS_LOOKED_AT) {
		if (find_own_in(tables, tables->stacks[stack].site, &place))
			return place;
		stack = tables->stacks[stack].caller;
	}
	return place_of_site(site, index);
}

/* ---------------------------------------------------------------- counting */

static bool is_same_text(const char *one, size_t one_bytes, const char *other, size_t other_bytes)
{
	return one_bytes == other_bytes && memcmp(one, other, one_bytes) == 0;
}

static bool is_same_function(const struct hot_place *one, const struct hot_place *other)
{
	return is_same_text(one->function, one->function_bytes, other->function,
		       other->function_bytes) &&
	       is_same_text(one->file, one->file_bytes, other->file, other->file_bytes);
}

static bool is_same_place(const struct hot_place *one, const struct hot_place *other)
{
	return one->line == other->line && is_same_function(one, other);
}

void analyze_hot_place_add(
	struct hot_places *places, const struct ct_tables *tables, uint32_t site, uint64_t weight)
{
	struct hot_place place = find_place(tables, site);
	uint32_t i = 0;

	while (i < places->count && !is_same_place(&places->at[i], &place))
		i++;
	if (i == HOT_PLACES)
		return;
	if (i == places->count)
		places->at[places->count++] = place;
	places->at[i].count++;
	places->at[i].weight += weight;
}

/* Gives each function what its places have, and the line of the heaviest of them. */
static void gather(
	const struct hot_places *places, struct hot_places *functions, uint64_t most[HOT_PLACES])
{
	uint32_t i, j;

	for (i = 0; i < places->count; i++) {
		const struct hot_place *place = &places->at[i];

		for (j = 0; j < functions->count && !is_same_function(&functions->at[j], place);
			j++)
			;
		if (j == functions->count) {
			functions->at[functions->count++] = *place;
			most[j] = place->weight;
			continue;
		}
		functions->at[j].count += place->count;
		functions->at[j].weight += place->weight;
		if (place->weight <= most[j])
			continue;
		most[j] = place->weight;
		functions->at[j].line = place->line;
		functions->at[j].site = place->site;
	}
}

void analyze_hot_place_sum(const struct hot_places *places, struct hot_places *ret_functions)
{
	uint64_t most[HOT_PLACES];
	uint32_t i, j;

	ret_functions->count = 0;
	gather(places, ret_functions, most);
	for (i = 1; i < ret_functions->count; i++) {
		struct hot_place moved = ret_functions->at[i];

		for (j = i; j > 0 && ret_functions->at[j - 1].weight < moved.weight; j--)
			ret_functions->at[j] = ret_functions->at[j - 1];
		ret_functions->at[j] = moved;
	}
}
