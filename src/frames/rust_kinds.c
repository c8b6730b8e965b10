/* SPDX-License-Identifier: MIT */
/* Finds the types of tokio's tasks in a program (rust_tasks.h). */
#include <dwarf.h>
#include <string.h>

#include "base/hash.h"
#include "frames/rust_tasks.h"
#include "symbol/debug_entry.h"

#define WORD sizeof(uint64_t)
#define ENTRIES_MAX 1048576u
#define PIECE_WORDS 4096u

/* The types of tasks that a module's debug information describes. */
struct cells {
	VEC(Dwarf_Die) entries;
	struct map by_arguments; /* hash of "<F, S>", to an index in `entries` */
	bool is_taken;
	bool is_out_of_memory;
};

/* ---------------------------------------------------------------- symbols */

/* Both manglings of "tokio::runtime::task::raw::poll" have this in them, and a hash or arguments behind it. */
static bool is_poll(const char *symbol)
{
	return strncmp(symbol, "_ZN5tokio7runtime4task3raw4poll17h", 34) == 0 ||
	       (strncmp(symbol, "_R", 2) == 0 && strstr(symbol, "7runtime4task3raw4poll"));
}

static bool is_waker_clone(const char *symbol)
{
	static const char legacy[] = "_ZN5tokio7runtime4task5waker11clone_waker17h";

	return strncmp(symbol, legacy, sizeof(legacy) - 1) == 0 ||
	       (strncmp(symbol, "_R", 2) == 0 &&
		       strstr(symbol, "7runtime4task5waker11clone_waker"));
}

/* ---------------------------------------------------------------- debug information */

static bool child_called(Dwarf_Die *parent, int tag, const char *name, Dwarf_Die *ret_child)
{
	bool is_there = dwarf_child(parent, ret_child) == 0;
	const char *given;
	uint32_t i;

	for (i = 0; is_there && i < ENTRIES_MAX; i++) {
		given = dwarf_tag(ret_child) == tag ? dwarf_diename(ret_child) : NULL;
		if (given && strcmp(given, name) == 0)
			return true;
		is_there = dwarf_siblingof(ret_child, ret_child) == 0;
	}
	return false;
}

/* What spawn_blocking runs, and the workers themselves, are no coroutines. */
static bool is_blocking(Dwarf_Die *function)
{
	static const char blocking[] = "poll<tokio::runtime::blocking::";
	const char *name = dwarf_diename(function);

	return name && strncmp(name, blocking, sizeof(blocking) - 1) == 0;
}

/* The namespace that has the tasks' types in a unit. */
static bool find_core(Dwarf_Die *unit, Dwarf_Die *ret_core)
{
	static const char *const scopes[] = {"tokio", "runtime", "task", "core"};
	size_t i;

	*ret_core = *unit;
	for (i = 0; i < sizeof(scopes) / sizeof(*scopes); i++)
		if (!child_called(ret_core, DW_TAG_namespace, scopes[i], ret_core))
			return false;
	return true;
}

static uint64_t key_of(const char *arguments)
{
	return hash_bytes(HASH_START, arguments, strlen(arguments));
}

/* Adds "Cell<F, S>" by its arguments. */
static bool take_cells(struct cells *cells, Dwarf_Die *unit)
{
	Dwarf_Die child;
	const char *name;
	uint32_t i;
	bool is_there = find_core(unit, &child) && dwarf_child(&child, &child) == 0;

	for (i = 0; is_there && i < ENTRIES_MAX; i++) {
		name = dwarf_tag(&child) == DW_TAG_structure_type ? dwarf_diename(&child) : NULL;
		if (name && strncmp(name, "Cell<", 5) == 0 &&
			!dwarf_hasattr(&child, DW_AT_declaration) &&
			(!map_put(&cells->by_arguments, key_of(name + strlen("Cell")),
				 (uint32_t)cells->entries.count) ||
				!vec_push(&cells->entries, child)))
			return false;
		is_there = dwarf_siblingof(&child, &child) == 0;
	}
	return true;
}

