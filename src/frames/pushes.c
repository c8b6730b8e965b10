/* SPDX-License-Identifier: MIT */
/* Finds stacks whose registers were pushed (pushes.h). */
#include <string.h>

#include "frames/pushes.h"
#include "frames/switches.h"

#define WORD sizeof(uint64_t)
#define PUSHES_BYTES 10u /* of RBP, RBX with one byte each, of R12 to R15 with two */
#define LOAD_WITHIN 24u  /* bytes behind the store, in which the other stack pointer is loaded */
#define STORE_WITHIN 32u /* bytes from the beginning of the function */
#define NONE UINT32_MAX

#define ALL_PUSHED (1u << 3 | 1u << 6 | 15u << 12)

/* ---------------------------------------------------------------- code */

/* The register that `push %reg` pushes, by DWARF's number; 0: another instruction. */
static unsigned pushed_by(const uint8_t *bytes, size_t *ret_nr_bytes)
{
	*ret_nr_bytes = bytes[0] == 0x41 ? 2 : 1;
	if (bytes[0] == 0x41)
		return bytes[1] >= 0x54 && bytes[1] <= 0x57 ? bytes[1] - 0x54u + UNWIND_R12 : 0;
	return bytes[0] == 0x55 ? UNWIND_RBP : bytes[0] == 0x53 ? UNWIND_RBX : 0;
}

static bool read_pushes(const uint8_t *bytes, struct pushed *pushed)
{
	uint32_t seen = 0;
	size_t at = 0, nr_bytes;
	unsigned i;

	for (i = 0; i < PUSHED_REGISTERS && at < PUSHES_BYTES; i++, at += nr_bytes) {
		unsigned number = pushed_by(bytes + at, &nr_bytes);

		pushed->registers[PUSHED_REGISTERS - 1 - i] = (uint8_t)number;
		seen |= UINT32_C(1) << number;
	}
	return i == PUSHED_REGISTERS && at == PUSHES_BYTES && seen == ALL_PUSHED;
}

/* `mov offset(%reg), %rsp` */
static bool loads_stack_pointer(const uint8_t *bytes, size_t count)
{
	size_t i;

	for (i = 0; i + 3 <= count; i++)
		if ((bytes[i] & 0xf8) == 0x48 && (bytes[i] & 4) == 0 && bytes[i + 1] == 0x8b &&
			(bytes[i + 2] >> 3 & 7) == 4 && bytes[i + 2] >> 6 != 3)
			return true;
	return false;
}

void pushes_read(
	struct pushes *pushes, const uint8_t *bytes, size_t at, size_t count, uint64_t address)
{
	size_t left = count - at;
	struct pushed pushed = {.code = address + at};

	if (at < PUSHES_BYTES || pushes->count == PUSHES_MAX ||
		!read_pushes(bytes + at - PUSHES_BYTES, &pushed) ||
		!loads_stack_pointer(bytes + at, left < LOAD_WITHIN ? left : LOAD_WITHIN))
		return;
	pushes->at[pushes->count++] = pushed;
}

/* ---------------------------------------------------------------- stacks */

/* The code that the call in front of the address leads to; NONE: none of it, or it is not known which. */
static uint32_t called(const struct pushes *pushes, const struct image *image, uint64_t address)
{
	uint64_t function;
	uint32_t i;

	if (!switches_called(image, address, &function) || !function)
		return NONE;
	for (i = 0; i < pushes->count; i++)
		if (function <= pushes->at[i].code && pushes->at[i].code - function <= STORE_WITHIN)
			return i;
	return NONE;
}

bool pushes_take(const struct pushes *pushes, const struct image *image, struct map *known,
	uint64_t address, uint64_t word, struct unwind *ret_registers, uint64_t *ret_stack,
	bool *ret_is_out_of_memory)
{
	uint64_t words[PUSHED_REGISTERS];
	uint32_t index;
	unsigned i;

	if (!map_get(known, word, &index)) {
		index = called(pushes, image, word);
		*ret_is_out_of_memory |= !map_put(known, word, index);
	}
	*ret_stack = address - sizeof(words);
	if (index == NONE || image_read(image, *ret_stack, words, sizeof(words)) != sizeof(words))
		return false;
	memset(ret_registers, 0, sizeof(*ret_registers));
	for (i = 0; i < PUSHED_REGISTERS; i++) {
		ret_registers->at[pushes->at[index].registers[i]] = words[i];
		ret_registers->known |= UINT32_C(1) << pushes->at[index].registers[i];
	}
	ret_registers->at[UNWIND_RSP] = address + WORD;
	ret_registers->at[UNWIND_RIP] = word;
	ret_registers->known |= UINT32_C(1) << UNWIND_RSP | UINT32_C(1) << UNWIND_RIP;
	ret_registers->is_returned = true;
	return true;
}
