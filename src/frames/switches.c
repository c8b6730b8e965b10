/* SPDX-License-Identifier: MIT */
/*
 * Finds code that leaves a stack (switches.h). A store of the stack pointer through another register is rare in code:
 * around each the instructions are read that such code consists of, as far as there are no others.
 */
#include <string.h>

#include "frames/switches.h"
#include "symbol/debug_entry.h"

#define WORD sizeof(uint64_t)
#define AROUND 96u /* bytes of such code, before or behind the store */
#define BYTES_MAX 512u
#define RETURN 0xc3
#define SECTION_ALIGNED 16u
#define GAPS_MAX 4096u

/* By the number of an instruction: what a register holds. */
enum holds {
	HOLDS_ITSELF,
	HOLDS_LABEL,
	HOLDS_RETURN,      /* the address at which the function will return */
	HOLDS_STACK_AFTER, /* the stack pointer, once it has */
};

#define NR_NUMBERS 16u
#define NUMBER_RSP 4u

/* The numbers of instructions to those of DWARF; 0: no register that is kept. */
static const uint8_t of_dwarf[NR_NUMBERS] = {
	[3] = 3, [4] = 7, [5] = 6, [12] = 12, [13] = 13, [14] = 14, [15] = 15};

#define ALL_STORED (1u << 3 | 1u << 6 | 1u << 7 | 15u << 12 | 1u << 16)

struct reading {
	const uint8_t *bytes;
	size_t at;
	size_t end;
	uint64_t address; /* of the first byte */
	enum holds holds[NR_NUMBERS];
	uint64_t label;
	uint64_t resumed_at;
	unsigned base;
	bool has_base;
	bool is_after_return;
	uint32_t stored; /* a bit for each, by DWARF's numbers */
	int32_t offsets[UNWIND_REGISTERS];
};

/* ---------------------------------------------------------------- instructions */

static int32_t displacement(const uint8_t *bytes, unsigned mode)
{
	int32_t wide;

	if (mode == 0)
		return 0;
	if (mode == 1)
		return (int8_t)bytes[0];
	memcpy(&wide, bytes, sizeof(wide));
	return wide;
}

static void store(struct reading *reading, unsigned from, unsigned base, int32_t offset)
{
	unsigned number = of_dwarf[from];

	if (reading->has_base && reading->base != base)
		return;
	if (reading->holds[from] == HOLDS_LABEL || reading->holds[from] == HOLDS_RETURN) {
		number = UNWIND_RIP;
		reading->resumed_at = reading->holds[from] == HOLDS_LABEL ? reading->label : 0;
	} else if (reading->holds[from] == HOLDS_STACK_AFTER) {
		number = UNWIND_RSP;
		reading->is_after_return = true;
	}
	if (!number)
		return;
	reading->has_base = true;
	reading->base = base;
	reading->stored |= 1u << number;
	reading->offsets[number] = offset;
}

/*
 * `mov %reg, offset(%base)`, `lea label(%rip), %reg`, `mov (%rsp), %reg`, `lea 8(%rsp), %reg`, and what changes nothing
 * that is stored. Returns the bytes of the instruction; 0: it is another one.
 */
static size_t take(struct reading *reading)
{
	static const size_t widths[] = {0, 1, 4};
	const uint8_t *bytes = reading->bytes + reading->at;
	unsigned mode, number, base;
	size_t width;

	if (reading->end - reading->at < 8 || (bytes[0] & 0xf8) != 0x48)
		return 0;
	mode = bytes[2] >> 6;
	number = (bytes[2] >> 3 & 7u) | (bytes[0] & 4u) << 1;
	base = (bytes[2] & 7u) | (bytes[0] & 1u) << 3;
	if (mode == 3)
		return bytes[1] == 0x31 || bytes[1] == 0x33 ? 3 : 0;
	if (bytes[1] == 0x8d && mode == 0 && (bytes[2] & 7) == 5) {
		reading->holds[number] = HOLDS_LABEL;
		reading->label = reading->address + reading->at + 7 +
				 (uint64_t)(int64_t)displacement(bytes + 3, 2);
		return 7;
	}
	if (bytes[1] == 0x8b && mode == 0 && (bytes[2] & 7) == 4 && bytes[3] == 0x24) {
		reading->holds[number] = HOLDS_RETURN;
		return 4;
	}
	if (bytes[1] == 0x8d && mode == 1 && (bytes[2] & 7) == 4 && bytes[3] == 0x24 &&
		bytes[4] == WORD) {
		reading->holds[number] = HOLDS_STACK_AFTER;
		return 5;
	}
	if (bytes[1] != 0x89 || (bytes[2] & 7) == 4 || (mode == 0 && (bytes[2] & 7) == 5))
		return 0;
	width = widths[mode];
	store(reading, number, base, displacement(bytes + 3, mode));
	return 3 + width;
}

/* ---------------------------------------------------------------- one place in code */

