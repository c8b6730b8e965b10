/* SPDX-License-Identifier: MIT */
/* Finds stores into a frame in x86-64 code (stores.h). The calling convention is that of the System V ABI. */
#include <capstone/capstone.h>
#include <stdlib.h>
#include <string.h>

#include "base/loaded.h"
#include "base/vec.h"
#include "frames/stores.h"

/* clang-format off */
#define CAPSTONE_CALLS(USE) \
	USE(cs_, close) USE(cs_, disasm_iter) USE(cs_, free) USE(cs_, malloc) USE(cs_, open) USE(cs_, option)
/* clang-format on */

LOADED_TABLE(capstone, CAPSTONE_CALLS);
static struct capstone capstone = LOADED_INITIALLY(CAPSTONE_CALLS);
static const struct loaded capstone_library =
	LOADED(capstone, CAPSTONE_CALLS, CT_CAPSTONE, "libcapstone4");

#define REGISTERS 16
#define SLOTS_MAX 256
#define FRAME_BYTES_MAX 65536

enum value_kind {
	VALUE_UNKNOWN,
	VALUE_NUMBER,
	VALUE_FRAME, /* the frame's address plus a number */
	VALUE_BYTE,  /* what is in the frame's byte of this number */
};

struct value {
	enum value_kind kind;
	int64_t number;
};

struct slot {
	int base; /* register */
	int64_t offset;
	struct value value;
};

struct state {
	struct value registers[REGISTERS];
	struct slot slots[SLOTS_MAX];
	size_t nr_slots;
};

struct following {
	struct state now;
	struct state branched; /* at the first branch */
	bool has_branched;
	bool is_ramp;
	uint32_t field_offset;
	uint32_t field_bytes;
	uint32_t dispatch;
	uint32_t nr_in_use; /* bytes of the frame that instructions name */
	VEC(struct stores_step) steps;
};

/* Numbers of registers as the machine has them: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15. */
enum {
	RAX,
	RCX,
	RDX,
	RBX,
	RSP,
	RBP,
	RSI,
	RDI,
	R8,
	R9,
	R10,
	R11,
};

/* The register that a part of it belongs to; -1: another one. */
static int register_of(x86_reg reg)
{
#define PARTS(number, r64, r32, r16, r8) \
	case X86_REG_##r64:              \
	case X86_REG_##r32:              \
	case X86_REG_##r16:              \
	case X86_REG_##r8:               \
		return number
#define NUMBERED(number) PARTS(number, R##number, R##number##D, R##number##W, R##number##B)
	switch (reg) {
		PARTS(RAX, RAX, EAX, AX, AL);
		PARTS(RCX, RCX, ECX, CX, CL);
		PARTS(RDX, RDX, EDX, DX, DL);
		PARTS(RBX, RBX, EBX, BX, BL);
		PARTS(RSP, RSP, ESP, SP, SPL);
		PARTS(RBP, RBP, EBP, BP, BPL);
		PARTS(RSI, RSI, ESI, SI, SIL);
		PARTS(RDI, RDI, EDI, DI, DIL);
		NUMBERED(8);
		NUMBERED(9);
		NUMBERED(10);
		NUMBERED(11);
		NUMBERED(12);
		NUMBERED(13);
		NUMBERED(14);
		NUMBERED(15);
	default:
		return -1;
	}
#undef NUMBERED
#undef PARTS
}

static const struct value unknown = {VALUE_UNKNOWN, 0};

/* ---------------------------------------------------------------- memory */

static bool is_slot(const x86_op_mem *memory)
{
	int base = register_of(memory->base);

	return (base == RBP || base == RSP) && memory->index == X86_REG_INVALID;
}

static struct slot *slot_of(struct state *state, const x86_op_mem *memory)
{
	int base = register_of(memory->base);
	size_t i;

	for (i = 0; i < state->nr_slots; i++)
		if (state->slots[i].base == base && state->slots[i].offset == memory->disp)
			return &state->slots[i];
	return NULL;
}

