/* SPDX-License-Identifier: MIT */
/* Finds coroutine functions by the names of their parts (code.h). */
#include <string.h>

#include "base/hash.h"
#include "frames/code.h"
#include "frames/shape.h"
#include "symbol/debug_entry.h"

static void widen(struct code *code, uint64_t address)
{
	if (address < code->lowest)
		code->lowest = address;
	if (address > code->highest)
		code->highest = address;
}

static uint64_t name_key(uint32_t module, const char *name, size_t nr_bytes)
{
	return hash_bytes(hash_bytes(HASH_START, &module, sizeof(module)), name, nr_bytes);
}

static bool add_resume(struct code *code, uint32_t module, const struct function_entry *entry,
	const struct coroutine_part *part)
{
	struct code_function function = {.module = module,
		.is_gcc = part->is_gcc,
		.resume = entry->address,
		.resume_bytes = entry->bytes,
		.file = "",
		.namesake = CODE_NO_OFFSET};
	size_t nr_bytes = strlen(entry->name) - strlen(part->suffix);
	uint64_t key = name_key(module, entry->name, nr_bytes);
	uint32_t index = (uint32_t)code->functions.count;

	function.symbol = arena_text(&code->image->arena, entry->name, nr_bytes);
	map_get(&code->by_name, key, &function.namesake);
	return function.symbol && map_put(&code->by_name, key, index) &&
	       vec_push(&code->functions, function);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/*
 * Finds the function that a part belongs to: that of the same name. Two files of a program may each have a function of
 * this name; the parts of a function lie together, so the nearest is meant.
 */
static bool add_destroy(struct code *code, uint32_t module, const struct function_entry *entry,
	const struct coroutine_part *part)
{
	uint64_t address = entry->address + code->modules->at[module].bias;
	uint32_t at, best;

	if (!map_get(&code->by_name,
		    name_key(module, entry->name, strlen(entry->name) - strlen(part->suffix)),
		    &best))
		return true;
	for (at = best; at != CODE_NO_OFFSET; at = code->functions.at[at].namesake)
		if (distance(entry->address, code->functions.at[at].resume) <
			distance(entry->address, code->functions.at[best].resume))
			best = at;
	widen(code, address);
	return map_put(&code->by_destroy, address, best);
}

static bool add_functions(struct code *code, uint32_t module)
{
	const struct function_table *table =
		symbol_debug_info_functions(code->modules->at[module].debug);
	size_t first = code->functions.count, i;
	const struct coroutine_part *part;

	for (i = 0; i < table->functions.count; i++) {
		part = symbol_coroutine_part(table->functions.at[i].name);
		if (part && part->is_resume &&
			!add_resume(code, module, &table->functions.at[i], part))
			return false;
	}
	for (i = 0; i < table->functions.count && code->functions.count > first; i++) {
		part = symbol_coroutine_part(table->functions.at[i].name);
		if (part && !part->is_resume &&
			!add_destroy(code, module, &table->functions.at[i], part))
			return false;
	}
	return true;
}

enum ct_status code_open(struct code *code, struct image *image, const struct modules *modules,
	struct ct_error *reterr)
{
	uint32_t i;

	memset(code, 0, sizeof(*code));
	code->image = image;
	code->modules = modules;
	code->names.arena = &image->arena;
	code->lowest = UINT64_MAX;
	for (i = 0; i < modules->count; i++)
		if (modules->at[i].debug && !add_functions(code, i))
			return ct_fail_memory(reterr);
	return CT_OK;
}

void code_close(struct code *code)
{
	size_t i;

	for (i = 0; i < code->functions.count; i++) {
		vec_fini(&code->functions.at[i].shape.arguments);
		vec_fini(&code->functions.at[i].shape.locals);
		vec_fini(&code->functions.at[i].shape.variables);
		vec_fini(&code->functions.at[i].shape.awaiters);
		vec_fini(&code->functions.at[i].shape.points);
	}
	vec_fini(&code->functions);
	map_fini(&code->by_destroy);
	map_fini(&code->by_name);
	debug_class_names_fini(&code->names);
}

bool code_look_at(struct code *code, struct code_function *function)
{
	struct arena *arena = &code->image->arena;
	char *name;

	if (function->is_known)
		return true;
	function->is_known = true;
	name = symbol_function_name(function->symbol);
	function->name = name ? arena_text(arena, name, strlen(name)) : NULL;
	free(name);
	return function->name && shape_read(code, function);
}

const struct code_point *code_point_of(const struct code_function *function, uint64_t index)
{
	size_t i;

	for (i = 0; i < function->shape.points.count; i++)
		if (function->shape.points.at[i].index == index)
			return &function->shape.points.at[i];
	return NULL;
}