static bool take_units(struct cells *cells, Dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die entry;

	cells->is_taken = true;
	while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &entry, NULL) == 0)
		if (!take_cells(cells, &entry))
			return false;
	return true;
}

/* "poll<F, S>" is the function of the task "Cell<F, S>", which may be described in another unit. */
static bool find_cell(struct cells *cells, Dwarf_Die *function, Dwarf_Die *ret_cell)
{
	const char *name = dwarf_diename(function);
	uint32_t index;

	if (!name || strncmp(name, "poll<", 5) != 0)
		return false;
	if (!cells->is_taken && !take_units(cells, dwarf_cu_getdwarf(function->cu)))
		cells->is_out_of_memory = true;
	if (!map_get(&cells->by_arguments, key_of(name + strlen("poll")), &index))
		return false;
	*ret_cell = cells->entries.at[index];
	return true;
}

/* The type for which a generic type or function was made. */
static bool parameter_of(Dwarf_Die *generic, Dwarf_Die *ret_type)
{
	Dwarf_Die parameter;
	Dwarf_Attribute attribute;

	return child_called(generic, DW_TAG_template_type_parameter, "T", &parameter) &&
	       dwarf_attr(&parameter, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, ret_type);
}

static bool read_cell(struct rust_kind *kind)
{
	struct rust_value cell = {.type = kind->cell}, header, member;
	Dwarf_Attribute attribute;
	Dwarf_Word alignment = WORD;

	if (!parameter_of(&kind->cell, &kind->future) || !rust_member(&cell, "header", &header) ||
		header.address != 0 || !rust_member(&header, "state", &member))
		return false;
	kind->state = (uint32_t)member.address;
	if (!rust_member(&header, "vtable", &member))
		return false;
	kind->vtable = (uint32_t)member.address;
	if (!rust_member(&header, "owner_id", &member))
		return false;
	kind->owner = (uint32_t)member.address;
	if (dwarf_attr(&kind->cell, DW_AT_alignment, &attribute))
		dwarf_formudata(&attribute, &alignment);
	kind->alignment = alignment > 0 && alignment <= 4096 ? (uint32_t)alignment : WORD;
	return true;
}

/*
 * Without types, the header of tokio's tasks is still known, as its layout is that of C, and mostly what they run:
 * "poll<serve::{async_fn_env#0}, ...>".
 */
static void take_bare(struct rust_kind *kind, Dwarf_Die *function)
{
	const char *name = function ? dwarf_diename(function) : NULL;

	kind->state = 0;
	kind->vtable = 2 * WORD;
	kind->owner = 3 * WORD;
	kind->alignment = WORD;
	kind->name = name && strncmp(name, "poll<", 5) == 0 ? name : "";
}

static bool take_function(struct rust_kinds *kinds, struct cells *cells,
	const struct module *module, const struct function_entry *entry)
{
	struct rust_kind kind = {.poll = entry->address + module->bias};
	Dwarf_Die scopes[SCOPES_MAX];
	uint32_t other;
	int count = 0;

	if (map_get(&kinds->by_poll, kind.poll, &other))
		return true;
	if (!symbol_debug_info_scopes(module->debug, entry->address, scopes, &count))
		return false;
	/* The outermost one is the function, and others were inlined into it. */
	if (count > 0 && is_blocking(&scopes[count - 1]))
		return true;
	if (count == 0 || !find_cell(cells, &scopes[count - 1], &kind.cell) || !read_cell(&kind)) {
		kinds->nr_without++;
		take_bare(&kind, count ? &scopes[count - 1] : NULL);
	}
	return map_put(&kinds->by_poll, kind.poll, (uint32_t)kinds->kinds.count) &&
	       vec_push(&kinds->kinds, kind);
}

