/* SPDX-License-Identifier: MIT */
/*
 * The reader of stackful coroutines (found.h): saved contexts, each with the row of calls on its stack. The place where
 * one waits is the innermost that belongs to the program, not to an installed library.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "frames/contexts.h"
#include "frames/found.h"
#include "symbol/debug_entry.h"

#define CALLS_MAX 64u

struct found_reader {
	struct image *image;
	const struct modules *modules;
	bool has_switches; /* the program has functions that switch contexts */
};

/* A stack of which something was saved. */
struct stack {
	uint64_t start; /* 0: not known */
	uint64_t end;
	uint32_t index; /* of its coroutine */
};

/* What is being told of one look. */
struct telling {
	struct found_reader *reader;
	struct image *image;
	struct found *found;
	VEC(struct stack) stacks; /* of what was told */
};

/* A row of calls, innermost first; the functions that were inlined count as calls. */
struct row {
	uint32_t places[CALLS_MAX];
	bool are_own[CALLS_MAX]; /* the program's, not a library's */
	size_t count;
	uint64_t end;      /* where the stack of the outermost begins */
	uint64_t outer;    /* an address in the outermost own function; 0: none */
	bool is_of_thread; /* the stack with which a thread began */
	uint64_t content;
};

/* ---------------------------------------------------------------- places */

static uint64_t key_of(uint64_t address, uint64_t depth)
{
	uint64_t words[] = {address, depth, 0x73}; /* the last one: no other reader's key */

	return hash_bytes(HASH_START, words, sizeof(words));
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool is_installed(const char *file)
{
	return begins(file, "/usr/") || begins(file, "../") || begins(file, "./") ||
	       strstr(file, "/boost/");
}

/* Addresses of one line have one place. */
static uint32_t place_at(struct telling *telling, uint64_t key, const char *function,
	const char *file, uint32_t line)
{
	struct found *found = telling->found;
	struct found_place place = {.line = line, .reason = ""};
	uint64_t by_line;
	uint32_t index;

	if (found_has_place(found, key, &index))
		return index;
	place.function = found_text(found, function);
	place.file = found_text(found, file);
	by_line = hash_text(hash_text(hash_bytes(HASH_START, &line, sizeof(line)), file), function);
	index = found_place(found, by_line, &place);
	if (!map_put(&found->by_key, key, index))
		found->is_out_of_memory = true;
	return index;
}

static void add_call(struct telling *telling, struct row *row, uint64_t address,
	const char *function, const char *file, uint32_t line)
{
	if (row->count == CALLS_MAX)
		return;
	row->places[row->count] =
		place_at(telling, key_of(address, row->count), function, file, line);
	row->are_own[row->count] = file[0] && !is_installed(file);
	if (row->are_own[row->count])
		row->outer = address;
	row->count++;
}

static bool is_beginning_of_thread(const char *function)
{
	static const char *const names[] = {"main", "start_thread", "_start", "clone", "clone3",
		"__clone", "__clone3", "__libc_start_main"};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(function, names[i]) == 0)
			return true;
	return begins(function, "__libc_start_");
}

/* The function at an address, and those that it was inlined into. False: nothing is known of it. */
static bool take_calls(struct telling *telling, struct row *row, const struct unwind *unwind)
{
	uint64_t address = unwind->at[UNWIND_RIP] - unwind->is_returned;
	const struct module *module =
		unwind_module(telling->image, telling->reader->modules, address);
	struct symbol_place place = {.function = "", .file = "", .remark = ""};
	struct arena scratch;
	uint32_t i;
	bool is_known;

	if (!module)
		return false;
	arena_init(&scratch);
	is_known = symbol_debug_info_find(
		module->debug, &scratch, address - module->bias, !unwind->is_returned, &place);
	if (is_known && place.function[0]) {
		add_call(telling, row, address, place.function, place.file, place.line);
		for (i = 0; i < place.nr_callers; i++)
			add_call(telling, row, address, place.callers[i].function,
				place.callers[i].file, place.callers[i].line);
		row->is_of_thread |= is_beginning_of_thread(place.function);
	}
	telling->found->is_out_of_memory |= !is_known;
	arena_fini(&scratch);
	return is_known;
}

/* makecontext leaves the first address of a function. */
static bool has_not_begun(const struct telling *telling, const struct context *context)
{
	uint64_t address = context->registers.at[UNWIND_RIP];
	const struct module *module =
		unwind_module(telling->image, telling->reader->modules, address);
	const struct function_entry *entry =
		module ? symbol_function_table_find(
				 symbol_debug_info_functions(module->debug), address - module->bias)
		       : NULL;

	return entry && entry->address == address - module->bias;
}

static void follow(
	struct telling *telling, const struct context *context, bool is_fresh, struct row *row)
{
	struct unwind unwind = context->registers;
	unsigned i;

	unwind.is_returned = !is_fresh;
	for (i = 0; i < CALLS_MAX && take_calls(telling, row, &unwind); i++) {
		row->content = hash_bytes(row->content, unwind.at, sizeof(unwind.at));
		row->end = unwind.at[UNWIND_RSP];
		if (!unwind_step(telling->image, telling->reader->modules, &unwind))
			return;
	}
}

/* ---------------------------------------------------------------- coroutines */

