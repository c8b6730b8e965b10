/* SPDX-License-Identifier: MIT */
/* Finds the types of tasks in a program (rust_tasks.h). */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "frames/debug_types.h"
#include "frames/rust_tasks.h"
#include "frames/walk.h"
#include "symbol/debug_entry.h"

#define WORD sizeof(uint64_t)
#define ENTRIES_MAX 1048576u

struct runtime {
	const char *module;
	const char *method;
	const char *wakers;
	const char *scope;
	const char *function;
	const char *type;
};

static const struct runtime runtimes[] = {
#define X(name, library, module, method, wakers, scope, function, type) \
	[RUST_##name] = {module, method, wakers, scope, function, type},
#include "frames/rust_runtimes.def"
#undef X
};

/* The types of a runtime's tasks that a module's debug information describes. */
struct task_types {
	VEC(Dwarf_Die) entries;
	struct map by_arguments; /* hash of "<F, S>", to an index in `entries` */
	bool is_taken;
};

struct taking {
	struct rust_kinds *kinds;
	const struct module *module;
	struct task_types types[RUST_RUNTIMES];
	bool is_out_of_memory;
};

/* ---------------------------------------------------------------- symbols */

bool rust_kinds_is_mangled(const char *symbol)
{
	return strncmp(symbol, "_R", 2) == 0 ||
	       (strncmp(symbol, "_ZN", 3) == 0 && strstr(symbol, "17h"));
}

/*
 * Is it the mangled name of this function of the module, or of a type in it? The new mangling has arguments in between,
 * so that others are taken, too, which debug information tells apart.
 */
static bool is_in(const char *symbol, const char *module, const char *function)
{
	const char *at = strstr(symbol, module);
	const char *behind = at ? strstr(at + strlen(module), function) : NULL;

	return behind && (symbol[1] == 'R' || strncmp(behind + strlen(function), "17h", 3) == 0);
}

static bool find_runtime(const char *symbol, enum rust_runtime *ret_runtime)
{
	unsigned i;

	for (i = 0; i < RUST_RUNTIMES; i++) {
		*ret_runtime = (enum rust_runtime)i;
		if (is_in(symbol, runtimes[i].module, runtimes[i].method))
			return true;
	}
	return false;
}

static bool is_cloner(const char *symbol)
{
	unsigned i;

	for (i = 0; i < RUST_RUNTIMES; i++)
		if (is_in(symbol, runtimes[i].wakers, "11clone_waker"))
			return true;
	return false;
}

/* ---------------------------------------------------------------- debug information */

static bool child_called(Dwarf_Die *parent, int tag, const char *name, Dwarf_Die *ret_child)
{
	bool is_there = dwarf_child(parent, ret_child) == 0;
	uint32_t i;

	for (i = 0; is_there && i < ENTRIES_MAX; i++) {
		if (dwarf_tag(ret_child) == tag && debug_is_called(ret_child, name))
			return true;
		is_there = dwarf_siblingof(ret_child, ret_child) == 0;
	}
	return false;
}

/* The namespace that has the tasks' types in a unit: each of the words between the colons is within the one before. */
static bool find_scope(Dwarf_Die *unit, const char *scope, Dwarf_Die *ret_scope)
{
	char name[32];
	size_t length;

	*ret_scope = *unit;
	for (; *scope; scope += length + strspn(scope + length, ":")) {
		length = strcspn(scope, ":");
		snprintf(name, sizeof(name), "%.*s", (int)length, scope);
		if (!child_called(ret_scope, DW_TAG_namespace, name, ret_scope))
			return false;
	}
	return true;
}

/* "Cell<F, S>" and "poll<F, S>" have the same key. */
static uint64_t key_of(const char *name, const char *beginning)
{
	const char *arguments = name + strlen(beginning);

	return hash_bytes(HASH_START, arguments, strlen(arguments));
}

static bool begins(const char *name, const char *with)
{
	return name && strncmp(name, with, strlen(with)) == 0;
}

/* What tokio's spawn_blocking runs, and the workers themselves, are no coroutines. */
static bool is_of_tasks(const struct runtime *runtime, Dwarf_Die *function)
{
	const char *name = dwarf_diename(function);

	return begins(name, runtime->function) && !begins(name, "poll<tokio::runtime::blocking::");
}

static bool take_types(struct task_types *types, const struct runtime *runtime, Dwarf_Die *unit)
{
	Dwarf_Die child;
	const char *name;
	uint32_t i;
	bool is_there =
		find_scope(unit, runtime->scope, &child) && dwarf_child(&child, &child) == 0;

	for (i = 0; is_there && i < ENTRIES_MAX; i++) {
		name = dwarf_tag(&child) == DW_TAG_structure_type ? dwarf_diename(&child) : NULL;
		if (begins(name, runtime->type) && !dwarf_hasattr(&child, DW_AT_declaration) &&
			(!map_put(&types->by_arguments, key_of(name, runtime->type),
				 (uint32_t)types->entries.count) ||
				!vec_push(&types->entries, child)))
			return false;
		is_there = dwarf_siblingof(&child, &child) == 0;
	}
	return true;
}

static bool take_units(struct task_types *types, const struct runtime *runtime, Dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die entry;

	types->is_taken = true;
	while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &entry, NULL) == 0)
		if (!take_types(types, runtime, &entry))
			return false;
	return true;
}

