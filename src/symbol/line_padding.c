/* SPDX-License-Identifier: MIT */
/* Padding in programs of lines (line_padding.h). The section may be anything. */
#include <dwarf.h>
#include <stdint.h>
#include <string.h>

#include "symbol/line_padding.h"

#define LENGTH_OF_64_BITS 0xffffffffu
#define HEADER_AFTER_LENGTH \
	6u /* of the fields that follow: up to the number of the first special operation */
#define LEAST_PADDING 128u /* bytes: shorter lengths take one byte */
#define NO_EFFECT DW_LNS_set_prologue_end

/* A unit's program of lines. */
struct unit {
	size_t at; /* of its first operation */
	size_t end;
	const unsigned char *nr_operands; /* of the standard operations, from 1 on */
	unsigned first_special;
	bool has_sources; /* its files may have their source with them (DW_LNCT_LLVM_source) */
};

/* Numbers are in our own byte order: a file of another one has no unit that fits. */
static uint64_t number(const unsigned char *from, unsigned nr_bytes)
{
	uint64_t eight;
	uint32_t four;
	uint16_t two;

	switch (nr_bytes) {
	case 8:
		memcpy(&eight, from, 8);
		return eight;
	case 4:
		memcpy(&four, from, 4);
		return four;
	default:
		memcpy(&two, from, 2);
		return two;
	}
}

static bool read_header(const unsigned char *section, size_t at, unsigned width, struct unit *unit)
{
	static const unsigned char sources[] = {
		0x81, 0x40};    /* 0x2001, in the encoding of the list */
	size_t fields = at + 4; /* after the version, and the sizes of addresses and segments */
	uint64_t nr_bytes;

	if (unit->end - at < 4 + width + HEADER_AFTER_LENGTH || number(section + at, 2) != 5)
		return false;
	nr_bytes = number(section + fields, width);
	fields += width;
	unit->first_special = section[fields + HEADER_AFTER_LENGTH - 1];
	if (nr_bytes > unit->end - fields ||
		nr_bytes < HEADER_AFTER_LENGTH + (uint64_t)unit->first_special ||
		unit->first_special <= NO_EFFECT)
		return false;
	unit->nr_operands = section + fields + HEADER_AFTER_LENGTH;
	unit->at = fields + (size_t)nr_bytes;
	unit->has_sources = memmem(section + fields, (size_t)nr_bytes, sources, sizeof(sources));
	return true;
}

/* Reads the next unit from `*at` on, and sets `*at` behind it. False: there is none. */
static bool next_unit(
	const unsigned char *section, size_t nr_bytes, size_t *at, struct unit *ret_unit)
{
	unsigned width = 4;
	uint64_t length;

	if (nr_bytes - *at < 4)
		return false;
	length = number(section + *at, 4);
	*at += 4;
	if (length == LENGTH_OF_64_BITS) {
		width = 8;
		if (nr_bytes - *at < 8)
			return false;
		length = number(section + *at, 8);
		*at += 8;
	}
	if (length > nr_bytes - *at)
		return false;
	*ret_unit = (struct unit){.end = *at + (size_t)length};
	if (!read_header(section, *at, width, ret_unit))
		ret_unit->has_sources = false;
	*at = ret_unit->end;
	return true;
}

static uint64_t operand(const unsigned char *section, size_t *at, size_t end)
{
	uint64_t value = 0;
	unsigned shift = 0;

	while (*at < end) {
		unsigned char byte = section[(*at)++];

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80))
			break;
	}
	return value;
}

static void skip_operands(
	const unsigned char *section, const struct unit *unit, unsigned operation, size_t *at)
{
	unsigned i;

	if (operation >= unit->first_special)
		return;
	if (operation == DW_LNS_fixed_advance_pc) {
		*at += unit->end - *at < 2 ? unit->end - *at : 2;
		return;
	}
	for (i = 0; i < unit->nr_operands[operation - 1]; i++)
		operand(section, at, unit->end);
}

/* Finds the next padding from `*at` on, and sets `*at` behind it. False: there is none. */
static bool find_padding(
	const unsigned char *section, const struct unit *unit, size_t *at, size_t *ret_from)
{
	while (*at < unit->end) {
		uint64_t length;

		*ret_from = *at;
		if (section[(*at)++]) {
			skip_operands(section, unit, section[*ret_from], at);
			continue;
		}
		length = operand(section, at, unit->end);
		if (length > unit->end - *at)
			return false;
		*at += (size_t)length;
		if (length >= LEAST_PADDING)
			return true;
	}
	return false;
}

bool symbol_line_padding_has(const unsigned char *section, size_t nr_bytes)
{
	size_t next = 0, at, from;
	struct unit unit;

	while (next_unit(section, nr_bytes, &next, &unit)) {
		at = unit.at;
		if (unit.has_sources && find_padding(section, &unit, &at, &from))
			return true;
	}
	return false;
}

void symbol_line_padding_mend(unsigned char *section, size_t nr_bytes)
{
	size_t next = 0, at, from;
	struct unit unit;

	while (next_unit(section, nr_bytes, &next, &unit)) {
		at = unit.at;
		while (unit.has_sources && find_padding(section, &unit, &at, &from))
			memset(section + from, NO_EFFECT, at - from);
	}
}
