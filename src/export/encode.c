/* SPDX-License-Identifier: MIT */
/*
 * Packs bits, the least significant bit first. Differences are computed without a sign, so none overflows.
 */
#include "base/protobuf.h"
#include "export/encode.h"

#define GROUP 8u        /* numbers that are packed together */
#define RUN_LEAST 8u    /* a shorter run is not worth its header */
#define GROUPS_MOST 63u /* in a packed run: its header is then one byte */
#define BLOCK 128u      /* number of differences that share one minimum */
#define MINIBLOCK 32u   /* number of differences that share one width */
#define MINIBLOCKS (BLOCK / MINIBLOCK)

unsigned encode_width(uint64_t most)
{
	return most ? 64u - (unsigned)__builtin_clzll(most) : 0;
}

/* Packs a whole number of groups of eight; each group takes as many bytes as a number has bits. */
static void put_packed(
	struct text *text, const uint64_t *values, uint32_t nr_values, unsigned width)
{
	unsigned __int128 bits = 0;
	unsigned nr_bits = 0;
	char bytes[MINIBLOCK * 8];
	size_t nr_bytes = 0;
	uint32_t i;

	for (i = 0; i < nr_values; i++) {
		bits |= (unsigned __int128)values[i] << nr_bits;
		for (nr_bits += width; nr_bits >= 8; nr_bits -= 8, bits >>= 8)
			bytes[nr_bytes++] = (char)bits;
	}
	text_append(text, bytes, nr_bytes);
}

/* ---------------------------------------------------------------- runs */

static uint32_t run_length(const int64_t *values, uint32_t nr_values)
{
	uint32_t length = 1;

	while (length < nr_values && values[length] == values[0])
		length++;
	return length;
}

static void put_run(struct text *text, int64_t value, uint32_t length, unsigned width)
{
	protobuf_varint(text, (uint64_t)length << 1);
	text_little_endian(text, (uint64_t)value, (width + 7) / 8);
}

static void put_group(struct text *text, const int64_t *values, uint32_t nr_values, unsigned width)
{
	uint64_t group[GROUP] = {0};
	uint32_t i;

	for (i = 0; i < GROUP && i < nr_values; i++)
		group[i] = (uint64_t)values[i];
	put_packed(text, group, GROUP, width);
}

/* Packs groups up to the next run that is worth its header. The last group is padded only at the end of all numbers. */
static uint32_t put_groups(
	struct text *text, const int64_t *values, uint32_t nr_values, unsigned width)
{
	uint32_t nr_groups = 0, i, taken;

	do
		nr_groups++;
	while (nr_groups < GROUPS_MOST && nr_groups * GROUP < nr_values &&
		run_length(values + nr_groups * GROUP, nr_values - nr_groups * GROUP) < RUN_LEAST);
	protobuf_varint(text, (uint64_t)nr_groups << 1 | 1);
	for (i = 0; i < nr_groups; i++)
		put_group(text, values + i * GROUP, nr_values - i * GROUP, width);
	taken = nr_groups * GROUP;
	return taken < nr_values ? taken : nr_values;
}

void encode_runs(struct text *text, const int64_t *values, uint32_t nr_values, unsigned width)
{
	uint32_t at = 0, length;

	while (at < nr_values) {
		length = run_length(values + at, nr_values - at);
		if (length >= RUN_LEAST)
			put_run(text, values[at], length, width);
		else
			length = put_groups(text, values + at, nr_values - at, width);
		at += length;
	}
}

void encode_bits(struct text *text, const int64_t *values, uint32_t nr_values)
{
	uint32_t at;

	for (at = 0; at < nr_values; at += GROUP)
		put_group(text, values + at, nr_values - at, 1);
}

/* ---------------------------------------------------------------- differences */

static void put_signed(struct text *text, int64_t value)
{
	protobuf_varint(text, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

static unsigned width_of(const uint64_t *values)
{
	uint64_t all = 0;
	uint32_t i;

	for (i = 0; i < MINIBLOCK; i++)
		all |= values[i];
	return encode_width(all);
}

/* Up to BLOCK differences. Missing differences of the last miniblock are 0; miniblocks behind it are left out. */
static void put_block(struct text *text, const int64_t *values, uint32_t nr_deltas)
{
	uint64_t deltas[BLOCK] = {0};
	unsigned widths[MINIBLOCKS] = {0}, k;
	int64_t least = INT64_MAX;
	uint32_t i;

	for (i = 0; i < nr_deltas; i++) {
		deltas[i] = (uint64_t)values[i + 1] - (uint64_t)values[i];
		if ((int64_t)deltas[i] < least)
			least = (int64_t)deltas[i];
	}
	for (i = 0; i < nr_deltas; i++)
		deltas[i] -= (uint64_t)least;
	put_signed(text, least);
	for (k = 0; k < MINIBLOCKS; k++) {
		widths[k] = width_of(deltas + k * MINIBLOCK);
		text_char(text, (char)widths[k]);
	}
	for (k = 0; k * MINIBLOCK < nr_deltas; k++)
		put_packed(text, deltas + k * MINIBLOCK, MINIBLOCK, widths[k]);
}

void encode_deltas(struct text *text, const int64_t *values, uint32_t nr_values)
{
	uint32_t at = 0, left;

	protobuf_varint(text, BLOCK);
	protobuf_varint(text, MINIBLOCKS);
	protobuf_varint(text, nr_values);
	put_signed(text, nr_values ? values[0] : 0);
	for (left = nr_values ? nr_values - 1 : 0; left; at += BLOCK) {
		uint32_t count = left < BLOCK ? left : BLOCK;

		put_block(text, values + at, count);
		left -= count;
	}
}