static void store_slot(struct state *state, const x86_op_mem *memory, struct value value)
{
	struct slot *slot = slot_of(state, memory);

	if (!slot && value.kind != VALUE_UNKNOWN && state->nr_slots < SLOTS_MAX) {
		slot = &state->slots[state->nr_slots++];
		slot->base = register_of(memory->base);
		slot->offset = memory->disp;
	}
	if (slot)
		slot->value = value;
}

/* The address that an operand means, if it is in the frame. */
static struct value address_of(const struct following *following, const x86_op_mem *memory)
{
	int base = register_of(memory->base);
	struct value value = unknown;

	if (base < 0 || memory->index != X86_REG_INVALID)
		return unknown;
	value = following->now.registers[base];
	/* Behind a call that does not return, such as _Unwind_Resume, code begins that is entered from elsewhere. */
	if (value.kind == VALUE_UNKNOWN && following->has_branched)
		value = following->branched.registers[base];
	if (value.kind != VALUE_FRAME && following->is_ramp && base != RSP && base != RBP)
		return (struct value){VALUE_FRAME, memory->disp};
	if (value.kind != VALUE_FRAME)
		return unknown;
	value.number += memory->disp;
	return value;
}

/* ---------------------------------------------------------------- instructions */

static struct value byte_of(const struct following *following, const cs_x86_op *operand)
{
	struct value address = address_of(following, &operand->mem);

	if (address.kind != VALUE_FRAME || operand->size != 1 || address.number < 0)
		return unknown;
	return (struct value){VALUE_BYTE, address.number};
}

static struct value value_of(struct following *following, const cs_x86_op *operand)
{
	const struct slot *slot;
	int reg;

	switch (operand->type) {
	case X86_OP_IMM:
		return (struct value){VALUE_NUMBER, operand->imm};
	case X86_OP_REG:
		reg = register_of(operand->reg);
		return reg < 0 ? unknown : following->now.registers[reg];
	case X86_OP_MEM:
		slot = is_slot(&operand->mem) ? slot_of(&following->now, &operand->mem) : NULL;
		return slot ? slot->value : byte_of(following, operand);
	default:
		return unknown;
	}
}

/* ---------------------------------------------------------------- dispatch */

/* What decides the first branch: a byte of the frame that is compared, or is the index into a table. */
static void note_dispatch(struct following *following, const cs_x86_op *operand)
{
	struct value value = value_of(following, operand);
	int base;

	if (operand->type == X86_OP_MEM && operand->mem.index != X86_REG_INVALID) {
		base = register_of(operand->mem.index);
		value = base < 0 ? unknown : following->now.registers[base];
	}
	if (value.kind == VALUE_BYTE && following->dispatch == STORES_NO_DISPATCH)
		following->dispatch = (uint32_t)value.number;
}

static bool compares(const cs_insn *instruction)
{
	switch (instruction->id) {
	case X86_INS_CMP:
	case X86_INS_TEST:
	case X86_INS_SUB:
	case X86_INS_DEC:
	case X86_INS_BT:
		return true;
	default:
		return false;
	}
}

static void look_for_dispatch(struct following *following, const cs_insn *instruction)
{
	const cs_x86 *x86 = &instruction->detail->x86;
	uint8_t i;

	for (i = 0; i < x86->op_count && !following->has_branched; i++)
		if (compares(instruction) || (x86->operands[i].type == X86_OP_MEM &&
						     x86->operands[i].mem.index != X86_REG_INVALID))
			note_dispatch(following, &x86->operands[i]);
}

static void note_use(struct following *following, const cs_insn *instruction)
{
	const cs_x86 *x86 = &instruction->detail->x86;
	struct value address;
	uint8_t i;

	for (i = 0; i < x86->op_count; i++) {
		if (x86->operands[i].type != X86_OP_MEM)
			continue;
		address = address_of(following, &x86->operands[i].mem);
		if (address.kind == VALUE_FRAME && address.number >= 0 &&
			address.number < FRAME_BYTES_MAX &&
			address.number + x86->operands[i].size > following->nr_in_use)
			following->nr_in_use = (uint32_t)address.number + x86->operands[i].size;
	}
}

