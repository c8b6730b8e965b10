/* SPDX-License-Identifier: MIT */
/* The reader of stackful coroutines (found.h): saved contexts, each with the row of calls on its stack (calls.h). */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames/call_objects.h"
#include "frames/calls.h"
#include "frames/contexts.h"
#include "frames/found.h"
#include "symbol/debug_entry.h"

struct found_reader {
	const struct modules *modules;
	bool has_switches; /* the program has functions that switch contexts */
	struct switches switches;
};

#define OWN_CALLS 12u
#define CALL_BYTES 8u
#define ONE_FUNCTION_BYTES 256u
#define RETURN 0xc3 /* the instruction */

/* A stack of which something was saved. */
struct stack {
	uint64_t start; /* 0: not known */
	uint64_t end;
	uint32_t index;          /* of its coroutine */
	uint32_t nr_own;         /* 0: the coroutine has not begun, or nothing is known */
	uint32_t own[OWN_CALLS]; /* places of its innermost own calls */
	uint64_t outer;          /* behind the call in the outermost own function */
	bool has_ended;          /* the function for which it was begun has returned */
	bool leaves_itself;      /* the innermost own function calls the code that switches */
};

/* What is being told of one look. */
struct telling {
	struct found_reader *reader;
	struct image *image;
	struct found *found;
	VEC(struct stack) stacks; /* of what was told */
	bool takes_bare;          /* also rows without a line of the program's own */
	bool has_bare;            /* there are some */
	struct map by_end;        /* where a stack begins, to its coroutine */
	struct call_objects objects;
};

/* ---------------------------------------------------------------- coroutines */

/* makecontext leaves the first address of a function, which nothing calls; not all functions are known by name. */
static bool has_not_begun(const struct telling *telling, const struct context *context)
{
	uint64_t address = context->registers.at[UNWIND_RIP];
	const struct module *module =
		unwind_module(telling->image, telling->reader->modules, address);
	const struct function_entry *entry =
		module ? symbol_function_table_find(
				 symbol_debug_info_functions(module->debug), address - module->bias)
		       : NULL;

	return (entry && entry->address == address - module->bias) ||
	       (context->stack_start && context->call == CONTEXT_CALL_UNKNOWN);
}

static void keep_own_calls(const struct found *found, struct stack *stack, const struct calls *row)
{
	size_t i;

	for (i = 0; i < row->count && stack->nr_own < OWN_CALLS; i++)
		if (row->are_own[i])
			stack->own[stack->nr_own++] = row->places[i];
	/* What was saved is in the code that switches, which has no line, or just behind its call. */
	stack->leaves_itself = row->are_own[0] || !found->places.at[row->places[0]].file[0];
}

static void take(struct telling *telling, const struct context *context)
{
	struct found_coroutine coroutine = {.name = "", .thread = FOUND_NO_THREAD};
	struct stack stack = {.start = context->stack_start, .end = context->stack_end};
	const struct image_region *region =
		image_region_of(telling->image, context->registers.at[UNWIND_RSP]);
	const struct calling calling = {
		telling->image, telling->reader->modules, telling->found, region ? region->end : 0};
	struct unwind registers = context->registers;
	struct calls row;
	uint32_t index;

	/* What the first thread saved of its own stack. */
	if (region && strcmp(region->path, "[stack]") == 0)
		return;
	coroutine.is_initial = has_not_begun(telling, context);
	registers.is_returned &= !coroutine.is_initial;
	calls_follow(&calling, &registers, &row);
	if (row.count == 0 || row.outer == 0 || row.is_of_thread ||
		map_get(&telling->by_end, row.end, &index))
		return;
	if (row.is_bare && !telling->takes_bare) {
		telling->has_bare = true;
		return;
	}
	if (!stack.start)
		stack.end = row.end;
	/* A row that breaks off at once says nothing of where its coroutine is. */
	if (!coroutine.is_initial && row.count > 1)
		keep_own_calls(telling->found, &stack, &row);
	stack.outer = row.outer + 1;
	stack.index = (uint32_t)telling->found->coroutines.count;
	coroutine.address = stack.start ? context->address : row.end;
	coroutine.function = calls_function(&calling, &row);
	coroutine.place = calls_place(telling->found, &row);
	coroutine.content = row.content;
	if (stack.index < FOUND_TOLD)
		coroutine.awaits =
			call_objects_take(&telling->objects, &calling, &row, coroutine.place);
	found_coroutine(telling->found, &coroutine);
	if (stack.index < telling->found->coroutines.count &&
		(!vec_push(&telling->stacks, stack) ||
			!map_put(&telling->by_end, row.end, stack.index)))
		telling->found->is_out_of_memory = true;
}

