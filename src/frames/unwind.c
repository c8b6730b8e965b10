/* SPDX-License-Identifier: MIT */
/*
 * Goes from a function to its caller (unwind.h). Rules are short expressions of DWARF; what compilers do not write into
 * call frame information ends the way.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "frames/unwind.h"
#include "symbol/debug_entry.h"

#define STACK_MAX 8u

struct machine {
	const struct image *image;
	const struct unwind *unwind;
	uint64_t frame_address; /* 0: not known yet */
	uint64_t frame_base;    /* what the locations of variables count from; 0: not known */
	uint64_t stack[STACK_MAX];
	unsigned count;
	bool is_value; /* the result is the value, not where it lies */
};

const struct module *unwind_module(
	const struct image *image, const struct modules *modules, uint64_t address)
{
	const struct image_region *region = image_region_of(image, address);
	size_t i;

	for (i = 0; region && region->path[0] == '/' && i < modules->count; i++)
		if (strcmp(modules->at[i].path, region->path) == 0)
			return modules->at[i].debug ? &modules->at[i] : NULL;
	return NULL;
}

/* ---------------------------------------------------------------- expressions */

static bool push(struct machine *machine, uint64_t value)
{
	if (machine->count == STACK_MAX)
		return false;
	machine->stack[machine->count++] = value;
	return true;
}

static bool push_register(struct machine *machine, uint64_t number, uint64_t offset)
{
	return number < UNWIND_REGISTERS && (machine->unwind->known >> number & 1) &&
	       push(machine, machine->unwind->at[number] + offset);
}

static bool combine(struct machine *machine, unsigned operation)
{
	uint64_t right, *left;

	if (machine->count < 2)
		return false;
	right = machine->stack[--machine->count];
	left = &machine->stack[machine->count - 1];
	switch (operation) {
	case DW_OP_plus:
		*left += right;
		return true;
	case DW_OP_and:
		*left &= right;
		return true;
	case DW_OP_shl:
		*left = right < 64 ? *left << right : 0;
		return true;
	case DW_OP_ge:
		*left = (int64_t)*left >= (int64_t)right;
		return true;
	default:
		return false;
	}
}

static bool step(struct machine *machine, const Dwarf_Op *op)
{
	uint64_t *top = machine->count ? &machine->stack[machine->count - 1] : NULL;

	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_register(machine, op->atom - DW_OP_breg0, op->number);
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
		machine->is_value = true;
		return push_register(machine, op->atom - DW_OP_reg0, 0);
	}
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push(machine, op->atom - DW_OP_lit0);
	switch (op->atom) {
	case DW_OP_bregx:
		return push_register(machine, op->number, op->number2);
	case DW_OP_regx:
		machine->is_value = true;
		return push_register(machine, op->number, 0);
	case DW_OP_fbreg:
		return machine->frame_base && push(machine, machine->frame_base + op->number);
	case DW_OP_call_frame_cfa:
		return machine->frame_address && push(machine, machine->frame_address);
	case DW_OP_consts:
	case DW_OP_const1u:
	case DW_OP_const1s:
		return push(machine, op->number);
	case DW_OP_plus_uconst:
		if (top)
			*top += op->number;
		return top != NULL;
	case DW_OP_deref:
		return top && image_read_word(machine->image, *top, top);
	case DW_OP_stack_value:
		machine->is_value = true;
		return true;
	default:
		return combine(machine, op->atom);
	}
}

static bool evaluate(
	struct machine *machine, const Dwarf_Op *ops, size_t nr_ops, uint64_t *ret_value)
{
	size_t i;

	machine->count = 0;
	machine->is_value = false;
	for (i = 0; i < nr_ops; i++)
		if (!step(machine, &ops[i]))
			return false;
	if (machine->count == 0)
		return false;
	*ret_value = machine->stack[machine->count - 1];
	return true;
}

/* ---------------------------------------------------------------- a step */