static void set(struct following *following, const cs_x86_op *operand, struct value value)
{
	int reg = operand->type == X86_OP_REG ? register_of(operand->reg) : -1;

	if (reg >= 0)
		following->now.registers[reg] = value;
	else if (operand->type == X86_OP_MEM && is_slot(&operand->mem))
		store_slot(&following->now, &operand->mem, value);
}

static struct value sum(struct value value, int64_t number)
{
	if (value.kind == VALUE_NUMBER || value.kind == VALUE_FRAME)
		value.number += number;
	return value;
}

/* In a ramp, an address that seems known may be that of something else in the frame: the distance alone counts, too. */
static bool is_field(const struct following *following, const x86_op_mem *memory)
{
	struct value address = address_of(following, memory);
	int base = register_of(memory->base);

	if (address.kind == VALUE_FRAME && address.number == following->field_offset)
		return true;
	return following->is_ramp && base >= 0 && base != RSP && base != RBP &&
	       memory->index == X86_REG_INVALID && memory->disp == following->field_offset;
}

static void move(struct following *following, const cs_x86 *x86, struct stores_step *step)
{
	const cs_x86_op *to = &x86->operands[0], *from = &x86->operands[1];
	struct value value = value_of(following, from);

	if (to->type == X86_OP_MEM && to->size == following->field_bytes &&
		value.kind == VALUE_NUMBER && is_field(following, &to->mem)) {
		step->is_store = true;
		step->number = (uint64_t)value.number;
	}
	set(following, to, value);
}

static void add(struct following *following, const cs_x86 *x86, int64_t sign)
{
	const cs_x86_op *to = &x86->operands[0], *by = &x86->operands[1];

	if (to->type != X86_OP_REG)
		return;
	set(following, to,
		by->type == X86_OP_IMM ? sum(value_of(following, to), sign * by->imm) : unknown);
}

/* A byte of the frame stays one when it is widened, or when bits of it are left out. */
static void widen(struct following *following, const cs_x86 *x86, const cs_x86_op *from)
{
	struct value value = value_of(following, from);

	set(following, &x86->operands[0], value.kind == VALUE_BYTE ? value : unknown);
}

static void exclusive_or(struct following *following, const cs_x86 *x86)
{
	const cs_x86_op *to = &x86->operands[0], *by = &x86->operands[1];
	bool is_zero = to->type == X86_OP_REG && by->type == X86_OP_REG && to->reg == by->reg;

	set(following, to, is_zero ? (struct value){VALUE_NUMBER, 0} : unknown);
}

/* What a function that is called may change. */
static void forget_for_call(struct state *state)
{
	static const int changed[] = {RAX, RCX, RDX, RSI, RDI, R8, R9, R10, R11};
	size_t i;

	for (i = 0; i < sizeof(changed) / sizeof(*changed); i++)
		state->registers[changed[i]] = unknown;
}

static void note_branch(struct following *following)
{
	if (!following->has_branched)
		following->branched = following->now;
	following->has_branched = true;
}

/* Slots are kept: code without optimisation writes each of them once. */
static void begin_elsewhere(struct following *following)
{
	memcpy(following->now.registers, following->branched.registers,
		sizeof(following->now.registers));
}

static uint64_t target_of(const cs_x86 *x86)
{
	return x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM
		       ? (uint64_t)x86->operands[0].imm
		       : 0;
}

static void jump(struct following *following, const cs_insn *instruction, struct stores_step *step)
{
	note_branch(following);
	step->target = target_of(&instruction->detail->x86);
	if (instruction->id == X86_INS_JMP) {
		step->is_end = true;
		begin_elsewhere(following);
	}
}

static bool is_in_group(const cs_insn *instruction, uint8_t group)
{
	uint8_t i;

	for (i = 0; i < instruction->detail->groups_count; i++)
		if (instruction->detail->groups[i] == group)
			return true;
	return false;
}

