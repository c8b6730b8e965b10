/* SPDX-License-Identifier: MIT */
/*
 * Numbers that were packed for Parquet come out unchanged from decoders written from its specification: for every
 * length around a boundary, and for numbers of every shape.
 */
#include <string.h>

#include "check.h"
#include "export/encode.h"

#define MOST 1200u

static int64_t numbers[MOST];
static int64_t decoded[MOST + 256];

/* The next bytes to be read; reading beyond the end fails the test. */
struct reader {
	const unsigned char *at;
	const unsigned char *end;
	unsigned bit; /* the next bit of the byte */
};

static uint64_t read_bits(struct reader *reader, unsigned nr_bits)
{
	uint64_t value = 0;
	unsigned i;

	for (i = 0; i < nr_bits; i++) {
		CHECK(reader->at < reader->end);
		value |= (uint64_t)(*reader->at >> reader->bit & 1) << i;
		reader->bit = (reader->bit + 1) % 8;
		reader->at += !reader->bit;
	}
	return value;
}

static uint64_t read_varint(struct reader *reader)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = read_bits(reader, 8);
		value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

static int64_t read_signed(struct reader *reader)
{
	uint64_t value = read_varint(reader);

	return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

/* ---------------------------------------------------------------- decoding */

/* Returns the number of values, including those that pad the last group. */
static uint32_t decode_runs(struct reader *reader, unsigned width)
{
	uint32_t count = 0, i;

	while (reader->at < reader->end) {
		uint64_t head = read_varint(reader), value = 0;
		uint64_t length = head & 1 ? (head >> 1) * 8 : head >> 1;

		CHECK(length && count + length <= MOST + 8);
		if (!(head & 1))
			value = read_bits(reader, (width + 7) / 8 * 8);
		for (i = 0; i < length; i++)
			decoded[count++] = (int64_t)(head & 1 ? read_bits(reader, width) : value);
	}
	return count;
}

static uint32_t decode_block(struct reader *reader, uint32_t nr_blocks, uint32_t nr_miniblocks,
	uint32_t at, uint32_t count)
{
	unsigned widths[8], k;
	int64_t least = read_signed(reader);
	uint32_t per_miniblock = nr_blocks / nr_miniblocks, i;

	for (k = 0; k < nr_miniblocks; k++)
		widths[k] = (unsigned)read_bits(reader, 8);
	for (k = 0; k < nr_miniblocks && at < count; k++) {
		for (i = 0; i < per_miniblock; i++, at++)
			decoded[at] = (int64_t)((uint64_t)decoded[at - 1] + (uint64_t)least +
						read_bits(reader, widths[k]));
	}
	return at;
}

static uint32_t decode_deltas(struct reader *reader)
{
	uint32_t block = (uint32_t)read_varint(reader), miniblocks = (uint32_t)read_varint(reader);
	uint32_t count = (uint32_t)read_varint(reader), at = 1;

	CHECK(block % 128 == 0 && miniblocks && miniblocks <= 8 && block / miniblocks % 32 == 0);
	decoded[0] = read_signed(reader);
	while (at < count)
		at = decode_block(reader, block, miniblocks, at, count);
	CHECK(reader->at == reader->end);
	return count;
}

/* ---------------------------------------------------------------- checks */

static struct reader reader_of(const struct text *text)
{
	const unsigned char *at = (const unsigned char *)text_peek(text);

	CHECK(!text->is_broken);
	return (struct reader){.at = at, .end = at + text->length};
}

static void check_same(uint32_t count)
{
	CHECK(memcmp(decoded, numbers, count * sizeof(*numbers)) == 0);
}

static void check_deltas(uint32_t count)
{
	struct text text = {0};
	struct reader reader;

	encode_deltas(&text, numbers, count);
	reader = reader_of(&text);
	CHECK_EQUAL(decode_deltas(&reader), count);
	check_same(count);
	text_fini(&text);
}

static void check_runs(uint32_t count)
{
	uint64_t most = 0;
	struct text text = {0};
	struct reader reader;
	uint32_t i, nr_decoded;
	unsigned width;

	for (i = 0; i < count; i++)
		most |= (uint64_t)numbers[i];
	width = encode_width(most);
	if (!width || width > 32)
		return;
	encode_runs(&text, numbers, count, width);
	reader = reader_of(&text);
	nr_decoded = decode_runs(&reader, width);
	CHECK(nr_decoded >= count && nr_decoded < count + 8);
	check_same(count);
	text_fini(&text);
}

static void check_bits(uint32_t count)
{
	struct text text = {0};
	struct reader reader;
	uint32_t i;

	for (i = 0; i < count; i++)
		numbers[i] &= 1;
	encode_bits(&text, numbers, count);
	CHECK_EQUAL(text.length, (count + 7) / 8);
	reader = reader_of(&text);
	for (i = 0; i < count; i++)
		decoded[i] = (int64_t)read_bits(&reader, 1);
	check_same(count);
	text_fini(&text);
}

/* ---------------------------------------------------------------- numbers */

static uint64_t next_number(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

enum shape {
	ALIKE,
	RISING,
	FEW,
	IN_RUNS,
	INDEXES, /* of 32 bits */
	ANY,
	EXTREMES,
	NR_SHAPES,
};

static int64_t number_of(enum shape shape, uint64_t random, uint32_t at)
{
	static const int64_t extremes[] = {INT64_MIN, INT64_MAX, 0, -1, 1};

	switch (shape) {
	case ALIKE:
		return 7;
	case RISING:
		return (INT64_C(1) << 50) + at * 1000 + (int64_t)(random % 900);
	case FEW:
		return (int64_t)(random % 5);
	case IN_RUNS:
		return at % 40 < 25 ? 3 : (int64_t)(random % 9);
	case INDEXES:
		return (int64_t)(random >> 32);
	case EXTREMES:
		return extremes[random % 5];
	default:
		return (int64_t)random;
	}
}

static void check_shape(enum shape shape, uint32_t count, uint64_t *state)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		numbers[i] = number_of(shape, next_number(state), i);
	check_deltas(count);
	check_runs(count);
	check_bits(count);
}

int main(void)
{
	uint64_t state = 88172645463325252u;
	enum shape shape;
	uint32_t count;

	for (shape = 0; shape < NR_SHAPES; shape++) {
		for (count = 0; count < 300; count++)
			check_shape(shape, count, &state);
		check_shape(shape, MOST, &state);
	}
	return check_result();
}