static bool set_switched(const struct reading *reading, struct switched *switched)
{
	int64_t least = INT32_MAX, most = INT32_MIN;
	unsigned i;

	if (reading->stored != ALL_STORED || (reading->resumed_at == 0) != reading->is_after_return)
		return false;
	for (i = 0; i < UNWIND_REGISTERS; i++) {
		if (!(reading->stored >> i & 1))
			continue;
		least = reading->offsets[i] < least ? reading->offsets[i] : least;
		most = reading->offsets[i] > most ? reading->offsets[i] : most;
	}
	if (most - least > BYTES_MAX)
		return false;
	memset(switched, 0, sizeof(*switched));
	for (i = 0; i < UNWIND_REGISTERS; i++)
		if (reading->stored >> i & 1)
			switched->offsets[i] = (uint32_t)(reading->offsets[i] - least);
	switched->bytes = (uint32_t)(most - least) + (uint32_t)WORD;
	switched->resumed_at = reading->resumed_at;
	switched->code = reading->address + reading->at;
	return true;
}

/* Reads from a byte on, as long as it understands; it has to get behind the store. */
static bool read_from(const uint8_t *bytes, size_t from, size_t store_at, size_t end,
	uint64_t address, struct switched *switched)
{
	struct reading reading = {.bytes = bytes, .at = from, .end = end, .address = address};
	size_t nr_bytes;
	unsigned i;

	for (i = 0; i < NR_NUMBERS; i++)
		reading.holds[i] = HOLDS_ITSELF;
	for (nr_bytes = take(&reading); nr_bytes > 0; nr_bytes = take(&reading))
		reading.at += nr_bytes;
	return reading.at > store_at && set_switched(&reading, switched);
}

static void add(struct switches *switches, const struct image *image, const struct switched *fresh)
{
	struct switched switched = *fresh;
	uint8_t byte = 0;
	size_t i;

	for (i = 0; i < switches->count; i++)
		if (switches->at[i].resumed_at == fresh->resumed_at &&
			memcmp(switches->at[i].offsets, fresh->offsets, sizeof(fresh->offsets)) ==
				0)
			return;
	if (switches->count == SWITCHES_MAX)
		return;
	if (fresh->resumed_at)
		image_read(image, fresh->resumed_at, &byte, sizeof(byte));
	switched.is_at_return = byte == RETURN;
	switches->at[switches->count++] = switched;
}

/* The store of the stack pointer, or of what it will be. */
static bool is_store(const uint8_t *bytes)
{
	unsigned low = bytes[2] & 7u;

	if (bytes[1] == 0x8d)
		return (bytes[2] & 0xc7) == 0x44 && bytes[3] == 0x24 && bytes[4] == WORD;
	return bytes[1] == 0x89 && (bytes[0] & 4) == 0 && (bytes[2] >> 3 & 7) == NUMBER_RSP &&
	       bytes[2] >> 6 != 3 && low != 4 && !(bytes[2] >> 6 == 0 && low == 5);
}

static void look_at(struct switches *switches, const struct image *image, const uint8_t *bytes,
	size_t count, uint64_t address)
{
	struct switched switched;
	size_t at, from, first, end;

	for (at = 0; at + WORD <= count; at++) {
		if ((bytes[at] & 0xf8) != 0x48 || !is_store(bytes + at))
			continue;
		pushes_read(&switches->pushes, bytes, at, count, address);
		first = at > AROUND ? at - AROUND : 0;
		end = count - at > AROUND ? at + AROUND : count;
		for (from = first; from <= at; from++)
			if (read_from(bytes, from, at, end, address, &switched)) {
				add(switches, image, &switched);
				break;
			}
	}
}

/* ---------------------------------------------------------------- all code */

/* The C library's own are told by what swapcontext(3) marks. */
static bool is_of_library(const struct image_region *region)
{
	const char *name = strrchr(region->path, '/');

	return name && (strncmp(name, "/libc.so", 8) == 0 || strncmp(name, "/libc-2", 7) == 0 ||
			       strncmp(name, "/ld-", 4) == 0);
}

/*
 * The code is read from its file: where memory is read for the first time, it takes room in the program. Between
 * sections there may be gaps.
 */
static void look_at_region(struct switches *switches, const struct image *image,
	const struct module *module, const struct image_region *region)
{
	uint64_t address = region->start;
	const uint8_t *bytes;
	unsigned nr_gaps = 0;
	size_t count;

	while (address < region->end && nr_gaps < GAPS_MAX) {
		bytes = symbol_debug_info_code(module->debug, address - module->bias, &count);
		if (bytes) {
			look_at(switches, image, bytes, count, address);
			address += count;
		} else {
			nr_gaps++;
			address = (address / SECTION_ALIGNED + 1) * SECTION_ALIGNED;
		}
	}
}

void switches_find(
	struct switches *switches, const struct image *image, const struct modules *modules)
{
	const struct module *module;
	size_t i;