/* Any other instruction changes its first operand, if that is a register, in a way that is not followed. */
static void change(struct following *following, const cs_x86 *x86)
{
	if (x86->op_count > 0 && (x86->operands[0].access & CS_AC_WRITE))
		set(following, &x86->operands[0], unknown);
}

static void apply(struct following *following, const cs_insn *instruction, struct stores_step *step)
{
	const cs_x86 *x86 = &instruction->detail->x86;

	switch (instruction->id) {
	case X86_INS_MOV:
	case X86_INS_MOVABS:
		move(following, x86, step);
		return;
	case X86_INS_MOVZX:
	case X86_INS_MOVSX:
		widen(following, x86, &x86->operands[1]);
		return;
	case X86_INS_AND:
		widen(following, x86, &x86->operands[0]);
		return;
	case X86_INS_LEA:
		set(following, &x86->operands[0], address_of(following, &x86->operands[1].mem));
		return;
	case X86_INS_ADD:
		add(following, x86, 1);
		return;
	case X86_INS_SUB:
		add(following, x86, -1);
		return;
	case X86_INS_XOR:
		exclusive_or(following, x86);
		return;
	case X86_INS_CALL:
		step->target = target_of(x86);
		forget_for_call(&following->now);
		return;
	case X86_INS_RET:
	case X86_INS_UD2:
		step->is_end = true;
		note_branch(following);
		begin_elsewhere(following);
		return;
	default:
		break;
	}
	if (is_in_group(instruction, X86_GRP_JUMP))
		jump(following, instruction, step);
	else
		change(following, x86);
}

static bool follow(struct following *following, csh engine, cs_insn *instruction,
	const uint8_t *code, size_t nr_bytes, uint64_t address)
{
	size_t nr_stores = 0;

	while (nr_bytes > 0 && following->steps.count < STEPS_MAX && nr_stores < STORES_MAX) {
		struct stores_step step = {.address = address};

		if (!capstone.disasm_iter(engine, &code, &nr_bytes, &address, instruction)) {
			/* Padding, or an instruction that Capstone does not know: the next byte may begin one. */
			code++, nr_bytes--, address++;
			continue;
		}
		look_for_dispatch(following, instruction);
		note_use(following, instruction);
		apply(following, instruction, &step);
		nr_stores += step.is_store;
		if (!vec_push(&following->steps, step))
			return false;
	}
	return true;
}

bool stores_find(const uint8_t *code, size_t nr_bytes, uint64_t address, uint32_t field_offset,
	uint32_t field_bytes, bool is_ramp, struct stores *ret_stores)
{
	struct following *following = calloc(1, sizeof(*following));
	cs_insn *instruction = NULL;
	bool is_kept;
	csh engine;

	memset(ret_stores, 0, sizeof(*ret_stores));
	ret_stores->dispatch = STORES_NO_DISPATCH;
	if (!following)
		return false;
	if (capstone.open(CS_ARCH_X86, CS_MODE_64, &engine) != CS_ERR_OK) {
		free(following);
		return false;
	}
	capstone.option(engine, CS_OPT_DETAIL, CS_OPT_ON);
	following->field_offset = field_offset;
	following->field_bytes = field_bytes;
	following->is_ramp = is_ramp;
	following->dispatch = STORES_NO_DISPATCH;
	if (!is_ramp)
		following->now.registers[RDI] = (struct value){VALUE_FRAME, 0};
	instruction = capstone.malloc(engine);
	is_kept = instruction && follow(following, engine, instruction, code, nr_bytes, address);
	if (instruction)
		capstone.free(instruction, 1);
	capstone.close(&engine);
	ret_stores->steps = following->steps.at;
	ret_stores->count = following->steps.count;
	ret_stores->dispatch = following->dispatch;
	ret_stores->nr_in_use = following->nr_in_use;
	free(following);
	return is_kept;
}

enum ct_status stores_prepare(struct ct_error *reterr)
{
	return loaded_open(&capstone_library, "cannot look for coroutines in memory", reterr);
}
