/* SPDX-License-Identifier: MIT */
/*
 * Finds saved contexts by marks that little else has (contexts.h).
 *
 * A ucontext_t of glibc points into itself: to the room for the floating-point state at its end. jump_fcontext puts the
 * control words of both floating-point units, which hardly any program changes, in front of the registers on the stack;
 * whoever resumes that context has a pointer to them.
 */
#include <stdlib.h>

#include "base/map.h"
#include "frames/contexts.h"
#include "frames/heap.h"
#include "frames/walk.h"

#define WORD sizeof(uint64_t)

/* Memory of a hostile program may hold a mark in each word. */
#define CONTEXTS_MAX ((size_t)1 << 19)
#define POINTERS_MAX (4 * CONTEXTS_MAX)

/* <sys/ucontext.h> of glibc on x86-64 */
#define UCONTEXT_FPREGS 224u
#define UCONTEXT_FPREGS_ROOM 424u
#define UCONTEXT_MXCSR (UCONTEXT_FPREGS_ROOM + 24u)
#define UCONTEXT_STACK 16u
#define UCONTEXT_STACK_SIZE 32u
#define UCONTEXT_WORDS 29u

/*
 * jump_x86_64_sysv_elf_gas.S of Boost.Context: control words, R12 to R15, RBX, RBP, RIP. PHP, and Boost if it is built
 * so, save the stack's guard behind the control words.
 */
#define FCONTEXT_MARK UINT64_C(0x0000037f00001f80)
#define FCONTEXT_MASK \
	UINT64_C(     \
		0x0000ffffffffffc0) /* exceptions that were met, and two bytes that are not written */
#define FCONTEXT_PLAIN 8u           /* bytes in front of the registers */
#define FCONTEXT_GUARDED 16u
#define FCONTEXT_WORDS 7u
#define FCONTEXT_CODE 40u /* bytes in which it stores the first register */

static const struct {
	unsigned number; /* of DWARF */
	unsigned offset;
} in_ucontext[] = {{8, 40}, {9, 48}, {12, 72}, {13, 80}, {14, 88}, {15, 96}, {5, 104}, {4, 112},
	{6, 120}, {3, 128}, {1, 136}, {2, 152}, {7, 160}, {16, 168}};

static const uint8_t in_fcontext[FCONTEXT_WORDS] = {12, 13, 14, 15, 3, 6, 16};

static bool is_code(const struct contexts *contexts, uint64_t address)
{
	return address >= contexts->code_start && address < contexts->code_end &&
	       image_is_code(contexts->image, address);
}

/* Is there a stack, and code to go on at? */
static bool can_go_on(const struct contexts *contexts, const struct unwind *registers)
{
	const struct image_region *region =
		image_region_of(contexts->image, registers->at[UNWIND_RSP]);

	return region && region->is_writable && is_code(contexts, registers->at[UNWIND_RIP]);
}

static void set(struct unwind *unwind, unsigned number, uint64_t value)
{
	unwind->at[number] = value;
	unwind->known |= UINT32_C(1) << number;
}

static void add(struct contexts *contexts, const struct context *context)
{
	uint32_t index = (uint32_t)contexts->at.count;

	if (!vec_push(&contexts->at, *context) ||
		!map_put(&contexts->by_address, context->address, index))
		contexts->is_out_of_memory = true;
}

/* The control words, as jump_fcontext saves them, too: fnstenv and stmxcsr of getcontext(3). */
static bool has_control_words(const struct image *image, uint64_t address)
{
	uint64_t x87, sse;

	return image_read_word(image, address + UCONTEXT_FPREGS_ROOM, &x87) &&
	       image_read_word(image, address + UCONTEXT_MXCSR, &sse) &&
	       (((x87 & 0xffff) << 32 | (sse & 0xffffffff)) & FCONTEXT_MASK) == FCONTEXT_MARK;
}