/* The place of the outermost own function: where it is declared. */
static uint32_t function_of(struct telling *telling, const struct row *row)
{
	const struct module *module =
		unwind_module(telling->image, telling->reader->modules, row->outer);
	const struct function_entry *entry =
		module ? symbol_function_table_find(symbol_debug_info_functions(module->debug),
				 row->outer - module->bias)
		       : NULL;
	struct symbol_place place = {.function = "", .file = "", .remark = ""};
	struct arena scratch;
	uint32_t index = row->places[row->count - 1];

	if (!entry)
		return index;
	arena_init(&scratch);
	if (symbol_debug_info_find(module->debug, &scratch, entry->address, true, &place) &&
		place.function[0])
		index = place_at(telling, key_of(entry->address + module->bias, UINT64_MAX),
			place.function, place.file, place.line);
	arena_fini(&scratch);
	return index;
}

/* The innermost own place, with the whole row as its stack. */
static uint32_t place_of(struct telling *telling, const struct row *row)
{
	struct found *found = telling->found;
	struct found_place place;
	size_t i, known = 0;
	uint32_t stack = 0;
	uint64_t key;

	while (known < row->count && !row->are_own[known])
		known++;
	known = known < row->count ? known : 0;
	for (i = row->count; i-- > 0;)
		stack = found_call(found, row->places[i], stack);
	key = key_of((uint64_t)row->places[known] << 32 | stack, UINT64_MAX - 1);
	place = found->places.at[row->places[known]];
	place.stack = stack;
	return found_place(found, key, &place);
}

static void take(struct telling *telling, const struct context *context)
{
	struct found_coroutine coroutine = {.name = "", .thread = FOUND_NO_THREAD};
	struct stack stack = {.start = context->stack_start, .end = context->stack_end};
	struct row row = {.content = HASH_START};

	coroutine.is_initial = has_not_begun(telling, context);
	follow(telling, context, coroutine.is_initial, &row);
	if (row.count == 0 || row.outer == 0 || row.is_of_thread)
		return;
	if (!stack.start)
		stack.end = row.end;
	stack.index = (uint32_t)telling->found->coroutines.count;
	coroutine.address = stack.start ? context->address : row.end;
	coroutine.function = function_of(telling, &row);
	coroutine.place = place_of(telling, &row);
	coroutine.content = row.content;
	found_coroutine(telling->found, &coroutine);
	if (stack.index < telling->found->coroutines.count && !vec_push(&telling->stacks, stack))
		telling->found->is_out_of_memory = true;
}

/* Is the address nearer to the end of this stack, from below, than to that of any other? */
static void find_stack(const struct telling *telling, uint32_t thread)
{
	uint64_t address = telling->image->threads.at[thread].stack_pointer;
	const struct image_region *region = image_region_of(telling->image, address);
	const struct stack *nearest = NULL;
	struct found_coroutine *coroutine;
	size_t i;

	for (i = 0; region && i < telling->stacks.count; i++) {
		const struct stack *stack = &telling->stacks.at[i];

		if (stack->end > address && stack->end <= region->end && stack->start <= address &&
			(!nearest || stack->end < nearest->end))
			nearest = stack;
	}
	if (!nearest)
		return;
	coroutine = &telling->found->coroutines.at[nearest->index];
	coroutine->state = FRAME_RUNS;
	coroutine->thread = thread;
}

/* ---------------------------------------------------------------- the reader */

static bool defines(const struct debug_info *debug, const char *name)
{
	const struct function_table *table = symbol_debug_info_functions(debug);
	size_t i;

	for (i = 0; i < table->functions.count; i++)
		if (strcmp(table->functions.at[i].name, name) == 0)
			return true;
	return false;
}

static bool has_switches(const struct module *module)
{
	return module->debug && (symbol_debug_info_imports(module->debug, "swapcontext") ||
					symbol_debug_info_imports(module->debug, "jump_fcontext") ||
					defines(module->debug, "jump_fcontext"));
}

static enum ct_status open_reader(struct image *image, const struct modules *modules,
	struct found_reader **ret_reader, struct ct_error *reterr)
{
	struct found_reader *reader = calloc(1, sizeof(*reader));
	size_t i;

	if (!reader)
		return ct_fail_memory(reterr);
	reader->image = image;
	reader->modules = modules;
	for (i = 0; i < modules->count && !reader->has_switches; i++)
		reader->has_switches = has_switches(&modules->at[i]);
	*ret_reader = reader;
	return CT_OK;
}

static enum ct_status look(struct found_reader *reader, struct image *image, struct found *found,
	struct ct_error *reterr)
{
	struct telling telling = {.reader = reader, .image = image, .found = found};
	struct contexts contexts = {.image = image};
	bool is_well = !reader->has_switches || contexts_find(&contexts, image);
	size_t i;

	for (i = contexts.at.count; is_well && i-- > 0 && !found->is_out_of_memory;)
		if (contexts.at.at[i].is_reached)
			take(&telling, &contexts.at.at[i]);
	for (i = 0; i < image->threads.count; i++)
		find_stack(&telling, (uint32_t)i);
	contexts_fini(&contexts);
	vec_fini(&telling.stacks);
	return is_well ? CT_OK : ct_fail_memory(reterr);
}

static enum ct_status why_not(const struct found_reader *reader, char *words, size_t nr_bytes)
{
	if (!reader->has_switches)
		return CT_OK;
	snprintf(
		words, nr_bytes, "the program switches stacks, and none that it has left is alive");
	return CT_ERR_NOT_FOUND;
}

static void close_reader(struct found_reader *reader)
{
	free(reader);
}

const struct found_reader_ops found_stackful = {open_reader, look, why_not, close_reader};