/*
 * A function that says nothing of these has not changed them (System V ABI for x86-64, 3.2.1). The table of elfutils
 * 0.188 has RAX in the place of RBX.
 */
static bool is_kept(unsigned number)
{
	return number == UNWIND_RBX || number == UNWIND_RBP ||
	       (number >= UNWIND_R12 && number < UNWIND_RIP);
}

/* The caller's value of a register; false: it is lost. */
static bool restore(
	struct machine *machine, Dwarf_Frame *frame, unsigned number, uint64_t *ret_value)
{
	Dwarf_Op room[3], *ops;
	size_t nr_ops;

	if (dwarf_frame_register(frame, (int)number, room, &ops, &nr_ops) != 0)
		return false;
	if (nr_ops == 0) {
		*ret_value = machine->unwind->at[number];
		return is_kept(number) && (machine->unwind->known >> number & 1);
	}
	if (!evaluate(machine, ops, nr_ops, ret_value))
		return false;
	return machine->is_value || image_read_word(machine->image, *ret_value, ret_value);
}

static bool restore_all(struct machine *machine, Dwarf_Frame *frame, struct unwind *caller)
{
	unsigned number;
	Dwarf_Op *ops;
	size_t nr_ops;

	if (dwarf_frame_cfa(frame, &ops, &nr_ops) != 0 ||
		!evaluate(machine, ops, nr_ops, &machine->frame_address))
		return false;
	for (number = 0; number < UNWIND_REGISTERS; number++)
		if (number != UNWIND_RSP && restore(machine, frame, number, &caller->at[number]))
			caller->known |= UINT32_C(1) << number;
	caller->at[UNWIND_RSP] = machine->frame_address;
	caller->known |= UINT32_C(1) << UNWIND_RSP;
	return caller->known >> UNWIND_RIP & 1;
}

bool unwind_step(const struct image *image, const struct modules *modules, struct unwind *unwind)
{
	uint64_t address = unwind->at[UNWIND_RIP] - unwind->is_returned;
	const struct module *module = unwind_module(image, modules, address);
	struct machine machine = {.image = image, .unwind = unwind};
	struct unwind caller = {.is_returned = true};
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr bias = 0;
	Dwarf_CFI *information = module ? symbol_debug_info_frames(module->debug, &bias) : NULL;
	bool is_known;

	if (!information ||
		dwarf_cfi_addrframe(information, address - module->bias - bias, &frame) != 0)
		return false;
	is_known = restore_all(&machine, frame, &caller);
	free(frame);
	/* Stacks grow down: a caller's frame lies above. */
	if (!is_known || caller.at[UNWIND_RSP] <= unwind->at[UNWIND_RSP] ||
		caller.at[UNWIND_RIP] == 0)
		return false;
	*unwind = caller;
	return true;
}

/* ---------------------------------------------------------------- variables */

/* The location that holds at the address; false: there is none, or several for parts of the variable. */
static bool evaluate_at(struct machine *machine, Dwarf_Die *entry, unsigned name, uint64_t address,
	uint64_t *ret_value)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t nr_ops;

	return dwarf_attr(entry, name, &attribute) &&
	       dwarf_getlocation_addr(&attribute, address, &ops, &nr_ops, 1) == 1 &&
	       evaluate(machine, ops, nr_ops, ret_value);
}

bool unwind_value(const struct image *image, const struct unwind *unwind, uint64_t frame_address,
	uint64_t address, Dwarf_Die *function, Dwarf_Die *variable, uint64_t *ret_value)
{
	struct machine machine = {.image = image, .unwind = unwind, .frame_address = frame_address};
	uint64_t base;

	if (evaluate_at(&machine, function, DW_AT_frame_base, address, &base))
		machine.frame_base = base;
	if (!evaluate_at(&machine, variable, DW_AT_location, address, ret_value))
		return false;
	return machine.is_value || image_read_word(image, *ret_value, ret_value);
}
