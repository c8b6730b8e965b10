/* SPDX-License-Identifier: MIT */
/* Finds what stackful coroutines wait for among the arguments of calls (call_objects.h). */
#include <dwarf.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "frames/awaited.h"
#include "frames/call_objects.h"
#include "frames/debug_types.h"
#include "frames/found.h"
#include "say/say.h"
#include "symbol/debug_entry.h"

#define TYPEDEFS_MAX 8

/* An argument that leads to an object. */
struct argument {
	Dwarf_Die type; /* of the object */
	const char *type_name;
	const char *function;
	uint64_t address;
};

/* ---------------------------------------------------------------- names */

static bool has_any(const char *name, const char *const *words, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strcasestr(name, words[i]))
			return true;
	return false;
}

/* What libraries call what one waits for, and not what they call the parts of a scheduler. */
static bool is_waited_for(const char *name)
{
	static const char *const of_waits[] = {"mutex", "lock", "cond", "sem", "chan", "queue",
		"event", "wait", "latch", "barrier", "mailbox", "future", "promise", "signal",
		"gate", "notif", "join"};
	static const char *const of_schedulers[] = {"run", "ready", "sched", "worker", "timer",
		"context", "deque", "thread", "block", "clock", "exchange", "second", "delegate",
		"char"};

	return has_any(name, of_waits, sizeof(of_waits) / sizeof(*of_waits)) &&
	       !has_any(name, of_schedulers, sizeof(of_schedulers) / sizeof(*of_schedulers));
}

/* The class to which a pointer leads, and what the program calls it; false: it leads to no class. */
static bool pointed_class(Dwarf_Die *pointer, Dwarf_Die *ret_class, const char **ret_name)
{
	Dwarf_Attribute attribute;
	Dwarf_Die type;
	int i;

	if (!dwarf_attr_integrate(pointer, DW_AT_type, &attribute) ||
		!dwarf_formref_die(&attribute, &type))
		return false;
	*ret_name = NULL;
	for (i = 0; i < TYPEDEFS_MAX && !debug_is_class(&type); i++) {
		if (dwarf_tag(&type) == DW_TAG_typedef && !*ret_name)
			*ret_name = dwarf_diename(&type);
		if (!dwarf_attr_integrate(&type, DW_AT_type, &attribute) ||
			!dwarf_formref_die(&attribute, &type) || debug_is_pointer(&type))
			return false;
	}
	*ret_class = type;
	if (!*ret_name)
		*ret_name = dwarf_diename(&type);
	return debug_is_class(&type) && *ret_name && !dwarf_hasattr(&type, DW_AT_declaration);
}

/* ---------------------------------------------------------------- arguments */

/* What is known of a function on the stack. */
struct function {
	const struct calling *calling;
	const struct unwind *registers;
	uint64_t frame_address;
	uint64_t address; /* in the module's file */
	Dwarf_Die scopes[SCOPES_MAX];
	int nr_scopes;
};

static bool take_argument(struct function *function, Dwarf_Die *scope, Dwarf_Die *parameter,
	struct argument *ret_argument)
{
	Dwarf_Die pointer;

	if (dwarf_tag(parameter) != DW_TAG_formal_parameter || !debug_type(parameter, &pointer) ||
		!debug_is_pointer(&pointer) ||
		!pointed_class(&pointer, &ret_argument->type, &ret_argument->type_name) ||
		!is_waited_for(ret_argument->type_name) ||
		!unwind_value(function->calling->image, function->registers,
			function->frame_address, function->address,
			&function->scopes[function->nr_scopes - 1], parameter,
			&ret_argument->address) ||
		!image_region_of(function->calling->image, ret_argument->address))
		return false;
	ret_argument->function = dwarf_diename(scope);
	return ret_argument->function != NULL;
}

/* Is the other one a part of the object, as the list of waiters is of a lock? */
static bool contains(struct argument *argument, struct argument *other)
{
	uint32_t bytes = debug_bytes(&argument->type);

	return bytes > debug_bytes(&other->type) && other->address - argument->address < bytes;
}

/* Takes the first argument, or one that leads to an object of which the one before is a part. */
static void look_in(struct function *function, struct argument *argument, bool *has_argument)
{
	struct argument found;
	int i;

	for (i = 0; i < function->nr_scopes; i++) {
		Dwarf_Die parameter;
		bool is_there = dwarf_child(&function->scopes[i], &parameter) == 0;

		for (; is_there; is_there = dwarf_siblingof(&parameter, &parameter) == 0) {
			if (!take_argument(function, &function->scopes[i], &parameter, &found) ||
				(*has_argument && !contains(&found, argument)))
				continue;
			*argument = found;
			*has_argument = true;
		}
	}
}