	memset(switches, 0, sizeof(*switches));
	for (i = 0; i < image->regions.count; i++) {
		const struct image_region *region = &image->regions.at[i];

		if (!region->is_code || is_of_library(region))
			continue;
		module = unwind_module(image, modules, region->start);
		if (module)
			look_at_region(switches, image, module, region);
	}
}

/* ---------------------------------------------------------------- what was saved */

/* Calls of functions of a library may go through a jump to where a word says. */
static uint64_t behind_jump(const struct image *image, uint64_t target)
{
	uint8_t bytes[16];
	int32_t offset;
	uint64_t next;
	size_t i;

	if (image_read(image, target, bytes, sizeof(bytes)) != sizeof(bytes))
		return target;
	for (i = 0; i + 6 <= sizeof(bytes); i++) {
		if (bytes[i] != 0xff || bytes[i + 1] != 0x25)
			continue;
		memcpy(&offset, bytes + i + 2, sizeof(offset));
		if (image_read_word(image, target + i + 6 + (uint64_t)(int64_t)offset, &next))
			return next;
	}
	return target;
}

static bool is_near(const struct switched *switched, uint64_t address)
{
	return address <= switched->code && switched->code - address <= 2 * AROUND;
}

/* `call *%reg`, `call *offset(%reg)` */
static bool is_indirect(const uint8_t *end)
{
	return (end[-2] == 0xff && (end[-1] & 0xf8) == 0xd0) ||
	       (end[-3] == 0xff && (end[-2] & 0xf8) == 0x50) ||
	       (end[-6] == 0xff && ((end[-5] & 0xf8) == 0x90 || end[-5] == 0x15));
}

bool switches_called(const struct image *image, uint64_t address, uint64_t *ret_function)
{
	uint8_t bytes[6];
	int32_t offset;

	*ret_function = 0;
	if (image_read(image, address - sizeof(bytes), bytes, sizeof(bytes)) != sizeof(bytes))
		return false;
	memcpy(&offset, bytes + 2, sizeof(offset));
	/* The byte of a direct call may also be a part of the instruction in front of an indirect one. */
	if (bytes[1] != 0xe8 || !image_is_code(image, address + (uint64_t)(int64_t)offset))
		return is_indirect(bytes + sizeof(bytes));
	*ret_function = behind_jump(image, address + (uint64_t)(int64_t)offset);
	return true;
}

/* Is there a call in front of the address that may be one of the code? */
static bool is_after_call(
	const struct switched *switched, const struct image *image, uint64_t address)
{
	uint64_t function;

	return switches_called(image, address, &function) &&
	       (function == 0 || is_near(switched, function));
}

/*
 * Below its stack pointer a stack holds what was left by functions that have returned, which looks like much: only the
 * call can tell. Elsewhere it need not, as a jump at the end of a function stands for one.
 */
static bool is_left_over(const struct image *image, uint64_t first, uint64_t stack)
{
	return first < stack && image_region_of(image, first) == image_region_of(image, stack);
}

/* A call pushed the address, unless the code goes on elsewhere. */
static bool set_next(const struct switched *switched, const struct image *image, uint64_t first,
	struct unwind *registers)
{
	uint64_t stack = registers->at[UNWIND_RSP], word;

	if (stack % WORD != 0)
		return false;
	registers->is_returned = switched->is_at_return || switched->resumed_at == 0;
	if (switched->is_at_return) {
		registers->at[UNWIND_RSP] += WORD;
		return image_read_word(image, stack, &registers->at[UNWIND_RIP]);
	}
	if (!registers->is_returned)
		return true;
	return image_read_word(image, stack - WORD, &word) && word == registers->at[UNWIND_RIP] &&
	       (!is_left_over(image, first, stack) || is_after_call(switched, image, word));
}

static bool read_saved(const struct switched *switched, const struct image *image, uint64_t first,
	struct unwind *registers)
{
	uint8_t bytes[BYTES_MAX + WORD];
	unsigned i;

	if (image_read(image, first, bytes, switched->bytes) != switched->bytes)
		return false;
	memset(registers, 0, sizeof(*registers));
	for (i = 0; i < UNWIND_REGISTERS; i++) {
		if (!(ALL_STORED >> i & 1))
			continue;
		memcpy(&registers->at[i], bytes + switched->offsets[i], WORD);
		registers->known |= UINT32_C(1) << i;
	}
	return set_next(switched, image, first, registers);
}

bool switches_take(const struct switches *switches, const struct image *image, uint64_t address,
	uint64_t word, struct unwind *ret_registers, uint64_t *ret_first)
{
	size_t i;

	for (i = 0; i < switches->count; i++) {
		const struct switched *switched = &switches->at[i];

		*ret_first = address - switched->offsets[UNWIND_RIP];
		if ((switched->resumed_at == 0 || switched->resumed_at == word) &&
			read_saved(switched, image, *ret_first, ret_registers))
			return true;
	}
	return false;
}