/*
 * The number of innermost own calls that all that have begun have in common, except the outermost of any; 0: fewer than
 * two have begun.
 */
static uint32_t common_depth(const struct telling *telling)
{
	const struct stack *first = NULL;
	uint32_t depth = 0, nr_begun = 0, same;
	size_t i;

	for (i = 0; i < telling->stacks.count; i++) {
		const struct stack *stack = &telling->stacks.at[i];

		if (!stack->nr_own || stack->has_ended)
			continue;
		if (nr_begun++ == 0) {
			first = stack;
			depth = stack->nr_own - 1;
		}
		same = 0;
		while (same < depth && same + 1 < stack->nr_own &&
			stack->own[same] == first->own[same])
			same++;
		depth = same;
	}
	return nr_begun > 1 ? depth : 0;
}

/* Does any begun coroutine have another place at this depth than the first? */
static bool differ(const struct telling *telling, uint32_t depth)
{
	const struct stack *first = NULL;
	size_t i;

	for (i = 0; i < telling->stacks.count; i++) {
		const struct stack *stack = &telling->stacks.at[i];

		if (!stack->nr_own || stack->has_ended)
			continue;
		first = first ? first : stack;
		if (stack->own[depth] != first->own[depth])
			return true;
	}
	return false;
}

static bool is_leaving_word(const char *word, size_t length, bool calls_switch)
{
	static const struct {
		const char *text;
		bool is_of_applications;
	} words[] = {
#define L(word, is_of_applications) {word, is_of_applications},
#include "frames/leaving.def"
#undef L
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i].text) == length &&
			strncasecmp(words[i].text, word, length) == 0)
			return calls_switch || !words[i].is_of_applications;
	return false;
}

/* Has the function's own name, without what it is in and its arguments, such a word? */
static bool is_called_as_leaving(const char *function, bool calls_switch)
{
	static const char nameless[] = "(anonymous namespace)::";
	const char *inside = strstr(function, nameless);
	size_t end, start, length;

	/* In front of the name; in its arguments there may be more. */
	if (inside && inside - function <= (ptrdiff_t)strcspn(function, "("))
		function = inside + sizeof(nameless) - 1;
	start = end = strcspn(function, "(<");
	while (start > 0 && function[start - 1] != ':')
		start--;
	for (; start < end; start += length + 1) {
		for (length = 0;
			start + length < end && isalpha((unsigned char)function[start + length]);)
			length++;
		if (is_leaving_word(&function[start], length, calls_switch))
			return true;
	}
	return false;
}

/* From this depth on: the innermost call whose name is not of what leaves a stack; the outermost always counts. */
static uint32_t step_over(const struct telling *telling, const struct stack *stack, uint32_t depth)
{
	const struct found_place *places = telling->found->places.at;
	uint32_t at = depth;

	while (at + 2 < stack->nr_own && is_called_as_leaving(places[stack->own[at]].function,
						 at == 0 && stack->leaves_itself))
		at++;
	return at;
}

/*
 * A call in which all coroutines are does not tell them apart: it is that by which the program leaves a stack. The
 * place of each is then the call around it, without those that are called as such code is.
 */
