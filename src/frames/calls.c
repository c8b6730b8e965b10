/* SPDX-License-Identifier: MIT */
/* Tells rows of calls (calls.h). */
#include <string.h>

#include "base/hash.h"
#include "frames/calls.h"
#include "frames/found.h"
#include "symbol/debug_entry.h"

static uint64_t key_of(uint64_t address, uint64_t depth)
{
	uint64_t words[] = {address, depth, 0x73}; /* the last one: no other reader's key */

	return hash_bytes(HASH_START, words, sizeof(words));
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Behind the type that a function template returns: "void marl::wait<int>(int)". */
static const char *name_of(const char *function)
{
	const char *space = strchr(function, ' ');

	return space && space < function + strcspn(function, "<(") ? space + 1 : function;
}

/* Libraries may also be compiled with the program. */
static bool is_of_library(const char *function, const char *file)
{
	static const char *const names[] = {
		"boost::", "std::", "core::", "alloc::", "marl::", "dill_", "mco_", "_mco_"};
	static const char *const folders[] = {"/usr/", "../", "./", "/rustc/"};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (begins(function, names[i]) || begins(name_of(function), names[i]))
			return true;
	for (i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (begins(file, folders[i]))
			return true;
	return strstr(file, "/boost/") || strstr(file, "/.cargo/") ||
	       strstr(file, "/cargo/registry/");
}

/* Libraries in which a program waits, whoever wrote it. */
static bool is_of_system(const struct module *module)
{
	static const char *const names[] = {"libc.so", "libc-2", "libm.so", "libpthread",
		"librt.so", "ld-", "libgcc_s", "libstdc++", "libc++", "libboost_"};
	const char *slash = strrchr(module->path, '/'), *name = slash ? slash + 1 : module->path;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (begins(name, names[i]))
			return true;
	return name[0] == '[';
}

/* Addresses of one line have one place. */
static uint32_t place_at(const struct calling *calling, uint64_t key, const struct found_place *at)
{
	struct found *found = calling->found;
	struct found_place place = *at;
	uint64_t by_line;
	uint32_t index;

	if (found_has_place(found, key, &index))
		return index;
	place.function = found_text(found, at->function);
	place.file = found_text(found, at->file);
	place.module = at->module ? found_text(found, at->module) : NULL;
	by_line = hash_bytes(HASH_START, &at->line, sizeof(at->line));
	by_line = hash_bytes(by_line, &at->module_offset, sizeof(at->module_offset));
	by_line = hash_text(hash_text(hash_text(by_line, at->module ? at->module : ""), at->file),
		at->function);
	index = found_place(found, by_line, &place);
	if (!map_put(&found->by_key, key, index))
		found->is_out_of_memory = true;
	return index;
}

/* A function at an address, or one that it was inlined into. */
struct call {
	const struct module *module;
	uint64_t address;
	struct found_place place;
	bool is_bare; /* the module has no debug information */
};

static void add_call(const struct calling *calling, struct calls *calls, struct call *call)
{
	struct found_place *place = &call->place;
	bool is_of_others =
		is_of_system(call->module) || is_of_library(place->function, place->file);

	if (calls->count == CALLS_MAX)
		return;
	place->reason = "";
	if (call->is_bare) {
		place->module = call->module->path;
		place->module_offset = call->address - call->module->bias;
	}
	calls->places[calls->count] = place_at(calling, key_of(call->address, calls->count), place);
	calls->are_own[calls->count] = place->file[0] && !is_of_others;
	calls->are_bare[calls->count] = call->is_bare && !is_of_others;
	if (calls->are_own[calls->count])
		calls->outer = call->address;
	if (calls->are_bare[calls->count])
		calls->outer_bare = call->address;
	calls->count++;
}

static bool is_one_of(const char *function, const char *const *names, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strcmp(function, names[i]) == 0)
			return true;
	return false;
}

static void note_beginning(struct calls *calls, const char *function)
{
	static const char *const of_thread[] = {"main", "start_thread", "_start", "clone", "clone3",
		"__clone", "__clone3", "__libc_start_main"};
	static const char *const of_stack[] = {
		"make_fcontext", "__start_context", "_start", "start_thread"};

	calls->is_of_thread |=
		is_one_of(function, of_thread, sizeof(of_thread) / sizeof(*of_thread)) ||
		begins(function, "__libc_start_") || begins(function, "__GI___clone");
	calls->is_whole |= is_one_of(function, of_stack, sizeof(of_stack) / sizeof(*of_stack)) ||
			   begins(function, "__libc_start_");
}

/* The function at an address, and those that it was inlined into. False: nothing is known of it. */
static bool take_calls(
	const struct calling *calling, const struct unwind *unwind, struct calls *calls)
{
	uint64_t address = unwind->at[UNWIND_RIP] - unwind->is_returned;
	const struct module *module = unwind_module(calling->image, calling->modules, address);
	struct symbol_place place = {.function = "", .file = "", .remark = ""};
	struct call call = {.module = module, .address = address};
	struct arena scratch;
	uint32_t i;
	bool is_known;

	if (!module)
		return false;
	arena_init(&scratch);
	is_known = symbol_debug_info_find(
		module->debug, &scratch, address - module->bias, !unwind->is_returned, &place);
	call.is_bare = is_known && !place.has_debug_info && !is_of_system(module);
	if (is_known && (call.is_bare || place.function[0])) {
		call.place = (struct found_place){
			.function = place.function, .file = place.file, .line = place.line};
		add_call(calling, calls, &call);
	}
	for (i = 0; is_known && i < place.nr_callers; i++) {
		call.place = (struct found_place){.function = place.callers[i].function,
			.file = place.callers[i].file,
			.line = place.callers[i].line};
		add_call(calling, calls, &call);
	}
	note_beginning(calls, place.function);
	calling->found->is_out_of_memory |= !is_known;
	arena_fini(&scratch);
	return is_known;
}

static bool is_elsewhere(
	const struct calling *calling, const struct unwind *first, const struct unwind *now)
{
	return now->at[UNWIND_RSP] < first->at[UNWIND_RSP] || now->at[UNWIND_RSP] > calling->end;
}

/* What is known of a row before a function is added, to take that back. */
struct row_end {
	size_t count;
	uint64_t outer;
	uint64_t outer_bare;
	bool is_of_thread;
};

static void take_back(struct calls *calls, const struct row_end *before)
{
	calls->count = before->count;
	calls->outer = before->outer;
	calls->outer_bare = before->outer_bare;
	calls->is_of_thread = before->is_of_thread;
	calls->nr_functions--;
	calls->is_whole = true;
}

static void follow(
	const struct calling *calling, const struct unwind *registers, struct calls *calls)
{
	struct unwind unwind = *registers;
	unsigned i;

	memset(calls, 0, sizeof(*calls));
	calls->content = HASH_START;
	for (i = 0; i < CALLS_MAX; i++) {
		struct row_end before = {
			calls->count, calls->outer, calls->outer_bare, calls->is_of_thread};

		if (!take_calls(calling, &unwind, calls))
			return;
		calls->content = hash_bytes(calls->content, unwind.at, sizeof(unwind.at));
		calls->addresses[i] = unwind.at[UNWIND_RIP] - unwind.is_returned;
		calls->end = unwind.at[UNWIND_RSP];
		calls->nr_functions = i + 1;
		if (i < CALLS_WITH_REGISTERS)
			calls->registers[i] = unwind;
		if (!unwind_step(calling->image, calling->modules, &unwind)) {
			calls->ends[i] = UINT64_MAX;
			return;
		}
		calls->ends[i] = unwind.at[UNWIND_RSP];
		if (i > 0 && calling->end && is_elsewhere(calling, registers, &unwind)) {
			take_back(calls, &before);
			return;
		}
	}
}

void calls_follow(
	const struct calling *calling, const struct unwind *registers, struct calls *ret_calls)
{
	follow(calling, registers, ret_calls);
	if (ret_calls->outer || !ret_calls->outer_bare)
		return;
	memcpy(ret_calls->are_own, ret_calls->are_bare, sizeof(ret_calls->are_own));
	ret_calls->outer = ret_calls->outer_bare;
	ret_calls->is_bare = true;
}

uint32_t calls_function(const struct calling *calling, const struct calls *calls)
{
	const struct module *module = unwind_module(calling->image, calling->modules, calls->outer);
	const struct function_entry *entry =
		module ? symbol_function_table_find(symbol_debug_info_functions(module->debug),
				 calls->outer - module->bias)
		       : NULL;
	struct symbol_place place = {.function = "", .file = "", .remark = ""};
	struct arena scratch;
	size_t outer = calls->count - 1;
	uint32_t index;

	while (outer > 0 && !calls->are_own[outer])
		outer--;
	index = calls->places[outer];
	if (!entry)
		return index;
	arena_init(&scratch);
	if (symbol_debug_info_find(module->debug, &scratch, entry->address, true, &place) &&
		place.function[0])
		index = place_at(calling, key_of(entry->address + module->bias, UINT64_MAX),
			&(struct found_place){.function = place.function,
				.file = place.file,
				.line = place.line,
				.reason = ""});
	arena_fini(&scratch);
	return index;
}

static uint32_t place_with_stack(struct found *found, uint32_t at, uint32_t stack)
{
	struct found_place place = found->places.at[at];

	place.stack = stack;
	return found_place(found, key_of((uint64_t)at << 32 | stack, UINT64_MAX - 1), &place);
}

uint32_t calls_place_around(struct found *found, uint32_t place, uint32_t call)
{
	return place_with_stack(found, call, found->places.at[place].stack);
}

uint32_t calls_place(struct found *found, const struct calls *calls)
{
	size_t i, known = 0;
	uint32_t stack = 0;

	while (known < calls->count && !calls->are_own[known])
		known++;
	known = known < calls->count ? known : 0;
	for (i = calls->count; i-- > 0;)
		stack = found_call(found, calls->places[i], stack);
	return place_with_stack(found, calls->places[known], stack);
}