/* Is a thread on the stack of what was saved? */
static bool is_in_use(const struct image *image, const struct context *context)
{
	size_t i;

	for (i = 0; i < image->threads.count; i++) {
		uint64_t pointer = image->threads.at[i].stack_pointer;

		if (pointer >= context->stack_start && pointer < context->stack_end)
			return true;
	}
	return false;
}

/* The call pushed the address at which the context goes on, and who goes on calls other functions there. */
static enum context_call call_of(const struct image *image, const struct context *context)
{
	uint64_t next = context->registers.at[UNWIND_RIP], pushed, function;

	if (image_read_word(image, context->registers.at[UNWIND_RSP] - WORD, &pushed) &&
		pushed == next)
		return CONTEXT_CALL_SWITCH;
	return switches_called(image, next, &function) ? CONTEXT_CALL_OTHER : CONTEXT_CALL_UNKNOWN;
}

static void take_ucontext(struct contexts *contexts, uint64_t address)
{
	struct context context = {.address = address, .is_reached = true};
	uint64_t words[UCONTEXT_WORDS];
	size_t i;

	if (image_read(contexts->image, address, words, sizeof(words)) != sizeof(words) ||
		!has_control_words(contexts->image, address))
		return;
	for (i = 0; i < sizeof(in_ucontext) / sizeof(*in_ucontext); i++)
		set(&context.registers, in_ucontext[i].number, words[in_ucontext[i].offset / WORD]);
	context.registers.is_returned = true;
	context.stack_start = words[UCONTEXT_STACK / WORD];
	context.stack_end = context.stack_start + words[UCONTEXT_STACK_SIZE / WORD];
	if (!is_code(contexts, context.registers.at[UNWIND_RIP]) ||
		context.registers.at[UNWIND_RSP] < context.stack_start ||
		context.registers.at[UNWIND_RSP] > context.stack_end)
		return;
	context.call = call_of(contexts->image, &context);
	if (context.call != CONTEXT_CALL_OTHER || is_in_use(contexts->image, &context))
		add(contexts, &context);
}

static void take_jump(struct contexts *contexts, uint64_t address, uint64_t word)
{
	struct context context = {.is_reached = true, .call = CONTEXT_CALL_SWITCH};

	if (jumps_take(&contexts->jumps, address, word, &context.registers, &context.address) &&
		can_go_on(contexts, &context.registers))
		add(contexts, &context);
}

/*
 * jump_fcontext and ontop_fcontext first store control words at the stack pointer, and R12 behind them: stmxcsr (%rsp),
 * mov %r12, offset(%rsp).
 */
static bool saves_fcontext(const struct image *image, uint64_t function, unsigned offset)
{
	static const uint8_t store[] = {0x0f, 0xae, 0x1c, 0x24};
	const uint8_t store_r12[] = {0x4c, 0x89, 0x64, 0x24, (uint8_t)offset};
	uint8_t bytes[FCONTEXT_CODE];

	return image_read(image, function, bytes, sizeof(bytes)) == sizeof(bytes) &&
	       memmem(bytes, sizeof(bytes), store, sizeof(store)) &&
	       memmem(bytes, sizeof(bytes), store_r12, sizeof(store_r12));
}

static enum context_call call_before(const struct image *image, uint64_t address, unsigned offset)
{
	uint64_t function;

	if (!switches_called(image, address, &function))
		return CONTEXT_CALL_OTHER;
	if (!function)
		return CONTEXT_CALL_UNKNOWN;
	return saves_fcontext(image, function, offset) ? CONTEXT_CALL_SWITCH : CONTEXT_CALL_OTHER;
}

/* The registers begin at this offset. False: the address to go on at is no code. */
static bool read_fcontext(const struct contexts *contexts, uint64_t address, unsigned offset,
	struct context *ret_context)
{
	uint64_t words[FCONTEXT_WORDS];
	struct unwind *registers = &ret_context->registers;
	size_t i;