/* The type of the tasks that the function polls, which may be described in another unit. */
static bool find_type(
	struct taking *taking, enum rust_runtime index, Dwarf_Die *function, Dwarf_Die *ret_type)
{
	const struct runtime *runtime = &runtimes[index];
	struct task_types *types = &taking->types[index];
	const char *name = dwarf_diename(function);
	uint32_t entry;

	if (!types->is_taken && !take_units(types, runtime, dwarf_cu_getdwarf(function->cu)))
		taking->is_out_of_memory = true;
	if (!map_get(&types->by_arguments, key_of(name, runtime->function), &entry))
		return false;
	*ret_type = types->entries.at[entry];
	return true;
}

/* The type for which a generic type or function was made. */
static bool parameter_of(Dwarf_Die *generic, const char *name, Dwarf_Die *ret_type)
{
	Dwarf_Die parameter;
	Dwarf_Attribute attribute;

	return child_called(generic, DW_TAG_template_type_parameter, name, &parameter) &&
	       dwarf_attr(&parameter, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, ret_type);
}

static bool offset_of(const struct rust_value *outer, const char *name, uint32_t *ret_offset)
{
	struct rust_value member;

	if (!rust_member(outer, name, &member))
		return false;
	*ret_offset = (uint32_t)(member.address - outer->address);
	return true;
}

static bool read_cell(struct rust_kind *kind)
{
	struct rust_value cell = {.type = kind->task}, header;
	Dwarf_Attribute attribute;
	Dwarf_Word alignment = WORD;

	if (!parameter_of(&kind->task, "T", &kind->future) ||
		!rust_member(&cell, "header", &header) || header.address != 0 ||
		!offset_of(&header, "state", &kind->state) ||
		!offset_of(&header, "vtable", &kind->vtable) ||
		!offset_of(&header, "owner_id", &kind->owner))
		return false;
	if (dwarf_attr(&kind->task, DW_AT_alignment, &attribute))
		dwarf_formudata(&attribute, &alignment);
	kind->alignment = alignment > 0 && alignment <= 4096 ? (uint32_t)alignment : WORD;
	return true;
}

/* What the member that is a pointer leads to. */
static bool target_of(
	const struct rust_value *outer, const char *name, struct rust_value *ret_target)
{
	struct rust_value member;

	ret_target->address = 0;
	return rust_member(outer, name, &member) && rust_pointer_type(&member, &ret_target->type);
}

static bool read_size(const struct rust_value *layout, uint32_t *ret_offset)
{
	struct rust_value value;

	if (!rust_member(layout, "layout", &value) || !rust_member(&value, "size", &value))
		return false;
	*ret_offset = (uint32_t)(value.address - layout->address);
	return true;
}

/* A task of async-task has no type of its own: a table says where in its memory the parts are (since version 4.3). */
static bool read_raw_task(struct rust_kind *kind)
{
	struct rust_value raw = {.type = kind->task}, header, table, layout;

	kind->alignment = WORD;
	return parameter_of(&kind->task, "F", &kind->future) &&
	       target_of(&raw, "header", &header) && offset_of(&header, "state", &kind->state) &&
	       offset_of(&header, "vtable", &kind->vtable) &&
	       target_of(&header, "vtable", &table) && offset_of(&table, "run", &kind->in_table) &&
	       offset_of(&table, "layout_info", &kind->layout) &&
	       target_of(&table, "layout_info", &layout) &&
	       offset_of(&layout, "offset_f", &kind->offset) && read_size(&layout, &kind->bytes);
}

static bool read_type(struct rust_kind *kind)
{
	return kind->runtime == RUST_TOKIO ? read_cell(kind) : read_raw_task(kind);
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
	kind->name = begins(name, "poll<") ? name : "";
}

static bool take_function(
	struct taking *taking, enum rust_runtime runtime, const struct function_entry *entry)
{
	struct rust_kinds *kinds = taking->kinds;
	struct rust_kind kind = {.runtime = runtime, .poll = entry->address + taking->module->bias};
	Dwarf_Die scopes[SCOPES_MAX];
	uint32_t other;
	int count = 0;