static void step_out(struct telling *telling)
{
	uint32_t depth = common_depth(telling), at;
	size_t i;

	if (!differ(telling, depth))
		depth = 0;
	for (i = 0; i < telling->stacks.count; i++) {
		const struct stack *stack = &telling->stacks.at[i];
		struct found_coroutine *coroutine = &telling->found->coroutines.at[stack->index];

		at = stack->nr_own && !stack->has_ended ? step_over(telling, stack, depth) : 0;
		if (at > 0)
			coroutine->place = calls_place_around(
				telling->found, coroutine->place, stack->own[at]);
	}
}

/* ---------------------------------------------------------------- those that have ended */

/* Is the call before this address one by a pointer? One through the table of imported functions is not. */
static bool is_by_pointer(const struct image *image, uint64_t address)
{
	static const struct {
		uint8_t nr_bytes, kind, nr_kinds;
	} forms[] = {{2, 0xd0, 8}, {2, 0x10, 4}, {3, 0x50, 8}, {6, 0x90, 8}};
	uint8_t code[CALL_BYTES];
	size_t i;

	if (image_read(image, address - CALL_BYTES, code, sizeof(code)) != sizeof(code) ||
		code[CALL_BYTES - 5] == 0xe8)
		return false;
	for (i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		const uint8_t *call = &code[CALL_BYTES - forms[i].nr_bytes];

		if (call[0] == 0xff && call[1] >= forms[i].kind &&
			call[1] < forms[i].kind + forms[i].nr_kinds)
			return true;
	}
	return false;
}

/* Do both addresses lie in one function? Without symbols, one that is short and does not return in between. */
static bool are_of_one(const struct telling *telling, uint64_t one, uint64_t other)
{
	const struct module *module =
		unwind_module(telling->image, telling->reader->modules, one - 1);
	uint64_t from = one < other ? one : other, bytes = (one < other ? other : one) - from;
	const struct function_table *table =
		module ? symbol_debug_info_functions(module->debug) : NULL;
	const struct function_entry *entry =
		table ? symbol_function_table_find(table, one - 1 - module->bias) : NULL;
	uint8_t code[ONE_FUNCTION_BYTES];

	if (entry)
		return symbol_function_table_find(table, other - 1 - module->bias) == entry;
	return bytes < sizeof(code) && image_read(telling->image, from, code, bytes) == bytes &&
	       !memchr(code, RETURN, bytes);
}

static uint32_t least_own(const struct telling *telling)
{
	uint32_t least = UINT32_MAX;
	size_t i;

	for (i = 0; i < telling->stacks.count; i++)
		if (telling->stacks.at[i].nr_own && telling->stacks.at[i].nr_own < least)
			least = telling->stacks.at[i].nr_own;
	return least;
}

/*
 * What begins a stack calls the coroutine's function by a pointer, in all stacks at one place. Where it calls what
 * leaves the stack instead, the function has returned, and the stack is kept to be used again.
 */
static void find_ended(struct telling *telling)
{
	uint32_t least = least_own(telling);
	uint64_t outer = 0;
	size_t i;

	for (i = 0; i < telling->stacks.count; i++) {
		const struct stack *stack = &telling->stacks.at[i];

		if (stack->nr_own <= least)
			continue;
		if ((outer && stack->outer != outer) ||
			!is_by_pointer(telling->image, stack->outer))
			return;
		outer = stack->outer;
	}
	for (i = 0; outer && i < telling->stacks.count; i++) {
		struct stack *stack = &telling->stacks.at[i];

		if (stack->nr_own != least || stack->outer == outer ||
			is_by_pointer(telling->image, stack->outer) ||
			!are_of_one(telling, stack->outer, outer))
			continue;
		stack->has_ended = true;
		telling->found->coroutines.at[stack->index].state = FRAME_HAS_END;
	}
}

/* ---------------------------------------------------------------- threads */