/* The innermost argument that leads to what one waits for, or to what that is a part of. */
static bool find_argument(
	const struct calling *calling, const struct calls *calls, struct argument *ret_argument)
{
	bool has_argument = false;
	size_t i;

	for (i = 0; i < calls->nr_functions && i < CALLS_WITH_REGISTERS; i++) {
		const struct module *module =
			unwind_module(calling->image, calling->modules, calls->addresses[i]);
		struct function function = {.calling = calling,
			.registers = &calls->registers[i],
			.frame_address = calls->ends[i]};

		if (!module || calls->ends[i] == UINT64_MAX)
			continue;
		function.address = calls->addresses[i] - module->bias;
		if (!symbol_debug_info_scopes(
			    module->debug, function.address, function.scopes, &function.nr_scopes))
			calling->found->is_out_of_memory = true;
		else if (function.nr_scopes > 0)
			look_in(&function, ret_argument, &has_argument);
	}
	return has_argument;
}

/* ---------------------------------------------------------------- objects */

/* The index of the type; false: out of memory. */
static bool type_at(struct call_objects *objects, struct argument *argument, uint32_t *ret_type)
{
	uint64_t key = (uint64_t)(uintptr_t)argument->type.addr;
	struct call_type fresh = {.name = argument->type_name};
	uint32_t nr_members = 0;

	*ret_type = (uint32_t)objects->types.count;
	return map_get(&objects->by_type, key, ret_type) ||
	       (awaited_take_alone(&objects->names, &fresh.members, &argument->type, &nr_members) &&
		       vec_push(&objects->types, fresh) &&
		       map_put(&objects->by_type, key, *ret_type));
}

static bool add_waiting(struct call_objects *objects, const struct calling *calling,
	struct argument *argument, uint32_t place, uint32_t *ret_type)
{
	struct call_waiting waiting = {.place = place, .function = argument->function};

	objects->names.arena = calling->found->arena;
	if (!type_at(objects, argument, ret_type))
		return false;
	waiting.type = *ret_type;
	return vec_push(&objects->waiting, waiting) &&
	       object_counts_add(&objects->counts, argument->address, objects->waiting.count - 1);
}

const char *call_objects_take(struct call_objects *objects, const struct calling *calling,
	const struct calls *calls, uint32_t place)
{
	struct argument argument;
	struct text words = {0};
	size_t nr_before;
	uint32_t type;

	if (!find_argument(calling, calls, &argument))
		return NULL;
	if (!add_waiting(objects, calling, &argument, place, &type)) {
		calling->found->is_out_of_memory = true;
		return NULL;
	}
	text_add(&words, "is in ");
	say_function(&words, argument.function);
	text_add(&words, " with the ");
	say_name(&words, argument.type_name);
	text_format(&words, " at 0x%" PRIx64 ": ", argument.address);
	nr_before = words.length;
	awaited_tell(&objects->types.at[type].members, calling->image, argument.address, false,
		NULL, NULL, &words);
	return found_words(calling->found, &words, nr_before);
}

static void tell(const struct call_objects *objects, const struct object_count *object,
	const struct image *image, struct found *found)
{
	static const struct object_counts_words with = {"is in", "are in"};
	const struct call_waiting *waiting = &objects->waiting.at[object->first];
	const struct call_type *type = &objects->types.at[waiting->type];
	struct text words = {0}, call = {0};
	size_t nr_before;

	say_function(&call, waiting->function);
	text_add(&call, " with the ");
	say_name(&call, type->name);
	object_counts_say(
		object, &found->places.at[waiting->place], &with, text_peek(&call), &words);
	nr_before = words.length;
	awaited_tell(&type->members, image, object->address, false, NULL, NULL, &words);
	text_fini(&call);
	found_words_sight(found, &words, nr_before);
}

void call_objects_tell(struct call_objects *objects, const struct image *image, struct found *found)
{
	size_t i;

	object_counts_sort(&objects->counts);
	for (i = 0; i < objects->counts.list.count && i < OBJECT_COUNTS_SAID; i++)
		tell(objects, &objects->counts.list.at[i], image, found);
}

void call_objects_fini(struct call_objects *objects)
{
	object_counts_fini(&objects->counts);
	vec_fini(&objects->waiting);
	vec_fini(&objects->types);
	map_fini(&objects->by_type);
	debug_class_names_fini(&objects->names);
}