	*ret_context = (struct context){.address = address};
	if (image_read(contexts->image, address + offset, words, sizeof(words)) != sizeof(words))
		return false;
	for (i = 0; i < FCONTEXT_WORDS; i++)
		set(registers, in_fcontext[i], words[i]);
	set(registers, UNWIND_RSP, address + offset + sizeof(words));
	registers->is_returned = true;
	if (!is_code(contexts, registers->at[UNWIND_RIP]))
		return false;
	ret_context->call = call_before(contexts->image, registers->at[UNWIND_RIP], offset);
	return true;
}

static void take_fcontext(struct contexts *contexts, uint64_t address)
{
	struct context plain, guarded;
	bool is_plain = read_fcontext(contexts, address, FCONTEXT_PLAIN, &plain);
	bool is_guarded = read_fcontext(contexts, address, FCONTEXT_GUARDED, &guarded);

	if (is_guarded && (!is_plain || guarded.call > plain.call))
		add(contexts, &guarded);
	else if (is_plain)
		add(contexts, &plain);
}

static bool may_be_left(const struct contexts *contexts, uint64_t word)
{
	const struct switches *switches = contexts->switches;

	return (switches->count > 0 || switches->pushes.count > 0) &&
	       word >= contexts->code_start && word < contexts->code_end;
}

static void take_left(struct contexts *contexts, uint64_t address, uint64_t word)
{
	struct context context = {.is_reached = true};

	if (switches_take(contexts->switches, contexts->image, address, word, &context.registers,
		    &context.address) &&
		can_go_on(contexts, &context.registers) && !vec_push(&contexts->own, context))
		contexts->is_out_of_memory = true;
}

static void take_pushed(struct contexts *contexts, uint64_t address, uint64_t word)
{
	struct context context = {.call = CONTEXT_CALL_SWITCH};

	if (pushes_take(&contexts->switches->pushes, contexts->image, &contexts->calls, address,
		    word, &context.registers, &context.address, &contexts->is_out_of_memory))
		add(contexts, &context);
}

static void take_code(struct contexts *contexts, uint64_t address, uint64_t word)
{
	if (!is_code(contexts, word))
		return;
	if (contexts->switches->count > 0)
		take_left(contexts, address, word);
	if (contexts->switches->pushes.count > 0)
		take_pushed(contexts, address, word);
}

static bool look_for_marks(
	void *context, const uint64_t *words, size_t count, uint64_t address, bool is_stack)
{
	struct contexts *contexts = context;
	size_t i;

	(void)is_stack;
	for (i = 0; i < count; i++) {
		uint64_t at = address + i * WORD;

		if (contexts->at.count + contexts->own.count >= CONTEXTS_MAX) {
			contexts->nr_left_out += count - i;
			break;
		}
		if (words[i] == at - UCONTEXT_FPREGS + UCONTEXT_FPREGS_ROOM)
			take_ucontext(contexts, at - UCONTEXT_FPREGS);
		else if ((words[i] & FCONTEXT_MASK) == FCONTEXT_MARK)
			take_fcontext(contexts, at);
		else if (may_be_left(contexts, words[i]))
			take_code(contexts, at, words[i]);
		else
			take_jump(contexts, at, words[i]);
	}
	return !contexts->is_out_of_memory;
}

static bool look_for_pointers(
	void *context, const uint64_t *words, size_t count, uint64_t address, bool is_stack)
{
	struct contexts *contexts = context;
	struct context_pointer pointer;
	size_t i;

	(void)is_stack;
	for (i = 0; i < count; i++) {
		if (!map_get(&contexts->by_address, words[i], &pointer.context) ||
			contexts->pointers.count >= POINTERS_MAX)
			continue;
		pointer.address = address + i * WORD;
		if (!vec_push(&contexts->pointers, pointer))
			contexts->is_out_of_memory = true;
	}
	return !contexts->is_out_of_memory;
}

static int by_address(const void *one, const void *other)
{
	const struct context_pointer *first = one, *second = other;

	return (first->address > second->address) - (first->address < second->address);
}