/* Does the row of calls on the thread's stack begin where this stack does? */
static bool is_same(const struct stack *stack, const struct found_thread *thread)
{
	uint64_t end = thread->calls.end;

	return stack->start ? end > stack->start && end <= stack->end : end == stack->end;
}

/* Does the address lie below the end of this stack, in the same region? */
static bool may_hold(const struct stack *stack, const struct image_region *region, uint64_t address)
{
	return stack->end > address && stack->end <= region->end && stack->start <= address;
}

/* The stack that a thread is on: by its row of calls, or else the one whose end is nearest above its stack pointer. */
static void find_stack(const struct telling *telling, uint32_t thread)
{
	uint64_t address = telling->image->threads.at[thread].stack_pointer;
	const struct found_thread *known = found_thread_at(telling->found, thread);
	const struct image_region *region = image_region_of(telling->image, address);
	const struct stack *nearest = NULL;
	struct found_coroutine *coroutine;
	size_t i;

	for (i = 0; region && i < telling->stacks.count; i++) {
		const struct stack *stack = &telling->stacks.at[i];

		if (!may_hold(stack, region, address) || (nearest && nearest->end <= stack->end) ||
			(known && known->calls.is_whole && !is_same(stack, known)))
			continue;
		nearest = stack;
	}
	if (!nearest)
		return;
	coroutine = &telling->found->coroutines.at[nearest->index];
	coroutine->state = FRAME_RUNS;
	coroutine->thread = thread;
}

/* ---------------------------------------------------------------- the reader */

static void note_places(struct found *found)
{
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < found->coroutines.count; i++)
		count += found->places.at[found->coroutines.at[i].place].module != NULL;
	found_note(found, count, false,
		"coroutines wait in code without debug information: their places are offsets in "
		"its file; install its debug symbols, or build it with -g");
}

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
	reader->modules = modules;
	for (i = 0; i < modules->count && !reader->has_switches; i++)
		reader->has_switches = has_switches(&modules->at[i]);
	*ret_reader = reader;
	switches_find(&reader->switches, image, modules);
	reader->has_switches |= reader->switches.count > 0 || reader->switches.pushes.count > 0;
	return CT_OK;
}

/* The surest of what a stack has saved is told. */
static void take_all(struct telling *telling, const struct contexts *contexts)
{
	int call;
	size_t i;

	for (call = CONTEXT_CALL_SWITCH; call >= CONTEXT_CALL_OTHER; call--)
		for (i = contexts->at.count; i-- > 0 && !telling->found->is_out_of_memory;)
			if (contexts->at.at[i].is_reached && (int)contexts->at.at[i].call == call)
				take(telling, &contexts->at.at[i]);
	for (i = 0; i < contexts->own.count && !telling->found->is_out_of_memory; i++)
		if (contexts->own.at[i].is_reached)
			take(telling, &contexts->own.at[i]);
}

static enum ct_status look(struct found_reader *reader, struct image *image, struct found *found,
	struct ct_error *reterr)
{
	struct telling telling = {.reader = reader, .image = image, .found = found};
	struct contexts contexts = {.image = image};
	bool is_well = !reader->has_switches ||
		       contexts_find(&contexts, image, reader->modules, &reader->switches);
	size_t i;

	if (is_well)
		take_all(&telling, &contexts);
	/* A library's own stacks have no line of the program either: only where none has, they count. */
	telling.takes_bare = telling.stacks.count == 0 && telling.has_bare;
	if (is_well && telling.takes_bare)
		take_all(&telling, &contexts);
	find_ended(&telling);
	step_out(&telling);
	for (i = 0; i < image->threads.count; i++)
		find_stack(&telling, (uint32_t)i);
	call_objects_tell(&telling.objects, image, found);
	note_places(found);
	found_note(found, contexts.nr_left_out, true,
		"words of memory were not looked at for saved stacks, because more than half a "
		"million seem to be saved before them");
	contexts_fini(&contexts);
	call_objects_fini(&telling.objects);
	vec_fini(&telling.stacks);
	map_fini(&telling.by_end);
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