static bool take_module(struct rust_kinds *kinds, const struct module *module)
{
	const struct function_table *table =
		module->debug ? symbol_debug_info_functions(module->debug) : NULL;
	struct cells cells = {.is_taken = false};
	bool is_well = true;
	size_t i;

	for (i = 0; table && is_well && i < table->functions.count; i++) {
		const struct function_entry *entry = &table->functions.at[i];

		if (is_poll(entry->name))
			is_well = take_function(kinds, &cells, module, entry) &&
				  !cells.is_out_of_memory;
		else if (is_waker_clone(entry->name))
			is_well = vec_push(&kinds->waker_clones, entry->address + module->bias);
	}
	vec_fini(&cells.entries);
	map_fini(&cells.by_arguments);
	return is_well;
}

/* ---------------------------------------------------------------- tables */

static bool take_word(struct rust_kinds *kinds, uint64_t word, uint64_t address)
{
	uint32_t index;
	size_t i;

	for (i = 0; i < kinds->waker_clones.count; i++)
		if (kinds->waker_clones.at[i] == word)
			return vec_push(&kinds->waker_tables, address);
	if (!map_get(&kinds->by_poll, word, &index) || kinds->kinds.at[index].table)
		return true;
	kinds->kinds.at[index].table = address;
	if (address < kinds->lowest)
		kinds->lowest = address;
	if (address > kinds->highest)
		kinds->highest = address;
	return map_put(&kinds->by_table, address, index);
}

/* A table is among the constants of a file that were relocated. */
static bool look_for_tables(
	struct rust_kinds *kinds, const struct image *image, const struct image_region *region)
{
	uint64_t words[PIECE_WORDS], address;
	size_t i, count;

	for (address = region->start; address < region->end; address += count * WORD) {
		count = image_read(image, address, words, sizeof(words)) / WORD;
		for (i = 0; i < count; i++)
			if (!take_word(kinds, words[i], address + i * WORD))
				return false;
		if (count == 0)
			return true;
	}
	return true;
}

enum ct_status rust_kinds_find(struct rust_kinds *kinds, const struct image *image,
	const struct modules *modules, struct ct_error *reterr)
{
	size_t i;

	kinds->lowest = UINT64_MAX;
	for (i = 0; i < modules->count; i++)
		if (!take_module(kinds, &modules->at[i]))
			return ct_fail_memory(reterr);
	for (i = 0; kinds->kinds.count > 0 && i < image->regions.count; i++)
		if (image->regions.at[i].path[0] == '/' && !image->regions.at[i].is_code &&
			!look_for_tables(kinds, image, &image->regions.at[i]))
			return ct_fail_memory(reterr);
	return CT_OK;
}

void rust_kinds_fini(struct rust_kinds *kinds)
{
	vec_fini(&kinds->kinds);
	vec_fini(&kinds->waker_clones);
	vec_fini(&kinds->waker_tables);
	map_fini(&kinds->by_poll);
	map_fini(&kinds->by_table);
}

/* ---------------------------------------------------------------- trait objects */

static const struct module *module_of(
	const struct image *image, const struct modules *modules, uint64_t address)
{
	const struct image_region *region = image_region_of(image, address);
	size_t i;

	for (i = 0; region && i < modules->count; i++)
		if (modules->at[i].debug && strcmp(modules->at[i].path, region->path) == 0)
			return &modules->at[i];
	return NULL;
}

bool rust_kinds_dropped(const struct image *image, const struct modules *modules, uint64_t address,
	Dwarf_Die *ret_type)
{
	const struct module *module = module_of(image, modules, address);
	Dwarf_Die scopes[SCOPES_MAX];
	const char *name;
	int count = 0;

	if (!module ||
		!symbol_debug_info_scopes(module->debug, address - module->bias, scopes, &count) ||
		count == 0)
		return false;
	name = dwarf_diename(&scopes[count - 1]);
	return name && strncmp(name, "drop_", 5) == 0 && parameter_of(&scopes[count - 1], ret_type);
}