/* Which of the addresses, in ascending order, does the allocator have back? NULL: out of memory. */
static bool *find_free(
	const struct image *image, const struct context_pointer *pointers, size_t count)
{
	uint64_t *addresses = calloc(count + 1, sizeof(*addresses));
	bool *are_free = calloc(count + 1, sizeof(*are_free));
	size_t i;

	if (!addresses || !are_free) {
		free(addresses);
		free(are_free);
		return NULL;
	}
	for (i = 0; i < count; i++)
		addresses[i] = pointers[i].address;
	if (count > 0)
		heap_find_free(image, addresses, count, are_free);
	free(addresses);
	return are_free;
}

/* What was freed leads to nothing: it may be an object of a coroutine that has ended. */
static bool reach(struct contexts *contexts)
{
	bool *are_free =
		find_free(contexts->image, contexts->pointers.at, contexts->pointers.count);
	size_t i;

	for (i = 0; are_free && i < contexts->pointers.count; i++)
		if (!are_free[i])
			contexts->at.at[contexts->pointers.at[i].context].is_reached = true;
	free(are_free);
	return are_free != NULL;
}

/* What the allocator has back is of the past: what was saved, or the stack that it leads to. */
static bool leave_out_free(const struct image *image, struct context *contexts, size_t nr)
{
	size_t count = nr * 2, i;
	struct context_pointer *places = calloc(count + 1, sizeof(*places));
	bool *are_free = NULL;

	for (i = 0; places && i < count; i++) {
		const struct context *context = &contexts[i / 2];

		places[i].context = (uint32_t)(i / 2);
		places[i].address =
			i % 2 ? context->registers.at[UNWIND_RSP] - WORD : context->address;
	}
	if (places) {
		qsort(places, count, sizeof(*places), by_address);
		are_free = find_free(image, places, count);
	}
	for (i = 0; are_free && i < count; i++)
		contexts[places[i].context].is_reached &= !are_free[i];
	free(places);
	free(are_free);
	return are_free != NULL;
}

static uint64_t distance(const struct context *context)
{
	uint64_t stack = context->registers.at[UNWIND_RSP];

	return stack > context->address ? stack - context->address : context->address - stack;
}

static int by_distance(const void *one, const void *other)
{
	uint64_t first = distance(one), second = distance(other);

	return (first > second) - (first < second);
}

bool contexts_find(struct contexts *contexts, const struct image *image,
	const struct modules *modules, const struct switches *switches)
{
	struct walk marks = {.take = look_for_marks, .context = contexts, .is_below = true};
	struct walk pointers = {.take = look_for_pointers, .context = contexts, .is_below = true};
	size_t i;

	memset(contexts, 0, sizeof(*contexts));
	contexts->image = image;
	contexts->switches = switches;
	contexts->code_start = UINT64_MAX;
	for (i = 0; i < image->regions.count; i++) {
		const struct image_region *region = &image->regions.at[i];

		if (!region->is_code)
			continue;
		if (region->start < contexts->code_start)
			contexts->code_start = region->start;
		contexts->code_end = region->end;
	}
	if (!jumps_find(
		    &contexts->jumps, image, modules, contexts->code_start, contexts->code_end) ||
		!walk_memory(&marks, image) ||
		(contexts->at.count > 0 && (!walk_memory(&pointers, image) || !reach(contexts))))
		return false;
	if (contexts->own.count > 0)
		qsort(contexts->own.at, contexts->own.count, sizeof(*contexts->own.at),
			by_distance);
	return leave_out_free(image, contexts->at.at, contexts->at.count) &&
	       leave_out_free(image, contexts->own.at, contexts->own.count);
}

void contexts_fini(struct contexts *contexts)
{
	vec_fini(&contexts->at);
	vec_fini(&contexts->own);
	vec_fini(&contexts->pointers);
	map_fini(&contexts->by_address);
	map_fini(&contexts->calls);
}