	if (map_get(&kinds->by_poll, kind.poll, &other))
		return true;
	if (!symbol_debug_info_scopes(taking->module->debug, entry->address, scopes, &count))
		return false;
	/* The outermost one is the function, and others were inlined into it. */
	if (count > 0 && !is_of_tasks(&runtimes[runtime], &scopes[count - 1]))
		return true;
	if (count == 0 || !find_type(taking, runtime, &scopes[count - 1], &kind.task) ||
		!read_type(&kind)) {
		kinds->nr_without[runtime]++;
		if (runtime != RUST_TOKIO)
			return true;
		take_bare(&kind, count ? &scopes[count - 1] : NULL);
	}
	return map_put(&kinds->by_poll, kind.poll, (uint32_t)kinds->kinds.count) &&
	       vec_push(&kinds->kinds, kind);
}

static bool take_entry(struct taking *taking, const struct function_entry *entry)
{
	enum rust_runtime runtime;

	if (!rust_kinds_is_mangled(entry->name))
		return true;
	if (find_runtime(entry->name, &runtime))
		return take_function(taking, runtime, entry) && !taking->is_out_of_memory;
	return !is_cloner(entry->name) ||
	       map_put(&taking->kinds->by_cloner, entry->address + taking->module->bias, 0);
}

static bool take_module(struct rust_kinds *kinds, const struct module *module)
{
	const struct function_table *table =
		module->debug ? symbol_debug_info_functions(module->debug) : NULL;
	struct taking taking = {.kinds = kinds, .module = module};
	bool is_well = true;
	size_t i;

	for (i = 0; table && is_well && i < table->functions.count; i++)
		is_well = take_entry(&taking, &table->functions.at[i]);
	for (i = 0; i < RUST_RUNTIMES; i++) {
		vec_fini(&taking.types[i].entries);
		map_fini(&taking.types[i].by_arguments);
	}
	return is_well;
}

/* ---------------------------------------------------------------- tables */

static bool take_word(void *context, uint64_t word, uint64_t address)
{
	struct rust_kinds *kinds = context;
	uint32_t index;

	if (map_get(&kinds->by_cloner, word, &index))
		return vec_push(&kinds->waker_tables, address);
	if (!map_get(&kinds->by_poll, word, &index) || kinds->kinds.at[index].table)
		return true;
	address -= kinds->kinds.at[index].in_table;
	kinds->kinds.at[index].table = address;
	if (address < kinds->lowest)
		kinds->lowest = address;
	if (address > kinds->highest)
		kinds->highest = address;
	return map_put(&kinds->by_table, address, index);
}

enum ct_status rust_kinds_find(struct rust_kinds *kinds, const struct image *image,
	const struct modules *modules, struct ct_error *reterr)
{
	size_t i;

	kinds->lowest = UINT64_MAX;
	for (i = 0; i < modules->count; i++)
		if (!take_module(kinds, &modules->at[i]))
			return ct_fail_memory(reterr);
	if (kinds->kinds.count > 0 && !walk_constants(image, take_word, kinds))
		return ct_fail_memory(reterr);
	return CT_OK;
}

void rust_kinds_fini(struct rust_kinds *kinds)
{
	vec_fini(&kinds->kinds);
	map_fini(&kinds->by_cloner);
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

static bool function_at(const struct image *image, const struct modules *modules, uint64_t address,
	Dwarf_Die *ret_function)
{
	const struct module *module = module_of(image, modules, address);
	Dwarf_Die scopes[SCOPES_MAX];
	int count = 0;

	if (!module ||
		!symbol_debug_info_scopes(module->debug, address - module->bias, scopes, &count) ||
		count == 0)
		return false;
	*ret_function = scopes[count - 1];
	return true;
}

bool rust_kinds_dropped(const struct image *image, const struct modules *modules, uint64_t address,
	Dwarf_Die *ret_type)
{
	Dwarf_Die function;

	return function_at(image, modules, address, &function) &&
	       begins(dwarf_diename(&function), "drop_") && parameter_of(&function, "T", ret_type);
}

/* The type of the first argument. */
static bool argument_of(Dwarf_Die *function, Dwarf_Die *ret_type)
{
	bool is_there = dwarf_child(function, ret_type) == 0;
	Dwarf_Attribute attribute;
	uint32_t i;

	for (i = 0; is_there && i < ENTRIES_MAX; i++) {
		if (dwarf_tag(ret_type) == DW_TAG_formal_parameter)
			return dwarf_attr_integrate(ret_type, DW_AT_type, &attribute) &&
			       dwarf_formref_die(&attribute, ret_type);
		is_there = dwarf_siblingof(ret_type, ret_type) == 0;
	}
	return false;
}

bool rust_kinds_polled(const struct image *image, const struct modules *modules, uint64_t address,
	Dwarf_Die *ret_type)
{
	struct rust_value pin, pointer;
	Dwarf_Die function;
	const char *name;

	if (!function_at(image, modules, address, &function))
		return false;
	name = dwarf_diename(&function);
	if (!begins(name, "{async_") && !begins(name, "poll<") && (!name || strcmp(name, "poll")))
		return false;
	return argument_of(&function, &pin.type) && begins(rust_type_name(&pin), "Pin<") &&
	       rust_only_member(&pin, &pointer) && rust_pointer_type(&pointer, ret_type);
}
